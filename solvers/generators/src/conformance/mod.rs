//! One suite that every solver of formulas runs through: from a [`Solver`] to a [`Summary`] or
//! the first [`Discrepancy`], as small as it could be made.
//!
//! It has three parts:
//! - the cases of `cases.txt`: formulas with values worked out by hand, most of them about one idea each;
//! - random formulas of several families, against plain enumeration of the definition;
//! - interrupted runs, whose bounds must enclose the value.
//!
//! An exact solver must give the very fraction, a solver in floating point a number within
//! [`Options::tolerance`]. A solver may refuse formulas outside the class it states in
//! [`Options`] (QBF solvers take no chance), never others, and a wrong value is always a failure.
//! The suite is used by the tests of each solver:
//!
//! ```no_run
//! # fn suite(solver: &mut dyn formula::Solver) {
//! use sqasp_generators::conformance::{Options, check};
//! let summary = check(solver, &Options::default()).unwrap_or_else(|failure| panic!("{failure}"));
//! assert_eq!(summary.refused, 0);
//! # }
//! ```
//!
//! Beside the suite, [`check_refutations`] checks what satisfiability solvers prove.

mod refutations;

pub use refutations::{ProofSize, check_refutations};

use crate::{
    Layered, RandomClauses, Structured, enumerate, layered, random_clauses, rounds, shrink,
    structured,
};
use formula::{
    BigRational, Formula, Outcome, Quantifier, Solver, SolverError, Value, read, sdimacs,
};
use limits::{Limits, StopReason};
use num_traits::{One, ToPrimitive, Zero};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// Whether an answer is the value; else it must be bounds that enclose it, and the reason one of
/// those expected.
///
/// # Panics
/// If it is neither; the message begins with `at`.
pub fn is_solved(outcome: &Outcome, value: &BigRational, reasons: &[StopReason], at: &str) -> bool {
    match outcome {
        Outcome::Infinite | Outcome::AtLeast { .. } => panic!("{at}: {outcome:?}"),
        Outcome::Solved(found) => {
            assert_eq!(*found, Value::Exact(value.clone()), "{at}");
            true
        }
        Outcome::Stopped {
            reason,
            lower,
            upper,
            estimate,
        } => {
            assert!(reasons.contains(reason), "{at}: {reason:?}");
            let is_between = |estimate| lower <= estimate && estimate <= upper;
            assert!(estimate.as_ref().is_none_or(is_between), "{at}");
            assert!(
                lower <= value && value <= upper,
                "{at}: {lower} {value} {upper}"
            );
            false
        }
    }
}

/// The options of the suite: the formulas that a solver is checked with.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether the solver takes universal variables.
    pub universal: bool,
    /// Whether the solver takes chance variables.
    pub chance: bool,
    /// By how much values of a solver in floating point may be off; none for fractions.
    pub tolerance: Option<f64>,
    /// The seed of the random formulas.
    pub seed: u64,
    /// How many random formulas of each family, times the environment variable
    /// `SQASP_TEST_ROUNDS`.
    pub rounds: usize,
    /// Whether the number of rounds is multiplied by that variable. Tests that call the suite more
    /// often instead say no.
    pub scaled: bool,
    /// The time for one formula; all are small.
    pub time: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            universal: true,
            chance: true,
            tolerance: None,
            seed: 1,
            rounds: 100,
            scaled: true,
            time: Duration::from_secs(20),
        }
    }
}

/// Counts of the formulas that a solver passed.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Summary {
    /// Formulas solved, with the right value.
    pub solved: usize,
    /// Formulas refused, all outside the class the solver takes.
    pub refused: usize,
    /// Interrupted runs that gave correct bounds (and not the value).
    pub bounded: usize,
}

/// A formula that a solver did not solve as it should.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "{solver} fails on {name}: the value is {expected}, but {complaint}\nThe formula, as small as \
     it could be made:\n{text}"
)]
pub struct Discrepancy {
    pub solver: &'static str,
    /// The case, or the family, seed and number of a random formula.
    pub name: String,
    /// The right value, as a fraction.
    pub expected: String,
    /// A description of the mistake: the solver's answer or failure.
    pub complaint: String,
    /// The formula as SDIMACS, and its clauses as they were before our writer tidied them up.
    pub text: String,
}

