//! The tree of all plays, node by node: what other programs call a game in extensive form.
//!
//! An information set is all that a side can know: its own moves and what it saw after each. In a step the role chooses first, then its
//! opponents without knowing that move, then chance. Nothing is merged.

use crate::error::HiddenError;
use crate::listing::{Listing, Node};
use crate::solve::HiddenQuestion;
use crate::tree::ROLE;
use gdl::Term;
use gdl::game::{Game, ValueRange};
use limits::{Limits, Watch};
use num_rational::BigRational;
use num_traits::Zero;
use rustc_hash::FxHashMap;

/// A node of the tree. The nodes after each of its moves follow it, one move after the other.
#[derive(Clone, Debug, PartialEq)]
pub enum ExtensiveNode {
    /// Play is over, or no step is left: the worth for the role.
    End(BigRational),
    /// A side has several moves.
    Choice {
        /// 0 for the role, 1 for its opponents.
        side: usize,
        /// The number of the side's information set, from 0.
        set: usize,
        /// The names of its moves.
        moves: Vec<String>,
    },
    /// Chance has several moves, all as likely as each other.
    Chance(Vec<String>),
}

/// Visits all nodes of the tree from the start, each before those that follow it.
pub fn extensive_form<E: From<HiddenError>>(
    game: &Game,
    question: &HiddenQuestion,
    limits: &Limits,
    mut visit: impl FnMut(ExtensiveNode) -> Result<(), E>,
) -> Result<(), E> {
    let listed = Plays::new(game, question, limits);
    let mut plays = listed.map_err(E::from)?;
    let mut watch = Watch::new(limits);
    let start = TreePosition {
        state: 0,
        known: [0, 0],
        left: question.depth,
        made: Vec::new(),
    };
    let (mut stack, mut visited) = (vec![start], 0);
    while let Some(place) = stack.pop() {
        let stopped = watch.check("the tree of all plays", visited);
        stopped.map_err(|reason| E::from(HiddenError::Stopped(reason)))?;
        if let Some(node) = plays.expand(place, &mut stack).map_err(E::from)? {
            visited += 1;
            visit(node)?;
        }
    }
    Ok(())
}

/// A place in the tree: a state, what both sides know there, and the choices that sides made in this step.
struct TreePosition {
    state: u32,
    known: [u32; 2],
    left: Option<u32>,
    made: Vec<u32>,
}

/// The knowledge of a side.
struct Knowledge {
    /// A state in which it may be.
    state: u32,
    /// The number of its information set, if it has a choice.
    set: Option<usize>,
}

struct Plays {
    listing: Listing,
    range: ValueRange,
    /// For each side all that it can know.
    known: [Vec<Option<Knowledge>>; 2],
    /// The knowledge of a side after a choice and the percepts that follow.
    next: [FxHashMap<(u32, u32, u32), u32>; 2],
    /// The number of information sets of each side.
    sets: [usize; 2],
}

impl Plays {
    fn new(game: &Game, question: &HiddenQuestion, limits: &Limits) -> Result<Self, HiddenError> {
        let (listing, range) = question.list(game, limits)?;
        if let Some(reason) = listing.stopped {
            return Err(HiddenError::Stopped(reason));
        }
        if question.depth.is_none() && listing.longest.is_none() {
            return Err(HiddenError::Endless);
        }
        Ok(Plays {
            listing,
            range,
            known: [vec![None], vec![None]],
            next: Default::default(),
            sets: [0; 2],
        })
    }

    /// The node at a place, if there is one; places that follow go on the stack, the first one on top.
    fn expand(
        &mut self,
        place: TreePosition,
        stack: &mut Vec<TreePosition>,
    ) -> Result<Option<ExtensiveNode>, HiddenError> {
        let TreePosition { state, left, .. } = place;
        let stage = match &self.listing.nodes[state as usize] {
            Node::End(payoff) => return Ok(Some(ExtensiveNode::End(self.range.value(payoff)))),
            _ if left == Some(0) => return Ok(Some(ExtensiveNode::End(BigRational::zero()))),
            node => node
                .stage()
                .expect("a step is left, so the state was listed"),
        };
        let side = place.made.len();
        if side < 2 {
            let choices = self.listing.choices(state, side);
            let follow = (0..choices).rev().map(|choice| TreePosition {
                made: [&place.made[..], &[choice]].concat(),
                ..place
            });
            stack.extend(follow);
            let set = self.set(side, place.known[side], state, choices)?;
            let moves = |set| ExtensiveNode::Choice {
                side,
                set,
                moves: self.moves(state, side),
            };
            return Ok(set.map(moves));
        }
        let others = self.listing.choices(state, 1);
        let joint = (place.made[0] * others + place.made[1]) as usize;
        let outcomes = stage.outcomes[joint * stage.throws..][..stage.throws].to_vec();
        for outcome in outcomes.iter().rev() {
            let seen = [outcome.own, outcome.others];
            let known = [ROLE, 1].map(|side| {
                let new = self.known[side].len() as u32;
                let key = (place.known[side], place.made[side], seen[side]);
                let known = *self.next[side].entry(key).or_insert(new);
                if known == new {
                    self.known[side].push(None);
                }
                known
            });
            stack.push(TreePosition {
                state: outcome.next,
                known,
                left: left.map(|steps| steps - 1),
                made: Vec::new(),
            });
        }
        let random = self.listing.sides.random.filter(|_| outcomes.len() > 1);
        Ok(random.map(|random| {
            let moves = self.listing.legal(state, random).iter();
            ExtensiveNode::Chance(moves.map(Term::to_string).collect())
        }))
    }

    /// The information set of what a side knows; none if it has no choice there.
    fn set(
        &mut self,
        side: usize,
        known: u32,
        state: u32,
        choices: u32,
    ) -> Result<Option<usize>, HiddenError> {
        if let Some(known) = &self.known[side][known as usize] {
            for &role in self.listing.members(side) {
                if self.listing.legal(state, role) != self.listing.legal(known.state, role) {
                    return Err(self.listing.in_the_dark(role, known.state, state));
                }
            }
            return Ok(known.set);
        }
        let set = (choices > 1).then_some(self.sets[side]);
        self.sets[side] += usize::from(choices > 1);
        self.known[side][known as usize] = Some(Knowledge { state, set });
        Ok(set)
    }

    /// The names of the choices of a side: one move for each of its roles.
    fn moves(&self, state: u32, side: usize) -> Vec<String> {
        let choices = 0..self.listing.choices(state, side);
        let name = |choice| {
            let moves = self.listing.choice(state, side, choice);
            let moves: Vec<String> = moves.iter().map(Term::to_string).collect();
            moves.join(" ")
        };
        choices.map(name).collect()
    }
}
