//! The shapes of JSON output (DESIGN: the command-line contract). Fractions are strings, since
//! they do not fit the numbers of JSON.

use super::moves::{self, MoveValue};
use super::report::{Certificate, Report, StrategyNote};
use crate::evaluate::Fraction;
use formula::{Outcome, Value};
use limits::StopReason;
use serde::Serialize;
use std::collections::BTreeMap;

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
    #[serde(flatten)]
    outcome: JsonOutcome,
    exact: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<JsonMove<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    winning_move: Option<&'a str>,
    /// Whether plays that were not over after the last step may count in the value, as worth nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut_off: bool,
    /// Where plays are cut off, bounds of what the whole game is worth.
    #[serde(skip_serializing_if = "Option::is_none")]
    whole_game: Option<JsonOutcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    strategy: Option<JsonStrategy<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<JsonCertificate>,
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
        let (file, player, opponents, stopped) = match note {
            StrategyNote::Written {
                file,
                player,
                opponents,
            } => (Some(file.as_str()), Some(*player), Some(*opponents), None),
            StrategyNote::TooLarge { .. } => (None, None, None, Some("positions")),
            StrategyNote::Stopped(reason) => (None, None, None, Some(stopped_by(*reason))),
        };
        JsonStrategy {
            written: stopped.is_none(),
            file,
            player_positions: player,
            opponents_positions: opponents,
            stopped_by: stopped,
        }
    }
}

/// What became of a proof from both sides that was asked for.
#[derive(Serialize)]
struct JsonCertificate {
    proved: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    player_positions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opponents_positions: Option<u64>,
    /// Positions that were compared with the rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    compared: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_by: Option<&'static str>,
}

impl JsonCertificate {
    fn new(certificate: &Certificate) -> Self {
        let (efforts, stopped) = match certificate {
            Certificate::Proved { player, opponents } => (Some((player, opponents)), None),
            Certificate::Stopped(reason) => (None, Some(stopped_by(*reason))),
        };
        JsonCertificate {
            proved: efforts.is_some(),
            player_positions: efforts.map(|(player, _)| player.positions),
            opponents_positions: efforts.map(|(_, opponents)| opponents.positions),
            compared: efforts.map(|(player, opponents)| player.compared + opponents.compared),
            stopped_by: stopped,
        }
    }
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
    /// Between the bounds, rounded; nothing is proved of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<f64>,
}

impl JsonOutcome {
    pub(super) fn new(outcome: &Outcome) -> Self {
        let (lower, upper) = outcome.bounds();
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
            estimate: outcome.estimate(),
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
        engine: report.engine.name,
        why: report.engine.why.as_deref(),
        status: if stopped_by.is_none() {
            "solved"
        } else {
            "bounds"
        },
        stopped_by,
        outcome: JsonOutcome::new(outcome),
        exact: report.engine.exact_if.is_none()
            && !matches!(outcome, Outcome::Solved(Value::Float(_))),
        moves: report.moves.as_deref().map(|moves| {
            moves::ranked(moves)
                .into_iter()
                .map(JsonMove::new)
                .collect()
        }),
        winning_move: report.sure_move.as_deref(),
        cut_off: report.is_cut_off(),
        whole_game: report.whole_game().as_ref().map(JsonOutcome::new),
        strategy: report.strategy.as_ref().map(JsonStrategy::new),
        certificate: report.certificate.as_ref().map(JsonCertificate::new),
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