/// Names, formulas and values of the cases, simplest first. The last comment of each is its name and its value.
fn cases() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    include_str!("cases.txt").split("\n\n").map(|text| {
        let start = text.find("\np ").expect("a header") + 1;
        let last = text[..start].lines().next_back();
        let parts = last.and_then(|line| line.strip_prefix("c ")?.rsplit_once(" = "));
        let (name, value) = parts.expect("a name and a value");
        (name, &text[start..], value)
    })
}

/// Runs a solver through the whole suite.
pub fn check(solver: &mut dyn Solver, options: &Options) -> Result<Summary, Discrepancy> {
    let mut suite = Suite {
        solver,
        options,
        summary: Summary::default(),
    };
    for (name, text, value) in cases() {
        let formula = read(text.as_bytes()).expect("the cases are well-formed");
        let expected: BigRational = value.parse().expect("the values are fractions");
        suite.run(&format!("the case \"{name}\""), &formula, &expected)?;
    }
    suite.random_formulas()?;
    Ok(suite.summary)
}

struct Suite<'a> {
    solver: &'a mut dyn Solver,
    options: &'a Options,
    summary: Summary,
}

impl Suite<'_> {
    fn random_formulas(&mut self) -> Result<(), Discrepancy> {
        let factor: usize = if self.options.scaled { rounds(1) } else { 1 };
        let seed = self.options.seed;
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut quantifiers = vec![Quantifier::Exists];
        quantifiers.extend(self.options.universal.then_some(Quantifier::Forall));
        quantifiers.extend(self.options.chance.then_some(Quantifier::Chance));
        for round in 0..self.options.rounds * factor {
            let family = Structured {
                universal: self.options.universal,
                chance: self.options.chance,
                certain_chance: self.options.chance,
                ..Structured::default()
            };
            let formula = structured(&mut rng, &family);
            self.random("structured", seed, round, &formula)?;

            let family = Layered {
                steps: rng.usize(1..=4),
                decision: rng.usize(1..=2),
                quantifiers: quantifiers.clone(),
                ..Layered::default()
            };
            let formula = layered(&mut rng, &family);
            if formula.variables() <= 14 {
                self.random("layered", seed, round, &formula)?;
            }

            rng.shuffle(&mut quantifiers);
            let variables = rng.usize(4..=10);
            let family = RandomClauses {
                variables,
                block: rng.usize(1..=3),
                clauses: rng.usize(variables / 2..=2 * variables),
                width: 3,
                quantifiers: quantifiers.clone(),
            };
            let formula = random_clauses(&mut rng, &family);
            self.random("random clauses", seed, round, &formula)?;
        }
        Ok(())
    }

    fn random(
        &mut self,
        family: &str,
        seed: u64,
        round: usize,
        formula: &Formula,
    ) -> Result<(), Discrepancy> {
        let name = format!("a random formula ({family}, seed {seed}, round {round})");
        self.run(&name, formula, &value(formula))
    }

    /// Solves a formula, then again interrupted; a failure is made small.
    fn run(
        &mut self,
        name: &str,
        formula: &Formula,
        expected: &BigRational,
    ) -> Result<(), Discrepancy> {
        match self.solve(formula, expected) {
            Ok(Some(())) => self.summary.solved += 1,
            Ok(None) => self.summary.refused += 1,
            Err(complaint) => return Err(self.failure(name, formula, complaint)),
        }
        let interrupted = Limits::default();
        interrupted.interrupt.raise();
        match self.solve_or_bound(formula, &interrupted, expected) {
            Ok(Reply::Bounds(_)) => self.summary.bounded += 1,
            Ok(_) => {}
            Err(complaint) => {
                return Err(Discrepancy {
                    solver: self.solver.name(),
                    name: format!("{name}, interrupted at once"),
                    expected: expected.to_string(),
                    complaint,
                    text: text(formula),
                });
            }
        }
        Ok(())
    }

    fn failure(&mut self, name: &str, formula: &Formula, first: String) -> Discrepancy {
        let small = shrink(formula, |candidate| {
            self.solve(candidate, &value(candidate)).is_err()
        });
        // If the failure does not repeat, the formula is shown as it was.
        let expected = value(&small);
        let complaint = self.solve(&small, &expected).err();
        Discrepancy {
            solver: self.solver.name(),
            name: name.to_owned(),
            expected: expected.to_string(),
            complaint: complaint.unwrap_or_else(|| format!("{first} (only the first time)")),
            text: text(&small),
        }
    }

    /// Demands the value; `None` if the solver refuses with right.
    fn solve(&mut self, formula: &Formula, expected: &BigRational) -> Result<Option<()>, String> {
        let limits = Limits::default().within(self.options.time);
        match self.solve_or_bound(formula, &limits, expected)? {
            Reply::Value => Ok(Some(())),
            Reply::Refusal => Ok(None),
            Reply::Bounds(reason) => Err(format!(
                "it gives bounds within {:?} of the clock: {reason}",
                self.options.time
            )),
        }
    }

    /// Demands the value, or bounds that enclose it.
    fn solve_or_bound(
        &mut self,
        formula: &Formula,
        limits: &Limits,
        expected: &BigRational,
    ) -> Result<Reply, String> {
        let solver = &mut *self.solver;
        // A panic must not hide the formula that caused it.
        let answer = catch_unwind(AssertUnwindSafe(|| solver.solve(formula, limits)))
            .map_err(|_| "it panics".to_owned())?;
        let outcome = match answer {
            Ok(answer) => answer.outcome,
            Err(SolverError::Unsupported { .. }) if !self.options.takes(formula) => {
                return Ok(Reply::Refusal);
            }
            Err(error) => return Err(format!("it gives an error: {error}")),
        };
        match (outcome, self.options.tolerance) {
            (Outcome::Solved(Value::Exact(value)), None) if value == *expected => Ok(Reply::Value),
            (Outcome::Solved(Value::Float(value)), Some(tolerance))
                if (value - expected.to_f64().unwrap_or(f64::NAN)).abs() <= tolerance =>
            {
                Ok(Reply::Value)
            }
            (Outcome::Solved(value), _) => Err(format!("it says {value:?}")),
            (other @ (Outcome::Infinite | Outcome::AtLeast { .. }), _) => {
                Err(format!("it says {other:?}"))
            }
            (
                Outcome::Stopped {
                    reason,
                    lower,
                    upper,
                    ..
                },
                _,
            ) => {
                let enclosed = lower <= *expected && *expected <= upper;
                let sensible = lower >= BigRational::zero() && upper <= BigRational::one();
                if enclosed && sensible {
                    Ok(Reply::Bounds(reason))
                } else {
                    Err(format!("it gives the bounds {lower} and {upper}"))
                }
            }
        }
    }
}

enum Reply {
    Value,
    Bounds(StopReason),
    Refusal,
}

impl Options {
    /// Whether a formula is of the class the solver takes.
    fn takes(&self, formula: &Formula) -> bool {
        formula
            .prefix()
            .blocks()
            .iter()
            .all(|block| match block.quantifier {
                Quantifier::Exists => true,
                Quantifier::Forall => self.universal,
                Quantifier::Chance => self.chance,
            })
    }
}

fn value(formula: &Formula) -> BigRational {
    enumerate(formula).expect("all formulas of the suite are small")
}

/// The formula as text. Clauses that the writer would simplify away are shown as they are.
fn text(formula: &Formula) -> String {
    let mut bytes = Vec::new();
    sdimacs::write(formula, &mut bytes).expect("memory takes every byte");
    let written = String::from_utf8_lossy(&bytes);
    format!(
        "{written}c clauses before writing: {:?}\n",
        formula.matrix()
    )
}

#[cfg(test)]
mod tests;
