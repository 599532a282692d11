//! Two sides in sequence form: what each can know, and what both get.
//!
//! An *information* of a side is its own moves and what it saw after each. A side with a choice there has an information set. Where a number of steps
//! counts that play can exceed, a state is one for each number of steps that are left.

use crate::error::HiddenError;
use crate::listing::{Listing, Node};
use gdl::Term;
use gdl::game::joint_moves;
use indexmap::IndexSet;
use limits::{Limits, StopReason, Watch};
use num_rational::BigRational;
use num_traits::{One, Zero};
use rustc_hash::FxBuildHasher;
use sequence_form::{
    Knowledge, Play, PlayError, PlayOutcome, PlayState, RealizationPlan, SequenceGame,
};
use std::sync::Arc;

/// The role's side, and that of its opponents.
pub const ROLE: usize = 0;

/// The game in sequence form.
pub struct Tree {
    pub game: SequenceGame,
    play: Arc<Play>,
    /// By state of play: its number in the listing.
    states: Vec<u32>,
    /// Whether plays that were not over after the last step count, as worth nothing.
    pub cuts_off: bool,
}

/// Builds the tree of a listing whose start is not over; or tells the limit that came first.
///
/// # Errors
/// If a side does not know its moves, or numbers are too large.
pub fn build(
    listing: &Listing,
    depth: Option<u32>,
    threads: usize,
    watch: &mut Watch<'_>,
) -> Result<Result<Tree, StopReason>, HiddenError> {
    let counted = depth.filter(|depth| listing.longest.is_none_or(|longest| longest > *depth));
    let mut growing = Growing {
        listing,
        menus: IndexSet::default(),
        numbers: IndexSet::default(),
        cuts_off: false,
    };
    growing.numbers.insert((0, counted));
    let mut plays = Vec::new();
    while let Some(&(state, left)) = growing.numbers.get_index(plays.len()) {
        if let Err(reason) = watch.look("the states", plays.len() as u64) {
            return Ok(Err(reason));
        }
        let play = growing.state(state, left);
        let outcomes = match &play {
            PlayState::Stage { outcomes, .. } => outcomes.len() as u64,
            PlayState::End(_) => 0,
        };
        if let Err(reason) = watch.take_memory(STATE_BYTES + OUTCOME_BYTES * outcomes) {
            return Ok(Err(reason));
        }
        plays.push(play);
    }
    let states: Vec<u32> = growing.numbers.iter().map(|(state, _)| *state).collect();
    let (game, play) = match Play::game(&plays, threads, watch) {
        Ok(game) => game,
        Err(PlayError::Stopped(reason)) => return Ok(Err(reason)),
        Err(PlayError::Numbers(error)) => return Err(HiddenError::Sequences(error.to_string())),
        Err(PlayError::Ambiguous {
            player,
            states: two,
        }) => {
            let [one, other] = two.map(|state| states[state as usize]);
            let differs =
                |role: &&usize| listing.legal(one, **role) != listing.legal(other, **role);
            let role = listing.members(player).iter().find(differs);
            let role = *role.expect("menus differ by the moves of a role");
            return Err(listing.in_the_dark(role, one, other));
        }
    };
    Ok(Ok(Tree {
        game,
        play,
        states,
        cuts_off: growing.cuts_off,
    }))
}

/// The memory of a state of play, and of an outcome, in bytes.
const STATE_BYTES: u64 = 120;
const OUTCOME_BYTES: u64 = 12;

struct Growing<'a> {
    listing: &'a Listing,
    /// The lists of legal moves of the members of a side.
    menus: IndexSet<Vec<u32>, FxBuildHasher>,
    /// States with the number of steps that are left, if they are counted.
    numbers: IndexSet<(u32, Option<u32>), FxBuildHasher>,
    cuts_off: bool,
}

