//! The tables: one for each relation, one for all facts, one for all moves, and one for
//! the facts and for the moves with each function that rules mention.
//!
//! The last two make conditions such as `(true (cell ?x ?y b))` searches by column: the row of the
//! fact `(cell 1 2 b)` there is `1 2 b`.

use super::table::Table;
use rules::compiled::NameId;
use rules::compiled::{Condition, Pattern, Program, Subject};
use rustc_hash::FxHashMap;

/// The number of a table.
pub(super) type TableId = usize;

/// The number of the table for everything that rules speak of.
pub(super) struct Layout {
    relations: usize,
    features: FxHashMap<(NameId, usize), TableId>,
    move_features: FxHashMap<(NameId, usize), TableId>,
    arities: Vec<usize>,
}

impl Layout {
    pub(super) fn new(program: &Program) -> Self {
        let mut arities: Vec<usize> = program.predicates.iter().map(|p| p.arity).collect();
        let relations = arities.len();
        arities.extend([1, 2]);
        let mut layout = Layout {
            relations,
            features: FxHashMap::default(),
            move_features: FxHashMap::default(),
            arities,
        };
        for rule in &program.rules {
            for condition in &rule.body {
                let Condition::Sentence {
                    subject, arguments, ..
                } = condition
                else {
                    continue;
                };
                let (map, inner, extra) = match (subject, arguments.as_slice()) {
                    (Subject::True, [Pattern::Function(name, inner)]) => {
                        (&mut layout.features, (*name, inner.len()), 0)
                    }
                    (Subject::Does, [_, Pattern::Function(name, inner)]) => {
                        (&mut layout.move_features, (*name, inner.len()), 1)
                    }
                    _ => continue,
                };
                let next = layout.arities.len();
                if *map.entry(inner).or_insert(next) == next {
                    layout.arities.push(inner.1 + extra);
                }
            }
        }
        layout
    }

    pub(super) fn tables(&self) -> Vec<Table> {
        self.arities
            .iter()
            .map(|&arity| Table::new(arity))
            .collect()
    }

    /// The table of all facts; a row is the fact.
    pub(super) fn facts(&self) -> TableId {
        self.relations
    }

    /// The table of all moves; a row is a role and its move.
    pub(super) fn moves(&self) -> TableId {
        self.relations + 1
    }

    /// The table of facts with this function; a row is its arguments.
    pub(super) fn feature(&self, name: NameId, arity: usize) -> Option<TableId> {
        self.features.get(&(name, arity)).copied()
    }

    /// The table of moves with this function; a row is a role and the function's arguments.
    pub(super) fn move_feature(&self, name: NameId, arity: usize) -> Option<TableId> {
        self.move_features.get(&(name, arity)).copied()
    }

    /// The table for a condition, and the patterns of its columns.
    pub(super) fn source<'a>(
        &self,
        subject: Subject,
        arguments: &'a [Pattern],
    ) -> (TableId, Vec<&'a Pattern>) {
        match (subject, arguments) {
            (Subject::Derived(predicate), _) => (predicate, arguments.iter().collect()),
            (Subject::True, [Pattern::Function(name, inner)]) => {
                (self.features[&(*name, inner.len())], inner.iter().collect())
            }
            (Subject::True, _) => (self.facts(), arguments.iter().collect()),
            (Subject::Does, [role, Pattern::Function(name, inner)]) => (
                self.move_features[&(*name, inner.len())],
                std::iter::once(role).chain(inner).collect(),
            ),
            (Subject::Does, _) => (self.moves(), arguments.iter().collect()),
        }
    }
}
