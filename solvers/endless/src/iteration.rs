//! Iteration of values in floating-point numbers: guesses of the values in a component, and of strategies.
//!
//! Each state is given the value that follows from those of its targets, one state after the other, again and again (Gauss-Seidel). States
//! are numbered such that most come after those that they lead to. Then what changes at the end of a long way arrives at its beginning in
//! the same sweep. Nothing is promised of the result.

use crate::interval::chances;
use crate::process::FEW_NODES;
use arena::{Arena, NONE};
use limits::{Limits, StopReason};

/// Iterations to begin with: they find the strategies in most cases. If it is seen that more will converge, up to
/// [`MAX_SWEEPS`] are made.
const SWEEPS: usize = 100;
const MAX_SWEEPS: usize = 2500;

/// In small components only strategies are wanted, whose values elimination finds. They seldom change when no value changes by more.
const SMALL_CHANGE: f64 = 1e-9;

/// Values of the states of a component, and of its ends.
pub struct Iteration<'a> {
    arena: &'a Arena,
    /// By outcome: its probability.
    chances: Vec<f64>,
    /// By state, then by end.
    pub values: Vec<f64>,
    pub converges: bool,
}

impl<'a> Iteration<'a> {
    /// Starts from lower bounds of all states.
    pub fn new(
        arena: &'a Arena,
        lower: impl Iterator<Item = f64>,
        ends: impl Iterator<Item = f64>,
    ) -> Self {
        Iteration {
            arena,
            chances: chances(arena),
            values: lower.chain(ends).collect(),
            converges: false,
        }
    }

    /// Iterates until values hardly change, or it is seen that this takes long.
    pub fn run(&mut self, limits: &Limits) -> Result<(), StopReason> {
        let is_small = self.arena.states() <= FEW_NODES;
        let enough = match is_small {
            true => SMALL_CHANGE,
            false => 4.0 * f64::EPSILON,
        };
        let mut last = f64::INFINITY;
        for sweep in 1..=MAX_SWEEPS {
            limits.check()?;
            let change = self.sweep();
            if change < enough {
                self.converges = true;
                break;
            }
            if sweep % SWEEPS == SWEEPS / 2 {
                last = change;
            }
            if sweep % SWEEPS == 0 {
                // As many more as it takes at the rate of the last ones, if that is worth it.
                let rate = (change / last).ln() / (SWEEPS / 2) as f64;
                let more = (f64::EPSILON / change).ln() / rate;
                let is_soon = more < (MAX_SWEEPS - sweep) as f64;
                if is_small || !is_soon {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Gives all states new values; the largest change.
    fn sweep(&mut self) -> f64 {
        let arena = self.arena;
        let mut change = 0f64;
        for state in 0..arena.states() {
            let all = arena.alternatives(state).map(|one| self.least(one));
            let value = all.fold(0.0, f64::max);
            let known = &mut self.values[state];
            change = change.max((value - *known).abs());
            *known = value;
        }
        change
    }

    /// The mean of the values at the outcomes of a reply.
    #[inline]
    fn mean(&self, reply: usize) -> f64 {
        let chances = &self.chances[self.arena.outcome_range(reply)];
        let targets = self.arena.targets(reply).iter();
        let products = targets.zip(chances);
        products.fold(0.0, |sum, (&target, chance)| {
            sum + chance * self.values[target as usize]
        })
    }

    /// The value of an alternative: the least mean of its replies.
    #[inline]
    pub fn least(&self, alternative: usize) -> f64 {
        let means = self
            .arena
            .replies(alternative)
            .map(|reply| self.mean(reply));
        means.fold(f64::INFINITY, f64::min)
    }

    /// The reply to an alternative that has the least mean.
    pub fn best_reply(&self, alternative: usize) -> u32 {
        let mut best = (f64::INFINITY, NONE);
        for reply in self.arena.replies(alternative) {
            let mean = self.mean(reply);
            if mean < best.0 {
                best = (mean, reply as u32);
            }
        }
        best.1
    }
}
