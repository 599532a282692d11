//! The suite itself is tested with solvers that are right and solvers that are wrong.

use super::*;
use formula::Answer;
use limits::StopReason;

/// Enumeration as a solver, with a mistake on demand.
struct Enumeration {
    is_rounded: bool,
    mistake: fn(&Formula, Outcome) -> Result<Outcome, SolverError>,
}

impl Solver for Enumeration {
    fn name(&self) -> &'static str {
        "enumeration"
    }

    fn solve(&mut self, formula: &Formula, limits: &Limits) -> Result<Answer, SolverError> {
        let value = enumerate(formula).unwrap();
        let outcome = match self.is_rounded {
            _ if limits.interrupt.is_raised() => Outcome::unknown(StopReason::Interrupted),
            false => Outcome::Solved(Value::Exact(value)),
            true => Outcome::Solved(Value::Float(value.to_f64().unwrap())),
        };
        Ok(Answer {
            outcome: (self.mistake)(formula, outcome)?,
            statistics: Vec::new(),
        })
    }
}

fn run(
    is_rounded: bool,
    mistake: fn(&Formula, Outcome) -> Result<Outcome, SolverError>,
) -> Result<Summary, Discrepancy> {
    let options = Options {
        rounds: 20,
        tolerance: is_rounded.then_some(1e-5),
        ..Options::default()
    };
    let mut solver = Enumeration {
        is_rounded,
        mistake,
    };
    check(&mut solver, &options)
}

#[test]
fn correct_solvers_pass() {
    for is_rounded in [false, true] {
        let summary = run(is_rounded, |_, outcome| Ok(outcome)).unwrap();
        assert!(summary.solved > cases().count() + 40);
        assert_eq!((summary.refused, summary.bounded), (0, summary.solved));
    }
}

#[test]
fn every_case_has_its_own_name() {
    let names: std::collections::HashSet<_> = cases().map(|(name, ..)| name).collect();
    assert_eq!((names.len(), cases().count()), (38, 38));
}

#[test]
fn a_rounded_value_fails_an_exact_solver() {
    let failure = run(false, |_, outcome| {
        Ok(match outcome {
            Outcome::Solved(Value::Exact(value)) => {
                let rounded = BigRational::from_float(value.to_f64().unwrap()).unwrap();
                Outcome::Solved(Value::Exact(rounded))
            }
            other => other,
        })
    });
    assert!(failure.unwrap_err().to_string().contains("p cnf"));
}

#[test]
fn floats_are_no_exact_values() {
    let failure = run(false, |_, outcome| {
        Ok(match outcome {
            Outcome::Solved(_) => Outcome::Solved(Value::Float(1.0)),
            other => other,
        })
    });
    assert!(failure.unwrap_err().complaint.contains("Float"));
}

#[test]
fn wrong_bounds_and_refusals_fail() {
    let failure = run(false, |_, outcome| {
        Ok(match outcome {
            Outcome::Stopped { reason, lower, .. } => {
                Outcome::between(lower.clone(), lower, reason)
            }
            other => other,
        })
    });
    assert!(failure.unwrap_err().name.contains("interrupted"));
    let failure = run(false, |_, _| {
        Err(SolverError::Unsupported {
            solver: "enumeration".to_owned(),
            reason: "it is tired".to_owned(),
        })
    });
    assert!(failure.unwrap_err().complaint.contains("it is tired"));
}

#[test]
fn failures_are_made_small() {
    // A solver that is wrong whenever an opponent moves after chance.
    let failure = run(false, |formula, outcome| {
        let letters: Vec<_> = formula
            .prefix()
            .blocks()
            .iter()
            .map(|b| b.quantifier)
            .collect();
        let wrong = letters
            .windows(2)
            .any(|pair| pair == [Quantifier::Chance, Quantifier::Forall]);
        Ok(match outcome {
            Outcome::Solved(_) if wrong => {
                Outcome::Solved(Value::Exact(BigRational::new(1.into(), 7.into())))
            }
            other => other,
        })
    });
    let failure = failure.unwrap_err();
    assert!(failure.text.contains("p cnf 2 0\n"), "{failure}");
}

#[test]
fn panics_are_failures_with_a_formula() {
    let failure = run(false, |formula, outcome| {
        assert!(
            formula.variables() < 5,
            "too many (this message is expected in the output)"
        );
        Ok(outcome)
    });
    let failure = failure.unwrap_err();
    assert_eq!(failure.complaint, "it panics");
    assert!(failure.text.contains("p cnf 5 "), "{failure}");
}
