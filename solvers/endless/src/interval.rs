//! Interval iteration: bounds of all states that are proved at any time (Haddad, Monmege: *Interval iteration algorithm for MDPs
//! and IMDPs*, 2018).
//!
//! Lower bounds start at 0 and upper ones at 1. Each state is given what follows from the bounds of its targets, in floating-point
//! numbers that are rounded outwards to multiples of 2^-52, so that they are whole numbers of units. Bounds only get better, so what a bound was made
//! from is never worse later: each follows from the others at every moment.
//!
//! From below it is essential that an alternative is kept until another one makes the bound larger; equal ones could wait for each
//! other. Suppose that the minimizer can stay for ever in a set of states with positive bounds. Take those with the largest bound, and of these the one that
//! reached it first: its reply that stays leads to states whose bounds were as large before, which are none. From above
//! nothing of the kind is needed, but where the maximizer can wait, upper bounds do not come down by themselves.
//!
//! Components are visited in order, each after those that it leads to, and then again with twice as many sweeps. So the first bounds of all
//! states are there after one sweep through each.

use arena::Arena;
use limits::StopReason;

/// Bounds are multiples of one divided by this.
const GRID_BITS: u32 = 52;
const GRID: f64 = (1u64 << GRID_BITS) as f64;

/// How far bounds of a component may be from each other in the end, and which part of that a sweep has to change them by.
const ENOUGH: f64 = 1e-6;
const SMALL_CHANGE: f64 = 1e-3;

/// States between two checks of the limits.
const STATES_PER_CHECK: usize = 1 << 12;

/// Bounds while they get better.
pub struct Interval<'a> {
    arena: &'a Arena,
    /// By outcome: its probability.
    chances: Vec<f64>,
    /// By target: the lower and the upper bound.
    values: Vec<[f64; 2]>,
    /// By state: the alternative that guarantees the lower bound.
    pub alternatives: Vec<u32>,
}

impl<'a> Interval<'a> {
    /// Starts from proved bounds in units, of which 1 has `1 << bits`, and from alternatives that guarantee the lower ones.
    pub fn new(
        arena: &'a Arena,
        [lower, upper]: [&[i128]; 2],
        bits: u32,
        alternatives: &[u32],
    ) -> Self {
        let coarse = bits - GRID_BITS;
        let rounded = |(lower, upper): (&i128, &i128)| {
            [
                (lower >> coarse) as f64 / GRID,
                -((-upper) >> coarse) as f64 / GRID,
            ]
        };
        Interval {
            arena,
            chances: chances(arena),
            values: lower.iter().zip(upper).map(rounded).collect(),
            alternatives: alternatives.to_vec(),
        }
    }

    /// The bounds of a state, in units.
    pub fn bounds(&self, state: usize, bits: u32) -> [i128; 2] {
        self.values[state].map(|value| ((value * GRID) as i128) << (bits - GRID_BITS))
    }

    /// Improves the bounds of some components, until they are close to each other or hardly change, in at most this many sweeps
    /// through each. `check` is called with the bounds of the first state, and may end the work.
    ///
    /// # Errors
    /// The reason for which `check` ends the work. Bounds are right all the same.
    pub fn run(
        &mut self,
        components: &[Vec<u32>],
        max_sweeps: usize,
        mut check: impl FnMut([f64; 2]) -> Result<(), StopReason>,
    ) -> Result<(), StopReason> {
        let (mut sweeps, mut done) = (1, 0);
        let mut is_open = vec![true; components.len()];
        while done < max_sweeps && is_open.contains(&true) {
            for (index, members) in components.iter().enumerate() {
                // Losses add up from component to component.
                let enough = ENOUGH * (index + 1) as f64 / components.len() as f64;
                for _ in 0..sweeps {
                    let (mut width, mut change) = (0f64, 0f64);
                    for (index, &state) in members.iter().enumerate() {
                        if index % STATES_PER_CHECK == 0 {
                            check(self.values[0])?;
                        }
                        change = change.max(self.improve(state as usize));
                        let [lower, upper] = self.values[state as usize];
                        width = width.max(upper - lower);
                    }
                    is_open[index] = width > enough && change > width * SMALL_CHANGE;
                    if !is_open[index] {
                        break;
                    }
                }
            }
            done += sweeps;
            sweeps *= 2;
        }
        Ok(())
    }

    /// Gives a state the bounds that follow from those of its targets, if they are better; the larger change.
    fn improve(&mut self, state: usize) -> f64 {
        let (mut lower, mut upper, mut best) = (0f64, 0f64, None);
        for alternative in self.arena.alternatives(state) {
            let mut least = [f64::INFINITY; 2];
            for reply in self.arena.replies(alternative) {
                let mean = self.mean(reply);
                least = [least[0].min(mean[0]), least[1].min(mean[1])];
            }
            if least[0] > lower {
                (lower, best) = (least[0], Some(alternative as u32));
            }
            upper = upper.max(least[1]);
        }
        let [known_lower, known_upper] = self.values[state];
        let lower = whole(lower * GRID) / GRID;
        let below = whole(upper * GRID);
        let upper = (below + f64::from(u8::from(below < upper * GRID))) / GRID;
        let mut change = 0f64;
        if let (Some(best), true) = (best, lower > known_lower) {
            change = lower - known_lower;
            self.values[state][0] = lower;
            self.alternatives[state] = best;
        }
        if upper < known_upper {
            change = change.max(known_upper - upper);
            self.values[state][1] = upper;
        }
        change
    }

