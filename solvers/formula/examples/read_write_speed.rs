//! How fast formulas of a given number of clauses are written and read:
//! `cargo run --release -p sqasp-formula --example read_write_speed -- 2800000`.

use generators::{RandomClauses, random_clauses};
use sqasp_formula::{Quantifier, read, sdimacs};
use std::time::Instant;

fn main() {
    let clauses: usize = std::env::args()
        .nth(1)
        .and_then(|text| text.parse().ok())
        .unwrap_or(1_000_000);
    let family = RandomClauses {
        variables: (clauses / 3).max(3),
        block: 10,
        clauses,
        width: 3,
        quantifiers: vec![Quantifier::Exists, Quantifier::Chance, Quantifier::Forall],
    };
    let formula = random_clauses(&mut fastrand::Rng::with_seed(1), &family);
    let start = Instant::now();
    let mut text = Vec::new();
    sdimacs::write(&formula, &mut text).expect("memory takes every byte");
    let written = start.elapsed();
    let start = Instant::now();
    let again = read(&text).expect("what was written can be read");
    let seen = start.elapsed();
    assert!(again.matrix().len() == clauses);
    println!(
        "{clauses} clauses, {} bytes: written in {written:.2?}, read in {seen:.2?}",
        text.len()
    );
}
