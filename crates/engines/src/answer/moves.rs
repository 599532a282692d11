//! Values of the moves of the first step, and the value of the game that follows from them.

use super::MoveValue;
use super::text::value_text;
use limits::StopReason;
use std::cmp::Ordering;

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

/// The moves with the best first, then by their text; each with whether no other move is better, as
/// far as is known.
pub fn ranked(moves: &[MoveValue]) -> Vec<(&MoveValue, bool)> {
    let mut sorted: Vec<&MoveValue> = moves.iter().collect();
    sorted.sort_by(|left, right| {
        better_first(&left.outcome, &right.outcome)
            .then_with(|| left.action.to_string().cmp(&right.action.to_string()))
    });
    let is_best = |each: &MoveValue| {
        moves.iter().all(
            |other| match (each.outcome.rounded(), other.outcome.rounded()) {
                (Some(this), Some(that)) => this >= that,
                _ => other == each || each.outcome.bounds().0 >= other.outcome.bounds().1,
            },
        )
    };
    sorted
        .into_iter()
        .map(|each| (each, is_best(each)))
        .collect()
}

fn better_first(left: &formula::Outcome, right: &formula::Outcome) -> Ordering {
    match (left.rounded(), right.rounded()) {
        (Some(left), Some(right)) => right.total_cmp(&left),
        _ => right.bounds().cmp(&left.bounds()),
    }
}

/// One line for each move: a star for those that no other move beats, the value, the move.
pub(super) fn lines(moves: &[MoveValue]) -> Vec<String> {
    let rows: Vec<(bool, String, String)> = ranked(moves)
        .into_iter()
        .map(|(each, best)| (best, value_text(&each.outcome), each.action.to_string()))
        .collect();
    let width = rows.iter().map(|(_, value, _)| value.chars().count()).max();
    let width = width.unwrap_or(0);
    rows.into_iter()
        .map(|(best, value, action)| {
            let mark = if best { '*' } else { ' ' };
            format!("{mark} {value:width$}  {action}")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use formula::{Outcome, Value};
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
                "*b *c  a; 1/2 = 0.5",
            ),
            // The other two may turn out better, or not: nobody knows the best.
            (
                vec![exact("1/3"), between("0", "1/2"), between("1/4", "2/3")],
                " a  c  b; [1/3, 2/3] = [0.3333333333333333, 0.6666666666666667]",
            ),
            // Not solved, but certainly best.
            (
                vec![exact("1/3"), between("1/2", "3/4"), between("1/4", "1/2")],
                "*b  a  c; [1/2, 3/4] = [0.5, 0.75]",
            ),
            // Nothing is better than certainty.
            (vec![between("0", "1"), exact("1")], "*b  a; 1 = 1"),
            (
                vec![float(0.25), float(0.5)],
                "*b  a; 0.5 (floating point, not exact)",
            ),
            (
                vec![float(0.25), between("0", "1")],
                " a  b; [0, 1] = [0, 1]",
            ),
            (vec![between("0", "1")], "*a; [0, 1] = [0, 1]"),
        ] {
            let moves = moves(&outcomes);
            let ranking: Vec<String> = ranked(&moves)
                .into_iter()
                .map(|(each, best)| format!("{}{}", if best { '*' } else { ' ' }, each.action))
                .collect();
            let text = format!("{}; {}", ranking.join(" "), value_text(&overall(&moves)));
            assert_eq!(text, expected);
        }
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
