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
    #[serde(flatten)]
    outcome: JsonOutcome,
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
    #[serde(flatten)]
    outcome: JsonOutcome,
    best: bool,
}

impl<'a> JsonMove<'a> {
    fn new((each, best): (&'a MoveValue, bool)) -> Self {
        JsonMove {
            action: &each.action,
            outcome: JsonOutcome::new(&each.outcome),
            best,
        }
    }
}

/// A value or bounds of it.
#[derive(Serialize)]
pub(super) struct JsonOutcome {
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Fraction>,
    /// From solvers that compute in floating point, in place of `value`.
    #[serde(skip_serializing_if = "Option::is_none")]
    float: Option<f64>,
    lower: Fraction,
    upper: Fraction,
}

impl JsonOutcome {
    pub(super) fn new(outcome: &Outcome) -> Self {
        let (lower, upper) = moves::bounds(outcome);
        let (value, float) = match outcome {
            Outcome::Solved(Value::Exact(value)) => (Some(Fraction::from(value)), None),
            Outcome::Solved(Value::Float(value)) => (None, Some(*value)),
            Outcome::Stopped { .. } => (None, None),
        };
        JsonOutcome {
            value,
            float,
            lower: Fraction::from(&lower),
            upper: Fraction::from(&upper),
        }
    }
}

/// The name of a limit.
pub(super) fn stopped_by(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Time => "time",
        StopReason::Memory => "memory",
        StopReason::Interrupted => "interrupt",
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
    let stopped_by = report.stopped_by().map(stopped_by);
    let answer = JsonAnswer {
        subject: &report.subject_fields(),
        engine: report.engine,
        status: if stopped_by.is_none() {
            "solved"
        } else {
            "bounds"
        },
        stopped_by,
        outcome: JsonOutcome::new(outcome),
        exact: !matches!(outcome, Outcome::Solved(Value::Float(_))),
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
