//! Classification of a game by its rules alone, without playing it.
//!
//! Whether a game is turn-taking, always ends or is zero-sum depends on the states that can be
//! reached; that is observed or proved elsewhere. Here are the facts that the rules show at once,
//! for `sqasp check` and for engines that take only some kinds of games.

use super::game::Game;
use super::{GoalValues, Points};
use crate::syntax::RelationKey;
use crate::{Name, Term, is_recursive};
use rustc_hash::FxHashSet;
use serde::Serialize;

/// The properties of a game that its rules show without play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Classification {
    /// The roles that choose, in order.
    pub players: Vec<Name>,
    /// Whether there is a role that moves at random.
    #[serde(rename = "random")]
    pub has_random: bool,
    /// Whether facts are declared, by `base`; if not, a superset is derived from the rules.
    pub base: bool,
    /// Whether moves are declared, by `input`.
    pub input: bool,
    /// For each player the goal values that it can have, and perhaps more: numbers in their order, then
    /// other terms.
    pub goal_values: Vec<Vec<String>>,
    /// Relations that are the same in every state.
    #[serde(skip)]
    pub static_relations: usize,
    /// Relations that depend on state or moves.
    #[serde(skip)]
    pub dynamic_relations: usize,
    /// Rules and facts in normal form.
    pub rules: usize,
    /// Whether some relation depends on itself within a time step.
    #[serde(rename = "recursive")]
    pub is_recursive: bool,
}

pub fn classify(game: &Game) -> Classification {
    let rules = game.rules();
    let relations: FxHashSet<RelationKey> = rules.iter().map(|r| r.head.key()).collect();
    let (dynamic, fixed): (Vec<_>, Vec<_>) = relations.iter().partition(|r| game.is_dynamic(r));
    let players: Vec<Name> = game.players().cloned().collect();
    let goals: Vec<Vec<String>> = players
        .iter()
        .map(|player| {
            let values = GoalValues::of(game, player);
            let points = values.points.iter().map(Points::to_string);
            points
                .chain(values.others.iter().map(Term::to_string))
                .collect()
        })
        .collect();
    Classification {
        has_random: game.random_role().is_some(),
        base: game.defines("base", 1),
        input: game.defines("input", 2),
        goal_values: goals,
        static_relations: fixed.len(),
        dynamic_relations: dynamic.len(),
        rules: rules.len(),
        is_recursive: is_recursive(rules),
        players,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;

    #[test]
    fn the_rules_show_the_kind_of_game() {
        let text = "(role random) (role a) (base x) (edge 1 2)
            (<= (reach ?x ?y) (edge ?x ?y))
            (<= (reach ?x ?z) (reach ?x ?y) (edge ?y ?z) (or (true x) (edge 1 ?x)))
            (<= (legal ?r go) (role ?r)) (<= terminal (not (reach 1 3)))
            (goal a 100) (<= (goal a 0) (not terminal)) (<= (next x) (distinct a b))";
        let reading = crate::game::read("test", text.as_bytes(), &Options::default());
        let reading = reading.unwrap_or_else(|refused| panic!("{refused}"));
        let class = classify(&reading.game);
        assert!(class.has_random && class.is_recursive);
        assert_eq!(class.players, [Name::new("a")]);
        assert!(class.base && !class.input);
        // role, base, edge; reach, legal, terminal, goal, next.
        assert_eq!((class.static_relations, class.dynamic_relations), (3, 5));
        assert_eq!(class.rules, 12);
    }
}
