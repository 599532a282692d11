//! Payoffs in rows and columns, as whole numbers.

use num_bigint::BigInt;

/// The payoffs to the row side, row by row. There is at least one row and one column.
///
/// Fractions are multiplied by their common denominator first, and so is the value then.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Matrix {
    columns: usize,
    entries: Vec<BigInt>,
}

impl Matrix {
    /// Rows of this many entries, one after the other.
    ///
    /// # Panics
    /// If there is no entry, or the last row is not full.
    pub fn new(columns: usize, entries: Vec<BigInt>) -> Self {
        assert!(
            columns > 0 && !entries.is_empty() && entries.len().is_multiple_of(columns),
            "a matrix has full rows, and at least one"
        );
        Matrix { columns, entries }
    }

    pub fn rows(&self) -> usize {
        self.entries.len() / self.columns
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The payoff in a row and a column.
    #[inline]
    pub fn entry(&self, row: usize, column: usize) -> &BigInt {
        &self.entries[row * self.columns + column]
    }
}
