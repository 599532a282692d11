//! Elimination with pivots that keep the factors sparse (Markowitz: *The elimination form of the inverse*, 1957).
//!
//! Modulo a prime any entry but 0 divides without loss, so a pivot is chosen for sparsity alone. A pivot that is alone in its column or
//! row costs nothing. Else it is in the row or column with the fewest entries, and there with the fewest across.

use crate::linear_system::elimination::{Factors, Field, NoFactors, ROWS_PER_CHECK, SparseRows};
use limits::Limits;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Rows or columns, and entries.
type Entries<F> = Vec<(u32, F)>;

/// A matrix of which some rows and columns have been eliminated.
struct Rest<F> {
    /// Entries in the order of columns; none in rows that are done.
    rows: Vec<Entries<F>>,
    /// By column: rows that may have an entry there, and the number of those that do.
    columns: Vec<Vec<u32>>,
    counts: Vec<u32>,
    /// Numbers of entries of rows and columns; those that are out of date do not count.
    short_rows: BinaryHeap<Reverse<(u32, u32)>>,
    short_columns: BinaryHeap<Reverse<(u32, u32)>>,
}

impl<F: Field> Rest<F> {
    fn new(rows: SparseRows<F>) -> Self {
        let size = rows.len();
        let mut rest = Rest {
            rows,
            columns: vec![Vec::new(); size],
            counts: vec![0; size],
            short_rows: BinaryHeap::new(),
            short_columns: BinaryHeap::new(),
        };
        for (row, entries) in rest.rows.iter_mut().enumerate() {
            entries.retain(|(_, entry)| *entry != F::ZERO);
            entries.sort_unstable_by_key(|(column, _)| *column);
            for &(column, _) in &*entries {
                rest.columns[column as usize].push(row as u32);
            }
            rest.short_rows
                .push(Reverse((entries.len() as u32, row as u32)));
        }
        for (column, rows) in rest.columns.iter().enumerate() {
            rest.counts[column] = rows.len() as u32;
            rest.short_columns
                .push(Reverse((rows.len() as u32, column as u32)));
        }
        rest
    }

    fn entry(&self, row: u32, column: u32) -> Option<F> {
        let row = &self.rows[row as usize];
        let index = row
            .binary_search_by_key(&column, |(column, _)| *column)
            .ok()?;
        Some(row[index].1)
    }

    /// The row and column of the next pivot, and its entry; none if there is no entry left.
    fn pivot(&mut self) -> Option<(u32, u32, F)> {
        let row = loop {
            let &Reverse((length, row)) = self.short_rows.peek()?;
            if length > 0 && self.rows[row as usize].len() == length as usize {
                break row;
            }
            self.short_rows.pop();
        };
        let column = loop {
            let &Reverse((count, column)) = self.short_columns.peek()?;
            if count > 0 && self.counts[column as usize] == count {
                break column;
            }
            self.short_columns.pop();
        };
        if self.counts[column as usize] as usize <= self.rows[row as usize].len() {
            let rows = self.columns[column as usize].iter();
            let rows = rows.filter_map(|&row| Some((row, self.entry(row, column)?)));
            let best = rows.min_by_key(|(row, _)| self.rows[*row as usize].len());
            best.map(|(row, entry)| (row, column, entry))
        } else {
            let entries = self.rows[row as usize].iter();
            let best = entries.min_by_key(|(column, _)| self.counts[*column as usize]);
            best.map(|&(column, entry)| (row, column, entry))
        }
    }

    /// Subtracts a multiple of the pivot's row from a row, so that nothing is left in the pivot's column.
    fn subtract(&mut self, row: u32, column: u32, factor: F, above: &[(u32, F)]) {
        let old = std::mem::take(&mut self.rows[row as usize]);
        let mut new = Vec::with_capacity(old.len() + above.len());
        let (mut left, mut right) = (old.iter().peekable(), above.iter().peekable());
        loop {
            let next = match (left.peek(), right.peek()) {
                (Some(one), Some(other)) => one.0.min(other.0),
                (Some(only), None) | (None, Some(only)) => only.0,
                (None, None) => break,
            };
            let own = left.next_if(|entry| entry.0 == next);
            let taken = right.next_if(|entry| entry.0 == next);
            if next == column {
                continue;
            }
            let Some(&(_, taken)) = taken else {
                new.extend(own);
                continue;
            };
            let entry = own
                .map_or(F::ZERO, |own| own.1)
                .minus_product(factor, taken);
            let before = self.counts[next as usize];
            match (own, entry == F::ZERO) {
                (None, false) => {
                    self.columns[next as usize].push(row);
                    self.counts[next as usize] += 1;
                }
                (Some(_), true) => self.counts[next as usize] -= 1,
                _ => {}
            }
            if entry != F::ZERO {
                new.push((next, entry));
            }
            if self.counts[next as usize] != before {
                self.short_columns
                    .push(Reverse((self.counts[next as usize], next)));
            }
        }
        self.short_rows.push(Reverse((new.len() as u32, row)));
        self.rows[row as usize] = new;
    }

