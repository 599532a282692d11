//! A graph of beliefs that grows: breadth first, or best first by what a belief does to the gap between the bounds of the start.

use crate::pomdp::belief::{Belief, bytes, certain};
use crate::pomdp::lower::{Controller, Transition, transitions};
use crate::pomdp::model::{Ambiguous, Pomdp};
use crate::pomdp::solution::{NONE, Node, PomdpSolution};
use crate::pomdp::upper::Lottery;
use endless::Options;
use indexmap::IndexSet;
use limits::{StopReason, Watch};
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The bytes of a belief's bounds, lottery and plan, and of one state in them.
const BELIEF: u64 = 500;
const STATE: u64 = 150;

/// The bytes of a successor.
const SUCCESSOR: u64 = 200;

pub(crate) struct BeliefGraph<'a> {
    pub(crate) model: &'a Pomdp,
    pub(crate) watch: Watch<'a>,
    pub(crate) options: Options,
    pub(crate) transitions: Vec<Vec<Transition>>,
    /// By state: an upper bound, the value for an agent that sees it.
    pub(crate) seeing: Vec<BigRational>,
    /// By node.
    pub(crate) beliefs: IndexSet<Belief, FxBuildHasher>,
    /// By node: the probabilities of the states of its belief.
    pub(crate) shares: Vec<Box<[f64]>>,
    /// The sets of states that are possible in beliefs.
    supports: IndexSet<Box<[u32]>, FxBuildHasher>,
    /// By node.
    support: Vec<u32>,
    /// By support: the nodes that were expanded.
    expanded: Vec<Vec<u32>>,
    /// By state: the node where it is certain.
    pub(crate) corners: FxHashMap<u32, u32>,
    /// By node, where it is not expanded.
    pub(crate) lotteries: Vec<Option<Lottery>>,
    /// By successor: its probability.
    chances: Vec<f64>,
    /// By action: the payoffs of plays that are over, times their probabilities.
    payoffs: Vec<f64>,
    /// By action: whether it is known to be worse than another.
    pub(crate) dropped: Vec<bool>,
    /// Nodes without actions were not expanded; those of upper bound 0 never are.
    pub(crate) solution: PomdpSolution,
}

/// Why the work ended before a value was found.
pub(crate) enum Halt {
    Limit(StopReason),
    Ambiguous(Ambiguous),
}

impl From<StopReason> for Halt {
    fn from(reason: StopReason) -> Self {
        Halt::Limit(reason)
    }
}

impl From<Ambiguous> for Halt {
    fn from(ambiguous: Ambiguous) -> Self {
        Halt::Ambiguous(ambiguous)
    }
}

/// A probability, or a part of one, in order.
#[derive(Clone, Copy, PartialEq)]
struct Likely(f64);

impl Eq for Likely {}

impl PartialOrd for Likely {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Likely {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl<'a> BeliefGraph<'a> {
    /// The graph of the start alone.
    pub(crate) fn new(
        model: &'a Pomdp,
        options: Options,
        seeing: Vec<BigRational>,
        watch: Watch<'a>,
    ) -> Self {
        let mut graph = BeliefGraph {
            model,
            watch,
            options,
            transitions: transitions(model),
            seeing,
            beliefs: IndexSet::default(),
            shares: Vec::new(),
            supports: IndexSet::default(),
            support: Vec::new(),
            expanded: Vec::new(),
            corners: FxHashMap::default(),
            lotteries: Vec::new(),
            chances: Vec::new(),
            payoffs: Vec::new(),
            dropped: Vec::new(),
            solution: PomdpSolution::default(),
        };
        graph.corner(0);
        graph
    }

    /// The node where this state is certain; it is added if need be.
    pub(crate) fn corner(&mut self, state: u32) -> u32 {
        if let Some(&corner) = self.corners.get(&state) {
            return corner;
        }
        let belief = certain(state);
        self.solution.nodes.push(Node::new(&belief));
        self.beliefs.insert(belief);
        self.bound_new();
        self.corners[&state]
    }

