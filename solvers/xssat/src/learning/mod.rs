//! The second engine.

mod analyse;
mod cache;
mod component;
mod deduction;
mod frame;
mod heap;
mod instance;
mod model;
mod propagate;
mod search;
mod store;
mod suitability;
mod survey;
mod union;

use crate::budget::Budget;
use crate::options::Options;
use crate::problem::Problem;
use component::product;
use formula::{BigRational, StopReason};
use instance::Instance;
use num_bigint::BigUint;
use num_traits::Zero;
use search::{Part, Search};
pub use suitability::{has_no_steps, is_better_suited};
use value::{U256, U512};

/// What a search found.
#[derive(Debug)]
pub struct Found {
    /// A lower bound of the value of the problem (without its factor).
    pub lower: BigRational,
    /// An upper bound.
    pub upper: BigRational,
    /// Why the search stopped early, if it did.
    pub stopped: Option<StopReason>,
    /// Numbers about the run, by name.
    pub statistics: Vec<(&'static str, u64)>,
}

/// Finds the value of a problem.
pub fn search(problem: &Problem, options: &Options, budget: &mut Budget<'_>) -> Found {
    let mut found = Found {
        lower: BigRational::zero(),
        upper: BigRational::zero(),
        stopped: None,
        statistics: Vec::new(),
    };
    if problem.clauses.iter().any(<[_]>::is_empty) {
        return found;
    }
    let room = room(problem);
    if let Err(reason) = budget.take_memory(room) {
        found.upper = BigRational::from_integer(1.into());
        found.stopped = Some(reason);
        return found;
    }
    let (mut lowers, mut uppers, mut ones) = (Vec::new(), Vec::new(), Vec::new());
    let mut numbers = [0; 6];
    for part in Instance::parts(problem) {
        let part = solve(part, options, budget);
        let counts = [
            part.decisions,
            part.conflicts,
            part.learned,
            part.checks,
            part.stored,
            part.hits,
        ];
        for (sum, count) in numbers.iter_mut().zip(counts) {
            *sum += count;
        }
        let is_zero = part.upper.is_zero();
        lowers.push(part.lower);
        uppers.push(part.upper);
        ones.push(part.one);
        found.stopped = part.stopped;
        if is_zero {
            found.stopped = None;
            break;
        }
        if found.stopped.is_some() {
            // The parts that were not looked at have values from 0 to 1.
            lowers.push(BigUint::ZERO);
            break;
        }
    }
    budget.give_memory_back(room);
    let one = product(ones.into_iter());
    found.lower = value::fraction(product(lowers.into_iter()), one.clone());
    found.upper = value::fraction(product(uppers.into_iter()), one);
    let names = [
        "branchings",
        "conflicts",
        "learned",
        "models",
        "stored",
        "hits",
    ];
    found.statistics = names.into_iter().zip(numbers).collect();
    found
}

fn solve(part: Instance, options: &Options, budget: &mut Budget<'_>) -> Part {
    let chances = part.chances.iter().flatten();
    let denominators = chances.map(|chance| chance.as_rational().denom().magnitude());
    let bits = product(denominators.cloned()).bits();
    match bits {
        0..=64 => Search::<u64>::new(part, options, budget).solve(),
        65..=128 => Search::<u128>::new(part, options, budget).solve(),
        129..=256 => Search::<U256>::new(part, options, budget).solve(),
        257..=512 => Search::<U512>::new(part, options, budget).solve(),
        _ => Search::<BigUint>::new(part, options, budget).solve(),
    }
}

/// Memory that the lists about variables and clauses take, in bytes.
fn room(problem: &Problem) -> u64 {
    let (clauses, literals) = (problem.clauses.len(), problem.clauses.literal_count());
    (200 * problem.variables() + 80 * clauses + 12 * literals) as u64
}
