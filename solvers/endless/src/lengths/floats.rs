//! Good strategies in a component, in floating-point numbers: iteration of values from 0 (Gauss-Seidel), then strategy iteration (Hoffman,
//! Karp 1966), whose systems are solved by elimination. Nothing is promised of the numbers; the strategy of the quick side is proper.

use crate::attractor::Attractor;
use crate::component::Strategies;
use crate::interval::chances;
use crate::linear_system::{Factors, NoFactors, SparseRows};
use arena::{Arena, Backward, NONE};
use limits::{Limits, StopReason};

/// The most sweeps of iteration, and the change of values, as a part of the largest one, after which there are no more.
const MAX_SWEEPS: usize = 1000;
const SMALL_CHANGE: f64 = 1e-12;

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

/// A component with chances as floating-point numbers. Values are listed by state, then by end.
pub struct Floats<'a> {
    pub arena: &'a Arena,
    pub counts: &'a [bool],
    /// By outcome: its probability.
    chances: Vec<f64>,
}

impl<'a> Floats<'a> {
    pub fn new(arena: &'a Arena, counts: &'a [bool]) -> Self {
        Floats {
            arena,
            counts,
            chances: chances(arena),
        }
    }

    /// Gives states new values, from 0 or from lower bounds, until they hardly change.
    pub fn iterate(&self, values: &mut [f64], limits: &Limits) -> Result<(), StopReason> {
        for _ in 0..MAX_SWEEPS {
            limits.check()?;
            let (mut change, mut largest) = (0f64, 0f64);
            for state in 0..self.arena.states() {
                let all = self.arena.alternatives(state);
                let least = all.fold(f64::INFINITY, |least, one| {
                    least.min(self.most(one, values).0)
                });
                let value = self.cost(state, NO_EXTRA) + least;
                change = change.max(value - values[state]);
                largest = largest.max(value);
                values[state] = value;
            }
            if change <= SMALL_CHANGE * largest {
                break;
            }
        }
        Ok(())
    }

    /// Strategies that neither side can improve much.
    pub fn strategies(&self, values: &[f64], limits: &Limits) -> Result<Strategies, StopReason> {
        let backward = Backward::new(self.arena);
        let is_good = |alternative: usize| {
            let state = backward.state_of(alternative as u32) as usize;
            let value = self.cost(state, NO_EXTRA) + self.most(alternative, values).0;
            value <= values[state] + TIE * values[state]
        };
        let first = Strategies {
            alternatives: self.proper(&backward, [&is_good, &|_| true]),
            replies: (0..self.arena.alternative_count())
                .map(|alternative| self.most(alternative, values).1)
                .collect(),
        };
        let (mut improved, mut values) = (first.clone(), values.to_vec());
        self.improve(&mut improved, &mut values, NO_EXTRA, Free::Both, limits)?;
        let is_chosen = |alternative: usize| {
            let state = backward.state_of(alternative as u32);
            improved.alternatives[state as usize] == alternative as u32
        };
        // Rounding may have lost the way out.
        let is_proper = !self
            .proper(&backward, [&is_chosen, &|_| false])
            .contains(&NONE);
        Ok(if is_proper { improved } else { first })
    }

    /// A proper strategy by the first alternatives where these lead out, and by the others elsewhere.
    fn proper(&self, backward: &Backward, allowed: [&dyn Fn(usize) -> bool; 2]) -> Vec<u32> {
        let ends = self.arena.states()..self.arena.states() + self.arena.ends();
        let ends = ends.map(|end| end as u32).collect();
        let mut attractor = Attractor::new(self.arena, backward, ends);
        for allowed in allowed {
            attractor.extend(allowed);
        }
        attractor.choices
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
            let mut known = self.cost(state, extra);
            for (target, chance) in self.outcomes(reply) {
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

    /// Chooses larger replies where the strategy of the quick side leads; whether there are any.
    fn switch_replies(&self, strategies: &mut Strategies, values: &[f64]) -> bool {
        let mut switches = false;
        for &alternative in &strategies.alternatives {
            let chosen = &mut strategies.replies[alternative as usize];
            let (most, reply) = self.most(alternative as usize, values);
            let known = self.mean(*chosen as usize, values);
            if most > known + TIE * known.abs() {
                *chosen = reply;
                switches = true;
            }
        }
        switches
    }

    /// Chooses alternatives of smaller value; whether there are any. The replies to them are the largest, if replies are free.
    fn switch_alternatives(
        &self,
        strategies: &mut Strategies,
        values: &[f64],
        extra: Extra,
        free: Free,
    ) -> bool {
        let mut switches = false;
        for (state, chosen) in strategies.alternatives.iter_mut().enumerate() {
            let known = values[state] - self.cost(state, extra);
            let mut best = known - TIE * known.abs();
            for alternative in self.arena.alternatives(state) {
                let reply = &mut strategies.replies[alternative];
                if free == Free::Both && alternative as u32 != *chosen {
                    *reply = self.most(alternative, values).1;
                }
                let mean = self.mean(*reply as usize, values);
                if mean < best {
                    (best, *chosen) = (mean, alternative as u32);
                    switches = true;
                }
            }
        }
        switches
    }

    fn cost(&self, state: usize, [counted, other]: Extra) -> f64 {
        if self.counts[state] {
            1.0 + counted
        } else {
            other
        }
    }

    fn outcomes(&self, reply: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let targets = self.arena.targets(reply).iter();
        let targets = targets.map(|&target| target as usize);
        targets.zip(
            self.chances[self.arena.outcome_range(reply)]
                .iter()
                .copied(),
        )
    }

    fn mean(&self, reply: usize, values: &[f64]) -> f64 {
        let products = self.outcomes(reply);
        products.fold(0.0, |sum, (target, chance)| sum + chance * values[target])
    }

    /// The largest mean of the replies to an alternative, and the first reply that has it.
    fn most(&self, alternative: usize, values: &[f64]) -> (f64, u32) {
        let replies = self.arena.replies(alternative);
        replies.fold((f64::NEG_INFINITY, NONE), |most, reply| {
            let mean = self.mean(reply, values);
            if mean > most.0 {
                (mean, reply as u32)
            } else {
                most
            }
        })
    }
}
