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
use partial_information::sequence_form::{
    Knowledge, Play, PlayError, PlayOutcome, PlayState, RealizationPlan, SequenceGame,
};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::collections::BTreeSet;
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

/// Builds the tree of a listing whose start is not over, with the payoff of play that is not over when no step is left; or tells the limit that came first.
pub fn build(
    listing: &Listing,
    depth: Option<u32>,
    unfinished: BigRational,
    threads: usize,
    watch: &mut Watch<'_>,
) -> Result<Result<Tree, StopReason>, HiddenError> {
    let counted = depth.filter(|depth| listing.longest.is_none_or(|longest| longest > *depth));
    let mut growing = Growing {
        listing,
        menus: IndexSet::default(),
        numbers: IndexSet::default(),
        unfinished,
        cuts_off: false,
    };
    growing.numbers.insert((0, counted));
    let mut plays = Vec::new();
    while let Some(&(state, left)) = growing.numbers.get_index(plays.len()) {
        if let Err(reason) = watch.check("the states", plays.len() as u64) {
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
    /// The payoff of play that is not over when no step is left.
    unfinished: BigRational,
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
            Node::Stage(stage) if left != Some(0) => stage,
            // A state is open where no step is left.
            Node::Stage(_) | Node::Open => {
                self.cuts_off = true;
                return PlayState::End(self.unfinished.clone());
            }
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
    /// All informations of a side, if they are kept: not in a game whose plays are walked through.
    pub fn knowledge(&self, side: usize) -> Option<&Knowledge> {
        self.is_kept().then(|| self.play.knowledge(side))
    }

    /// Whether what both sides can know is kept.
    pub fn is_kept(&self) -> bool {
        self.game.entries().is_some()
    }

    /// The number in the listing of a state in which a side may be.
    pub fn state(&self, side: usize, record: u32) -> u32 {
        match record {
            0 => 0,
            _ => self.states[self.play.knowledge(side).state(record) as usize],
        }
    }

    /// The sequences of the choices of a side in an information.
    fn sequences(&self, side: usize, record: u32, choices: u32) -> Vec<usize> {
        let knowledge = self.play.knowledge(side);
        match (record, choices) {
            // The start may be no record.
            (0, 1) => vec![0],
            _ => (0..choices)
                .map(|choice| knowledge.sequence(record, choice))
                .collect(),
        }
    }

    /// The probabilities of the choices of a side in an information; none if its plan does not lead there.
    pub fn mixture(
        &self,
        listing: &Listing,
        side: usize,
        record: u32,
        plan: &RealizationPlan,
    ) -> Option<Vec<BigRational>> {
        match listing.choices(self.state(side, record), side) {
            1 => Some(vec![BigRational::one()]),
            choices => shares(&self.sequences(side, record, choices), plan),
        }
    }

    /// The place of a side after a choice and what it saw then.
    pub fn follow(&self, side: usize, record: u32, choice: u32, seen: u32) -> InformationSet {
        let knowledge = self.play.knowledge(side);
        let mut links = knowledge.next(record, choice);
        InformationSet {
            record: links.find(|link| link.0 == seen).map(|link| link.1),
            sequence: knowledge.sequence(record, choice),
        }
    }

    /// The worth of each choice of the role in an information, against a plan of its opponents: the sum over the positions that it
    /// holds possible, times their chances and the weights of the plan there.
    pub fn worths(
        &self,
        listing: &Listing,
        record: u32,
        positions: &Positions,
        plan: &RealizationPlan,
        limits: &Limits,
    ) -> Result<Vec<BigRational>, StopReason> {
        let knowledge = self.play.knowledge(ROLE);
        let choices = listing.choices(self.state(ROLE, record), ROLE);
        let answers = |sequences: &[usize]| plan.answers(&self.game, 1, sequences, limits);
        if choices > 1 || record == 0 {
            return answers(&self.sequences(ROLE, record, choices));
        }
        // The role has one choice, until it comes to a set.
        let mut sum = BigRational::zero();
        let mut sets = BTreeSet::new();
        let mut layer: FxHashMap<(u32, u32, u32), BigRational> = FxHashMap::default();
        for (&(state, others), chance) in positions {
            if let Some(others) = others.record {
                layer.insert((state, record, others), chance.clone());
            }
        }
        while !layer.is_empty() {
            let mut next = FxHashMap::default();
            for ((state, own, others), chance) in layer {
                if knowledge.choices(own) != Some(1) {
                    sets.insert(own);
                    continue;
                }
                let stage = listing.nodes[state as usize]
                    .stage()
                    .expect("a step is left");
                for (choice, throws) in (0..).zip(stage.outcomes.chunks(stage.throws)) {
                    let weight = plan.weight(self.play.knowledge(1).sequence(others, choice));
                    if weight.is_zero() {
                        continue;
                    }
                    for outcome in throws {
                        let chance = &chance / BigRational::from_integer(stage.throws.into());
                        if let Node::End(payoff) = &listing.nodes[outcome.next as usize] {
                            sum += payoff * chance * &weight;
                            continue;
                        }
                        let own = self.follow(ROLE, own, 0, outcome.own).record;
                        let others = self.follow(1, others, choice, outcome.others).record;
                        // Where no step is left, play is worth nothing.
                        if let (Some(own), Some(others)) = (own, others) {
                            *next.entry((outcome.next, own, others)).or_default() += chance;
                        }
                    }
                }
            }
            layer = next;
        }
        let of_set = |set: u32| self.sequences(ROLE, set, knowledge.choices(set).unwrap_or(0));
        let sets: Vec<Vec<usize>> = sets.into_iter().map(of_set).collect();
        let mut gains = answers(&sets.concat())?.into_iter();
        for set in sets {
            let best = gains.by_ref().take(set.len()).max();
            sum += best.expect("a set has a choice");
        }
        Ok(vec![sum])
    }
}

/// All that a side cannot tell apart, as its record and its choices.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct InformationSet {
    /// Its record, if a step is left there.
    pub record: Option<u32>,
    /// The sequence of its choices so far.
    pub sequence: usize,
}

/// States with the places of the opponents there, and the chance of the throws on the way.
pub type Positions = FxHashMap<(u32, InformationSet), BigRational>;

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
