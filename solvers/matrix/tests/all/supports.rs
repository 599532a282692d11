//! The value of a matrix game by all pairs of supports of one size, with Cramer's rule.
//!
//! Some optimal pair of mixtures is a basic one (Shapley and Snow 1950): it comes from a square part of the matrix, whose
//! determinants give the mixtures. Any pair that passes the check of both best responses has the value.

use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// The determinant by expansion.
fn determinant(rows: &[Vec<BigRational>]) -> BigRational {
    if rows.is_empty() {
        return BigRational::one();
    }
    let mut sum = BigRational::zero();
    for column in 0..rows.len() {
        let minor = |row: &Vec<BigRational>| {
            let mut row = row.clone();
            row.remove(column);
            row
        };
        let minors: Vec<Vec<BigRational>> = rows[1..].iter().map(minor).collect();
        let term = &rows[0][column] * determinant(&minors);
        sum = if column % 2 == 0 {
            sum + term
        } else {
            sum - term
        };
    }
    sum
}

/// The mixture of rows that makes all columns of a square part pay the same: Cramer's rule for the shares and the payment, with
/// one equation for each column and one for the sum. None if it is not the only solution.
fn equalizer(part: &[Vec<BigRational>]) -> Option<(Vec<BigRational>, BigRational)> {
    let size = part.len();
    let mut system: Vec<Vec<BigRational>> = (0..size)
        .map(|column| {
            let shares = part.iter().map(|row| row[column].clone());
            shares.chain([-BigRational::one()]).collect()
        })
        .collect();
    system.push(vec![BigRational::one(); size]);
    system[size].push(BigRational::zero());
    let whole = determinant(&system);
    if whole.is_zero() {
        return None;
    }
    let solve = |unknown: usize| {
        let mut replaced = system.clone();
        for (index, row) in replaced.iter_mut().enumerate() {
            row[unknown] = if index == size {
                BigRational::one()
            } else {
                BigRational::zero()
            };
        }
        determinant(&replaced) / &whole
    };
    let shares: Vec<BigRational> = (0..size).map(solve).collect();
    (!shares.iter().any(Signed::is_negative)).then(|| (shares, solve(size)))
}

/// The value by enumeration.
pub fn value_by_supports(matrix: &[Vec<BigRational>]) -> BigRational {
    let (rows, columns) = (matrix.len(), matrix[0].len());
    let chosen = |set: usize, count: usize| (0..count).filter(move |choice| set >> choice & 1 == 1);
    for row_set in 1usize..1 << rows {
        for column_set in 1usize..1 << columns {
            if row_set.count_ones() != column_set.count_ones() {
                continue;
            }
            let part: Vec<Vec<BigRational>> = chosen(row_set, rows)
                .map(|row| {
                    chosen(column_set, columns)
                        .map(|column| matrix[row][column].clone())
                        .collect()
                })
                .collect();
            let turned: Vec<Vec<BigRational>> = (0..part.len())
                .map(|column| part.iter().map(|row| row[column].clone()).collect())
                .collect();
            let (Some((x, value)), Some((y, _))) = (equalizer(&part), equalizer(&turned)) else {
                continue;
            };
            let against = |column: usize| -> BigRational {
                chosen(row_set, rows)
                    .zip(&x)
                    .map(|(row, share)| share * &matrix[row][column])
                    .sum()
            };
            let with = |row: usize| -> BigRational {
                chosen(column_set, columns)
                    .zip(&y)
                    .map(|(column, share)| share * &matrix[row][column])
                    .sum()
            };
            if (0..columns).all(|column| against(column) >= value)
                && (0..rows).all(|row| with(row) <= value)
            {
                return value;
            }
        }
    }
    panic!("no pair of supports is optimal: {matrix:?}");
}
