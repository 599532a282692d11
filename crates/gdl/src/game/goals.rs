//! Goal values that a role can get.

use super::{Game, Points, points};
use crate::{Name, Term};
use std::collections::BTreeSet;

/// The goal values that a role can get, and perhaps more: those that the domains of the rules allow.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoalValues {
    pub points: BTreeSet<Points>,
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
}

impl Game {
    /// The sum of the players' goal values at each end of a zero-sum game: 100, as in GDL, or 0 if a player may get points below 0.
    #[doc(hidden)]
    pub fn zero_sum_total(&self) -> Points {
        let players = self.roles().iter().filter(|role| !role.is_random());
        let mut all = players.flat_map(|role| GoalValues::of(self, role).points);
        match all.any(Points::is_negative) {
            true => Points::default(),
            false => Points::WIN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::game::read;

    #[test]
    fn values_come_through_variables() {
        let text =
            b"(role a) (role b) (role random) (side 10) (side 150) (side 12.5) (init (s start))
            (legal a go) (legal b go) (<= (legal random (die ?n)) (side ?n))
            (<= (next (s ?n)) (does random (die ?n))) (<= terminal (not (true (s start))))
            (<= (goal a ?n) (true (s ?n))) (goal b 7) (<= (goal b 0) terminal)";
        let game = read("dice", text, &Options::default()).expect("valid").game;
        let values = GoalValues::of(&game, &Name::new("a"));
        assert_eq!(values.points, BTreeSet::from([10, 150].map(Points::from)));
        let others: Vec<String> = values.others.iter().map(Term::to_string).collect();
        assert_eq!(others, ["12.5", "start"]);
        let values = GoalValues::of(&game, &Name::new("b"));
        assert_eq!(
            (values.points, values.others),
            (BTreeSet::from([0, 7].map(Points::from)), vec![])
        );
    }
}
