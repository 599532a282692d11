//! Strategies of opponents, read from their files as the page about the format says: a second reader, apart from that of the program.

use crate::common::definition::Mixture;
use gdl::Term;
use gdl::game::Game;
use num_rational::BigRational;
use num_traits::One;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

/// A strategy of an opponent, read from its file by what the page about the format says.
#[derive(Clone)]
pub(super) struct StrategyFile {
    pub(super) name: String,
    pub(super) members: Vec<usize>,
    pub(super) depth: Option<u32>,
    pub(super) counts_steps: bool,
    /// By the facts of a state and the steps left, if they matter.
    pub(super) choices: HashMap<(BTreeSet<Term>, Option<u32>), Mixture>,
}

impl StrategyFile {
    pub(super) fn read(game: &Game, text: &str) -> Self {
        let strategy: Value = serde_json::from_str(text).expect("JSON");
        let name = strategy["role"].as_str().expect("a role").to_owned();
        let members = members(game, &name);
        let mut choices = HashMap::new();
        let mut counts_steps = false;
        let made = |text: &Value| match (term(text), members.len()) {
            (Term::Function(_, moves), 2..) => moves,
            (action, _) => vec![action],
        };
        for entry in list(&strategy["player"]) {
            let facts = list(&entry["state"]).iter().map(term).collect();
            let steps = entry["steps"].as_u64().map(|steps| steps as u32);
            counts_steps |= steps.is_some();
            let share = |text: &Value| text.as_str().expect("text").parse().expect("a fraction");
            let said = match entry["mixture"].as_array() {
                Some(mixture) => (mixture.iter())
                    .map(|it| (made(&it["moves"][0]), share(&it["probability"])))
                    .collect(),
                None => vec![(made(&entry["move"]), BigRational::one())],
            };
            choices.insert((facts, steps), said);
        }
        let depth = strategy["depth"].as_u64().map(|depth| depth as u32);
        StrategyFile {
            name,
            depth,
            counts_steps,
            choices,
            members,
        }
    }

    /// What it says after some steps in a state with these facts.
    pub(super) fn at(&self, facts: BTreeSet<Term>, taken: u32) -> Option<Mixture> {
        let left = self.depth.and_then(|depth| depth.checked_sub(taken));
        let exact = left.and_then(|left| self.choices.get(&(facts.clone(), Some(left))));
        exact.or_else(|| self.choices.get(&(facts, None))).cloned()
    }
}

pub(super) fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

pub(super) fn term(text: &Value) -> Term {
    let terms = gdl::parse_terms(text.as_str().expect("text")).expect("a term");
    terms.into_iter().next().expect("a term")
}

/// The indexes of the roles of a team, or of one role.
pub(super) fn members(game: &Game, name: &str) -> Vec<usize> {
    let index = |name: &str| (game.roles().iter()).position(|role| role.as_str() == name);
    name.split('+').filter_map(index).collect()
}
