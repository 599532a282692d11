//! Sparse linear systems that are too large to eliminate: approximate solutions by projection.
//!
//! Chains that mix fast have systems whose inverse is well described by a few products with the matrix, whatever
//! the size. BiCGSTAB (Van der Vorst 1992) finds them with two products a step and a few vectors of memory. Nothing is
//! promised of the result: callers compute residuals.

use crate::linear_system::SparseRows;
use limits::{Limits, StopReason};

/// The residual wanted, as a part of the right-hand side.
const TOLERANCE: f64 = 1e-10;

/// No more steps than this.
const MAX_STEPS: usize = 500;

/// Replaces a right-hand side by an approximate solution.
pub fn project(
    matrix: &SparseRows<f64>,
    vector: &mut Vec<f64>,
    limits: &Limits,
) -> Result<(), StopReason> {
    let mut rest = std::mem::take(vector);
    let shadow = rest.clone();
    let mut solution = vec![0.0; rest.len()];
    let mut direction = vec![0.0; rest.len()];
    let mut image = vec![0.0; rest.len()];
    let mut second = vec![0.0; rest.len()];
    let goal = dot(&rest, &rest) * TOLERANCE * TOLERANCE;
    let (mut last, mut length, mut damping) = (1.0, 1.0, 1.0);
    for _ in 0..MAX_STEPS {
        limits.check()?;
        let next = dot(&shadow, &rest);
        let turn = next / last * length / damping;
        for (direction, (rest, image)) in direction.iter_mut().zip(rest.iter().zip(&image)) {
            *direction = rest + turn * (*direction - damping * image);
        }
        multiply(matrix, &direction, &mut image);
        length = next / dot(&shadow, &image);
        add(&mut rest, -length, &image);
        multiply(matrix, &rest, &mut second);
        damping = dot(&second, &rest) / dot(&second, &second);
        if !length.is_finite() || !damping.is_finite() {
            add(
                &mut solution,
                if length.is_finite() { length } else { 0.0 },
                &direction,
            );
            break;
        }
        add(&mut solution, length, &direction);
        add(&mut solution, damping, &rest);
        add(&mut rest, -damping, &second);
        last = next;
        if dot(&rest, &rest) <= goal {
            break;
        }
    }
    *vector = solution;
    Ok(())
}

fn dot(first: &[f64], second: &[f64]) -> f64 {
    first.iter().zip(second).map(|(a, b)| a * b).sum()
}

/// Adds some times another vector.
fn add(vector: &mut [f64], times: f64, other: &[f64]) {
    vector
        .iter_mut()
        .zip(other)
        .for_each(|(to, other)| *to += times * other);
}

fn multiply(matrix: &SparseRows<f64>, vector: &[f64], product: &mut [f64]) {
    for (product, row) in product.iter_mut().zip(matrix) {
        *product = row
            .iter()
            .map(|&(column, entry)| entry * vector[column as usize])
            .sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_chains_are_solved() {
        for (seed, mut random) in generators::seeds(0, 50) {
            let size = random.usize(1..300);
            let row = |row: usize, random: &mut fastrand::Rng| {
                let mut entries = vec![(row as u32, 1.0)];
                for _ in 0..3 {
                    match random.usize(..size) {
                        column if column == row => entries[0].1 -= 0.3,
                        column if entries.iter().any(|&(other, _)| other == column as u32) => {}
                        column => entries.push((column as u32, -0.3)),
                    }
                }
                entries
            };
            let matrix: SparseRows<f64> =
                (0..size).map(|number| row(number, &mut random)).collect();
            let wanted: Vec<f64> = (0..size).map(|_| random.f64()).collect();
            let mut vector = vec![0.0; size];
            multiply(&matrix, &wanted, &mut vector);
            project(&matrix, &mut vector, &Limits::default()).expect("no limits");
            for (found, wanted) in vector.iter().zip(&wanted) {
                assert!((found - wanted).abs() < 1e-6, "seed {seed}");
            }
        }
    }
}
