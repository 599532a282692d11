//! The shapes of JSON output (DESIGN: the command-line contract). Fractions are strings, since
//! they do not fit the numbers of JSON.

use super::moves::{self, MoveValue};
use super::report::Report;
use crate::evaluate::Fraction;
use formula::{Outcome, StopReason, Value};
use serde::Serialize;
use std::collections::BTreeMap;

/// One answer.
#[derive(Serialize)]
struct JsonAnswer<'a> {
    #[serde(flatten)]
    subject: &'a BTreeMap<&'static str, serde_json::Value>,
    engine: &'a str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_by: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Fraction>,
    /// From solvers that compute in floating point, in place of `value`.
    #[serde(skip_serializing_if = "Option::is_none")]
    float: Option<f64>,
    lower: Fraction,
    upper: Fraction,
    exact: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<JsonMove<'a>>>,
    stats: JsonStatistics<'a>,
}

/// What a move of the first step is worth.
#[derive(Serialize)]
struct JsonMove<'a> {
    #[serde(rename = "move")]
    action: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Fraction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    float: Option<f64>,
    lower: Fraction,
    upper: Fraction,
    best: bool,
}

impl<'a> JsonMove<'a> {
    fn new((each, best): (&'a MoveValue, bool)) -> Self {
        let (lower, upper) = moves::bounds(&each.outcome);
        JsonMove {
            action: &each.action,
            value: exact_value(&each.outcome),
            float: float_value(&each.outcome),
            lower: Fraction::from(&lower),
            upper: Fraction::from(&upper),
            best,
        }
    }
}

fn exact_value(outcome: &Outcome) -> Option<Fraction> {
    match outcome {
        Outcome::Solved(Value::Exact(value)) => Some(Fraction::from(value)),
        _ => None,
    }
}

fn float_value(outcome: &Outcome) -> Option<f64> {
    match outcome {
        Outcome::Solved(Value::Float(value)) => Some(*value),
        _ => None,
    }
}

#[derive(Serialize)]
struct JsonStatistics<'a> {
    #[serde(flatten)]
    numbers: BTreeMap<&'a str, u64>,
    seconds: BTreeMap<&'a str, f64>,
}

/// One JSON object for an answer.
pub(super) fn answer(report: &Report) -> String {
    let outcome = &report.answer.outcome;
    let (lower, upper) = moves::bounds(outcome);
    let stopped_by = report.stopped_by().map(|reason| match reason {
        StopReason::Time => "time",
        StopReason::Memory => "memory",
        StopReason::Interrupted => "interrupt",
    });
    let answer = JsonAnswer {
        subject: &report.subject_fields(),
        engine: report.engine,
        status: if stopped_by.is_none() {
            "solved"
        } else {
            "bounds"
        },
        stopped_by,
        value: exact_value(outcome),
        float: float_value(outcome),
        lower: Fraction::from(&lower),
        upper: Fraction::from(&upper),
        exact: float_value(outcome).is_none(),
        moves: report.moves.as_deref().map(|moves| {
            moves::ranked(moves)
                .into_iter()
                .map(JsonMove::new)
                .collect()
        }),
        stats: JsonStatistics {
            // Sizes come last: engines use some of their names for what is left to solve.
            numbers: report
                .answer
                .statistics
                .iter()
                .chain(&report.sizes)
                .copied()
                .collect(),
            seconds: report
                .times
                .0
                .iter()
                .map(|(stage, time)| (*stage, time.as_secs_f64()))
                .collect(),
        },
    };
    serde_json::to_string(&answer).expect("the shape has text keys only")
}