    /// Gives new beliefs their first bounds.
    fn bound_new(&mut self) {
        for node in self.support.len()..self.beliefs.len() {
            let shares = self.exact_shares(node);
            let belief = &self.beliefs[node];
            let states = belief.iter().map(|&(state, _)| state);
            if let [(state, _)] = **belief {
                self.corners.insert(state, node as u32);
            }
            let support = self.supports.insert_full(states.clone().collect()).0;
            self.support.push(support as u32);
            self.expanded.resize(self.supports.len(), Vec::new());
            self.lotteries.push(None);
            let worths = states
                .zip(&shares)
                .map(|(state, share)| &self.seeing[state as usize] * share);
            self.solution.upper.push(worths.sum());
            self.solution.lower.push(BigRational::zero());
            self.shares.push(shares.iter().map(float).collect());
        }
    }

    /// The probabilities of the states of a belief.
    pub(crate) fn exact_shares(&self, node: usize) -> Vec<BigRational> {
        let weights = self.beliefs[node].iter().map(|(_, weight)| weight);
        let whole = BigInt::from(weights.clone().sum::<BigUint>());
        let share = |weight: &BigUint| BigRational::new(weight.clone().into(), whole.clone());
        weights.map(share).collect()
    }

    pub(crate) fn is_expanded(&self, node: usize) -> bool {
        !self.solution.nodes[node].actions.is_empty()
    }

    /// The expanded beliefs in which the same states are possible.
    pub(crate) fn alike(&self, node: usize) -> &[u32] {
        &self.expanded[self.support[node] as usize]
    }

    /// The value of an action if beliefs have these values, in floating point.
    pub(crate) fn worth(&self, action: usize, values: &[f64]) -> f64 {
        let successors = self.solution.actions[action].successors.clone();
        let next = self.solution.successors[successors.clone()].iter();
        let worths = next
            .zip(&self.chances[successors])
            .map(|(next, chance)| chance * values[next.node as usize]);
        self.payoffs[action] + worths.sum::<f64>()
    }

    /// Expands this many more beliefs that sensible actions lead to, those after few steps first. Gives all that these actions lead to, and whether
    /// all of them were expanded.
    pub(crate) fn grow(&mut self, mut more: usize) -> Result<(Vec<u32>, bool), Halt> {
        let mut is_reached = vec![true];
        let mut reached = vec![0];
        let mut is_complete = true;
        let mut index = 0;
        while let Some(&node) = reached.get(index) {
            index += 1;
            let bounds = || Some(self.solution.bounds());
            let count = self.beliefs.len() as u64;
            let taken = self.watch.taken();
            self.watch
                .check_and_report("beliefs", count, taken, bounds)?;
            let is_settled = node > 0 && self.solution.upper[node as usize].is_zero();
            if !self.is_expanded(node as usize) && !is_settled {
                if more == 0 {
                    is_complete = false;
                    continue;
                }
                more -= 1;
                self.expand(node)?;
            }
            is_reached.resize(self.beliefs.len(), false);
            for action in self.solution.nodes[node as usize].actions.clone() {
                if self.dropped[action] {
                    continue;
                }
                let successors = self.solution.actions[action].successors.clone();
                for successor in &self.solution.successors[successors] {
                    if !std::mem::replace(&mut is_reached[successor.node as usize], true) {
                        reached.push(successor.node);
                    }
                }
            }
        }
        Ok((reached, is_complete))
    }

