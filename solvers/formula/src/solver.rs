//! What every solver of formulas offers, and what it may answer.

use crate::Formula;
use limits::{Limits, StopReason};
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};

/// Whether the values a solver prints are exact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exactness {
    /// Fractions without any rounding.
    Exact,
    /// Floating point: a cross-check within a tolerance, never turned into a fraction.
    Float,
}

/// A value as its solver gives it.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// An exact fraction between 0 and 1.
    Exact(BigRational),
    /// A rounded number from a solver that computes in floating point.
    Float(f64),
}

/// How a run ended. Running out of time or memory is an outcome, not an error.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// The value of the formula.
    Solved(Value),
    /// The run was cut short; the value lies between these bounds (both included).
    Stopped {
        /// Why.
        reason: StopReason,
        /// A proved lower bound.
        lower: BigRational,
        /// A proved upper bound.
        upper: BigRational,
    },
}

impl Outcome {
    /// Nothing is known: a run was cut short before it found anything.
    pub fn unknown(reason: StopReason) -> Self {
        Outcome::Stopped {
            reason,
            lower: BigRational::zero(),
            upper: BigRational::one(),
        }
    }

    /// The same outcome where values are this many times as large.
    pub fn times(self, factor: &BigRational) -> Self {
        match self {
            Outcome::Solved(Value::Exact(value)) => Outcome::Solved(Value::Exact(value * factor)),
            Outcome::Solved(Value::Float(value)) => {
                // Floating point is all there is to lose.
                let factor = factor.to_f64().unwrap_or(f64::INFINITY);
                Outcome::Solved(Value::Float(value * factor))
            }
            Outcome::Stopped {
                reason,
                lower,
                upper,
            } => Outcome::Stopped {
                reason,
                lower: lower * factor,
                upper: upper * factor,
            },
        }
    }

    /// The proved bounds that this outcome holds; floating point proves nothing.
    pub fn bounds(&self) -> (BigRational, BigRational) {
        match self {
            Outcome::Solved(Value::Exact(value)) => (value.clone(), value.clone()),
            Outcome::Solved(Value::Float(_)) => (BigRational::zero(), BigRational::one()),
            Outcome::Stopped { lower, upper, .. } => (lower.clone(), upper.clone()),
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
        /// The solver's name.
        solver: String,
        /// What is wrong, and what to use instead.
        reason: String,
    },
    /// An outside program is not there.
    #[error("{program} was not found: {hint}")]
    Missing {
        /// The program's name.
        program: String,
        /// Where it was looked for and how to get it.
        hint: String,
    },
    /// An outside program failed or printed something that is not an answer.
    #[error("{program} failed: {reason}")]
    Failed {
        /// The program's name.
        program: String,
        /// Exit code or signal, and the last lines it printed.
        reason: String,
    },
    /// Temporary files or pipes could not be used.
    #[error("cannot talk to the solver: {0}")]
    Io(#[from] std::io::Error),
}

/// A program that evaluates formulas.
pub trait Solver {
    /// The name, as users write it after `--engine`.
    fn name(&self) -> &'static str;

    /// Whether the values are exact.
    fn exactness(&self) -> Exactness;

    /// Evaluates a formula within limits.
    ///
    /// # Errors
    /// If no outcome at all can be given: see [`SolverError`].
    fn solve(&mut self, formula: &Formula, limits: &Limits) -> Result<Answer, SolverError>;
}
