//! A random choice in every lane at once.
//!
//! Given a word for each option, with a one in each lane that has the option, one of its options is
//! chosen for each lane, all with the same chance. Nothing is done lane by lane: numbers of lanes
//! are kept as *slices*, one word for each binary digit, with which arithmetic is done in all
//! lanes.
//!
//! 1. Count the options of each lane.
//! 2. Draw a number below that count: random digits, as many as the count has; lanes in which the
//!    number is too large draw again.
//! 3. Go through the options once more, counting the number down; where it is zero the option is
//!    taken.
//!
//! ```text
//! lane          2 1 0
//! option a      1 0 1
//! option b      1 1 1      counts 3 1 2, numbers drawn say 1 0 1
//! option c      1 0 0      chosen b b b
//! ```

use super::evaluate::Compiled;
use circuit::{set, word};
use fastrand::Rng;

/// A number in each lane: the word for each binary digit, lowest first.
#[derive(Default)]
struct Slices(Vec<u64>);

impl Slices {
    /// Adds one in these lanes.
    fn increment(&mut self, lanes: u64) {
        let mut carry = lanes;
        for digit in &mut self.0 {
            if carry == 0 {
                return;
            }
            let next = *digit & carry;
            *digit ^= carry;
            carry = next;
        }
        if carry != 0 {
            self.0.push(carry);
        }
    }

    /// Takes one away in these lanes, where the numbers are not zero.
    fn decrement(&mut self, lanes: u64) {
        let mut borrow = lanes;
        for digit in &mut self.0 {
            if borrow == 0 {
                return;
            }
            let next = !*digit & borrow;
            *digit ^= borrow;
            borrow = next;
        }
    }

    /// The lanes with a number other than zero.
    fn positive(&self) -> u64 {
        self.0.iter().fold(0, |lanes, digit| lanes | digit)
    }

    /// Draws a number from zero up to the one in each lane, both included.
    fn draw_up_to(&mut self, limits: &Slices, random: &mut Rng) {
        self.0.clear();
        self.0.resize(limits.0.len(), 0);
        let mut open = limits.positive();
        while open != 0 {
            // From the highest digit down: lanes whose limit has begun, lanes that are above it,
            // and lanes that have equalled it so far.
            let (mut begun, mut above, mut equal) = (0, 0, u64::MAX);
            for (digit, &limit) in self.0.iter_mut().zip(&limits.0).rev() {
                begun |= limit;
                let new = random.u64(..) & begun;
                *digit = (*digit & !open) | (new & open);
                above |= equal & new & !limit;
                equal &= !(new ^ limit);
            }
            open &= above;
        }
    }
}

/// Options of all lanes. Kept between choices only to use its memory again.
#[derive(Default)]
pub(super) struct Choice {
    /// The options in these lanes, before the choice; the lanes that chose each option, after it.
    pub(super) options: Vec<u64>,
    numbers: Slices,
    drawn: Slices,
}

impl Choice {
    /// Chooses a move for each role in each of these lanes, of those that are legal by `values`, and sets
    /// the inputs for moves there. Tells role, move and lanes of each that was chosen; gives the
    /// lanes in which some role has none.
    pub(super) fn choose_moves(
        &mut self,
        compiled: &Compiled,
        values: &mut [u64],
        lanes: u64,
        random: &mut Rng,
        mut chosen: impl FnMut(usize, usize, u64),
    ) -> u64 {
        let mut stuck = 0;
        for (role, (legal, slots)) in compiled.legal.iter().zip(&compiled.move_slots).enumerate() {
            self.options.clear();
            let legal = legal.iter().map(|&literal| word(values, literal) & lanes);
            self.options.extend(legal);
            self.choose(random);
            let mut some = 0;
            for (number, (&slot, &option)) in slots.iter().zip(&self.options).enumerate() {
                set(values, slot, option);
                if option != 0 {
                    some |= option;
                    chosen(role, number, option);
                }
            }
            stuck |= lanes & !some;
        }
        stuck
    }

    /// Turns the options of each lane into one option of each lane.
    pub(super) fn choose(&mut self, random: &mut Rng) {
        let Choice {
            options,
            numbers,
            drawn,
        } = self;
        numbers.0.clear();
        let mut some = 0;
        for &option in options.iter() {
            // One less than the count.
            numbers.increment(option & some);
            some |= option;
        }
        drawn.draw_up_to(numbers, random);
        let mut left = some;
        let mut waiting = drawn.positive();
        for option in options {
            let here = *option & left;
            *option = here & !waiting;
            left &= !*option;
            let passed = here & waiting;
            if passed != 0 {
                drawn.decrement(passed);
                waiting = drawn.positive();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lane_chooses_one_of_its_options() {
        let seed = fastrand::u64(..);
        let mut random = Rng::with_seed(seed);
        let mut choice = Choice::default();
        for round in 0..2000 {
            let count = random.usize(0..40);
            let thin = random.bool();
            let options: Vec<u64> = (0..count)
                .map(|_| random.u64(..) & if thin { random.u64(..) } else { u64::MAX })
                .collect();
            choice.options.clone_from(&options);
            choice.choose(&mut random);
            let (mut chosen, mut some) = (0, 0);
            for (before, after) in options.iter().zip(&choice.options) {
                assert_eq!(after & !before, 0, "seed {seed}, round {round}");
                assert_eq!(after & chosen, 0, "seed {seed}, round {round}");
                chosen |= after;
                some |= before;
            }
            assert_eq!(chosen, some, "seed {seed}, round {round}");
        }
    }

    #[test]
    fn all_options_have_the_same_chance() {
        let mut random = Rng::with_seed(7);
        let mut choice = Choice::default();
        // Lane n has the options n, n + 1 .. 22, for n below 22; the others have none.
        const COUNT: usize = 23;
        const ROUNDS: u32 = 20_000;
        let options: Vec<u64> = (0..COUNT as u64).map(|option| (2 << option) - 1).collect();
        let mut counts = [[0u32; COUNT]; 64];
        for _ in 0..ROUNDS {
            choice.options.clone_from(&options);
            choice.choose(&mut random);
            for (option, &chosen) in choice.options.iter().enumerate() {
                for (lane, counts) in counts.iter_mut().enumerate() {
                    counts[option] += (chosen >> lane & 1) as u32;
                }
            }
        }
        for (lane, counts) in counts.iter().enumerate() {
            let many = COUNT.saturating_sub(lane);
            let expected = f64::from(ROUNDS) / many as f64;
            for (option, &count) in counts.iter().enumerate() {
                if option < lane {
                    assert_eq!(count, 0);
                } else {
                    let error = (f64::from(count) - expected).abs();
                    assert!(
                        error <= 5.0 * expected.sqrt(),
                        "lane {lane}, option {option}: {count}"
                    );
                }
            }
        }
    }
}
