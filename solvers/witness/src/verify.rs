//! Verification of a strategy: the values that the functions of both players guarantee, by counting.

use crate::check::{Flaw, check};
use crate::count::{Counter, STACK_BYTES};
use crate::problem::Problem;
use crate::strategy::{Decider, Strategy};
use formula::{BigRational, Formula};
use limits::{Limits, StopReason, Watch};
use num_traits::{One, Zero};
use std::thread;

/// Whether a strategy is as good as it claims.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// Both players' functions prove this value.
    Proved(BigRational),
    /// The strategy is wrong.
    Refused(Flaw),
    /// A limit was reached; these bounds are proved.
    Stopped {
        /// The reason.
        reason: StopReason,
        /// A proved lower bound.
        lower: BigRational,
        /// A proved upper bound.
        upper: BigRational,
    },
}

/// The result of the check of a strategy.
#[derive(Clone, PartialEq, Debug)]
pub struct Counted {
    /// The result.
    pub verdict: Verdict,
    /// Branchings of the count for the maximizing and for the minimizer.
    pub decisions: [u64; 2],
}

/// Checks a strategy, puts the functions of the maximizer into the formula and finds the value of what is left,
/// then the same for the minimizer. The first value is a lower bound, the second an upper bound. Half of the time goes to
/// the first at most. No value is below 0 or above 1, so where that is promised, there is nothing to count on one side.
pub fn verify(formula: &Formula, strategy: &Strategy, limits: &Limits) -> Counted {
    let mut decisions = [0; 2];
    if let Err(flaw) = check(formula, strategy) {
        let verdict = Verdict::Refused(flaw);
        return Counted { verdict, decisions };
    }
    let limits = limits.clone();
    let mut bounds = [BigRational::zero(), BigRational::one()];
    let mut stopped = None;
    for (index, side) in Decider::BOTH.into_iter().enumerate() {
        if bounds[index] == strategy.value {
            continue;
        }
        let limits = match side {
            Decider::Exists => limits.within(limits.time_left().map(|time| time / 2)),
            Decider::Forall => limits.clone(),
        };
        match worth(formula, strategy, side, &limits, &mut decisions[index]) {
            Err(reason) => stopped = Some(reason),
            Ok(found) if found == strategy.value => bounds[index] = found,
            Ok(found) => {
                let verdict = Verdict::Refused(Flaw::BrokenPromise {
                    side,
                    value: Box::new(strategy.value.clone()),
                    found: Box::new(found),
                });
                return Counted { verdict, decisions };
            }
        }
    }
    let [lower, upper] = bounds;
    let verdict = match stopped {
        Some(reason) if lower != upper => Verdict::Stopped {
            reason,
            lower,
            upper,
        },
        _ => Verdict::Proved(lower),
    };
    Counted { verdict, decisions }
}

/// The worth of the functions of one player: the value of the formula in which they stand for its variables. For the
/// maximizer it is a lower bound of the value, for the minimizer an upper bound. The strategy was checked.
///
/// # Errors
/// The limit that was reached.
pub fn worth(
    formula: &Formula,
    strategy: &Strategy,
    side: Decider,
    limits: &Limits,
    decisions: &mut u64,
) -> Result<BigRational, StopReason> {
    let mut count = || {
        let problem = Problem::new(formula, strategy, side);
        let mut watch = Watch::new(limits);
        let room = 16 * (problem.clauses.literal_count() + 4 * problem.kinds.len()) as u64;
        watch.take_memory(room)?;
        let mut counter = Counter::new(&problem, &mut watch);
        let value = counter.value();
        *decisions = counter.decisions;
        value
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK_BYTES);
        // A thread of its own has a stack that is deep enough; where there is no room for one, there is none for the work.
        let thread = thread.spawn_scoped(scope, &mut count);
        let thread = thread.map_err(|_| StopReason::Memory)?;
        thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}
