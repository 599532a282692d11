//! Good strategies in a component, in floating-point numbers: iteration of values from 0, then strategy iteration (Hoffman,
//! Karp 1966), whose systems are solved by elimination. Nothing is promised of the numbers; the strategy of the quick side is proper.
//!
//! Values are lengths below 0: each step that counts takes 1 from the quick side, which wants them large.

use crate::attractor::{Attractor, proper};
use crate::component::Strategies;
use crate::iteration::FloatArena;
use crate::linear_system::{Factors, NoFactors, SparseRows};
use arena::{Arena, Backward, NONE};
use limits::{Limits, StopReason};

/// Choices whose values differ by less, as a part of the value, may both be best.
const TIE: f64 = 1e-10;

/// The most systems of strategy iteration, and the most entries of their factors.
const MAX_ROUNDS: usize = 100;
const MAX_ENTRIES: usize = 4_000_000;

/// The cost of a step beyond its number: of one that counts, and of any other.
pub type Extra = [f64; 2];

const NO_EXTRA: Extra = [0.0; 2];

/// The choices that may be changed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Free {
    Alternatives,
    Replies,
    Both,
}

/// A component, and which of its states count.
pub struct Floats<'a> {
    floats: FloatArena<'a>,
    pub arena: &'a Arena,
    pub counts: &'a [bool],
}

impl<'a> Floats<'a> {
    pub fn new(arena: &'a Arena, counts: &'a [bool]) -> Self {
        Floats {
            floats: FloatArena::new(arena),
            arena,
            counts,
        }
    }

    /// Gives states new values, from 0 on, until they hardly change, or it is seen that this takes long.
    pub fn iterate(&self, values: &mut [f64], limits: &Limits) -> Result<(), StopReason> {
        let reward = |state| self.reward(state, NO_EXTRA);
        self.floats.iterate(values, reward, limits).map(|_| ())
    }

    /// Strategies that neither side can improve much.
    pub fn strategies(&self, values: &[f64], limits: &Limits) -> Result<Strategies, StopReason> {
        let backward = Backward::new(self.arena);
        let is_good = |alternative: usize| {
            let state = backward.state_of(alternative as u32) as usize;
            let value = self.reward(state, NO_EXTRA) + self.floats.least(alternative, values).0;
            value >= values[state] - TIE * values[state].abs()
        };
        let ends = self.arena.states()..self.arena.states() + self.arena.ends();
        let ends: Vec<u32> = ends.map(|end| end as u32).collect();
        let first = Strategies {
            alternatives: proper(self.arena, &backward, ends.clone(), is_good),
            replies: (0..self.arena.alternative_count())
                .map(|alternative| self.floats.least(alternative, values).1)
                .collect(),
        };
        let (mut improved, mut values) = (first.clone(), values.to_vec());
        self.improve(&mut improved, &mut values, NO_EXTRA, Free::Both, limits)?;
        let is_chosen = |alternative: usize| {
            let state = backward.state_of(alternative as u32);
            improved.alternatives[state as usize] == alternative as u32
        };
        // Rounding may have lost the way out.
        let mut attractor = Attractor::new(self.arena, &backward, ends);
        attractor.extend(is_chosen);
        let is_proper = !attractor.choices.contains(&NONE);
        Ok(if is_proper { improved } else { first })
    }

    /// Improves strategies by the choices that are free, where steps cost this much more, and finds the values of the result.
    /// Whether they were found.
    pub fn improve(
        &self,
        strategies: &mut Strategies,
        values: &mut [f64],
        extra: Extra,
        free: Free,
        limits: &Limits,
    ) -> Result<bool, StopReason> {
        for _ in 0..MAX_ROUNDS {
            match self.evaluate(strategies, values, extra, limits) {
                Ok(()) => {}
                Err(NoFactors::Stopped(reason)) => return Err(reason),
                Err(NoFactors::TooLarge | NoFactors::Singular) => return Ok(false),
            }
            let switches = (free != Free::Alternatives && self.switch_replies(strategies, values))
                || (free != Free::Replies
                    && self.switch_alternatives(strategies, values, extra, free));
            if !switches {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The values of a pair of strategies.
    fn evaluate(
        &self,
        strategies: &Strategies,
        values: &mut [f64],
        extra: Extra,
        limits: &Limits,
    ) -> Result<(), NoFactors> {
        let states = self.arena.states();
        let mut system: SparseRows<f64> = Vec::with_capacity(states);
        let mut right = Vec::with_capacity(states);
        for (state, &alternative) in strategies.alternatives.iter().enumerate() {
            let reply = strategies.replies[alternative as usize] as usize;
            let mut row = vec![(state as u32, 1.0)];
            let mut known = self.reward(state, extra);
            for (target, chance) in self.floats.outcomes(reply) {
                match target {
                    end if end >= states => known += chance * values[end],
                    own if own == state => row[0].1 -= chance,
                    other => row.push((other as u32, -chance)),
                }
            }
            system.push(row);
            right.push(known);
        }
        let factors = Factors::new(&system, MAX_ENTRIES, limits)?;
        factors.solve(&mut right, &mut Vec::new());
        if !right.iter().all(|value| value.is_finite()) {
            return Err(NoFactors::Singular);
        }
        values[..states].copy_from_slice(&right);
        Ok(())
    }

    /// Chooses smaller replies where the strategy of the quick side leads; whether there are any.
    fn switch_replies(&self, strategies: &mut Strategies, values: &[f64]) -> bool {
        let mut switches = false;
        for &alternative in &strategies.alternatives {
            let chosen = &mut strategies.replies[alternative as usize];
            let (least, reply) = self.floats.least(alternative as usize, values);
            let known = self.floats.mean(*chosen as usize, values);
            if least < known - TIE * known.abs() {
                *chosen = reply;
                switches = true;
            }
        }
        switches
    }

    /// Chooses alternatives of larger value; whether there are any. The replies to them are the smallest, if replies are free.
    fn switch_alternatives(
        &self,
        strategies: &mut Strategies,
        values: &[f64],
        extra: Extra,
        free: Free,
    ) -> bool {
        let mut switches = false;
        for (state, chosen) in strategies.alternatives.iter_mut().enumerate() {
            let known = values[state] - self.reward(state, extra);
            let mut best = known + TIE * known.abs();
            for alternative in self.arena.alternatives(state) {
                let reply = &mut strategies.replies[alternative];
                if free == Free::Both && alternative as u32 != *chosen {
                    *reply = self.floats.least(alternative, values).1;
                }
                let mean = self.floats.mean(*reply as usize, values);
                if mean > best {
                    (best, *chosen) = (mean, alternative as u32);
                    switches = true;
                }
            }
        }
        switches
    }

    /// The payoff of the step that is made in a state.
    fn reward(&self, state: usize, [counted, other]: Extra) -> f64 {
        match self.counts[state] {
            true => -(1.0 + counted),
            false => -other,
        }
    }
}
