//! The values of all beliefs, and the worth of each action.

use crate::pomdp::belief::{Belief, expand, menu};
use crate::pomdp::model::{Ambiguous, Pomdp};
use limits::StopReason;
use num_rational::BigRational;
use num_traits::{One, Zero};
use std::ops::Range;

/// The values of a process. Beliefs are numbered in the order of steps; the start is number 0.
#[derive(Clone, Debug, Default)]
pub struct PomdpSolution {
    pub(crate) nodes: Vec<Node>,
    pub(crate) actions: Vec<Action>,
    pub(crate) successors: Vec<Successor>,
    /// For each belief its value, or the lower bound.
    pub(crate) lower: Vec<BigRational>,
    /// The upper bounds, if they are others.
    pub(crate) upper: Vec<BigRational>,
    /// Where beliefs can come up again: the action in each by which the lower bound of the start is kept; [`NONE`] elsewhere, where nothing is
    /// promised.
    pub(crate) kept: Vec<u32>,
    /// By belief, where plans are those of other beliefs: the belief whose plan goes on; [`NONE`] if there is none.
    pub(crate) plan: Vec<u32>,
    pub(crate) cuts_off: bool,
    pub(crate) stopped: Option<StopReason>,
}

pub(crate) const NONE: u32 = u32::MAX;

/// A belief: its actions; none where no step is left, and where a limit came first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    pub(crate) state: u32,
    pub(crate) actions: Range<usize>,
}

impl Node {
    pub(crate) fn new(belief: &Belief) -> Self {
        Node {
            state: belief[0].0,
            ..Node::default()
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Action {
    /// The payoffs of plays that are over after it, times their probabilities.
    pub(crate) payoff: BigRational,
    pub(crate) successors: Range<usize>,
}

#[derive(Clone, Debug)]
pub(crate) struct Successor {
    pub(crate) observation: u32,
    pub(crate) node: u32,
    /// The probability.
    pub(crate) share: BigRational,
}

/// The worth of an action or a belief, as bounds: both are the value if it is known.
pub type ActionValue = (BigRational, BigRational);

impl PomdpSolution {
    /// The solution where play is over at the start.
    pub(crate) fn over(payoff: BigRational) -> Self {
        PomdpSolution {
            nodes: vec![Node::default()],
            lower: vec![payoff],
            ..PomdpSolution::default()
        }
    }

    /// Makes all actions in a belief. `number` gives that of a belief that follows, or none if it does not count.
    pub(crate) fn add_actions(
        &mut self,
        node: usize,
        model: &Pomdp,
        belief: &Belief,
        mut number: impl FnMut(&mut Vec<Node>, Belief) -> Option<u32>,
    ) -> Result<(), Ambiguous> {
        let begin = self.actions.len();
        for action in 0..menu(model, belief)? {
            let expansion = expand(model, belief, action);
            let from = self.successors.len();
            for (observation, belief, share) in expansion.rest {
                if let Some(node) = number(&mut self.nodes, belief) {
                    self.successors.push(Successor {
                        observation,
                        node,
                        share,
                    });
                }
            }
            self.actions.push(Action {
                payoff: expansion.payoff,
                successors: from..self.successors.len(),
            });
        }
        self.nodes[node].actions = begin..self.actions.len();
        Ok(())
    }

    /// Proved bounds of the value of the start: both are the value if it is known.
    pub fn bounds(&self) -> (BigRational, BigRational) {
        self.value(0)
    }

    /// The limit that was reached, if any.
    pub fn stopped(&self) -> Option<StopReason> {
        self.stopped
    }

    /// Whether plays that were not over after the last step count, as worth nothing.
    pub fn cuts_off(&self) -> bool {
        self.cuts_off
    }

    pub fn beliefs(&self) -> usize {
        self.nodes.len()
    }

    /// A state that is likely in a belief.
    pub fn state(&self, belief: u32) -> u32 {
        self.nodes[belief as usize].state
    }

    /// The worth of each action in a belief.
    pub fn actions(&self, belief: u32) -> Vec<ActionValue> {
        let actions = self.nodes[belief as usize].actions.clone();
        actions
            .map(|action| {
                let bound = |values| self.worth(action, values);
                (bound(&self.lower), bound(self.upper()))
            })
            .collect()
    }

    /// The value of a belief, as bounds.
    pub fn value(&self, belief: u32) -> ActionValue {
        let bound = |values: &[BigRational]| values[belief as usize].clone();
        (bound(&self.lower), bound(self.upper()))
    }

    fn upper(&self) -> &[BigRational] {
        match self.upper.is_empty() {
            true => &self.lower,
            false => &self.upper,
        }
    }

    /// The belief whose best action, and what follows it, keeps the lower bound of the start in this one. It has the same possible states.
    pub fn plan(&self, belief: u32) -> u32 {
        match self.plan.get(belief as usize) {
            Some(&plan) if plan != NONE => plan,
            _ => belief,
        }
    }

    /// A best action in a belief, as far as is known; none if it has no actions. A policy of these actions gets the lower bound of the start, also if
    /// beliefs come up again, and nothing where there is none.
    pub fn best(&self, belief: u32) -> Option<usize> {
        if !self.kept.is_empty() {
            let kept = self.kept.get(belief as usize).copied();
            return kept.filter(|&kept| kept != NONE).map(|kept| kept as usize);
        }
        let actions = self.nodes[belief as usize].actions.clone();
        let worth = actions
            .map(|action| self.worth(action, &self.lower))
            .enumerate();
        // The first of equal ones.
        worth
            .rev()
            .max_by(|(_, one), (_, other)| one.cmp(other))
            .map(|(action, _)| action)
    }

    /// The observations that can follow an action and after which play may go on, each with the next belief; none where a limit came before the
    /// actions of the belief were listed.
    pub fn successors(&self, belief: u32, action: usize) -> impl Iterator<Item = (u32, u32)> {
        let action = self.nodes[belief as usize].actions.clone().nth(action);
        let successors =
            action.map(|action| &self.successors[self.actions[action].successors.clone()]);
        (successors.into_iter().flatten()).map(|successor| (successor.observation, successor.node))
    }

    /// Values beliefs from the last to the first. Those without actions are worth anything from 0 to 1 if a limit ended the listing, else
    /// nothing.
    pub(crate) fn value_all(&mut self) {
        self.lower = self.values(&BigRational::zero());
        if self.stopped.is_some() {
            self.upper = self.values(&BigRational::one());
        }
    }

    fn values(&self, open: &BigRational) -> Vec<BigRational> {
        let mut values = vec![BigRational::zero(); self.nodes.len()];
        for node in (0..self.nodes.len()).rev() {
            let actions = self.nodes[node].actions.clone();
            let best = actions.map(|action| self.worth(action, &values)).max();
            values[node] = best.unwrap_or_else(|| open.clone());
        }
        values
    }

    /// The worth of an action if beliefs have these values.
    pub(crate) fn worth(&self, action: usize, values: &[BigRational]) -> BigRational {
        let Action { payoff, successors } = &self.actions[action];
        let rest = self.successors[successors.clone()].iter();
        rest.fold(payoff.clone(), |sum, next| {
            sum + &next.share * &values[next.node as usize]
        })
    }
}
