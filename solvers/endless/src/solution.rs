//! Solutions: bounds or values of all states, and strategies, when the work is done or was stopped.

use crate::exact::ExactValue;
use arena::GameGraph;
use limits::StopReason;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};

/// How the values were found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// The states of value 0, found without numbers.
    pub zeros: usize,
    /// The states of value 1, found without numbers.
    pub ones: usize,
    /// The strongly connected components of the other states.
    pub components: usize,
    /// The states in the largest of these.
    pub largest: usize,
    /// The states whose value is exact.
    pub exact: usize,
}

/// Values or bounds of all states, and strategies that guarantee them.
#[derive(Clone, Debug)]
pub struct Solution {
    /// By target: bounds in units.
    pub(crate) lower: Vec<i128>,
    pub(crate) upper: Vec<i128>,
    /// By target: exact values, where they are known.
    pub(crate) exact: Vec<Option<ExactValue>>,
    /// The units of 1, as a power of 2.
    pub(crate) bits: u32,
    /// By state: an alternative of the maximizer that guarantees the lower bound.
    pub alternatives: Vec<u32>,
    /// By alternative: a reply of the minimizer that guarantees the upper bound.
    pub replies: Vec<u32>,
    /// By state: 0 where the lower bound is 0; else more than the rank of some outcome after each reply to the alternative. Ends
    /// have rank 0. So play that guarantees lower bounds and can come to lower ranks in each step does not go on for ever.
    pub ranks: Vec<u32>,
    /// Operations with machine words that are left for fractions.
    pub(crate) work_left: u64,
    /// The reason why the work stopped before its end, if it did.
    pub stopped: Option<StopReason>,
    /// How the values were found.
    pub statistics: Statistics,
}

impl Solution {
    /// Of a game of which nothing is known.
    pub(crate) fn unknown(stopped: StopReason) -> Self {
        Solution {
            lower: Vec::new(),
            upper: Vec::new(),
            exact: Vec::new(),
            bits: 0,
            alternatives: Vec::new(),
            replies: Vec::new(),
            ranks: Vec::new(),
            work_left: 0,
            stopped: Some(stopped),
            statistics: Statistics::default(),
        }
    }

    /// The exact value of a state, if it is known.
    pub fn value(&self, state: usize) -> Option<BigRational> {
        let exact = self.exact.get(state)?.as_ref();
        exact.map(ExactValue::fraction)
    }

    /// Proved bounds of the value of a state: both are the value if it is known exactly.
    pub fn bounds(&self, state: usize) -> (BigRational, BigRational) {
        if let Some(value) = self.value(state) {
            return (value.clone(), value);
        }
        if self.lower.is_empty() {
            return (BigRational::zero(), BigRational::one());
        }
        let dyadic =
            |units: i128| BigRational::new(BigInt::from(units), BigInt::one() << self.bits);
        (dyadic(self.lower[state]), dyadic(self.upper[state]))
    }

    /// Bounds of the value of a state, by those of the states that follow in the game that was solved: never wider
    /// than [`Solution::bounds`].
    pub fn bounds_by_one_step(&self, game: &GameGraph, state: usize) -> (BigRational, BigRational) {
        let (lower, upper) = self.bounds(state);
        let lower_after = one_step(game, state, |target| self.bounds(target).0);
        let upper_after = one_step(game, state, |target| self.bounds(target).1);
        (lower.max(lower_after), upper.min(upper_after))
    }
}

/// The value of a state by those of the states that follow.
fn one_step(game: &GameGraph, state: usize, value: impl Fn(usize) -> BigRational) -> BigRational {
    let arena = game.arena();
    let mean = |reply: usize| {
        let outcomes = arena.outcomes(reply).map(|(target, weight)| {
            let worth = match target.checked_sub(arena.states()) {
                Some(end) => game.payoffs()[end].clone(),
                None => value(target),
            };
            worth * BigInt::from(weight)
        });
        outcomes.sum::<BigRational>() / BigInt::from(arena.total(reply))
    };
    let alternatives = arena.alternatives(state);
    let least = alternatives.filter_map(|alternative| arena.replies(alternative).map(mean).min());
    least
        .max()
        .expect("each state has an alternative and a reply")
}
