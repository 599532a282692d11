//! Houdini: all candidates at once, weakened until the rest is inductive ([`houdini`]).
//!
//! Start with all instances of all candidates that hold in the initial state. When no step violates any of those
//! that are left, they hold in the initial state and pass from each state to the next: they are proved.
//! (Schiffel and Thielscher leave this open, in section 6.)
//!
//! Instances are dropped one by one: a board that has one odd cell still gives all that is known of the
//! others. With k steps instead of one the same search finds the instances that follow from k states in a row
//! (k-induction), if nothing violates it within k-1 steps from the start.

use super::bounds::MAX_QUESTIONS;
use super::condition::Condition;
use super::steps::{Play, Steps, Stop};
use circuit::invariants::{Claim, houdini};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Instances of candidates, each once, and which are still in.
#[derive(Default)]
pub(super) struct Pool {
    pub(super) conditions: Vec<Condition>,
    pub(super) alive: Vec<bool>,
    numbers: FxHashMap<Condition, usize>,
}

impl Pool {
    /// The number of an instance.
    pub(super) fn add(&mut self, condition: &Condition) -> usize {
        if let Some(&number) = self.numbers.get(condition) {
            return number;
        }
        let number = self.conditions.len();
        self.conditions.push(condition.clone());
        self.alive.push(true);
        self.numbers.insert(condition.clone(), number);
        number
    }

    /// Drops instances until those left hold at the time `after` of every play in which they hold at the times
    /// `before`. `dropped` is called with the play just found and the instances that it violates.
    fn weaken(
        &mut self,
        steps: &mut dyn Steps,
        before: Range<usize>,
        after: usize,
        batches: usize,
        mut dropped: impl FnMut(&dyn Steps, &[usize]),
    ) -> Result<(), Stop> {
        let (mut numbers, mut claims) = (Vec::new(), Vec::new());
        for (number, condition) in self.conditions.iter().enumerate() {
            if self.alive[number] {
                let before = before.clone().map(|time| steps.literal(condition, time));
                claims.push(Claim {
                    before: before.collect::<Result<_, Stop>>()?,
                    after: vec![steps.literal(condition, after)?],
                });
                numbers.push(number);
            }
        }
        houdini(steps, &claims, batches, |steps, broken| {
            let broken: Vec<usize> = broken.iter().map(|&claim| numbers[claim]).collect();
            broken.iter().for_each(|&number| self.alive[number] = false);
            dropped(steps, &broken);
        })?;
        Ok(())
    }
}

/// Drops instances until those left pass from `last` states in a row to the next one. The play has
/// `last` steps from any state.
pub(super) fn weaken(steps: &mut dyn Steps, last: usize, pool: &mut Pool) -> Result<(), Stop> {
    pool.weaken(steps, 0..last, last, MAX_QUESTIONS, |_, _| ())
}

/// Drops the instances that are violated in the last state of plays of this number of steps from the start,
/// and tells the plays: each with the instances that it violates.
pub(super) fn drop_violated(
    steps: &mut dyn Steps,
    last: usize,
    pool: &mut Pool,
) -> Result<Vec<(Play, Vec<usize>)>, Stop> {
    let mut found = Vec::new();
    pool.weaken(steps, 0..0, last, 1, |steps, violated| {
        found.push((steps.play(), violated.to_vec()));
    })?;
    Ok(found)
}
