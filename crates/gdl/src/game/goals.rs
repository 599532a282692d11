//! Goal values: which terms are points, and which a role can get.
//!
//! A goal value counts if it is a whole number from 0 to [`MAX_POINTS`], written in the usual digits;
//! GDL itself stops at 100. This is the one place that decides it: engines, checks and translations
//! all ask [`points`].

use super::{Game, Objective};
use crate::{MAX_POINTS, Name, Term};
use num_rational::BigRational;
use std::collections::BTreeSet;

/// The points that a goal value stands for; none if it is not a whole number from 0 to [`MAX_POINTS`]
/// in the usual digits (`1` and `01` are different constants).
pub fn points(value: &Term) -> Option<u32> {
    let Term::Constant(name) = value else {
        return None;
    };
    let digits = name.as_str();
    let number: u32 = digits.parse().ok()?;
    (number <= MAX_POINTS && number.to_string() == digits).then_some(number)
}

/// The goal values that a role can get, and perhaps more: those that the domains of the rules allow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoalValues {
    pub points: BTreeSet<u32>,
    /// Those that are not, sorted by text; at most [`GoalValues::MAX_OTHERS`] of them.
    pub others: Vec<Term>,
}

impl GoalValues {
    /// The most goal values that are kept though they are no points.
    pub const MAX_OTHERS: usize = 100;

    /// The goal values that a role can get by the rules.
    pub fn of(game: &Game, role: &Name) -> Self {
        let heads = game.rules().iter().map(|rule| &rule.head);
        let mut goals = heads.filter(|head| head.relation.as_str() == "goal");
        let is_constant = |term: &Term| matches!(term, Term::Constant(_));
        let found = if goals.all(|goal| goal.arguments.iter().all(is_constant)) {
            let heads = game.rules().iter().map(|rule| &rule.head);
            let goals = heads.filter_map(|head| match &head.arguments[..] {
                [Term::Constant(whose), value] if head.relation.as_str() == "goal" => {
                    (whose == role).then(|| value.clone())
                }
                _ => None,
            });
            goals.collect()
        } else {
            game.domains().goals(role)
        };
        GoalValues::of_terms(found)
    }

    /// Those among these terms that are points, and the others.
    pub(super) fn of_terms(terms: Vec<Term>) -> Self {
        let mut values = GoalValues::default();
        for term in terms {
            match points(&term) {
                Some(points) => drop(values.points.insert(points)),
                None if values.others.len() < Self::MAX_OTHERS => values.others.push(term),
                None => {}
            }
        }
        values.others.sort_by_cached_key(Term::to_string);
        values.others.dedup();
        values
    }

    /// The largest of the points; 0 if there are none.
    pub fn most(&self) -> u32 {
        self.points.last().copied().unwrap_or(0)
    }
}

/// No value of the role is larger than this. Engines compute parts of it, which lie between 0 and 1.
pub fn largest_value(game: &Game, role: &Name, objective: Objective) -> BigRational {
    objective.largest(if objective.is_mean() {
        GoalValues::of(game, role).most()
    } else {
        100
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::read;
    use crate::{Options, parse_terms};

    #[test]
    fn points_are_whole_numbers_in_the_usual_digits() {
        let rows = [
            ("0", Some(0)),
            ("100", Some(100)),
            ("1000000", Some(1_000_000)),
            ("1000001", None),
            ("050", None),
            ("+5", None),
            ("-5", None),
            ("12.5", None),
            ("99999999999999999999", None),
            ("much", None),
            ("(f 1)", None),
        ];
        for (text, expected) in rows {
            let term = &parse_terms(text).expect("a term")[0];
            assert_eq!(points(term), expected, "{text}");
        }
    }

    #[test]
    fn values_come_through_variables() {
        let text =
            b"(role a) (role b) (role random) (side 10) (side 150) (side 12.5) (init (s start))
            (legal a go) (legal b go) (<= (legal random (die ?n)) (side ?n))
            (<= (next (s ?n)) (does random (die ?n))) (<= terminal (not (true (s start))))
            (<= (goal a ?n) (true (s ?n))) (goal b 7) (<= (goal b 0) terminal)";
        let game = read("dice", text, &Options::default()).expect("valid").game;
        let values = GoalValues::of(&game, &Name::new("a"));
        assert_eq!(values.points, BTreeSet::from([10, 150]));
        let others: Vec<String> = values.others.iter().map(Term::to_string).collect();
        assert_eq!(others, ["12.5", "start"]);
        assert_eq!(values.most(), 150);
        let values = GoalValues::of(&game, &Name::new("b"));
        assert_eq!(
            (values.points, values.others),
            (BTreeSet::from([0, 7]), vec![])
        );
    }
}
