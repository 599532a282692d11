//! Size of a game after its variables are replaced by the terms that they can stand for.
//!
//! An estimate from above, made before grounding, to tell which games would never fit. For each rule: the
//! product over its variables of the number of values, where a condition on facts (say, a table
//! `succ` of 10 pairs) counts as one factor for all its variables. The grounder finds fewer, since
//! not all combinations occur.

use super::domains::Domains;
use super::game::Game;
use crate::syntax::RelationKey;
use crate::{Literal, Name, Rule, Term};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Upper bounds for one time step; the largest number stands for anything larger, or infinite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepSize {
    /// Ground rules and facts that do not depend on state or moves; they are there once.
    pub static_rules: u128,
    /// Ground rules that depend on state or moves; they are there for every time step.
    pub dynamic_rules: u128,
    pub facts: u128,
    /// Moves of all roles together.
    pub moves: u128,
}

/// Predicts the size of the ground rules of one step.
pub fn predict_size(game: &Game, domains: &Domains) -> StepSize {
    let fact_counts = fact_counts(game);
    let mut size = StepSize {
        static_rules: 0,
        dynamic_rules: 0,
        facts: domains.facts().map_or(u128::MAX, |d| d.count()),
        moves: 0,
    };
    for role in game.roles() {
        let count = domains.moves(role).map_or(u128::MAX, |d| d.count());
        size.moves = size.moves.saturating_add(count);
    }
    for rule in game.rules() {
        let instances = instances_of(rule, domains, &fact_counts);
        let total = if game.is_dynamic(&rule.head.key()) {
            &mut size.dynamic_rules
        } else {
            &mut size.static_rules
        };
        *total = total.saturating_add(instances);
    }
    size
}

/// An upper bound for the ground instances of some rules of the game.
pub fn predict_instances<'a, I>(game: &Game, domains: &Domains, rules: I) -> u128
where
    I: IntoIterator<Item = &'a Rule>,
{
    let facts = fact_counts(game);
    let counts = rules
        .into_iter()
        .map(|rule| instances_of(rule, domains, &facts));
    counts.fold(0, u128::saturating_add)
}

/// For each relation that facts alone define, how many they are; `None` for the others.
fn fact_counts(game: &Game) -> FxHashMap<RelationKey, Option<u128>> {
    let mut counts: FxHashMap<RelationKey, Option<u128>> = FxHashMap::default();
    for rule in game.rules() {
        let count = counts.entry(rule.head.key()).or_insert(Some(0));
        *count = count
            .filter(|_| rule.body.is_empty())
            .map(|count| count + 1);
    }
    counts
}

fn instances_of(
    rule: &Rule,
    domains: &Domains,
    facts: &FxHashMap<RelationKey, Option<u128>>,
) -> u128 {
    let copies = domains.variable_counts(rule);
    let counts = copies.iter().map(|counts| instances(rule, counts, facts));
    counts.fold(0, u128::saturating_add)
}

/// An upper bound for the ground instances of one rule.
fn instances(
    rule: &Rule,
    counts: &FxHashMap<Name, u128>,
    facts: &FxHashMap<RelationKey, Option<u128>>,
) -> u128 {
    let mut free: BTreeSet<&Name> = counts.keys().collect();
    let product = |variables: &BTreeSet<&Name>| {
        let factors = variables.iter().map(|name| counts[*name]);
        factors.fold(1, u128::saturating_mul)
    };
    let mut bound = 1_u128;
    // Each table of facts is taken as one factor where that is fewer than its variables give.
    for literal in &rule.body {
        if let Literal::Positive(sentence) = literal
            && let Some(Some(rows)) = facts.get(&sentence.key())
        {
            let here = sentence.arguments.iter().flat_map(Term::variables);
            let here: BTreeSet<&Name> = here.filter(|name| free.contains(name)).collect();
            if !here.is_empty() && *rows < product(&here) {
                bound = bound.saturating_mul(*rows);
                free.retain(|name| !here.contains(name));
            }
        }
    }
    bound.saturating_mul(product(&free))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;

    #[test]
    fn tables_and_domains_bound_the_instances() {
        let text = "(role a) (n 1) (n 2) (n 3) (succ 1 2) (succ 2 3) (init (at 1))
            (<= (legal a (to ?x)) (n ?x))
            (<= (next (at ?y)) (true (at ?x)) (succ ?x ?y))
            (<= (next (at ?x)) (does a (to ?x)) (n ?z) (n ?y))
            (<= terminal (true (at 3))) (<= (goal a 50) (ghost ?x))";
        let reading = crate::game::read("test", text.as_bytes(), &Options::default());
        let game = reading.unwrap_or_else(|refused| panic!("{refused}")).game;
        let size = predict_size(&game, game.domains());
        // 7 facts; 3 legal; 2 steps along `succ`; 3 * 3 * 3 moves; 1 terminal; nothing for ghosts.
        let expected = StepSize {
            static_rules: 6,
            dynamic_rules: 1 + 3 + 2 + 27 + 1,
            facts: 3,
            moves: 3,
        };
        assert_eq!(size, expected);
    }
}
