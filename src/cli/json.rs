//! The shapes of JSON output (DESIGN: the command-line contract). Fractions are strings, since
//! they do not fit the numbers of JSON.

use super::moves::{self, MoveValue};
use super::output::decimal;
use super::report::{Report, StrategyNote};
use formula::{BigRational, Outcome, StopReason, Value};
use serde::Serialize;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// A fraction.
#[derive(Serialize)]
pub(super) struct JsonValue {
    num: String,
    den: String,
    /// A number of JSON with as many digits as the text for people; no floating point here.
    decimal: Box<RawValue>,
}

impl JsonValue {
    pub(super) fn new(value: &BigRational) -> Self {
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
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<JsonMove<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strategy: Option<JsonStrategy<'a>>,
    stats: JsonStatistics<'a>,
}

/// What became of a strategy that was asked for.
#[derive(Serialize)]
struct JsonStrategy<'a> {
    written: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    player_positions: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opponents_positions: Option<usize>,
    /// Why it was not written: a limit, or `positions` for too many of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_by: Option<&'static str>,
}

impl<'a> JsonStrategy<'a> {
    fn new(note: &'a StrategyNote) -> Self {
        let (file, player, opponents, stopped_by) = match note {
            StrategyNote::Written {
                file,
                player,
                opponents,
            } => (Some(file.as_str()), Some(*player), Some(*opponents), None),
            StrategyNote::TooLarge { .. } => (None, None, None, Some("positions")),
            StrategyNote::Stopped(reason) => (None, None, None, Some(reason_word(*reason))),
        };
        JsonStrategy {
            written: stopped_by.is_none(),
            file,
            player_positions: player,
            opponents_positions: opponents,
            stopped_by,
        }
    }
}

/// What a move of the first step is worth.
#[derive(Serialize)]
struct JsonMove<'a> {
    #[serde(rename = "move")]
    action: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<JsonValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    float: Option<f64>,
    lower: JsonValue,
    upper: JsonValue,
    best: bool,
}

impl<'a> JsonMove<'a> {
    fn new((each, best): (&'a MoveValue, bool)) -> Self {
        let (lower, upper) = moves::bounds(&each.outcome);
        JsonMove {
            action: &each.action,
            value: exact_value(&each.outcome),
            float: float_value(&each.outcome),
            lower: JsonValue::new(&lower),
            upper: JsonValue::new(&upper),
            best,
        }
    }
}

fn exact_value(outcome: &Outcome) -> Option<JsonValue> {
    match outcome {
        Outcome::Solved(Value::Exact(value)) => Some(JsonValue::new(value)),
        _ => None,
    }
}

fn float_value(outcome: &Outcome) -> Option<f64> {
    match outcome {
        Outcome::Solved(Value::Float(value)) => Some(*value),
        _ => None,
    }
}

/// Why a run stopped, in one word.
pub(super) fn reason_word(reason: StopReason) -> &'static str {
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
    let (lower, upper) = moves::bounds(outcome);
    let stopped_by = report.stopped_by().map(reason_word);
    let answer = JsonAnswer {
        subject: &report.subject_fields(),
        engine: report.engine.name,
        why: report.engine.why.as_deref(),
        status: if stopped_by.is_none() {
            "solved"
        } else {
            "bounds"
        },
        stopped_by,
        value: exact_value(outcome),
        float: float_value(outcome),
        lower: JsonValue::new(&lower),
        upper: JsonValue::new(&upper),
        exact: float_value(outcome).is_none(),
        moves: report.moves.as_deref().map(|moves| {
            moves::ranked(moves)
                .into_iter()
                .map(JsonMove::new)
                .collect()
        }),
        strategy: report.strategy.as_ref().map(JsonStrategy::new),
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
