//! Play without a last step: a graph of beliefs that grows, with a decision process on it for each bound.
//!
//! A belief that comes up again is the same one, after however many steps. So if there are finitely many, the value is that of a
//! decision process whose states are seen, the beliefs ([`endless`]). Else the graph grows step by step. A belief that was not
//! expanded yet is worth at least nothing; its value is at most that of an agent that sees all states from there on
//! (the MDP approximation of Hauskrecht 2000). With these payoffs the process gives bounds of the value.
//!
//! An action is dropped when its upper bound is below the lower bound of its belief. So the graph grows only where best play may go. When
//! nothing is left to grow, the bounds meet.

use crate::pomdp::belief::{Belief, bytes, certain};
use crate::pomdp::model::{Ambiguous, Pomdp, PomdpState};
use crate::pomdp::solution::{NONE, Node, PomdpSolution};
use endless::{Builder, GameGraph, Options, Solution, Target, solve};
use indexmap::IndexSet;
use limits::{Limits, Publisher, StopReason, Watch};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use rustc_hash::FxBuildHasher;
use std::ops::RangeInclusive;

/// Beliefs that are expanded before the first bounds; then as many as there are already.
const FIRST: usize = 64;

/// The digits that this leaves room for.
const DIGITS: RangeInclusive<u32> = 12..=14;

/// Chances with denominators up to this one stay exact.
const MAX_DENOMINATOR: u64 = 1 << 60;

/// Others are rounded down to parts of this one, and what is missing counts as a play that ends with the bound.
const ROUNDED: u64 = 1 << 56;

/// Solves a process in which all steps count and play may come back to a state. The value is exact if best play leads to finitely many
/// beliefs whose chances are short fractions; else the work ends when the bounds agree in so many decimal digits, from 12 to 14, or at a limit. Bounds
/// are published on the way.
///
/// # Errors
/// If states that cannot be told apart have different actions.
pub fn solve_endless(
    model: &Pomdp,
    digits: u32,
    limits: &Limits,
    publisher: &Publisher,
) -> Result<PomdpSolution, Ambiguous> {
    if let PomdpState::End(payoff) = &model.states[0] {
        return Ok(PomdpSolution::over(payoff.clone()));
    }
    let digits = digits.clamp(*DIGITS.start(), *DIGITS.end());
    let options = Options {
        digits,
        ..Options::default()
    };
    let mut growing = BeliefGraph {
        model,
        seeing: values_if_seen(model, &options, limits),
        beliefs: IndexSet::default(),
        dropped: Vec::new(),
        solution: PomdpSolution::default(),
        options,
    };
    growing.add(certain(0));
    let mut watch = Watch::publishing(limits, publisher);
    let width = BigRational::new(BigInt::one(), BigInt::from(10).pow(digits));
    let mut steps = FIRST;
    let mut is_close = false;
    growing.solution.stopped = loop {
        // Bounds that are close may have left nothing to grow.
        let more = if is_close { 0 } else { steps };
        let (reached, is_complete) = match growing.grow(more, &mut watch)? {
            Ok(found) => found,
            Err(reason) => break Some(reason),
        };
        if is_close && !is_complete {
            break Some(StopReason::Precision);
        }
        let stopped = growing.bound(&reached, is_complete, watch.limits()).err();
        let (lower, upper) = growing.solution.bounds();
        watch.learn(lower.clone(), upper.clone());
        if lower == upper {
            break None;
        }
        if is_complete {
            break Some(stopped.unwrap_or(StopReason::Precision));
        }
        if stopped.is_some_and(|reason| reason != StopReason::Precision) {
            break stopped;
        }
        is_close = &upper - &lower <= width;
        steps = steps.max(growing.beliefs.len());
    };
    Ok(growing.solution)
}

/// By state: an upper bound, the value for an agent that sees all states from there on.
fn values_if_seen(model: &Pomdp, options: &Options, limits: &Limits) -> Vec<BigRational> {
    let mut ends = Ends::default();
    let mut builder = Builder::default();
    // Numbers of states and ends in the game.
    let mut inner = 0;
    let targets = model.states.iter().map(|state| match state {
        PomdpState::Inner { .. } => {
            inner += 1;
            Target::State(inner - 1)
        }
        PomdpState::End(payoff) => ends.end(payoff.clone()),
    });
    let targets: Vec<Target> = targets.collect();
    for state in &model.states {
        if let PomdpState::Inner { actions, .. } = state {
            builder.state();
            for outcomes in actions {
                builder.alternative();
                builder.reply();
                for outcome in outcomes {
                    builder.outcome(targets[outcome.next as usize], 1);
                }
            }
        }
    }
    let solution = ends.game(builder).map(|game| solve(&game, options, limits));
    let upper = targets.iter().map(|target| match (target, &solution) {
        (Target::End(end), _) => ends.payoffs[*end as usize].clone(),
        (Target::State(state), Some(solution)) => solution.bounds(*state as usize).1,
        (Target::State(_), None) => BigRational::one(),
    });
    upper.collect()
}

