//! Single states that do not lead to themselves: their values follow from those of their targets.
//!
//! Means are first computed in units, rounded outwards. That settles most comparisons, and states of value 0 and 1; of the others the mean of
//! the best choice alone is computed exactly.

use crate::exact::{ExactValue, MeanBounds, single};
use crate::linear_system::{Resources, Unsolved};
use crate::solve::{Solver, StateSolution, replies};
use arena::Arena;
use limits::StopReason;

impl Solver<'_> {
    /// Keeps what was found. It is never wider than what was known before: bounds of targets only get better, and were rounded more.
    pub(crate) fn keep_single(&mut self, state: u32, found: StateSolution) {
        let (arena, solution) = (self.game.arena(), &mut self.solution);
        let state = state as usize;
        self.is_solved[state] = true;
        solution.lower[state] = found.lower;
        solution.upper[state] = found.upper;
        solution.exact[state] = found.exact.map(|exact| self.denominators.shared(exact));
        solution.alternatives[state] = found.alternative;
        for (alternative, reply) in arena.alternatives(state).zip(found.replies) {
            solution.replies[alternative] = reply;
        }
    }

    /// Solves a state that does not lead to itself.
    pub(crate) fn solve_single(
        &self,
        state: usize,
        resources: Resources<'_>,
    ) -> Result<StateSolution, StopReason> {
        let (arena, solution) = (self.game.arena(), &self.solution);
        let lower = |reply: usize| mean(arena, reply, &solution.lower, Rounding::Down);
        let bounds = |reply: usize| {
            let upper = mean(arena, reply, &solution.upper, Rounding::Up);
            (lower(reply), upper)
        };
        let alternatives = arena.alternatives(state);
        let rough: Vec<MeanBounds> = alternatives
            .clone()
            .map(|alternative| MeanBounds::new(arena, alternative, bounds))
            .collect();
        let best = |key: fn(&MeanBounds) -> i128| {
            let all = alternatives.clone().zip(&rough);
            let best = all.max_by_key(|(_, rough)| key(rough));
            let (alternative, rough) = best.expect("a state has an alternative");
            (alternative as u32, key(rough))
        };
        let (alternative, lower_bound) = best(|rough| rough.lower);
        let (_, upper_bound) = best(|rough| rough.upper);
        let by_bounds = |exact: Option<ExactValue>| StateSolution {
            lower: lower_bound,
            upper: upper_bound,
            exact,
            alternative,
            replies: rough.iter().map(|rough| rough.reply).collect(),
        };
        // Bounds of 0 and 1 are exact.
        let certain = match (lower_bound, upper_bound) {
            (_, 0) => Some(&self.zero),
            (lower, _) if lower == 1 << solution.bits => Some(&self.one),
            _ => None,
        };
        if let Some(value) = certain {
            return Ok(by_bounds(Some(value.clone())));
        }
        let mut targets = replies(arena, state).flat_map(|reply| arena.targets(reply));
        if targets.all(|&target| solution.exact[target as usize].is_some()) {
            let exact = |target: usize| solution.exact[target].as_ref().expect("all are exact");
            match single(arena, state, &rough, lower, exact, resources) {
                Ok((value, alternative, replies)) => {
                    let (lower, upper) = value.rounded(solution.bits);
                    return Ok(StateSolution {
                        lower,
                        upper,
                        exact: Some(value),
                        alternative,
                        replies,
                    });
                }
                Err(Unsolved::Stopped(reason)) => return Err(reason),
                Err(Unsolved::TooMuch) => {}
            }
        }
        Ok(by_bounds(None))
    }
}

/// The side to which means in whole units are rounded: that where bounds stay bounds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rounding {
    Down,
    Up,
}

/// The mean of the values of the targets of a reply.
fn mean(arena: &Arena, reply: usize, values: &[i128], rounding: Rounding) -> i128 {
    if let &[target] = arena.targets(reply) {
        return values[target as usize];
    }
    let outcomes = arena.outcomes(reply);
    let sum: i128 = outcomes
        .map(|(target, weight)| i128::from(weight) * values[target])
        .sum();
    let total = i128::from(arena.total(reply));
    match rounding {
        Rounding::Down => sum.div_euclid(total),
        Rounding::Up => -(-sum).div_euclid(total),
    }
}
