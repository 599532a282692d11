//! The shapes of JSON output (DESIGN: the command-line contract). Fractions are strings, since
//! they do not fit the numbers of JSON.

use super::output::decimal;
use super::report::Report;
use formula::{BigRational, Outcome, StopReason, Value};
use num_traits::{One, Zero};
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// A fraction.
#[derive(Serialize)]
struct JsonValue {
    num: String,
    den: String,
    /// A number of JSON with as many digits as the text for people; no floating point here.
    decimal: Box<RawValue>,
}

impl JsonValue {
    fn new(value: &BigRational) -> Self {
        JsonValue {
            num: value.numer().to_string(),
            den: value.denom().to_string(),
            decimal: RawValue::from_string(decimal(value)).expect("decimals are numbers"),
        }
    }
}

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
    value: Option<JsonValue>,
    /// From solvers that compute in floating point, in place of `value`.
    #[serde(skip_serializing_if = "Option::is_none")]
    float: Option<f64>,
    lower: JsonValue,
    upper: JsonValue,
    exact: bool,
    stats: JsonStatistics<'a>,
}

#[derive(Serialize)]
struct JsonStatistics<'a> {
    #[serde(flatten)]
    numbers: BTreeMap<&'a str, u64>,
    seconds: BTreeMap<&'a str, f64>,
}

/// One JSON object for an answer.
pub(super) fn answer(report: &Report) -> String {
    let (zero, one) = (BigRational::zero(), BigRational::one());
    let (lower, upper) = match &report.answer.outcome {
        Outcome::Solved(Value::Exact(value)) => (value, value),
        Outcome::Solved(Value::Float(_)) => (&zero, &one),
        Outcome::Stopped { lower, upper, .. } => (lower, upper),
    };
    let stopped_by = match &report.answer.outcome {
        Outcome::Solved(_) => None,
        Outcome::Stopped { reason, .. } => Some(match reason {
            StopReason::Time => "time",
            StopReason::Memory => "memory",
            StopReason::Interrupted => "interrupt",
        }),
    };
    let answer = JsonAnswer {
        subject: &report.subject_fields(),
        engine: report.engine,
        status: if stopped_by.is_none() {
            "solved"
        } else {
            "bounds"
        },
        stopped_by,
        value: match &report.answer.outcome {
            Outcome::Solved(Value::Exact(value)) => Some(JsonValue::new(value)),
            _ => None,
        },
        float: match &report.answer.outcome {
            Outcome::Solved(Value::Float(value)) => Some(*value),
            _ => None,
        },
        lower: JsonValue::new(lower),
        upper: JsonValue::new(upper),
        exact: !matches!(report.answer.outcome, Outcome::Solved(Value::Float(_))),
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
