//! Bounds by decision processes whose states are beliefs, as these are seen ([`endless`]).
//!
//! A belief that was not expanded is worth nothing in the process of lower bounds. In that of upper bounds it has its own, or that of its lottery.

use crate::pomdp::graph::BeliefGraph;
use crate::pomdp::solution::{NONE, PomdpSolution};
use endless::{Builder, GameGraph, Options, Target, solve};
use indexmap::IndexSet;
use limits::StopReason;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use rustc_hash::FxBuildHasher;

/// Chances with denominators up to this one stay exact.
const MAX_DENOMINATOR: u64 = 1 << 60;

/// Others are rounded down to parts of this one, and what is missing counts as a play that ends with the bound.
const ROUNDED: u64 = 1 << 56;

/// The ends of a game, by payoff.
#[derive(Default)]
pub(crate) struct Ends {
    pub(crate) payoffs: IndexSet<BigRational, FxBuildHasher>,
}

impl Ends {
    pub(crate) fn end(&mut self, payoff: BigRational) -> Target {
        Target::End(self.payoffs.insert_full(payoff).0 as u32)
    }

    /// The game; none if it is too large.
    pub(crate) fn game(&self, builder: Builder) -> Option<GameGraph> {
        let arena = builder.finish(self.payoffs.len()).ok()?;
        GameGraph::new(arena, self.payoffs.iter().cloned().collect()).ok()
    }
}

/// The bounds that a process gives.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    /// All beliefs were expanded, and no chance was rounded.
    Both,
    Lower,
    Upper,
    /// Upper bounds, where beliefs that were not expanded are lotteries.
    Mixed,
}

impl BeliefGraph<'_> {
    /// Bounds the beliefs that sensible actions lead to, all of which were expanded. Both bounds are the value where chances are short fractions.
    ///
    /// # Errors
    /// The reason why bounds are not as close as they could be.
    pub(crate) fn bound(&mut self, reached: &[u32]) -> Result<(), StopReason> {
        let (game, is_rounded) = self.game(reached, Side::Lower)?;
        if !is_rounded {
            return self.take_over(reached, &game, Side::Both);
        }
        let stopped = self.take_over(reached, &game, Side::Lower);
        stopped.and(self.bound_side(reached, Side::Upper))
    }

    /// Solves one process.
    ///
    /// # Errors
    /// As [`BeliefGraph::bound`].
    pub(crate) fn bound_side(&mut self, nodes: &[u32], side: Side) -> Result<(), StopReason> {
        let (game, _) = self.game(nodes, side)?;
        self.take_over(nodes, &game, side)
    }

    /// The options for bounds that are not exact. Two of them are to agree in the digits asked for.
    pub(crate) fn for_bounds(&self) -> Options {
        Options {
            exact_work: 0,
            digits: self.options.digits + 2,
            ..self.options.clone()
        }
    }

    /// Takes over the bounds of each belief where they are closer, and the actions that keep the lower bound of the start.
    fn take_over(
        &mut self,
        listed: &[u32],
        game: &GameGraph,
        side: Side,
    ) -> Result<(), StopReason> {
        let options = match side {
            Side::Both => self.options.clone(),
            _ => self.for_bounds(),
        };
        let found = solve(game, &options, self.watch.limits());
        let is_lower = matches!(side, Side::Both | Side::Lower);
        let is_upper = side != Side::Lower;
        let PomdpSolution {
            nodes,
            lower,
            upper,
            kept,
            plan,
            ..
        } = &mut self.solution;
        let keeps = is_lower && found.bounds(0).0 >= lower[0];
        if keeps {
            plan.clear();
            kept.clear();
            kept.resize(nodes.len(), NONE);
        }
        let expanded = listed.iter().map(|&node| node as usize);
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
            if is_lower && low > lower[node] {
                lower[node] = low;
            }
            if is_upper && high < upper[node] {
                upper[node] = high;
            }
        }
        found.stopped.map_or(Ok(()), Err)
    }

    /// The process on the beliefs that were expanded, and whether chances were rounded.
    fn game(&mut self, listed: &[u32], side: Side) -> Result<(GameGraph, bool), StopReason> {
        let PomdpSolution {
            nodes,
            actions,
            successors,
            upper,
            ..
        } = &self.solution;
        let mut ends = Ends::default();
        let nothing = ends.end(BigRational::zero());
        let mut targets = vec![nothing; nodes.len()];
        let mut states = 0;
        for &node in listed {
            let node = node as usize;
            targets[node] = match (nodes[node].actions.is_empty(), side) {
                (true, Side::Lower) => nothing,
                (true, _) => ends.end(upper[node].clone()),
                (false, _) => {
                    states += 1;
                    Target::State(states - 1)
                }
            };
        }
        let mut builder = Builder::default();
        let mut is_rounded = false;
        for &node in listed {
            self.watch.check_limits()?;
            let node = &nodes[node as usize];
            if node.actions.is_empty() {
                continue;
            }
            builder.state();
            // The best play within some number of steps, of which mixtures are proved, can need any action.
            let is_listed = |action: &usize| side == Side::Mixed || !self.dropped[*action];
            for action in node.actions.clone().filter(is_listed) {
                let action = &actions[action];
                builder.alternative();
                builder.reply();
                let mut outcomes: Vec<(Target, BigRational)> = Vec::new();
                let mut over = BigRational::one();
                for successor in &successors[action.successors.clone()] {
                    over -= &successor.share;
                    match &self.lotteries[successor.node as usize] {
                        Some(lottery) if side == Side::Mixed => {
                            outcomes.extend(lottery.parts.iter().map(|(part, share)| {
                                (targets[*part as usize], share * &successor.share)
                            }));
                        }
                        _ => outcomes
                            .push((targets[successor.node as usize], successor.share.clone())),
                    }
                }
                if !over.is_zero() {
                    outcomes.push((ends.end(&action.payoff / &over), over));
                }
                let mut shares = outcomes.iter().map(|(_, share)| share.denom());
                let common = shares.try_fold(1, |common: u64, one| {
                    let one = one.to_u64()?;
                    (common / common.gcd(&one)).checked_mul(one)
                });
                let common = common.filter(|&common| common <= MAX_DENOMINATOR);
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
                    let rest = match side {
                        Side::Lower => nothing,
                        _ => ends.end(BigRational::one()),
                    };
                    builder.outcome(rest, missing);
                }
            }
        }
        let game = ends.game(builder).ok_or(StopReason::Memory)?;
        Ok((game, is_rounded))
    }
}