/// The ends of a game, by payoff.
#[derive(Default)]
struct Ends {
    payoffs: IndexSet<BigRational, FxBuildHasher>,
}

impl Ends {
    fn end(&mut self, payoff: BigRational) -> Target {
        Target::End(self.payoffs.insert_full(payoff).0 as u32)
    }

    /// The game; none if it is too large.
    fn game(&self, builder: Builder) -> Option<GameGraph> {
        let arena = builder.finish(self.payoffs.len()).ok()?;
        GameGraph::new(arena, self.payoffs.iter().cloned().collect()).ok()
    }
}

struct BeliefGraph<'a> {
    model: &'a Pomdp,
    /// By state: an upper bound, the value for an agent that sees it.
    seeing: Vec<BigRational>,
    /// By node.
    beliefs: IndexSet<Belief, FxBuildHasher>,
    /// By action: whether it is known to be worse than another.
    dropped: Vec<bool>,
    /// Nodes without actions were not expanded; those of upper bound 0 never are.
    solution: PomdpSolution,
    options: Options,
}

/// One of the bounds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Lower,
    Upper,
}

impl BeliefGraph<'_> {
    /// The number of a belief.
    fn add(&mut self, belief: Belief) {
        self.solution.nodes.push(Node::new(&belief));
        self.beliefs.insert(belief);
        self.bound_new();
    }

    /// Gives new beliefs their first bounds.
    fn bound_new(&mut self) {
        for belief in self.beliefs.iter().skip(self.solution.lower.len()) {
            let weights = belief.iter().map(|(_, weight)| weight);
            let whole = BigInt::from(weights.sum::<BigUint>());
            let worths = belief.iter().map(|(state, weight)| {
                &self.seeing[*state as usize] * BigInt::from(weight.clone())
            });
            self.solution.lower.push(BigRational::zero());
            self.solution
                .upper
                .push(worths.sum::<BigRational>() / whole);
        }
    }

    /// Expands this many more beliefs that sensible actions lead to, those after few steps first. Gives all that these actions lead to, and whether
    /// all of them were expanded.
    fn grow(
        &mut self,
        mut steps: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Result<(Vec<u32>, bool), StopReason>, Ambiguous> {
        let mut is_reached = vec![true];
        let mut reached = vec![0];
        let mut is_complete = true;
        let mut index = 0;
        while let Some(&node) = reached.get(index) {
            index += 1;
            let bounds = || Some(self.solution.bounds());
            let count = self.beliefs.len() as u64;
            if let Err(reason) = watch.check_and_report("beliefs", count, watch.taken(), bounds) {
                return Ok(Err(reason));
            }
            let is_settled = node > 0 && self.solution.upper[node as usize].is_zero();
            if self.solution.nodes[node as usize].actions.is_empty() && !is_settled {
                if steps == 0 {
                    is_complete = false;
                    continue;
                }
                steps -= 1;
                let taken = self.expand(node)?;
                if let Err(reason) = watch.take_memory(taken) {
                    return Ok(Err(reason));
                }
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
        Ok(Ok((reached, is_complete)))
    }

    /// Makes all actions in a belief. Gives the bytes that this takes.
    fn expand(&mut self, node: u32) -> Result<u64, Ambiguous> {
        let belief = self.beliefs[node as usize].clone();
        let BeliefGraph {
            model,
            solution,
            beliefs,
            dropped,
            ..
        } = self;
        let mut taken = 0;
        solution.add_actions(node as usize, model, &belief, |nodes, belief| {
            let size = bytes(&belief);
            let (number, is_new) = beliefs.insert_full(belief);
            if is_new {
                taken += size + 300;
                nodes.push(Node::new(&beliefs[number]));
            }
            taken += 200;
            Some(number as u32)
        })?;
        dropped.resize(solution.actions.len(), false);
        self.bound_new();
        Ok(taken + 200)
    }

    /// Bounds the beliefs that sensible actions lead to, and drops actions.
    ///
    /// # Errors
    /// The reason why bounds are not as close as they could be.
    fn bound(
        &mut self,
        reached: &[u32],
        is_complete: bool,
        limits: &Limits,
    ) -> Result<(), StopReason> {
        let mut stopped = None;
        for side in [Side::Lower, Side::Upper] {
            let (game, is_rounded) = self.game(reached, side, limits)?;
            let both = is_complete && !is_rounded;
            let options = Options {
                exact_work: if both { self.options.exact_work } else { 0 },
                ..self.options.clone()
            };
            let found = solve(&game, &options, limits);
            stopped = stopped.or(found.stopped);
            self.take_over(reached, &game, &found, side, both);
            if both {
                break;
            }
        }
        for &node in reached {
            limits.check()?;
            let lower = self.solution.lower[node as usize].clone();
            for action in self.solution.nodes[node as usize].actions.clone() {
                self.dropped[action] |= self.solution.worth(action, &self.solution.upper) < lower;
            }
        }
        stopped.map_or(Ok(()), Err)
    }

    /// Takes over one bound of each belief where it is closer, or both, and the actions that keep the lower bound of the start.
    fn take_over(
        &mut self,
        reached: &[u32],
        game: &GameGraph,
        found: &Solution,
        side: Side,
        both: bool,
    ) {
        let PomdpSolution {
            nodes,
            lower,
            upper,
            kept,
            ..
        } = &mut self.solution;
        let keeps = (both || side == Side::Lower) && found.bounds(0).0 >= lower[0];
        if keeps {
            kept.clear();
            kept.resize(nodes.len(), NONE);
        }
        let expanded = reached.iter().map(|&node| node as usize);
        let expanded = expanded.filter(|&node| !nodes[node].actions.is_empty());
        for (state, node) in expanded.enumerate() {
            if let (true, Some(alternative)) = (keeps, found.alternatives.get(state)) {
                let index = *alternative as usize - game.arena().alternatives(state).start;
                let actions = nodes[node].actions.clone();
                let mut sensible = actions.filter(|&action| !self.dropped[action]);
                let action = sensible.nth(index).expect("an alternative is an action");
                kept[node] = (action - nodes[node].actions.start) as u32;
            }
            let (low, high) = found.bounds(state);
            if (both || side == Side::Lower) && low > lower[node] {
                lower[node] = low;
            }
            if (both || side == Side::Upper) && high < upper[node] {
                upper[node] = high;
            }
        }
    }

    /// The decision process on the beliefs that were expanded, with the bounds of the others as payoffs; and whether chances were rounded.
    fn game(
        &self,
        reached: &[u32],
        side: Side,
        limits: &Limits,
    ) -> Result<(GameGraph, bool), StopReason> {
        let PomdpSolution {
            nodes,
            actions,
            successors,
            ..
        } = &self.solution;
        let (bounds, rest) = match side {
            Side::Lower => (&self.solution.lower, BigRational::zero()),
            Side::Upper => (&self.solution.upper, BigRational::one()),
        };
        let mut ends = Ends::default();
        let mut targets = vec![Target::End(0); nodes.len()];
        let mut states = 0;
        for &node in reached {
            let node = node as usize;
            targets[node] = match nodes[node].actions.is_empty() {
                true => ends.end(bounds[node].clone()),
                false => {
                    states += 1;
                    Target::State(states - 1)
                }
            };
        }
        let mut builder = Builder::default();
        let mut is_rounded = false;
        for &node in reached {
            limits.check()?;
            let node = &nodes[node as usize];
            if node.actions.is_empty() {
                continue;
            }
            builder.state();
            for action in node.actions.clone().filter(|&action| !self.dropped[action]) {
                let action = &actions[action];
                builder.alternative();
                builder.reply();
                let mut outcomes: Vec<(Target, BigRational)> = Vec::new();
                let mut over = BigRational::one();
                for successor in &successors[action.successors.clone()] {
                    over -= &successor.share;
                    outcomes.push((targets[successor.node as usize], successor.share.clone()));
                }
                if !over.is_zero() {
                    outcomes.push((ends.end(&action.payoff / &over), over));
                }
                let shares = outcomes.iter().map(|(_, share)| share.denom());
                let common = shares.fold(BigInt::one(), |common, one| common.lcm(one));
                let common = common.to_u64().filter(|&common| common <= MAX_DENOMINATOR);
                let parts = common.unwrap_or(ROUNDED);
                let mut missing = parts;
                for (target, share) in outcomes {
                    let weight = (share * BigInt::from(parts)).floor().to_integer();
                    let weight = weight.to_u64().expect("a part of the whole");
                    missing -= weight;
                    builder.outcome(target, weight);
                }
                if missing > 0 {
                    is_rounded = true;
                    builder.outcome(ends.end(rest.clone()), missing);
                }
            }
        }
        let game = ends.game(builder).ok_or(StopReason::Memory)?;
        Ok((game, is_rounded))
    }
}
