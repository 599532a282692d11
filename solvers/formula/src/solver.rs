//! The interface of all solvers of formulas, and their answers.

use crate::Formula;
use limits::{Limits, Publisher, StopReason};
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use std::borrow::Cow;
use std::fmt;

/// A value as its solver gives it.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// An exact fraction between 0 and 1.
    Exact(BigRational),
    /// A rounded number from a solver that computes in floating point: a cross-check within a tolerance, never turned into a fraction.
    Float(f64),
}

/// A bound of a value. Only numbers of steps may be infinite.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Bound {
    /// This number.
    Finite(BigRational),
    /// Larger than all numbers.
    Infinite,
}

impl fmt::Display for Bound {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Bound::Finite(number) => number.fmt(to),
            Bound::Infinite => to.write_str("infinite"),
        }
    }
}

/// How a run ended. Running out of time or memory is an outcome, not an error.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// The value of the formula.
    Solved(Value),
    /// The run was cut short; the value lies between these bounds (both included).
    Stopped {
        reason: StopReason,
        lower: BigRational,
        upper: BigRational,
        /// About where the value may be, if there is reason for a guess. Nothing is proved of it.
        estimate: Option<BigRational>,
    },
    /// The value, a number of steps, is infinite.
    Infinite,
    /// The run was cut short; the value, a number of steps, is at least this, and may be infinite.
    AtLeast {
        reason: StopReason,
        lower: BigRational,
    },
}

/// The rule that values of formulas and payoffs of games keep.
const UNBOUNDED: &str =
    "only numbers of steps may be infinite, and their bounds are asked for otherwise";

impl Outcome {
    /// A run was cut short; the value lies between these bounds, and is known if they are equal.
    pub fn between(lower: BigRational, upper: BigRational, reason: StopReason) -> Self {
        if lower == upper {
            return Outcome::Solved(Value::Exact(lower));
        }
        Outcome::Stopped {
            reason,
            lower,
            upper,
            estimate: None,
        }
    }

    /// Nothing is known: a run was cut short before it found anything.
    pub fn unknown(reason: StopReason) -> Self {
        Outcome::between(BigRational::zero(), BigRational::one(), reason)
    }

    /// The same outcome where values are this many times as large.
    #[must_use]
    pub fn times(self, factor: &BigRational) -> Self {
        // Floating point is all there is to lose.
        let float = factor.to_f64().unwrap_or(f64::INFINITY);
        self.map(|value| value * factor, |value| value * float)
    }

    /// The same outcome where values are larger by this.
    #[must_use]
    pub fn plus(self, difference: &BigRational) -> Self {
        let float = difference.to_f64().unwrap_or(f64::NAN);
        self.map(|value| value + difference, |value| value + float)
    }

    /// The same outcome with other values, in the same order.
    fn map(self, exact: impl Fn(BigRational) -> BigRational, float: impl Fn(f64) -> f64) -> Self {
        match self {
            Outcome::Solved(Value::Exact(value)) => Outcome::Solved(Value::Exact(exact(value))),
            Outcome::Solved(Value::Float(value)) => Outcome::Solved(Value::Float(float(value))),
            Outcome::Stopped {
                reason,
                lower,
                upper,
                estimate,
            } => Outcome::Stopped {
                reason,
                lower: exact(lower),
                upper: exact(upper),
                estimate: estimate.map(exact),
            },
            Outcome::Infinite => Outcome::Infinite,
            Outcome::AtLeast { reason, lower } => Outcome::AtLeast {
                reason,
                lower: exact(lower),
            },
        }
    }

    /// This outcome, and other bounds of the same value: of both the closer ones.
    ///
    /// # Panics
    /// If they contradict each other. Then there is a mistake in this program: rather no answer than a wrong one.
    #[must_use]
    pub fn within(self, (low, high): (BigRational, BigRational)) -> Self {
        match self {
            Outcome::Solved(Value::Float(_)) => self,
            Outcome::Infinite | Outcome::AtLeast { .. } => {
                unreachable!("{UNBOUNDED}")
            }
            Outcome::Solved(Value::Exact(ref value)) => {
                assert!(
                    low <= *value && *value <= high,
                    "proved bounds do not cross"
                );
                self
            }
            Outcome::Stopped {
                reason,
                lower,
                upper,
                estimate,
            } => {
                let (lower, upper) = (lower.max(low), upper.min(high));
                assert!(lower <= upper, "proved bounds do not cross");
                let kept = estimate.filter(|about| lower <= *about && *about <= upper);
                let mut closer = Outcome::between(lower, upper, reason);
                if let Outcome::Stopped { estimate, .. } = &mut closer {
                    *estimate = kept;
                }
                closer
            }
        }
    }

