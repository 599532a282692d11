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

/// A component with chances as floating-point numbers. Values are listed by state, then by end.
pub struct FloatArena<'a> {
    pub arena: &'a Arena,
    /// By outcome: its probability.
    chances: Vec<f64>,
}

impl<'a> FloatArena<'a> {
    pub fn new(arena: &'a Arena) -> Self {
        FloatArena {
            arena,
            chances: chances(arena),
        }
    }

    /// Iterates from lower bounds until values hardly change, which they do if this is true, or it is seen that this takes long. The step made
    /// in a state pays the reward of the state.
    pub fn iterate(
        &self,
        values: &mut [f64],
        reward: impl Fn(usize) -> f64,
        limits: &Limits,
    ) -> Result<bool, StopReason> {
        let is_small = self.arena.states() <= FEW_NODES;
        let enough = match is_small {
            true => SMALL_CHANGE,
            false => 4.0 * f64::EPSILON,
        };
        let mut last = f64::INFINITY;
        for sweep in 1..=MAX_SWEEPS {
            limits.check()?;
            let change = self.sweep(values, &reward);
            if change < enough {
                return Ok(true);
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
        Ok(false)
    }

    /// Gives all states new values; the largest change.
    fn sweep(&self, values: &mut [f64], reward: impl Fn(usize) -> f64) -> f64 {
        let mut change = 0f64;
        for state in 0..self.arena.states() {
            let all = self.arena.alternatives(state);
            let all = all.map(|alternative| self.least(alternative, values).0);
            let value = reward(state) + all.fold(f64::NEG_INFINITY, f64::max);
            change = change.max((value - values[state]).abs());
            values[state] = value;
        }
        change
    }

    /// The outcomes of a reply: targets and probabilities.
    #[inline]
    pub fn outcomes(&self, reply: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let targets = self.arena.targets(reply).iter();
        let chances = self.chances[self.arena.outcome_range(reply)].iter();
        targets
            .zip(chances)
            .map(|(&target, &chance)| (target as usize, chance))
    }

    /// The mean of the values at the outcomes of a reply.
    #[inline]
    pub fn mean(&self, reply: usize, values: &[f64]) -> f64 {
        let products = self.outcomes(reply);
        products.fold(0.0, |sum, (target, chance)| sum + chance * values[target])
    }

    /// The value of an alternative, which is the least mean of its replies, and the first reply that has it.
    #[inline]
    pub fn least(&self, alternative: usize, values: &[f64]) -> (f64, u32) {
        let mut least = (f64::INFINITY, NONE);
        for reply in self.arena.replies(alternative) {
            let mean = self.mean(reply, values);
            if mean < least.0 {
                least = (mean, reply as u32);
            }
        }
        least
    }
}
