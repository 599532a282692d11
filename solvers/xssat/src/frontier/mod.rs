//! The word-parallel search over segments.
//!
//! ```text
//! program, cuts --segment--> code --expand--> a small tree for one state --worker--> value
//! ```
//!
//! * [`segment`] compiles what lies between two cuts into word-parallel code; [`effects`] merges
//!   assignments that come to the same thing.
//! * [`expand`] executes a segment on one state, with all branches at once.
//! * [`tree`] holds what may happen in the segments on the path, with bounds, and says which leaf to
//!   look at next; [`history`] which branch is likely good.
//! * The crate [`table`] remembers bounds of states, exactly, for all threads.
//! * [`units`] learns the denominators of chance, so that values are whole numbers.
//! * [`questions`] are asked at the root, from narrow to wide.
//! * [`worker`] is one thread of the search, [`shared`] what threads share.

mod effects;
mod expand;
mod history;
mod questions;
mod segment;
mod shared;
mod tree;
mod units;
mod worker;

use crate::budget::Budget;
use crate::compile::{Compiled, Layout};
use crate::options::Options;
use crate::symmetry::KeySymmetry;
use circuit::Code;
use formula::{Probability, StopReason};
use num_bigint::BigUint;
use questions::next_alpha;
use segment::{Compiler, Part, Segment};
use shared::Shared;
use std::sync::atomic::Ordering;
use std::thread;
use table::Table;
use units::{Denominators, Units};
use value::{Numerator, U256, U512};
use worker::{Worker, learn_denominators};

pub use crate::search::Found;

/// A formula compiled for this search.
pub struct Frontier<'a> {
    options: &'a Options,
    segments: &'a [Segment],
    code: &'a Code,
    /// Words of the key of each cut, and (at least one) of the end.
    words: Vec<usize>,
    /// Whether the states of each cut are remembered.
    remembers: Vec<bool>,
    /// The symmetry of the keys of each cut.
    symmetries: Vec<&'a KeySymmetry>,
}

/// Finds the value of a compiled formula.
pub fn search(
    compiled: &Compiled,
    chances: &[Option<Probability>],
    options: &Options,
    budget: &mut Budget<'_>,
) -> Result<Found, StopReason> {
    let layout = Layout::new(&compiled.program, chances.len());
    let mut compiler = Compiler::new(&compiled.program, &layout, chances, options);
    let mut segments = Vec::new();
    for ends in compiled.cuts.windows(2) {
        budget.look("compiling", 0)?;
        segments.push(compiler.compile(&Part {
            items: ends[0].0.item..ends[1].0.item,
            start: &ends[0],
            end: &ends[1],
        }));
    }
    let words = |bits: usize| bits.div_ceil(64).max(1);
    let keys = segments
        .iter()
        .map(|segment| words(segment.key_slots.len()));
    let frontier = Frontier {
        options,
        segments: &segments,
        code: &compiler.code,
        words: keys.chain([1]).collect(),
        symmetries: compiled
            .segments
            .iter()
            .map(|segment| &segment.symmetry)
            .collect(),
        remembers: compiled
            .cuts
            .iter()
            .map(|(cut, _)| !cut.is_too_wide)
            .collect(),
    };
    let mut denominators = units::coarsest(&segments);
    let coarse = Units::<u64>::new(&segments, &denominators).expect("1 fits");
    learn_denominators(&frontier, &coarse, &mut denominators, budget)?;
    macro_rules! try_widths {
        ($($number:ty),*) => {$(
            if let Some(found) = frontier.solve::<$number>(&mut denominators, budget) {
                return Ok(found);
            }
            budget.give_all_memory_back();
        )*};
    }
    try_widths!(u64, u128, U256, U512, BigUint);
    unreachable!("the last numbers have no bound")
}

