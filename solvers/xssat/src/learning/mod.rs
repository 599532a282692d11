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
mod survey;
mod union;

use crate::budget::Budget;
use crate::options::Options;
use crate::problem::Problem;
use formula::{BigRational, StopReason};
use instance::Instance;
use num_bigint::BigUint;
use num_traits::Zero;
use search::{Part, Search};
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
    let mut lower = BigRational::from_integer(1.into());
    let mut upper = BigRational::from_integer(1.into());
    let mut stopped = None;
    let mut numbers = [0; 6];
    let falsified = problem.clauses.iter().any(<[_]>::is_empty);
    if falsified {
        (lower, upper) = (BigRational::zero(), BigRational::zero());
    }
    let room = room(problem);
    if let Err(reason) = budget.take_memory(room) {
        return Found {
            lower: BigRational::zero(),
            upper,
            stopped: Some(reason),
            statistics: Vec::new(),
        };
    }
    let parts = if falsified {
        Vec::new()
    } else {
        Instance::parts(problem)
    };
    for part in parts {
        if stopped.is_some() {
            lower = BigRational::zero();
            break;
        }
        let part = solve(part, options, budget);
        lower *= value::fraction(part.lower, part.one.clone());
        upper *= value::fraction(part.upper, part.one);
        stopped = part.stopped;
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
    }
    budget.give_memory_back(room);
    let names = [
        "branchings",
        "conflicts",
        "learned",
        "models",
        "stored",
        "hits",
    ];
    Found {
        lower,
        upper,
        stopped,
        statistics: names.into_iter().zip(numbers).collect(),
    }
}

fn solve(part: Instance, options: &Options, budget: &mut Budget<'_>) -> Part {
    let chances = part.chances.iter().flatten();
    let denominators = chances.map(|chance| chance.as_rational().denom().magnitude());
    let bits = denominators
        .fold(BigUint::from(1u8), |product, d| product * d)
        .bits();
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
