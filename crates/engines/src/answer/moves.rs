//! Values of the moves of the first step, and the value of the game that follows from them.

use super::text::{at_point, in_columns, rounded, value_text};
use super::unknown_in;
use super::worth::worth;
use formula::{BigRational, Bound, Outcome, Value};
use gdl::Term;
use gdl::game::{Fraction, Unit, ValueRange};
use limits::StopReason;
use num_traits::{Signed, Zero};
use serde::Serialize;

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

    /// A move of which nothing is known yet.
    pub(crate) fn unknown(action: Term, range: &ValueRange) -> Self {
        MoveValue::new(action, unknown_in(range, StopReason::Interrupted))
    }

    /// A move whose value is known.
    #[doc(hidden)]
    pub fn exact((action, value): (Term, BigRational)) -> Self {
        MoveValue::new(action, Outcome::Solved(Value::Exact(value)))
    }
}

/// The value of a move beside those of all others.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RankedMove {
    /// The move and its value, or bounds of it.
    #[serde(flatten)]
    pub value: MoveValue,
    /// How often it is made in the best mixture, where the opponents do not know the role's move and that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<Fraction>,
    /// Whether it is proved that no other move is better.
    pub best: bool,
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

/// The moves, best first as far as is known; of equal ones the one that an engine chose, then by their text. With
/// `prefers_small` the smallest values are the best.
pub fn ranked(moves: &[MoveValue], chosen: Option<&Term>, prefers_small: bool) -> Vec<RankedMove> {
    let are_floats = moves.iter().all(|each| each.outcome.rounded().is_some());
    // What is sure, and what may be.
    let merits = |outcome: &Outcome| {
        let float = outcome.rounded().filter(|_| are_floats);
        let (lower, upper) = match float.and_then(BigRational::from_float) {
            Some(number) => (Bound::Finite(number.clone()), Bound::Finite(number)),
            None => outcome.extent(),
        };
        match prefers_small {
            true => [upper, lower],
            false => [lower, upper],
        }
    };
    let better_first = |one: &Bound, other: &Bound| match prefers_small {
        true => one.cmp(other),
        false => other.cmp(one),
    };
    let all = moves.iter();
    let mut all: Vec<(&MoveValue, [Bound; 2], String)> = all
        .map(|each| (each, merits(&each.outcome), each.action.to_string()))
        .collect();
    all.sort_by(|(one, merits, text), (other, others, other_text)| {
        let is_other = |each: &MoveValue| Some(&each.action) != chosen;
        better_first(&merits[0], &others[0])
            .then_with(|| better_first(&merits[1], &others[1]))
            .then_with(|| is_other(one).cmp(&is_other(other)))
            .then_with(|| text.cmp(other_text))
    });
    // A move is best if what is sure of it is no worse than what others may be.
    let mut hopes: Vec<&Bound> = all.iter().map(|(_, [_, hope], _)| hope).collect();
    hopes.sort_by(|one, other| better_first(one, other));
    let is_best = |[sure, hope]: &[Bound; 2]| {
        let rival = hopes.get(usize::from(hopes[0] == hope));
        rival.is_none_or(|rival| better_first(sure, rival).is_le())
    };
    let ranked = all.iter().map(|(each, merits, _)| RankedMove {
        value: (*each).clone(),
        probability: None,
        best: is_best(merits),
    });
    ranked.collect()
}

/// One line for each move: a star for those that no other move beats, the value, the loss against the best where both are known, the
/// move, and the value as a fraction.
pub fn move_lines(moves: &[MoveValue], unit: Unit, prefers_small: bool) -> Vec<String> {
    let ranked = ranked(moves, None, prefers_small);
    let sign = if prefers_small { '+' } else { '-' };
    let exact = |each: &MoveValue| match &each.outcome {
        Outcome::Solved(Value::Exact(value)) => Some(value.clone()),
        _ => None,
    };
    let best = ranked.first().filter(|first| first.best);
    let best = best.and_then(|first| exact(&first.value));
    let fraction = |each: &MoveValue| exact(each).filter(|value| !value.is_integer());
    let all = || ranked.iter().map(|each| &each.value);
    let values = all().map(|each| match fraction(each) {
        Some(_) => rounded(&each.outcome, unit),
        None => value_text(&each.outcome, unit),
    });
    let losses = all().map(|each| {
        let loss = best.as_ref().zip(exact(each));
        let loss = loss.map(|(best, value)| (best - value).abs());
        let loss = loss.filter(|loss| !loss.is_zero());
        loss.map_or_else(String::new, |loss| format!("{sign}{}", unit.rounded(&loss)))
    });
    let values = at_point(&values.collect::<Vec<String>>());
    let losses = at_point(&losses.collect::<Vec<String>>());
    let rows = ranked.iter().zip(values).zip(losses);
    let rows = rows.map(|((ranked, value), loss)| {
        let mark = if ranked.best { '*' } else { ' ' };
        let fraction = fraction(&ranked.value).map_or_else(String::new, |it| it.to_string());
        let action = ranked.value.action.to_string();
        [format!("{mark} {value}"), loss, action, fraction]
    });
    in_columns(&rows.collect::<Vec<[String; 4]>>())
}