impl Frontier<'_> {
    /// Solves with numbers of one width; `None` if they are too narrow.
    fn solve<N: Numerator>(
        &self,
        denominators: &mut Denominators,
        budget: &mut Budget<'_>,
    ) -> Option<Found> {
        let mut units = Units::<N>::new(self.segments, denominators)?;
        let table = |cut: usize, units: &Units<N>| {
            let bits = match self.options.hash_keys && self.words[cut] > 1 {
                true => 64,
                false => self.segments[cut].key_slots.len(),
            };
            Table::new(bits, value_bits(&units.ones[cut]))
        };
        let tables = (0..self.segments.len())
            .map(|cut| table(cut, &units))
            .collect();
        let mut shared = Shared::new(tables, budget, self.threads());
        // What the questions so far have shown.
        let mut upper = units.ones[0].clone();
        loop {
            let one = units.ones[0].clone();
            let alpha = if self.options.ask_for_certainty {
                next_alpha(&one, &upper, &units.small)
            } else {
                N::zero()
            };
            let lower;
            (lower, upper) = self.run(&shared, &units, &alpha, &one, budget);
            shared.stop.store(false, Ordering::Relaxed);
            let mut stopped = *shared.reason.get_mut().expect("no thread panics");
            if let Some(coarse) = shared.coarse.get_mut().expect("no thread panics").take() {
                let visits = shared.visits.load(Ordering::Relaxed);
                stopped = stopped.or(budget.look("searching", visits).err());
                if stopped.is_none() {
                    let denominator = &mut denominators[coarse.segment][coarse.stage];
                    *denominator *= &coarse.factor;
                    units = Units::new(self.segments, denominators)?;
                    let factor = N::from_big(&coarse.factor)?;
                    upper = upper.times(&factor);
                    let bits = |cut: usize| value_bits(&units.ones[cut]);
                    let all = 0..=coarse.segment;
                    shared.tables.scale(all, &factor, bits, || true);
                    continue;
                }
            }
            if lower == upper || stopped.is_some() {
                let tables = shared.tables.get_mut();
                return Some(Found {
                    lower: lower.to_big(),
                    upper: upper.to_big(),
                    denominator: one.to_big(),
                    stopped,
                    states: tables.iter().map(|table| table.len() as u64).sum(),
                    visits: shared.visits.load(Ordering::Relaxed),
                    bits: N::BITS.unwrap_or(0),
                });
            }
        }
    }

    /// What tables store for a key with this hash.
    fn stored<'k>(&self, key: &'k [u64], hash: &'k u64) -> &'k [u64] {
        match self.options.hash_keys && key.len() > 1 {
            true => std::slice::from_ref(hash),
            false => key,
        }
    }

    /// After so much work a thread looks up.
    fn pulse(&self) -> u64 {
        match self.options.decision_limit {
            None => 256,
            Some(_) => 1,
        }
    }

    fn threads(&self) -> usize {
        match self.options.threads {
            _ if self.options.decision_limit.is_some() => 1,
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }

    /// Searches from the root with all threads; gives the best bounds any of them found.
    fn run<N: Numerator>(
        &self,
        shared: &Shared,
        units: &Units<N>,
        alpha: &N,
        beta: &N,
        budget: &mut Budget<'_>,
    ) -> (N, N) {
        let helper = || {
            let (lower, upper, answered) =
                Worker::new(self, units, shared, true).solve(alpha, beta, |_, _| {});
            if answered {
                shared.stop.store(true, Ordering::Relaxed);
            }
            (lower, upper)
        };
        thread::scope(|scope| {
            // Where the system has no room for another thread, those there are do the work.
            let start = |_| thread::Builder::new().spawn_scoped(scope, helper).ok();
            let helpers: Vec<_> = (1..shared.threads).map_while(start).collect();
            let pulse = |lower: &N, upper: &N| {
                let states = shared.visits.load(Ordering::Relaxed);
                let fraction =
                    |number: &N| value::fraction(number.to_big(), units.ones[0].to_big());
                let bounds = || Some((fraction(lower), fraction(upper)));
                let checked = match self.options.decision_limit {
                    None => {
                        budget.look_and_tell("searching", states, shared.tables.taken(), bounds)
                    }
                    Some(_) => budget.decide(states),
                };
                if let Err(reason) = checked {
                    shared.stop_for(reason);
                }
            };
            let (mut lower, mut upper, answered) =
                Worker::new(self, units, shared, false).solve(alpha, beta, pulse);
            if answered {
                shared.stop.store(true, Ordering::Relaxed);
            }
            for helper in helpers {
                let bounds = helper.join().expect("no thread panics");
                lower = lower.max(bounds.0);
                upper = upper.min(bounds.1);
            }
            (lower, upper)
        })
    }
}

/// How many bits a number up to `largest` takes.
fn value_bits<N: Numerator>(largest: &N) -> usize {
    largest.to_big().bits() as usize
}