    /// Removes the pivot's row and column. Gives the row without the pivot, and the other rows with an entry in the column.
    fn remove(&mut self, row: u32, column: u32) -> (Entries<F>, Entries<F>) {
        let mut across = std::mem::take(&mut self.rows[row as usize]);
        across.retain(|entry| entry.0 != column);
        for &(other, _) in &across {
            let count = &mut self.counts[other as usize];
            *count -= 1;
            self.short_columns.push(Reverse((*count, other)));
        }
        let mut rows = std::mem::take(&mut self.columns[column as usize]);
        // A row that lost an entry and got it back stands there twice.
        rows.sort_unstable();
        rows.dedup();
        let below = rows.into_iter();
        let below = below.filter_map(|row| Some((row, self.entry(row, column)?)));
        let below = below.collect();
        self.counts[column as usize] = 0;
        (across, below)
    }
}

impl<F: Field> Factors<F> {
    /// Of any matrix, by pivots that are chosen for sparsity: for numbers that are never rounded. Not more than this many entries.
    pub fn with_pivots(
        matrix: SparseRows<F>,
        max_entries: usize,
        limits: &Limits,
    ) -> Result<Self, NoFactors> {
        let size = matrix.len();
        let mut rest = Rest::new(matrix);
        let (mut rows, mut columns) = (Vec::with_capacity(size), Vec::with_capacity(size));
        let mut inverses = Vec::with_capacity(size);
        let (mut lower, mut upper) = (vec![Vec::new(); size], Vec::with_capacity(size));
        let mut entries = 0;
        for index in 0..size {
            if index.is_multiple_of(ROWS_PER_CHECK) {
                limits.check().map_err(NoFactors::Stopped)?;
            }
            let (row, column, entry) = rest.pivot().ok_or(NoFactors::Singular)?;
            let inverse = entry.inverse().ok_or(NoFactors::Singular)?;
            let (across, below) = rest.remove(row, column);
            entries += across.len() + below.len();
            if entries > max_entries {
                return Err(NoFactors::TooLarge);
            }
            for (other, entry) in below {
                let factor = entry.times(inverse);
                rest.subtract(other, column, factor, &across);
                lower[other as usize].push((index as u32, factor));
            }
            rows.push(row);
            columns.push(column);
            inverses.push(inverse);
            upper.push(across);
        }
        Ok(Factors::from_pivots(rows, columns, inverses, lower, upper))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear_system::elimination::tests::is_solved;
    use crate::linear_system::elimination::{PRIME, Residue};
    use generators::{rounds, seeds};

    #[test]
    fn factors_solve_random_systems() {
        let mut solved = 0;
        for (seed, mut random) in seeds(0, 300) {
            let size = random.usize(1..30);
            // Small entries cancel, and few of them leave zeros on the diagonal.
            let most = [2, PRIME][random.usize(..2)];
            let mut matrix: SparseRows<Residue> = vec![Vec::new(); size];
            for row in &mut matrix {
                for column in 0..size as u32 {
                    if random.usize(..size) < 4 {
                        row.push((column, Residue(random.u64(1..=most) % PRIME)));
                    }
                }
            }
            let factors = Factors::with_pivots(matrix.clone(), usize::MAX, &Limits::default());
            match is_solved(&matrix, factors, &mut random) {
                Ok(()) => solved += 1,
                Err(why) => assert_eq!(why, NoFactors::Singular, "seed {seed}"),
            }
        }
        assert!(solved >= rounds(100u64), "{solved}");
    }

    #[test]
    fn singular_matrices_and_limits_are_told() {
        let one = Residue(1);
        let equal = vec![vec![(0, one), (1, one)]; 2];
        let none = Factors::with_pivots(equal.clone(), usize::MAX, &Limits::default());
        assert_eq!(none.err(), Some(NoFactors::Singular));
        let none = Factors::with_pivots(equal, 1, &Limits::default());
        assert_eq!(none.err(), Some(NoFactors::TooLarge));
    }
}
