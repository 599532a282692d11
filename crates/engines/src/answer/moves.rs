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

#[cfg(test)]
mod tests {
    use super::*;
    use gdl::Term;

    fn overall(moves: &[MoveValue]) -> Outcome {
        Outcome::largest(moves.iter().map(|each| &each.outcome)).unwrap()
    }

    fn exact(value: &str) -> Outcome {
        Outcome::Solved(Value::Exact(value.parse().unwrap()))
    }

    fn between(lower: &str, upper: &str) -> Outcome {
        let [lower, upper] = [lower, upper].map(|bound| bound.parse().unwrap());
        Outcome::between(lower, upper, StopReason::Time)
    }

    fn moves(outcomes: &[Outcome]) -> Vec<MoveValue> {
        let letters = ["a", "b", "c"].iter();
        letters
            .zip(outcomes)
            .map(|(action, outcome)| MoveValue {
                action: Term::Constant(gdl::Name::new(action)),
                outcome: outcome.clone(),
            })
            .collect()
    }

    #[test]
    fn the_best_come_first() {
        let float = |value| Outcome::Solved(Value::Float(value));
        for (outcomes, expected) in [
            (
                vec![exact("1/3"), exact("1/2"), exact("1/2")],
                "*b *c  a; 50 % (1/2)",
            ),
            // The other two may turn out better, or not: no move is known to be best.
            (
                vec![exact("1/3"), between("0", "1/2"), between("1/4", "2/3")],
                " a  c  b; [33.3333 %, 66.6667 %] ([1/3, 2/3])",
            ),
            // Not solved, but certainly best.
            (
                vec![exact("1/3"), between("1/2", "3/4"), between("1/4", "1/2")],
                "*b  a  c; [50 %, 75 %] ([1/2, 3/4])",
            ),
            // Nothing is better than certainty.
            (vec![between("0", "1"), exact("1")], "*b  a; 100 %"),
            (
                vec![float(0.25), float(0.5)],
                "*b  a; 50 % (floating point, not exact)",
            ),
            (vec![float(0.25), between("0", "1")], " a  b; [0 %, 100 %]"),
            (vec![between("0", "1")], "*a; [0 %, 100 %]"),
        ] {
            let moves = moves(&outcomes);
            let ranking: Vec<String> = ranked(&moves, false)
                .into_iter()
                .map(|(each, best)| format!("{}{}", if best { '*' } else { ' ' }, each.action))
                .collect();
            let text = format!(
                "{}; {}",
                ranking.join(" "),
                value_text(&overall(&moves), Unit::Percent)
            );
            assert_eq!(text, expected);
        }
    }

    #[test]
    fn columns_have_the_loss_of_each_move() {
        let moves = moves(&[exact("1/4"), exact("2/3"), between("0", "1/8")]);
        let expected = [
            "* 66.6667 %                                          b  2/3",
            "  25 %                                   -41.6667 %  a  1/4",
            "  [0 %, 12.5 %] ([0, 1/8])                           c",
        ];
        let lines: Vec<String> = move_lines(&moves, Unit::Percent, false)
            .iter()
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        let expected = expected.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        assert_eq!(lines, expected);
    }

    #[test]
    fn an_interrupt_is_the_reason_before_all_others() {
        let mut values = moves(&[exact("1"), between("0", "1"), between("0", "1")]);
        assert_eq!(stopped(&values[..1]), None);
        assert_eq!(stopped(&values), Some(StopReason::Time));
        values[2].outcome = Outcome::unknown(StopReason::Interrupted);
        assert_eq!(stopped(&values), Some(StopReason::Interrupted));
    }
}
