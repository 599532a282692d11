//! A relation: rows of ground terms, with an index for each set of columns that was ever asked for.

use super::index::{Columns, Index};
use super::terms::{TermId, hash_terms};
use hashbrown::HashTable;

/// Rows of equal length.
#[derive(Clone, Default)]
pub struct Relation {
    arity: usize,
    count: u32,
    values: Vec<TermId>,
    /// Row numbers by the hash of the row; kept only by `insert_new`.
    seen: HashTable<u32>,
    indexes: Vec<Index>,
}

impl Relation {
    pub fn new(arity: usize) -> Self {
        Relation {
            arity,
            ..Relation::default()
        }
    }

    pub(super) fn arity(&self) -> usize {
        self.arity
    }

    pub fn len(&self) -> u32 {
        self.count
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The row with this number.
    pub fn row(&self, row: u32) -> &[TermId] {
        let start = row as usize * self.arity;
        &self.values[start..start + self.arity]
    }

    /// All rows, in the order in which they came.
    pub fn rows(&self) -> impl Iterator<Item = &[TermId]> {
        (0..self.count).map(|row| self.row(row))
    }

    pub(super) fn clear(&mut self) {
        self.count = 0;
        self.values.clear();
        self.seen.clear();
        self.indexes.clear();
    }

    /// Adds a row that is known to be new. Do not mix with `insert_new`.
    pub(super) fn push(&mut self, row: &[TermId]) {
        debug_assert_eq!(row.len(), self.arity);
        self.values.extend_from_slice(row);
        self.count += 1;
        self.indexes.clear();
    }

    /// The number of the row with these values, if `insert` or `insert_new` added it.
    pub fn find(&self, row: &[TermId]) -> Option<u32> {
        self.find_hashed(row, hash_terms(row.iter().copied()))
    }

    fn find_hashed(&self, row: &[TermId], hash: u64) -> Option<u32> {
        let found = self.seen.find(hash, |&other| self.row(other) == row);
        found.copied()
    }

    /// Adds a row unless it is there; returns whether it was new.
    pub(super) fn insert_new(&mut self, row: &[TermId]) -> bool {
        let hash = hash_terms(row.iter().copied());
        let is_new = self.find_hashed(row, hash).is_none();
        if is_new {
            self.insert_hashed(row, hash);
        }
        is_new
    }

    /// Adds a row that is not there, and returns its number.
    pub fn insert(&mut self, row: &[TermId]) -> u32 {
        self.insert_hashed(row, hash_terms(row.iter().copied()))
    }

    fn insert_hashed(&mut self, row: &[TermId], hash: u64) -> u32 {
        let number = self.count;
        self.push(row);
        let Relation {
            seen,
            values,
            arity,
            ..
        } = self;
        seen.insert_unique(hash, number, |&other| {
            let start = other as usize * *arity;
            hash_terms(values[start..start + *arity].iter().copied())
        });
        number
    }

    /// The number of the index on these columns, made when it is not there.
    pub(super) fn index_on(&mut self, columns: Columns) -> usize {
        if let Some(index) = self.indexes.iter().position(|i| i.columns() == columns) {
            return index;
        }
        let mut index = Index::new(columns, self.count as usize);
        // Backwards, so that chains run forwards.
        for number in (0..self.count).rev() {
            index.insert(number, |row| self.row(row));
        }
        self.indexes.push(index);
        self.indexes.len() - 1
    }

    /// The first row with these values in the columns of the index, or `END`.
    pub(super) fn first_with(&self, index: usize, key: &[TermId]) -> u32 {
        self.indexes[index].first_with(key, |row| self.row(row))
    }

    /// The next row of the chain, or `END`.
    pub(super) fn next_in(&self, index: usize, row: u32) -> u32 {
        self.indexes[index].next(row)
    }

    /// How many rows to expect for given values in these columns: the mean length of a chain.
    pub(super) fn expected_rows(&mut self, columns: Columns) -> f64 {
        if self.count == 0 {
            return 0.0;
        }
        if columns == 0 {
            return f64::from(self.count);
        }
        let index = self.index_on(columns);
        f64::from(self.count) / self.indexes[index].chains() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::END;
    use crate::terms::TermStore;
    use gdl::{Name, Term};

    #[test]
    fn an_index_chains_the_rows_with_equal_values_in_order() {
        let mut store = TermStore::new(1);
        let ids: Vec<TermId> = ["a", "b", "c"]
            .iter()
            .map(|name| {
                let constant = Term::Constant(Name::new(name));
                store.intern_term(&constant).unwrap()
            })
            .collect();
        let mut relation = Relation::new(2);
        for (x, y) in [(0, 1), (1, 2), (0, 2), (0, 1)] {
            relation.insert_new(&[ids[x], ids[y]]);
        }
        assert_eq!(3, relation.len());
        let index = relation.index_on(0b01);
        let first = relation.first_with(index, &[ids[0]]);
        assert_eq!([ids[0], ids[1]], relation.row(first));
        let second = relation.next_in(index, first);
        assert_eq!([ids[0], ids[2]], relation.row(second));
        assert_eq!(END, relation.next_in(index, second));
        assert_eq!(END, relation.first_with(index, &[ids[2]]));
        assert_eq!(1.5, relation.expected_rows(0b01));
    }
}
