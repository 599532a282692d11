//! Matrix games against an oracle that shares nothing with the solver: all pairs of supports of one size, by Cramer's rule.
//!
//! Some optimal pair of mixtures is a basic one (Shapley and Snow 1950): it comes from a square part of the matrix, whose
//! determinants give the mixtures. Any pair that passes the check of both best responses has the value.

use fastrand::Rng;
use generators::rounds;
use matrix_game::{Matrix, solve};
use num_bigint::BigInt;
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
fn value_by_supports(matrix: &[Vec<i64>]) -> BigRational {
    let (rows, columns) = (matrix.len(), matrix[0].len());
    let chosen = |set: usize, count: usize| (0..count).filter(move |choice| set >> choice & 1 == 1);
    let whole = |number: i64| BigRational::from_integer(number.into());
    for row_set in 1usize..1 << rows {
        for column_set in 1usize..1 << columns {
            if row_set.count_ones() != column_set.count_ones() {
                continue;
            }
            let part: Vec<Vec<BigRational>> = chosen(row_set, rows)
                .map(|row| {
                    chosen(column_set, columns)
                        .map(|column| whole(matrix[row][column]))
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
                    .map(|(row, share)| share * whole(matrix[row][column]))
                    .sum()
            };
            let with = |row: usize| -> BigRational {
                chosen(column_set, columns)
                    .zip(&y)
                    .map(|(column, share)| share * whole(matrix[row][column]))
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

fn matrix_of(rows: &[Vec<i64>]) -> Matrix {
    Matrix::new(
        rows[0].len(),
        rows.iter().flatten().map(|&entry| entry.into()).collect(),
    )
}

fn check(rows: &[Vec<i64>], context: &str) {
    let solution = solve(&matrix_of(rows));
    assert!(solution.is_proved(&matrix_of(rows)), "{context}: {rows:?}");
    assert_eq!(
        solution.value,
        value_by_supports(rows),
        "{context}: {rows:?}"
    );
}

/// A matrix with this many rows and columns: some with few different entries, some with equal or opposite rows.
fn random_matrix(random: &mut Rng, rows: usize, columns: usize) -> Vec<Vec<i64>> {
    let most = [1, 2, 5, 100, 1_000_000][random.usize(..5)];
    let mut matrix: Vec<Vec<i64>> = (0..rows)
        .map(|_| (0..columns).map(|_| random.i64(-most..=most)).collect())
        .collect();
    for row in 1..rows {
        match random.u8(..10) {
            0 => matrix[row] = matrix[random.usize(..row)].clone(),
            1 => {
                matrix[row] = matrix[random.usize(..row)]
                    .iter()
                    .map(|entry| -entry)
                    .collect()
            }
            2 => matrix[row].fill(0),
            _ => {}
        }
    }
    matrix
}

#[test]
fn values_are_those_of_supports() {
    for seed in 0..rounds(3000u64) {
        let random = &mut Rng::with_seed(seed);
        let size = if seed % 50 == 0 { 6 } else { 4 };
        let (rows, columns) = (random.usize(1..=size), random.usize(1..=size));
        let matrix = random_matrix(random, rows, columns);
        check(&matrix, &format!("seed {seed}"));
    }
}

/// All matrices of two rows and three columns with entries 0, 1, 2.
#[test]
fn small_matrices_are_all_right() {
    for number in 0..3i64.pow(6) {
        let digits: Vec<i64> = (0..6).map(|place| number / 3i64.pow(place) % 3).collect();
        check(&[digits[..3].to_vec(), digits[3..].to_vec()], "all");
    }
}

/// Large matrices and long numbers are proved by best responses alone.
#[test]
fn large_matrices_are_proved() {
    for seed in 0..rounds(60u64) {
        let random = &mut Rng::with_seed(seed);
        let (rows, columns) = (random.usize(1..=20), random.usize(1..=20));
        let matrix = random_matrix(random, rows, columns);
        let long = BigInt::from(10).pow(random.u32(0..40));
        let entries = matrix.iter().flatten();
        let entries: Vec<BigInt> = entries
            .map(|entry| &long * entry + random.i64(-5..5))
            .collect();
        let matrix = Matrix::new(columns, entries);
        assert!(solve(&matrix).is_proved(&matrix), "seed {seed}");
    }
}

/// Games with known values.
#[test]
fn known_games_come_out() {
    let rock_paper_scissors = [vec![1, 0, 2], vec![2, 1, 0], vec![0, 2, 1]];
    // Blotto: four regiments against three, two posts (Dresher 1961).
    let blotto = [
        vec![4, 2, 1, 0],
        vec![1, 3, 0, -1],
        vec![-2, 2, 2, -2],
        vec![-1, 0, 3, 1],
        vec![0, 1, 2, 4],
    ];
    // Hide and seek on a diagonal.
    let seek = [vec![2, 0, 0], vec![0, 3, 0], vec![0, 0, 6]];
    for (matrix, value) in [
        (&rock_paper_scissors[..], "1"),
        (&blotto, "14/9"),
        (&seek, "1"),
    ] {
        assert_eq!(solve(&matrix_of(matrix)).value.to_string(), value);
        check(matrix, "known");
    }
}

/// A false claim does not pass.
#[test]
fn wrong_solutions_are_refused() {
    let matrix = matrix_of(&[vec![3, -1], vec![-1, 1]]);
    let right = solve(&matrix);
    let mut wrong = right.clone();
    wrong.value += BigRational::one();
    assert!(!wrong.is_proved(&matrix));
    let mut wrong = right.clone();
    wrong.rows.reverse();
    assert!(!wrong.is_proved(&matrix));
    let mut wrong = right;
    wrong.columns = vec![BigRational::one(), BigRational::one()];
    assert!(!wrong.is_proved(&matrix));
}