    /// The means of the bounds at the outcomes of a reply, rounded outwards.
    #[inline]
    fn mean(&self, reply: usize) -> [f64; 2] {
        let targets = self.arena.targets(reply);
        if let &[target] = targets {
            return self.values[target as usize];
        }
        let chances = &self.chances[self.arena.outcome_range(reply)];
        let mut sums = [0f64; 2];
        for (&target, chance) in targets.iter().zip(chances) {
            let [lower, upper] = self.values[target as usize];
            sums[0] += chance * lower;
            sums[1] += chance * upper;
        }
        // A chance is wrong by three roundings, its product and each sum by one more; no sum is larger than 2.
        let error = (targets.len() + 6) as f64 * f64::EPSILON;
        [sums[0] - error, sums[1] + error]
    }

    /// The reply to an alternative that guarantees the upper bound of its state.
    pub fn best_reply(&self, alternative: usize) -> u32 {
        let replies = self.arena.replies(alternative);
        let best = replies.min_by(|&one, &other| self.mean(one)[1].total_cmp(&self.mean(other)[1]));
        best.expect("each alternative has a reply") as u32
    }
}

/// A number without what is behind the point: rounded down where it is not negative.
#[inline]
fn whole(number: f64) -> f64 {
    number as i64 as f64
}

/// By outcome of an arena: its probability.
pub fn chances(arena: &Arena) -> Vec<f64> {
    let replies = 0..arena.reply_count();
    let chances = replies.flat_map(|reply| {
        let total = arena.total(reply) as f64;
        let outcomes = arena.outcomes(reply);
        outcomes.map(move |(_, weight)| weight as f64 / total)
    });
    chances.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::tests::solved;
    use crate::lists::{game, random_family};
    use generators::{random_cycles, ruin, seeds};

    /// Wherever the work ends, bounds are certificates, and enclose the values.
    #[test]
    fn bounds_are_proved_at_any_time() {
        let mut close = 0;
        for (seed, mut random) in seeds(59_000_000, 300) {
            let states = random.usize(1..40);
            let family = random_family(&mut random, states);
            let game = game(&random_cycles(&mut random, &family));
            let arena = game.arena();
            let exact = solved(&game, u64::MAX);
            // Nothing is known but the values of ends.
            let mut found = exact.clone();
            found.exact[..states].fill(None);
            found.lower[..states].fill(0);
            found.upper[..states].fill(1 << found.bits);
            for alternative in 0..arena.alternative_count() {
                found.replies[alternative] = arena.replies(alternative).start as u32;
            }
            let bounds = [&found.lower[..], &found.upper[..]];
            let mut interval = Interval::new(arena, bounds, found.bits, &found.alternatives);
            let all: Vec<u32> = (0..states as u32).rev().collect();
            let mut looks = random.usize(..30);
            let ended = interval.run(&[all], 1 << random.u32(..8), |_| match looks {
                0 => Err(StopReason::Interrupted),
                _ => {
                    looks -= 1;
                    Ok(())
                }
            });
            for state in 0..states {
                [found.lower[state], found.upper[state]] = interval.bounds(state, found.bits);
                found.alternatives[state] = interval.alternatives[state];
                for alternative in arena.alternatives(state) {
                    found.replies[alternative] = interval.best_reply(alternative);
                }
            }
            let at = format!("seed {seed}: {family:?}, {ended:?}");
            if let Err(refuted) = found.check(&game, 1, &[]) {
                panic!("{at}: {refuted}");
            }
            for state in 0..states {
                let value = exact.value(state).expect("exact");
                let (lower, upper) = found.bounds(state);
                assert!(lower <= value && value <= upper, "{at}");
            }
            let [lower, upper] = interval.values[0];
            close += usize::from(upper - lower < 0.01);
        }
        assert!(close > 20, "{close}");
    }

    #[test]
    fn bounds_close_in() {
        let game = game(&ruin(20, [1, 1]));
        let known = solved(&game, 0);
        let states = game.arena().states();
        let (mut lower, mut upper) = (known.lower.clone(), known.upper.clone());
        lower[..states].fill(0);
        upper[..states].fill(1 << known.bits);
        let bounds = [&lower[..], &upper[..]];
        let mut interval = Interval::new(game.arena(), bounds, known.bits, &known.alternatives);
        let all: Vec<u32> = (0..states as u32).collect();
        interval
            .run(&[all], usize::MAX, |_| Ok(()))
            .expect("no limit");
        assert!(
            interval
                .values
                .iter()
                .all(|[lower, upper]| upper - lower < 1e-5)
        );
    }
}
