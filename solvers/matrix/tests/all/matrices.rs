//! Matrix games against an oracle that shares nothing with the solver.

use super::supports::value_by_supports;
use fastrand::Rng;
use generators::seeds;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;
use sqasp_matrix::{Matrix, solve_matrix};

fn matrix_of(rows: &[Vec<i64>]) -> Matrix {
    Matrix::new(
        rows[0].len(),
        rows.iter().flatten().map(|&entry| entry.into()).collect(),
    )
}

fn check(rows: &[Vec<i64>], context: &str) {
    let solution = solve_matrix(&matrix_of(rows));
    assert!(solution.is_proved(&matrix_of(rows)), "{context}: {rows:?}");
    let whole = |row: &Vec<i64>| {
        row.iter()
            .map(|&entry| BigInt::from(entry).into())
            .collect()
    };
    let exact: Vec<Vec<BigRational>> = rows.iter().map(whole).collect();
    assert_eq!(
        solution.value,
        value_by_supports(&exact),
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
    for (seed, ref mut random) in seeds(0, 3000) {
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
    for (seed, ref mut random) in seeds(0, 60) {
        let (rows, columns) = (random.usize(1..=20), random.usize(1..=20));
        let matrix = random_matrix(random, rows, columns);
        let long = BigInt::from(10).pow(random.u32(0..40));
        let entries = matrix.iter().flatten();
        let entries: Vec<BigInt> = entries
            .map(|entry| &long * entry + random.i64(-5..5))
            .collect();
        let matrix = Matrix::new(columns, entries);
        assert!(solve_matrix(&matrix).is_proved(&matrix), "seed {seed}");
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
        assert_eq!(solve_matrix(&matrix_of(matrix)).value.to_string(), value);
        check(matrix, "known");
    }
}

/// A false claim does not pass.
#[test]
fn wrong_solutions_are_refused() {
    let matrix = matrix_of(&[vec![3, -1], vec![-1, 1]]);
    let right = solve_matrix(&matrix);
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
