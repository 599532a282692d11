//! Certain wins of the maximizer; `engine.rs` compares values of small formulas that have some.

use crate::engine::branchings;
use fastrand::Rng;
use formula::{BigRational, Outcome, Value};
use num_traits::One;
use std::fmt::Write;

/// Clauses `a xor b xor c = parity` for literals.
fn parity(a: i32, b: i32, c: i32) -> String {
    format!("-{a} {b} {c} 0\n{a} -{b} {c} 0\n{a} {b} -{c} 0\n-{a} -{b} -{c} 0\n").replace("--", "")
}

/// The maximizer chooses bits x, then chance or the opponent bits y. The inner product of x and y modulo 2 must be that of y and a hidden vector: with
/// any other x it is so for half of all y. Before that there are as many clauses about x alone as asked for, which the hidden vector makes true.
pub fn hidden_vector(random: &mut Rng, bits: i32, block: &str, is_wanted: bool) -> String {
    let hidden: Vec<bool> = (0..bits).map(|_| random.bool()).collect();
    let (mut clauses, mut last, mut sum) = (String::new(), 2 * bits + 1, 2 * bits + 1);
    // The sum is 0 at first.
    writeln!(clauses, "-{sum} 0").expect("strings take all");
    for bit in 1..=bits {
        let (x, y, product) = (bit, bits + bit, last + 1);
        write!(
            clauses,
            "-{product} {x} 0\n-{product} {y} 0\n{product} -{x} -{y} 0\n"
        )
        .expect("strings take all");
        last += 1;
        let mut added = vec![product];
        added.extend(hidden[bit as usize - 1].then_some(y));
        for one in added {
            last += 1;
            clauses += &parity(last, sum, one);
            sum = last;
        }
    }
    writeln!(clauses, "-{sum} 0").expect("strings take all");
    if !is_wanted {
        // The hidden vector itself is forbidden.
        for (bit, is_one) in (1..).zip(&hidden) {
            write!(clauses, "{} ", if *is_one { -bit } else { bit }).expect("strings take all");
        }
        clauses += "0\n";
    }
    let list = |from: i32, to: i32| (from..=to).map(|one| format!("{one} ")).collect::<String>();
    let (x, y, gates) = (
        list(1, bits),
        list(bits + 1, 2 * bits),
        list(2 * bits + 1, last),
    );
    let count = clauses.lines().count();
    format!("p cnf {last} {count}\ne {x}0\n{block} {y}0\ne {gates}0\n{clauses}")
}

/// Few counterexamples say all bits; a search tries all vectors.
#[test]
fn a_hidden_vector_is_found_by_counterexamples() {
    let mut random = Rng::with_seed(1);
    for block in ["r 0.5", "a"] {
        let formula = hidden_vector(&mut random, 13, block, true);
        let formula = formula::read(formula.as_bytes()).expect("well-formed");
        let [(with, few), (without, many)] = [true, false].map(|is_on| {
            branchings(&formula, |options| {
                options.wins_for_certain = is_on;
                options.first_limited = 10_000;
            })
        });
        assert_eq!(with, Outcome::Solved(Value::Exact(BigRational::one())));
        assert_eq!(with, without);
        assert!(10 * few < many, "{block}: {few} and {many} branchings");
    }
}

/// One clause makes the difference.
#[test]
fn a_vector_that_is_forbidden_is_not_found() {
    let mut random = Rng::with_seed(2);
    for (block, value) in [("r 0.5", "1/2"), ("a", "0")] {
        let formula = hidden_vector(&mut random, 5, block, false);
        let formula = formula::read(formula.as_bytes()).expect("well-formed");
        let (outcome, _) = branchings(&formula, |options| options.first_limited = 0);
        let value = value.parse().expect("a fraction");
        assert_eq!(outcome, Outcome::Solved(Value::Exact(value)));
    }
}
