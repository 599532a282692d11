//! The worth of functions: by counting, and by enumeration of the definition.

use crate::random;
use formula::Formula;
use generators::{enumerate, rounds};
use limits::{Limits, StopReason};
use num_traits::{One, Zero};
use sqasp_witness::{Decider, Verdict, check, read, verify, worth, write_json};
use std::time::Duration;

#[test]
fn counting_agrees_with_the_definition() {
    let seed = 5;
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut between = 0;
    for round in 0..rounds(1500) {
        let formula = random::formula(&mut rng);
        let mut strategy = random::strategy(&mut rng, &formula);
        let at = format!("seed {seed}, round {round}");
        check(&formula, &strategy).unwrap_or_else(|flaw| panic!("{at}: {flaw}"));
        let value = enumerate(&formula).expect("it is small");
        for side in Decider::BOTH {
            let expected = conformance::worth(&formula, &strategy, side);
            let found = worth(&formula, &strategy, side, &Limits::default(), &mut 0);
            assert_eq!(found, Ok(expected.clone()), "{at}, {side:?}");
            let is_bound = match side {
                Decider::Exists => expected <= value,
                Decider::Forall => expected >= value,
            };
            assert!(is_bound, "{at}, {side:?}");
            between += u32::from(!expected.is_zero() && !expected.is_one());
            // Gates that nobody needs change nothing.
            let all = strategy.gates.len();
            strategy.drop_unused_gates();
            assert!(strategy.gates.len() <= all);
            let found = worth(&formula, &strategy, side, &Limits::default(), &mut 0);
            assert_eq!(found, Ok(expected), "{at}, {side:?}");
        }
        let mut text = Vec::new();
        write_json(&strategy, &mut text).expect("memory takes all");
        assert_eq!(read(&text).as_ref(), Ok(&strategy), "{at}");
    }
    assert!(
        between > rounds(1500) as u32 / 4,
        "seed {seed}: only {between}"
    );
}

/// Literals said twice, clauses that are always true, an empty clause, variables that occur nowhere.
#[test]
fn odd_clauses_are_counted() {
    for (text, value) in [
        ("p cnf 2 2\nr 1/3 1 0\ne 2 0\n1 1 2 0\n1 -1 0\n", "1"),
        ("p cnf 2 1\nr 1/3 1 0\ne 2 0\n0\n", "0"),
        ("p cnf 2 1\nr 1/3 1 2 0\n1 1 0\n", "1/3"),
        ("p cnf 2 0\nr 1/3 1 0\na 2 0\n", "1"),
        ("p cnf 2 1\nr 1/3 1 0\na 2 0\n1 2 0\n", "1/3"),
    ] {
        let formula = formula::read(text.as_bytes()).expect("well-formed");
        let strategy = best_constants(&formula, value);
        let verdict = verify(&formula, &strategy, &Limits::default()).verdict;
        assert_eq!(
            verdict,
            Verdict::Proved(value.parse().expect("a fraction")),
            "{text}"
        );
    }
}

/// Existential variables are true, universal ones false.
fn best_constants(formula: &Formula, value: &str) -> sqasp_witness::Strategy {
    let mut strategy = random::strategy(&mut fastrand::Rng::with_seed(1), formula);
    let truth = formula::Var::new(formula.variables()).positive();
    strategy
        .exists
        .iter_mut()
        .for_each(|(_, function)| *function = truth);
    strategy
        .forall
        .iter_mut()
        .for_each(|(_, function)| *function = !truth);
    strategy.value = value.parse().expect("a fraction");
    strategy
}

#[test]
fn limits_leave_bounds() {
    let mut rng = fastrand::Rng::with_seed(9);
    let formula = random::formula(&mut rng);
    let strategy = random::strategy(&mut rng, &formula);
    let reason = |limits: &Limits| match verify(&formula, &strategy, limits).verdict {
        Verdict::Stopped {
            reason,
            lower,
            upper,
        } => {
            assert!(lower.is_zero() && upper.is_one());
            reason
        }
        other => panic!("{other:?}"),
    };
    let limits = Limits::default().within(Duration::ZERO);
    assert_eq!(reason(&limits), StopReason::Time);
    let limits = Limits {
        memory: Some(100),
        ..Limits::default()
    };
    assert_eq!(reason(&limits), StopReason::Memory);
    let limits = Limits::default();
    limits.interrupt.raise();
    assert_eq!(reason(&limits), StopReason::Interrupted);
}
