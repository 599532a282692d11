//! Values of the moves of the first step, and the value of the game that follows from them.

use super::text::{at_point, rounded, value_text};
use super::worth::worth;
use formula::{Outcome, Value};
use gdl::Term;
use gdl::game::Unit;
use limits::StopReason;
use num_traits::{Signed, Zero};
use serde::Serialize;
use std::cmp::Ordering;

/// The value of a move: the value that the role can guarantee after it, or bounds of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MoveValue {
    /// The move.
    #[serde(rename = "move")]
    pub action: Term,
    /// Its value, or bounds of it.
    #[serde(flatten, serialize_with = "worth")]
    pub outcome: Outcome,
}

impl MoveValue {
    /// The move and its value, or bounds of it.
    #[doc(hidden)]
    pub fn new(action: Term, outcome: Outcome) -> Self {
        MoveValue { action, outcome }
    }
}

/// A move with its value as JSON.
#[derive(Serialize)]
pub(super) struct RankedMove<'a> {
    #[serde(flatten)]
    value: &'a MoveValue,
    best: bool,
}

/// The moves as JSON, the best first.
pub(super) fn by_rank(moves: &[MoveValue], prefers_small: bool) -> Vec<RankedMove<'_>> {
    let moves = ranked(moves, prefers_small).into_iter();
    moves
        .map(|(value, best)| RankedMove { value, best })
        .collect()
}

/// The reason why not every move has its value, if so.
pub(super) fn stopped(moves: &[MoveValue]) -> Option<StopReason> {
    let mut reasons = moves.iter().filter_map(|each| each.outcome.stopped_by());
    let first = reasons.next()?;
    let interrupted = reasons.any(|reason| reason == StopReason::Interrupted);
    Some(if interrupted {
        StopReason::Interrupted
    } else {
        first
    })
}

/// The moves with the best first, then by their text; each with whether no other move is known to be better. With
/// `prefers_small` the smallest values are the best.
pub fn ranked(moves: &[MoveValue], prefers_small: bool) -> Vec<(&MoveValue, bool)> {
    let mut sorted: Vec<&MoveValue> = moves.iter().collect();
    sorted.sort_by(|left, right| {
        better_first(&left.outcome, &right.outcome, prefers_small)
            .then_with(|| left.action.to_string().cmp(&right.action.to_string()))
    });
    let is_best = |each: &MoveValue| {
        moves.iter().all(
            |other| match (each.outcome.rounded(), other.outcome.rounded()) {
                (Some(this), Some(that)) => this >= that,
                _ if other == each => true,
                _ if prefers_small => each.outcome.extent().1 <= other.outcome.extent().0,
                _ => each.outcome.extent().0 >= other.outcome.extent().1,
            },
        )
    };
    sorted
        .into_iter()
        .map(|each| (each, is_best(each)))
        .collect()
}

fn better_first(left: &Outcome, right: &Outcome, prefers_small: bool) -> Ordering {
    match (left.rounded(), right.rounded()) {
        (Some(left), Some(right)) => right.total_cmp(&left),
        _ if prefers_small => {
            let reversed = |outcome: &Outcome| {
                let (lower, upper) = outcome.extent();
                (upper, lower)
            };
            reversed(left).cmp(&reversed(right))
        }
        _ => right.extent().cmp(&left.extent()),
    }
}

/// One line for each move: a star for those that no other move beats, the value, the loss against the best where both are known, the
/// move, and the value as a fraction.
pub fn move_lines(moves: &[MoveValue], unit: Unit, prefers_small: bool) -> Vec<String> {
    let ranked = ranked(moves, prefers_small);
    let sign = if prefers_small { '+' } else { '-' };
    let exact = |each: &MoveValue| match &each.outcome {
        Outcome::Solved(Value::Exact(value)) => Some(value.clone()),
        _ => None,
    };
    let best = ranked.first().filter(|(_, best)| *best);
    let best = best.and_then(|(each, _)| exact(each));
    let rows = ranked.iter().map(|(each, is_best)| {
        let loss = best
            .as_ref()
            .zip(exact(each))
            .map(|(best, value)| (best - value).abs());
        let loss = loss.filter(|loss| !loss.is_zero());
        let fraction = exact(each).filter(|value| !value.is_integer());
        [
            if *is_best { "*" } else { " " }.to_owned(),
            match fraction {
                Some(_) => rounded(&each.outcome, unit),
                None => value_text(&each.outcome, unit),
            },
            loss.map_or_else(String::new, |loss| format!("{sign}{}", unit.rounded(&loss))),
            each.action.to_string(),
            fraction.map_or_else(String::new, |fraction| fraction.to_string()),
        ]
    });
    let mut rows: Vec<[String; 5]> = rows.collect();
    for column in [1, 2] {
        let texts: Vec<String> = rows.iter().map(|row| row[column].clone()).collect();
        for (row, text) in rows.iter_mut().zip(at_point(&texts)) {
            row[column] = text;
        }
    }
    let width = |column: usize| {
        let widths = rows.iter().map(|row| row[column].chars().count());
        widths.max().unwrap_or(0)
    };
    let widths: [usize; 5] = std::array::from_fn(width);
    let line = |row: &[String; 5]| {
        let [mark, value, loss, action, fraction] = row;
        let [_, for_value, for_loss, for_action, _] = widths;
        let loss = match for_loss {
            0 => String::new(),
            width => format!("  {loss:width$}"),
        };
        let line = format!("{mark} {value:for_value$}{loss}  {action:for_action$}  {fraction}");
        line.trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}
