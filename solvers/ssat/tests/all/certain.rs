//! Certain wins of the maximizer; `engine.rs` compares values of small formulas that have some.

use crate::engine::branchings;
use fastrand::Rng;
use formula::{BigRational, Formula, Lit, Outcome, Value};
use generators::FormulaBuilder;
use num_traits::One;

/// The maximizer chooses bits x, then chance or the opponent bits y. The inner product of x and y modulo 2 must be that of y and a hidden vector: with
/// any other x it is so for half of all y. Before that there are as many clauses about x alone as asked for, which the hidden vector makes true.
pub fn hidden_vector(random: &mut Rng, bits: usize, block: &str, is_wanted: bool) -> Formula {
    let hidden: Vec<bool> = (0..bits).map(|_| random.bool()).collect();
    let mut made = FormulaBuilder::default();
    let (x, y) = (made.block("e", bits), made.block(block, bits));
    // The sum is 0 at first.
    let mut sum = made.exists("");
    made.clause([!sum]);
    for bit in 0..bits {
        let product = made.and("", &[x[bit], y[bit]]);
        sum = made.xor("", sum, product);
        if hidden[bit] {
            sum = made.xor("", sum, y[bit]);
        }
    }
    made.clause([!sum]);
    if !is_wanted {
        // The hidden vector itself is forbidden.
        let other = |(&bit, &is_one): (&Lit, &bool)| if is_one { !bit } else { bit };
        made.clause(x.iter().zip(&hidden).map(other));
    }
    made.finish()
}

/// Few counterexamples say all bits; a search tries all vectors.
#[test]
fn a_hidden_vector_is_found_by_counterexamples() {
    let mut random = Rng::with_seed(1);
    for block in ["r 1/2", "a"] {
        let formula = hidden_vector(&mut random, 13, block, true);
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
    for (block, value) in [("r 1/2", "1/2"), ("a", "0")] {
        let formula = hidden_vector(&mut random, 5, block, false);
        let (outcome, _) = branchings(&formula, |options| options.first_limited = 0);
        let value = value.parse().expect("a fraction");
        assert_eq!(outcome, Outcome::Solved(Value::Exact(value)));
    }
}
