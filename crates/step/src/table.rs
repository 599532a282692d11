//! Ground sentences of one relation, with indexes that grow with them.
//!
//! A row is first *known* (it has a number, and an atom if its truth can change), later perhaps
//! *possible* (something derives it), and at last *visible*: found by searches. So a search is not
//! disturbed by the rows that are derived while it runs.

use rules::compiled::{Columns, Index, Relation, TermId};

/// The number of a ground sentence whose truth depends on state or moves.
pub(super) type Atom = u32;

/// The mark of rows that hold in every state.
pub(super) const ALWAYS: Atom = Atom::MAX;

/// The rows of one relation.
pub(super) struct Table {
    rows: Relation,
    /// The atom of each row, or [`ALWAYS`].
    atoms: Vec<Atom>,
    possible: Vec<bool>,
    /// Rows in the order in which they became visible.
    visible: Vec<u32>,
    indexes: Vec<Index>,
}

impl Table {
    pub(super) fn new(arity: usize) -> Self {
        Table {
            rows: Relation::new(arity),
            atoms: Vec::new(),
            possible: Vec::new(),
            visible: Vec::new(),
            indexes: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> u32 {
        self.rows.len()
    }

    pub(super) fn row(&self, row: u32) -> &[TermId] {
        self.rows.row(row)
    }

    pub(super) fn atom(&self, row: u32) -> Atom {
        self.atoms[row as usize]
    }

    pub(super) fn is_possible(&self, row: u32) -> bool {
        self.possible[row as usize]
    }

    /// The number of the row with these values, if it is known.
    pub(super) fn find(&self, values: &[TermId]) -> Option<u32> {
        self.rows.find(values)
    }

    /// Adds a row that is not known yet.
    pub(super) fn add(&mut self, values: &[TermId], atom: Atom) -> u32 {
        self.atoms.push(atom);
        self.possible.push(false);
        self.rows.insert(values)
    }

    /// Marks a row as possible; returns whether it was not before.
    pub(super) fn make_possible(&mut self, row: u32) -> bool {
        !std::mem::replace(&mut self.possible[row as usize], true)
    }

    /// Lets searches find a row from now on.
    pub(super) fn show(&mut self, row: u32) {
        self.visible.push(row);
        let mut indexes = std::mem::take(&mut self.indexes);
        for index in &mut indexes {
            index.insert(row, |row| self.row(row));
        }
        self.indexes = indexes;
    }

    /// The number of the index on these columns, made when it is not there.
    pub(super) fn index_on(&mut self, columns: Columns) -> usize {
        if let Some(index) = self.indexes.iter().position(|i| i.columns() == columns) {
            return index;
        }
        let mut index = Index::new(columns, self.visible.len());
        for &row in &self.visible {
            index.insert(row, |row| self.row(row));
        }
        self.indexes.push(index);
        self.indexes.len() - 1
    }

    /// The first visible row with these values in the columns of the index, or `END`.
    pub(super) fn first_with(&self, index: usize, key: &[TermId]) -> u32 {
        self.indexes[index].first_with(key, |row| self.row(row))
    }

    /// The next visible row of the chain, or `END`.
    pub(super) fn next_in(&self, index: usize, row: u32) -> u32 {
        self.indexes[index].next(row)
    }

    /// The visible row with this index in the order of coming.
    pub(super) fn visible(&self, index: usize) -> Option<u32> {
        self.visible.get(index).copied()
    }

    /// How many visible rows to expect for given values in these columns.
    pub(super) fn expected_rows(&mut self, columns: Columns) -> f64 {
        let visible = self.visible.len() as f64;
        if columns == 0 || self.visible.is_empty() {
            return visible;
        }
        let index = self.index_on(columns);
        visible / self.indexes[index].chains() as f64
    }
}
