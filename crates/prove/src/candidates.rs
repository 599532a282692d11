//! Candidates of the systematic search: section 5 of Schiffel and Thielscher (2009), and the properties with names.
//!
//! For every feature and every choice of its arguments: do the other arguments determine these? That
//! is `unique` with `_` for the chosen ones, and `at-most-one` in case there may be none. A choice of
//! arguments that says the same as a smaller one, because some argument has one value only, is
//! left out.

use super::property::Property;
use super::vocabulary::Vocabulary;
use gdl::{Name, Term};
use std::collections::{BTreeMap, BTreeSet};

/// The most arguments of a feature that are all tried: 2^n - 1 choices.
const MAX_ARGUMENTS: usize = 6;

/// Names of variables, in order.
const VARIABLES: [&str; MAX_ARGUMENTS] = ["x", "y", "z", "u", "v", "w"];

/// The properties about single features.
pub fn unique_candidates(game: &Vocabulary) -> Vec<Property> {
    let mut features: BTreeMap<(Name, usize), Vec<BTreeSet<&Term>>> = BTreeMap::new();
    for fact in &game.facts {
        let (name, arguments) = match fact {
            Term::Function(name, arguments) => (name.clone(), arguments.as_slice()),
            Term::Constant(name) | Term::Variable(name) => (name.clone(), &[][..]),
        };
        let values = features
            .entry((name, arguments.len()))
            .or_insert_with(|| vec![BTreeSet::new(); arguments.len()]);
        for (values, argument) in values.iter_mut().zip(arguments) {
            values.insert(argument);
        }
    }
    let mut found = Vec::new();
    for ((name, arity), values) in features {
        if arity == 0 || arity > MAX_ARGUMENTS {
            continue;
        }
        let constant: usize = (0..arity)
            .filter(|&index| values[index].len() == 1)
            .map(|index| 1 << index)
            .sum();
        // Few arguments that are determined first: they are the most useful.
        let mut choices: Vec<usize> = (1..1 << arity)
            .filter(|choice| choice & constant == 0)
            .collect();
        choices.sort_by_key(|choice| choice.count_ones());
        for choice in choices {
            let argument = |index: usize| match choice >> index & 1 {
                1 => Term::Constant(Name::new("_")),
                _ => Term::Variable(Name::new(VARIABLES[index])),
            };
            let pattern = Term::Function(name.clone(), (0..arity).map(argument).collect());
            for exactly in [true, false] {
                let pattern = pattern.clone();
                found.push(Property::Unique { pattern, exactly });
            }
        }
    }
    found
}

/// The properties with names, as far as they make sense in this game.
pub fn named_candidates(game: &Vocabulary) -> Vec<Property> {
    let mut found = vec![Property::LegalNonempty];
    if game.players().len() > 1 {
        found.push(Property::TurnTaking);
        found.push(Property::ZeroSum);
    }
    found
}
