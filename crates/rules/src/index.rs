//! Indexes on columns of rows: which rows have these values there.

use super::terms::{TermId, hash_terms};
use hashbrown::HashTable;

/// A set of columns, one bit each; columns from 64 on are never indexed.
pub type Columns = u64;

/// No row: the end of a chain.
pub const END: u32 = u32::MAX;

/// For each combination of values in some columns the chain of the rows that have it.
///
/// Rows are numbers; the caller keeps the rows and tells the values in one.
#[derive(Clone)]
pub struct Index {
    columns: Columns,
    first: HashTable<u32>,
    next: Vec<u32>,
}

impl Index {
    /// An index without rows, with room for this number of chains.
    pub fn new(columns: Columns, chains: usize) -> Self {
        Index {
            columns,
            first: HashTable::with_capacity(chains),
            next: Vec::new(),
        }
    }

    pub fn columns(&self) -> Columns {
        self.columns
    }

    /// The number of combinations of values.
    pub fn chains(&self) -> usize {
        self.first.len()
    }

    /// Puts a row at the front of its chain. `values` gives the values in a row.
    pub fn insert<'a>(&mut self, row: u32, values: impl Fn(u32) -> &'a [TermId]) {
        let columns = self.columns;
        let key = |row: u32| selected(values(row), columns);
        let index = row as usize;
        if self.next.len() <= index {
            self.next.resize(index + 1, END);
        }
        let hash = hash_terms(key(row));
        match self.first.find_mut(hash, |&other| key(other).eq(key(row))) {
            Some(first) => self.next[index] = std::mem::replace(first, row),
            None => {
                let hash_of = |&other: &u32| hash_terms(key(other));
                self.first.insert_unique(hash, row, hash_of);
            }
        }
    }

    /// The first row with these values in the columns, or [`END`].
    pub fn first_with<'a>(&self, key: &[TermId], values: impl Fn(u32) -> &'a [TermId]) -> u32 {
        let hash = hash_terms(key.iter().copied());
        let same = |&row: &u32| selected(values(row), self.columns).eq(key.iter().copied());
        self.first.find(hash, same).copied().unwrap_or(END)
    }

    /// The next row of the chain, or [`END`].
    pub fn next(&self, row: u32) -> u32 {
        self.next[row as usize]
    }
}

/// The values of a row in these columns.
fn selected(row: &[TermId], columns: Columns) -> impl Iterator<Item = TermId> + '_ {
    let mut rest = columns;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let column = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        Some(row[column])
    })
}
