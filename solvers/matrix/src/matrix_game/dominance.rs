//! Iterated removal of dominated rows and columns.
//!
//! A row that nowhere pays more than another one is not needed for a best mixture of its side, nor does the other side need to
//! guard against it. So best mixtures of the matrix that is left are best in the whole one.

use crate::matrix_game::matrix::Matrix;

/// The rows and columns that are left; of equal ones the first.
pub fn undominated(matrix: &Matrix) -> (Vec<usize>, Vec<usize>) {
    let mut rows: Vec<usize> = (0..matrix.rows()).collect();
    let mut columns: Vec<usize> = (0..matrix.columns()).collect();
    loop {
        let before = rows.len() + columns.len();
        remove(&mut rows, |worse, better| {
            (columns.iter())
                .all(|&column| matrix.entry(worse, column) <= matrix.entry(better, column))
        });
        remove(&mut columns, |worse, better| {
            rows.iter()
                .all(|&row| matrix.entry(row, worse) >= matrix.entry(row, better))
        });
        if rows.len() + columns.len() == before {
            return (rows, columns);
        }
    }
}

/// Removes the choices than which another one is at least as good everywhere.
fn remove(choices: &mut Vec<usize>, is_no_better: impl Fn(usize, usize) -> bool) {
    let mut index = choices.len();
    while index > 0 {
        index -= 1;
        let choice = choices[index];
        let mut others = choices.iter().filter(|&&other| other != choice);
        if others.any(|&other| is_no_better(choice, other)) {
            choices.remove(index);
        }
    }
}
