//! Least fixed point of the rules over the values of argument positions, by a queue of rules.
//!
//! A rule waits in the queue when a position that it reads has a new value; it is fired again with the values that its variables can
//! take now.

use super::fact_table::FactTable;
use super::placed_rule::{
    Pattern, PlacedRule, PlacedSentence, Reading, RoleChoice, for_each_reading, place_rule,
    role_choices,
};
use super::values::{self, Bindings};
use super::{Domains, Value};
use crate::Rule;
use crate::game::Game;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::collections::VecDeque;

impl Domains {
    /// Adds values to the positions until no rule gives another one.
    pub(super) fn close(self, game: &Game) -> Self {
        let mut domains = self;
        let mut rules = Vec::new();
        for rule in game.rules() {
            for choice in role_choices(rule, game.roles()) {
                rules.push(domains.place_rule(rule, &choice));
            }
        }
        domains.values = vec![Vec::new(); domains.positions.len()];
        let mut readers: FxHashMap<Reading, Vec<usize>> = FxHashMap::default();
        for (number, rule) in rules.iter().enumerate() {
            for (position, argument) in rule.body.iter().flat_map(|sentence| &sentence.positions) {
                for_each_reading(argument, *position, &mut |reading| {
                    readers.entry(reading).or_default().push(number);
                });
            }
        }
        let mut waiting: VecDeque<usize> = (0..rules.len()).collect();
        let mut is_waiting = vec![true; rules.len()];
        let mut added = Vec::new();
        while let Some(number) = waiting.pop_front() {
            is_waiting[number] = false;
            domains.fire(&rules[number], &mut added);
            for (position, value) in added.drain(..) {
                let any = readers.get(&(position, None));
                let this = readers.get(&(position, Some(value)));
                for &reader in any.into_iter().chain(this).flatten() {
                    if !std::mem::replace(&mut is_waiting[reader], true) {
                        waiting.push_back(reader);
                    }
                }
            }
        }
        domains
    }

    /// The rule with numbers for its positions, new ones if need be.
    fn place_rule(&mut self, rule: &Rule, choice: &RoleChoice<'_>) -> PlacedRule {
        let mut positions = std::mem::take(&mut self.positions);
        let placed = place_rule(self, rule, choice, &mut |position| {
            let next = positions.len();
            *positions.entry(position).or_insert(next)
        });
        self.positions = positions;
        placed
    }

    /// The rule with the numbers that its positions have.
    pub(super) fn find_rule(&self, rule: &Rule, choice: &RoleChoice<'_>) -> PlacedRule {
        place_rule(self, rule, choice, &mut |position| {
            self.positions.get(&position).copied().unwrap_or(usize::MAX)
        })
    }

    /// The values each variable can take, where a condition binds it; nothing when a condition cannot hold.
    pub(super) fn bindings(
        &self,
        body: &[PlacedSentence],
        variables: usize,
    ) -> Option<Bindings<'_>> {
        let mut bindings = vec![None; variables];
        for (position, argument) in body.iter().flat_map(|sentence| &sentence.positions) {
            if !self.restrict(argument, *position, &mut bindings) {
                return None;
            }
        }
        for sentence in body {
            let table = sentence.table.as_ref().and_then(|key| self.tables.get(key));
            if let Some(table) = table
                && !table.narrow(sentence, &mut bindings)
            {
                return None;
            }
        }
        Some(bindings)
    }

    /// Narrows the variables of a term that stands at a position; false when it cannot stand there.
    fn restrict<'a>(
        &'a self,
        term: &Pattern,
        position: usize,
        bindings: &mut Bindings<'a>,
    ) -> bool {
        let Some(here) = self.values.get(position) else {
            return false;
        };
        match term {
            Pattern::Constant(value) => values::contains(here, *value),
            Pattern::Variable(number) => {
                let narrowed = match &bindings[*number] {
                    Some(before) => Cow::Owned(values::filter(before, here, true)),
                    None => Cow::Borrowed(&here[..]),
                };
                let possible = !narrowed.is_empty();
                bindings[*number] = Some(narrowed);
                possible
            }
            Pattern::Function(value, arguments) => {
                let mut arguments = arguments.iter();
                values::contains(here, *value)
                    && arguments
                        .all(|(position, argument)| self.restrict(argument, *position, bindings))
            }
        }
    }

    /// Adds what the rule derives, and lists what of it is new.
    fn fire(&mut self, rule: &PlacedRule, added: &mut Vec<(usize, Value)>) {
        let tables = rule
            .body
            .iter()
            .filter_map(|sentence| sentence.table.as_ref());
        let rows = tables.filter_map(|key| self.tables.get(key).map(FactTable::size));
        self.rows_left = self.rows_left.saturating_sub(rows.sum());
        if self.rows_left == 0 {
            self.tables.clear();
        }
        if let Some(bindings) = self.bindings(&rule.body, rule.variables.len()) {
            for (position, argument) in &rule.heads {
                self.list_new(argument, *position, &bindings, added);
            }
        }
        added.retain(|(position, value)| values::insert(&mut self.values[*position], *value));
    }

    /// Lists the values of a term at a position that are not there yet.
    fn list_new(
        &self,
        term: &Pattern,
        position: usize,
        bindings: &Bindings<'_>,
        added: &mut Vec<(usize, Value)>,
    ) {
        let here = &self.values[position];
        let mut list = |value: Value| {
            if !values::contains(here, value) {
                added.push((position, value));
            }
        };
        match term {
            Pattern::Constant(value) => list(*value),
            Pattern::Variable(number) => {
                if let Some(found) = &bindings[*number] {
                    let new = values::filter(found, here, false).into_iter();
                    added.extend(new.map(|value| (position, value)));
                }
            }
            Pattern::Function(value, arguments) => {
                list(*value);
                for (position, argument) in arguments {
                    self.list_new(argument, *position, bindings, added);
                }
            }
        }
    }
}
