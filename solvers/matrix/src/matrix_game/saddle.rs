//! Saddle points: games in which both sides have a best choice that is no mixture.

use crate::matrix_game::matrix::Matrix;

/// A row and a column whose entry is least in the row and largest in the column, among these rows and columns.
pub fn saddle_point(matrix: &Matrix, rows: &[usize], columns: &[usize]) -> Option<(usize, usize)> {
    let least = |&row: &usize| {
        let columns = columns.iter().copied();
        columns.min_by_key(|&column| matrix.entry(row, column))
    };
    let row = rows
        .iter()
        .copied()
        .max_by_key(|row| least(row).map(|column| matrix.entry(*row, column)))?;
    let guaranteed = matrix.entry(row, least(&row)?);
    let is_largest = |column: &usize| {
        rows.iter()
            .all(|&other| matrix.entry(other, *column) <= guaranteed)
    };
    let column = columns.iter().copied().find(is_largest)?;
    Some((row, column))
}
