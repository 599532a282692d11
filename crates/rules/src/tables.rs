//! Tabling: one table of answers for each question that was asked.
//!
//! A question is a relation with values for some of its columns; its answers are the values of the
//! other columns. A question that is asked again finds its table.
//!
//! A table that is being filled may have to be set aside for a second one, when its answers are
//! needed at once ([`Tables::add_again`]).

use super::index::Columns;
use super::plan::Plan;
use super::program::PredicateId;
use super::relation::Relation;
use super::terms::{TermId, hash_terms};
use hashbrown::HashTable;
use std::sync::Arc;

/// Whether all answers are there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Status {
    New,
    /// Under way in the evaluation with this number.
    Active(u64),
    Complete,
}

/// A rule that stopped at a condition whose answers are still being derived. It goes on with each
/// of them.
#[derive(Clone)]
pub(super) struct Consumer {
    pub(super) plan: Arc<Plan>,
    pub(super) step: usize,
    /// The values of the rule's variables so far.
    pub(super) values: Box<[TermId]>,
    /// The table that the rule gives answers to.
    pub(super) target: usize,
    /// The next answer to go on with.
    pub(super) next: u32,
}

#[derive(Clone)]
pub(super) struct Table {
    pub(super) predicate: PredicateId,
    pub(super) columns: Columns,
    key_start: usize,
    key_length: usize,
    pub(super) answers: Relation,
    pub(super) status: Status,
    pub(super) consumers: Vec<Consumer>,
    /// Whether the table waits for its answers to be handed to its consumers.
    pub(super) queued: bool,
}

impl Table {
    /// Whether the question is a plain yes or no, which one answer settles.
    pub(super) fn is_settled(&self, arity: usize) -> bool {
        arity == self.key_length && !self.answers.is_empty()
    }
}

/// The tables of one level.
#[derive(Clone, Default)]
pub(super) struct Tables {
    tables: Vec<Table>,
    keys: Vec<TermId>,
    lookup: HashTable<u32>,
}

impl Tables {
    pub(super) fn clear(&mut self) {
        self.tables.clear();
        self.keys.clear();
        self.lookup.clear();
    }

    pub(super) fn table(&self, table: usize) -> &Table {
        &self.tables[table]
    }

    pub(super) fn table_mut(&mut self, table: usize) -> &mut Table {
        &mut self.tables[table]
    }

    /// The known values of the question.
    pub(super) fn key(&self, table: usize) -> &[TermId] {
        let table = &self.tables[table];
        &self.keys[table.key_start..table.key_start + table.key_length]
    }

    /// The table of a question; a new one when it is asked for the first time.
    pub(super) fn find_or_add(
        &mut self,
        predicate: PredicateId,
        arity: usize,
        columns: Columns,
        key: &[TermId],
    ) -> usize {
        let hash = hash_question(predicate, columns, key);
        let found = self.lookup.find(hash, |&candidate| {
            let table = &self.tables[candidate as usize];
            table.predicate == predicate
                && table.columns == columns
                && self.key(candidate as usize) == key
        });
        if let Some(&table) = found {
            return table as usize;
        }
        let number = self.tables.len();
        self.tables.push(Table {
            predicate,
            columns,
            key_start: self.keys.len(),
            key_length: key.len(),
            answers: Relation::new(arity - key.len()),
            status: Status::New,
            consumers: Vec::new(),
            queued: false,
        });
        self.keys.extend_from_slice(key);
        let Tables {
            tables,
            keys,
            lookup,
        } = self;
        lookup.insert_unique(hash, number as u32, |&other| {
            let table = &tables[other as usize];
            let key = &keys[table.key_start..table.key_start + table.key_length];
            hash_question(table.predicate, table.columns, key)
        });
        number
    }

    /// A new table for the question of an old one, which is not found from now on.
    pub(super) fn add_again(&mut self, old: usize) -> usize {
        let number = self.tables.len();
        let table = &self.tables[old];
        let (predicate, columns) = (table.predicate, table.columns);
        let arity = table.answers.arity();
        let (key_start, key_length) = (table.key_start, table.key_length);
        self.tables.push(Table {
            predicate,
            columns,
            key_start,
            key_length,
            answers: Relation::new(arity),
            status: Status::New,
            consumers: Vec::new(),
            queued: false,
        });
        let hash = hash_question(predicate, columns, self.key(old));
        if let Some(found) = self.lookup.find_mut(hash, |&table| table as usize == old) {
            *found = number as u32;
        }
        number
    }

    /// Whether two tables are about the same question.
    pub(super) fn same_question(&self, one: usize, other: usize) -> bool {
        let (left, right) = (&self.tables[one], &self.tables[other]);
        left.predicate == right.predicate
            && left.columns == right.columns
            && self.key(one) == self.key(other)
    }
}

fn hash_question(predicate: PredicateId, columns: Columns, key: &[TermId]) -> u64 {
    let question = (predicate as u64) << 32 ^ columns;
    hash_terms(key.iter().copied()) ^ question.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