impl Growing<'_> {
    /// A state of play. Those that follow get their numbers.
    fn state(&mut self, number: u32, left: Option<u32>) -> PlayState {
        let listing = self.listing;
        let stage = match &listing.nodes[number as usize] {
            Node::End(payoff) => return PlayState::End(payoff.clone()),
            _ if left == Some(0) => {
                self.cuts_off = true;
                return PlayState::End(BigRational::zero());
            }
            node => node.stage().expect("play goes on and was listed"),
        };
        let menus = [0, 1].map(|side| {
            let members = listing.members(side).iter();
            let menu = members.map(|&role| stage.legal[role]).collect();
            self.menus.insert_full(menu).0 as u32
        });
        let outcomes = stage.outcomes.iter().map(|outcome| {
            // How play ended does not depend on the steps that were left.
            let is_end = matches!(listing.nodes[outcome.next as usize], Node::End(_));
            let left = left.filter(|_| !is_end).map(|left| left - 1);
            PlayOutcome {
                next: self.numbers.insert_full((outcome.next, left)).0 as u32,
                seen: [outcome.own, outcome.others],
            }
        });
        PlayState::Stage {
            menus,
            outcomes: outcomes.collect(),
            choices: [0, 1].map(|side| listing.choices(number, side)),
            throws: stage.throws,
        }
    }
}

impl Listing {
    /// The roles of a side.
    pub fn members(&self, side: usize) -> &[usize] {
        match side {
            ROLE => std::slice::from_ref(&self.sides.role),
            _ => &self.coalition,
        }
    }

    /// The number of choices of a side in a state in which play goes on.
    pub fn choices(&self, state: u32, side: usize) -> u32 {
        let members = self.members(side).iter();
        members
            .map(|&role| self.legal(state, role).len() as u32)
            .product()
    }

    /// A choice of a side: one move for each of its roles.
    pub fn choice(&self, state: u32, side: usize, number: u32) -> Vec<Term> {
        let legal = self
            .members(side)
            .iter()
            .map(|&role| self.legal(state, role));
        joint_moves(legal).swap_remove(number as usize)
    }
}

impl Tree {
    /// What a side can know, if it is kept. It is not where plays are walked through again and again.
    pub fn knowledge(&self, side: usize) -> Option<&Knowledge> {
        let is_kept = self.game.entries().is_some();
        is_kept.then(|| self.play.knowledge(side))
    }

    /// The number in the listing of a state in which a side may be.
    pub fn state(&self, side: usize, record: u32) -> u32 {
        self.states[self.play.knowledge(side).state(record) as usize]
    }

    /// The sequences of the first choices of a side: what comes first in its plan.
    fn first_sequences(&self, side: usize, choices: u32) -> Vec<usize> {
        match choices {
            1 => vec![0],
            _ => self.sequences(side, 0, choices),
        }
    }

    fn sequences(&self, side: usize, record: u32, choices: u32) -> Vec<usize> {
        let knowledge = self.play.knowledge(side);
        (0..choices)
            .map(|choice| knowledge.sequence(record, choice))
            .collect()
    }

    /// The probabilities of the choices of a side at the start.
    pub fn first_mixture(
        &self,
        side: usize,
        choices: u32,
        plan: &RealizationPlan,
    ) -> Vec<BigRational> {
        let sequences = self.first_sequences(side, choices);
        shares(&sequences, plan).expect("each plan leads to the start")
    }

    /// The probabilities of the choices of a side in an information; none if its plan does not lead there.
    pub fn mixture(
        &self,
        side: usize,
        record: u32,
        plan: &RealizationPlan,
    ) -> Option<Vec<BigRational>> {
        match self.play.knowledge(side).choices(record) {
            Some(1) => Some(vec![BigRational::one()]),
            choices => shares(&self.sequences(side, record, choices.unwrap_or(0)), plan),
        }
    }

    /// The worth of each choice of the role at the start against a plan of its opponents.
    ///
    /// # Errors
    /// If there is a long way to go, and a limit is reached.
    pub fn worths(
        &self,
        choices: u32,
        plan: &RealizationPlan,
        limits: &Limits,
    ) -> Result<Vec<BigRational>, StopReason> {
        plan.answers(&self.game, 1, &self.first_sequences(ROLE, choices), limits)
    }
}

/// The shares of choices by their sequences; choices that are images of each other have the same, and share it.
fn shares(sequences: &[usize], plan: &RealizationPlan) -> Option<Vec<BigRational>> {
    let weight = |&sequence: &usize| {
        let same = sequences.iter().filter(|other| **other == sequence);
        plan.weight(sequence) / BigRational::from_integer(same.count().into())
    };
    let weights: Vec<BigRational> = sequences.iter().map(weight).collect();
    let sum: BigRational = weights.iter().sum();
    (!sum.is_zero()).then(|| weights.into_iter().map(|weight| weight / &sum).collect())
}
