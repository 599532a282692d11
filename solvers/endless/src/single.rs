//! Single states that do not lead to themselves: their values follow from those of their targets.
//!
//! Means are first computed in units, rounded outwards. That settles most comparisons, and states of value 0 and 1; of the others the mean of
//! the best choice alone is computed exactly.
//!
//! Where play does not come back to any state, all states are single, and an order is known (`explore`). Then nothing else is needed: no
//! attractors and no components. States of one list do not follow each other, so threads share them.

use crate::exact::{ExactValue, MeanBounds, single};
use crate::linear_system::{Resources, Unsolved};
use crate::options::Options;
use crate::rounded::{Rounding, mean};
use crate::solution::Solution;
use crate::solve::{Solver, WORTH_THREADS, replies, start};
use arena::GameGraph;
use arena::NONE;
use limits::{Limits, StopReason, Watch, share_out};

/// Single states that are solved between two checks of the limits.
const STATES_PER_ROUND: usize = 1 << 14;

/// Bounds and choices of a state that does not lead to itself.
pub struct StateSolution {
    pub lower: i128,
    pub upper: i128,
    pub exact: Option<ExactValue>,
    pub alternative: u32,
    /// By alternative.
    pub replies: Vec<u32>,
}

/// Finds the values of all states of a game in which play does not come back to any state. `order` lists them such that what
/// follows from a state stands in an earlier list.
pub fn solve_in_order(
    game: &GameGraph,
    order: Vec<Vec<u32>>,
    options: &Options,
    limits: &Limits,
) -> Solution {
    let run = |memory, watch: &mut Watch<'_>| {
        let (states, alternatives) = (game.arena().states(), game.arena().alternative_count());
        let (known, choices) = (vec![None; states], vec![NONE; states]);
        let replies = vec![NONE; alternatives];
        let mut solver = Solver::begin(game, options, memory, known, choices, replies);
        solver.solution.statistics.components = states;
        solver.solution.statistics.largest = states.min(1);
        let stopped = solver.run_in_order(&order, watch).err();
        solver.members = order;
        Ok(solver.finish(stopped))
    };
    start(game, limits, run)
}

impl<'a> Solver<'a> {
    /// Solves single states, list by list.
    pub(crate) fn run_in_order(
        &mut self,
        order: &[Vec<u32>],
        watch: &mut Watch<'_>,
    ) -> Result<(), StopReason> {
        let mut solved = 0;
        for states in order
            .iter()
            .flat_map(|states| states.chunks(STATES_PER_ROUND))
        {
            watch.check("solving states", solved)?;
            let threads = match states.len() < WORTH_THREADS {
                true => 1,
                false => self.threads,
            };
            let part = states.len().div_ceil(threads);
            let limits = watch.limits();
            let solve = |states: &[u32]| -> Result<Vec<StateSolution>, StopReason> {
                let resources = Resources {
                    limits,
                    work: &self.work,
                    memory: self.memory / threads as u64,
                };
                let all = states.iter();
                all.map(|&state| self.solve_single(state as usize, resources))
                    .collect()
            };
            let found = share_out(0..threads, states.chunks(part), |_, states| solve(states));
            let mut stopped = Ok(());
            for (states, found) in states.chunks(part).zip(found) {
                match found {
                    Ok(found) => {
                        let all = states.iter().zip(found);
                        all.for_each(|(&state, found)| self.keep_single(state as usize, found));
                    }
                    Err(reason) => stopped = Err(reason),
                }
            }
            stopped?;
            solved += states.len() as u64;
        }
        Ok(())
    }

    fn keep_single(&mut self, state: usize, found: StateSolution) {
        let (arena, solution) = (self.game.arena(), &mut self.solution);
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
