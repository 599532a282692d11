//! From a matrix to its value and best mixtures, and their proof.

use crate::matrix_game::dominance::undominated;
use crate::matrix_game::matrix::Matrix;
use crate::matrix_game::saddle::saddle_point;
use crate::matrix_game::simplex::{Mixtures, mixtures};
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// The value of a matrix game, and a best mixture of each side.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MatrixSolution {
    /// The mean payoff that the row side can guarantee, and no more.
    pub value: BigRational,
    /// The probability of each row in a mixture that guarantees the value.
    pub rows: Vec<BigRational>,
    /// The probability of each column in a mixture that pays no more than the value.
    pub columns: Vec<BigRational>,
}

impl MatrixSolution {
    /// Whether both are mixtures, and the best response to each gets the value exactly. So it is the value.
    pub fn is_proved(&self, matrix: &Matrix) -> bool {
        let is_mixture = |shares: &[BigRational], count: usize| {
            shares.len() == count
                && !shares.iter().any(Signed::is_negative)
                && shares.iter().sum::<BigRational>().is_one()
        };
        let sum = |terms: &mut dyn Iterator<Item = (&BigRational, &BigInt)>| {
            let terms = terms.filter(|(share, _)| !share.is_zero());
            terms
                .map(|(share, entry)| share * entry)
                .sum::<BigRational>()
        };
        let against = |column: usize| {
            let rows = self.rows.iter().enumerate();
            sum(&mut rows.map(|(row, share)| (share, matrix.entry(row, column))))
        };
        let with = |row: usize| {
            let columns = self.columns.iter().enumerate();
            sum(&mut columns.map(|(column, share)| (share, matrix.entry(row, column))))
        };
        is_mixture(&self.rows, matrix.rows())
            && is_mixture(&self.columns, matrix.columns())
            && (0..matrix.columns()).all(|column| against(column) >= self.value)
            && (0..matrix.rows()).all(|row| with(row) <= self.value)
    }
}

/// The value of a matrix and best mixtures. Where several are best, which of them comes out depends on the matrix only.
pub fn solve_matrix(matrix: &Matrix) -> MatrixSolution {
    let (rows, columns) = undominated(matrix);
    let found = match saddle_point(matrix, &rows, &columns) {
        Some((row, column)) => MatrixSolution {
            value: matrix.entry(row, column).clone().into(),
            rows: pure(matrix.rows(), row),
            columns: pure(matrix.columns(), column),
        },
        None => mixed(matrix, &rows, &columns),
    };
    debug_assert!(found.is_proved(matrix), "{matrix:?}");
    found
}

fn pure(count: usize, choice: usize) -> Vec<BigRational> {
    let mut shares = vec![BigRational::zero(); count];
    shares[choice] = BigRational::one();
    shares
}

/// By linear programming on these rows and columns, whose entries are moved so that the least is 1, and divided by what they have in common.
fn mixed(matrix: &Matrix, rows: &[usize], columns: &[usize]) -> MatrixSolution {
    let entries = || {
        rows.iter()
            .flat_map(|&row| columns.iter().map(move |&column| matrix.entry(row, column)))
    };
    let least = entries().min().expect("a matrix has an entry");
    let differences: Vec<BigInt> = entries().map(|entry| entry - least).collect();
    let common = differences
        .iter()
        .fold(BigInt::zero(), |common, difference| common.gcd(difference));
    // Without a saddle point some entries differ.
    let entries: Vec<BigInt> = differences
        .iter()
        .map(|difference| difference / &common + 1)
        .collect();
    let Mixtures {
        rows: row_parts,
        columns: column_parts,
        whole,
        value,
    } = mixtures(columns.len(), &entries);
    let spread = |count: usize, choices: &[usize], parts: Vec<BigInt>| {
        let mut shares = vec![BigRational::zero(); count];
        for (&choice, part) in choices.iter().zip(parts) {
            shares[choice] = BigRational::new(part, whole.clone());
        }
        shares
    };
    let value = BigRational::new(value, whole.clone()) - BigInt::one();
    MatrixSolution {
        value: value * common + least,
        rows: spread(matrix.rows(), rows, row_parts),
        columns: spread(matrix.columns(), columns, column_parts),
    }
}