    /// Makes all actions in a belief.
    fn expand(&mut self, node: u32) -> Result<(), Halt> {
        let belief = self.beliefs[node as usize].clone();
        let BeliefGraph {
            model,
            solution,
            beliefs,
            ..
        } = self;
        let mut taken = 0;
        solution.add_actions(node as usize, model, &belief, |nodes, belief| {
            let size = bytes(&belief) + BELIEF + STATE * belief.len() as u64;
            let (number, is_new) = beliefs.insert_full(belief);
            if is_new {
                taken += size;
                nodes.push(Node::new(&beliefs[number]));
            }
            taken += SUCCESSOR;
            Some(number as u32)
        })?;
        self.dropped.resize(solution.actions.len(), false);
        let new = &solution.successors[self.chances.len()..];
        self.chances
            .extend(new.iter().map(|next| float(&next.share)));
        let new = &solution.actions[self.payoffs.len()..];
        self.payoffs
            .extend(new.iter().map(|action| float(&action.payoff)));
        self.lotteries[node as usize] = None;
        self.bound_new();
        self.expanded[self.support[node as usize] as usize].push(node);
        Ok(self.watch.take_memory(taken)?)
    }

    /// Expands the beliefs whose bounds matter most for those of the start: likely ones that are not much like others. Play goes by
    /// the actions of the best upper bounds (Smith and Simmons 2004) and those of the controller. Gives whether there are any.
    pub(crate) fn expand_best(&mut self, controller: &Controller) -> Result<bool, Halt> {
        let lower: Vec<f64> = self.solution.lower.iter().map(float).collect();
        let upper: Vec<f64> = self.solution.upper.iter().map(float).collect();
        let gap = |node: usize| (upper[node] - lower[node]).max(0.0);
        // The probability of the likeliest path to each node.
        let mut weights = vec![0.0; self.beliefs.len()];
        weights[0] = 1.0;
        let mut heap = BinaryHeap::from([(Likely(1.0), 0)]);
        let mut open: Vec<(Likely, u32)> = Vec::new();
        while let Some((Likely(weight), node)) = heap.pop() {
            self.watch.check_limits()?;
            let index = node as usize;
            if weight < weights[index] {
                continue;
            }
            let mut lead = |to: u32, share: f64| {
                let weight = weight * share;
                if weight > weights[to as usize] {
                    weights[to as usize] = weight;
                    heap.push((Likely(weight), to));
                }
            };
            if !self.is_expanded(index) {
                let mut own = gap(index);
                let lottery = self.lotteries[index].iter();
                for (part, share) in lottery.flat_map(|lottery| &lottery.parts) {
                    let share = float(share);
                    lead(*part, share);
                    own -= share * gap(*part as usize);
                }
                if weight * own > 0.0 {
                    open.push((Likely(weight * own), node));
                }
                continue;
            }
            let actions = self.solution.nodes[index].actions.clone();
            let chosen = Some(controller.action[index]).filter(|&action| action != NONE);
            let chosen = chosen.map(|action| actions.start + action as usize);
            let hoped = actions.max_by(|&one, &other| {
                let worths = [one, other].map(|action| self.worth(action, &upper));
                worths[0].total_cmp(&worths[1])
            });
            for action in hoped.into_iter().chain(chosen) {
                for successor in self.solution.actions[action].successors.clone() {
                    let node = self.solution.successors[successor].node;
                    lead(node, self.chances[successor]);
                }
            }
        }
        open.sort_unstable_by(|one, other| other.cmp(one));
        let most = (self.expanded.iter().map(Vec::len).sum::<usize>() / 4).max(16);
        for &(_, node) in open.iter().take(most) {
            self.watch.check_limits()?;
            self.expand(node)?;
        }
        Ok(!open.is_empty())
    }

    /// Drops the actions that are worse than the lower bound of their belief.
    pub(crate) fn drop_worse(&mut self, nodes: &[u32]) -> Result<(), StopReason> {
        for &node in nodes {
            self.watch.check_limits()?;
            let lower = &self.solution.lower[node as usize];
            for action in self.solution.nodes[node as usize].actions.clone() {
                self.dropped[action] |= self.solution.worth(action, &self.solution.upper) < *lower;
            }
        }
        Ok(())
    }
}

pub(crate) fn float(value: &BigRational) -> f64 {
    value.to_f64().unwrap_or(1.0)
}