    /// The largest of some outcomes; none if there are none. It is a rounded number if all of them are.
    pub fn largest<'a>(outcomes: impl Iterator<Item = &'a Outcome> + Clone) -> Option<Outcome> {
        let rounded: Option<Vec<f64>> = outcomes.clone().map(Outcome::rounded).collect();
        if let Some(values) = rounded.filter(|values| !values.is_empty()) {
            let largest = values.into_iter().fold(f64::NEG_INFINITY, f64::max);
            return Some(Outcome::Solved(Value::Float(largest)));
        }
        let bounds = outcomes.clone().map(Outcome::bounds);
        let lower = bounds.clone().map(|(lower, _)| lower).max()?;
        let upper = bounds.map(|(_, upper)| upper).max()?;
        if lower == upper {
            return Some(Outcome::Solved(Value::Exact(lower)));
        }
        let guesses: Option<Vec<_>> = outcomes.clone().map(Outcome::guess).collect();
        let mut reasons = outcomes.filter_map(Outcome::stopped_by);
        Some(Outcome::Stopped {
            reason: reasons
                .next()
                .expect("a value that is not known was cut short"),
            lower,
            upper,
            estimate: guesses.and_then(|guesses| guesses.into_iter().max()),
        })
    }

    /// A value in floating point.
    pub fn rounded(&self) -> Option<f64> {
        match self {
            Outcome::Solved(Value::Float(value)) => Some(*value),
            _ => None,
        }
    }

    /// The limit that was reached, if one was.
    pub fn stopped_by(&self) -> Option<StopReason> {
        match self {
            Outcome::Stopped { reason, .. } | Outcome::AtLeast { reason, .. } => Some(*reason),
            Outcome::Solved(_) | Outcome::Infinite => None,
        }
    }

    /// An estimate between the bounds, rounded, if there is one. Nothing is proved of it.
    pub fn estimate(&self) -> Option<f64> {
        match self {
            Outcome::Stopped { estimate, .. } => estimate.as_ref()?.to_f64(),
            Outcome::Solved(_) | Outcome::Infinite | Outcome::AtLeast { .. } => None,
        }
    }

    /// The value if it is known, else the estimate.
    fn guess(&self) -> Option<BigRational> {
        match self {
            Outcome::Solved(Value::Exact(value)) => Some(value.clone()),
            Outcome::Stopped { estimate, .. } => estimate.clone(),
            Outcome::Solved(Value::Float(_)) | Outcome::Infinite | Outcome::AtLeast { .. } => None,
        }
    }

    /// The proved bounds that this outcome holds, of which the upper one may be infinite.
    pub fn extent(&self) -> (Bound, Bound) {
        match self {
            Outcome::Infinite => (Bound::Infinite, Bound::Infinite),
            Outcome::AtLeast { lower, .. } => (Bound::Finite(lower.clone()), Bound::Infinite),
            Outcome::Solved(_) | Outcome::Stopped { .. } => {
                let (lower, upper) = self.bounds();
                (Bound::Finite(lower), Bound::Finite(upper))
            }
        }
    }

    /// The proved bounds that this outcome holds; floating point proves nothing.
    ///
    /// # Panics
    /// If the value may be infinite, as a number of steps may: see [`Outcome::extent`].
    pub fn bounds(&self) -> (BigRational, BigRational) {
        match self {
            Outcome::Solved(Value::Exact(value)) => (value.clone(), value.clone()),
            Outcome::Solved(Value::Float(_)) => (BigRational::zero(), BigRational::one()),
            Outcome::Stopped { lower, upper, .. } => (lower.clone(), upper.clone()),
            Outcome::Infinite | Outcome::AtLeast { .. } => unreachable!("{UNBOUNDED}"),
        }
    }
}

/// An outcome, and numbers about the run.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The value, or bounds of it.
    pub outcome: Outcome,
    /// Numbers about the run, by name: `states`, `gates`, `segments`, `key_bits`, ...
    pub statistics: Vec<(&'static str, u64)>,
}

/// A solver that could not give any outcome.
#[derive(Debug, thiserror::Error)]
pub enum SolverError {
    /// The formula is not of a kind this solver takes.
    #[error("{solver} cannot take this formula: {reason}")]
    Unsupported {
        solver: String,
        /// The reason, and the solver or option to use instead.
        reason: String,
    },
    /// An outside program is not there.
    #[error("{program} was not found: {hint}")]
    Missing {
        program: String,
        /// Where it was searched, and how to get it.
        hint: String,
    },
    /// An outside program failed or printed something that is not an answer.
    #[error("{program} failed: {reason}")]
    Failed {
        program: String,
        /// Exit code or signal, and the last lines it printed.
        reason: String,
    },
    /// Temporary files or pipes could not be used.
    #[error("cannot talk to the solver: {0}")]
    Io(#[from] std::io::Error),
}

/// A program that evaluates formulas. It has one of both methods `solve_publishing` and `solve`, each of which calls the other if it is left out.
pub trait Solver {
    /// The name, as users write it after `--engine`.
    fn name(&self) -> &'static str;

    /// Evaluates a formula within limits, and publishes bounds of its value on the way. A solver may free the memory of a formula that it owns while
    /// it works.
    ///
    /// # Errors
    /// If no outcome at all can be given: see [`SolverError`].
    fn solve_publishing(
        &mut self,
        formula: Cow<'_, Formula>,
        limits: &Limits,
        publisher: &Publisher,
    ) -> Result<Answer, SolverError> {
        let _ = publisher;
        self.solve(&formula, limits)
    }

    /// The same for a caller to whom bounds on the way are of no use.
    fn solve(&mut self, formula: &Formula, limits: &Limits) -> Result<Answer, SolverError> {
        self.solve_publishing(Cow::Borrowed(formula), limits, &Publisher::default())
    }
}
