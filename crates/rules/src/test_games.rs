//! Games as text for the tests of this folder.

use super::Reasoner;
use gdl::game::Game;
use gdl::{Name, Options, Rule, normalise, parse};

/// Reads a game without asking whether it is valid, so that tests can be short, and wrong.
pub(super) fn game(name: &str, text: &str) -> Game {
    let parsed = parse(name, text.as_bytes(), &Options::default());
    let rules = normalise(&parsed.description).into_iter();
    let rules: Vec<Rule> = rules.map(|normal| normal.rule).collect();
    let roles = rules
        .iter()
        .filter(|rule| rule.head.relation.as_str() == "role")
        .map(|rule| Name::new(&rule.head.arguments[0].to_string()))
        .collect();
    Game::from_checked_parts(name.to_owned(), roles, rules)
}

/// A reasoner for a game in prefix form.
pub(super) fn reasoner(text: &str) -> Reasoner {
    Reasoner::new(&game("test", text)).unwrap()
}
