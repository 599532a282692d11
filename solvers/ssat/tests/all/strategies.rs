//! Strategies that the search writes down are worth the value, by enumeration of the definition and by counting.

use crate::circuits::circuit;
use conformance::worth;
use formula::{Formula, Outcome, Quantifier, Value};
use generators::{
    RandomClauses, Structured, enumerate, random_clauses, rounds, shrink, structured,
};
use limits::{Limits, Publisher};
use num_traits::{One, Zero};
use sqasp_ssat::{Options, SWITCHES, StrategyOutcome, solve_with_strategy};
use witness::{Decider, Verdict};

const MAX_LITERALS: usize = 1_000_000;

fn random(rng: &mut fastrand::Rng) -> Formula {
    match rng.u8(0..4) {
        0 => structured(rng, &Structured::default()),
        1 | 2 => formula::read(circuit(rng).as_bytes()).expect("well-formed"),
        _ => {
            let mut quantifiers = vec![Quantifier::Exists, Quantifier::Forall, Quantifier::Chance];
            rng.shuffle(&mut quantifiers);
            quantifiers.truncate(rng.usize(1..=3));
            let variables = 10;
            let family = RandomClauses {
                variables,
                block: rng.usize(1..=variables / 2),
                clauses: rng.usize(variables / 2..=3 * variables),
                width: 3,
                quantifiers,
            };
            random_clauses(rng, &family)
        }
    }
}

#[test]
fn strategies_are_worth_the_value() {
    let seed = 41;
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut between = 0;
    for round in 0..rounds(1500) {
        let formula = random(&mut rng);
        let mut options = Options::default();
        if rng.bool() {
            for switch in SWITCHES {
                *(switch.field)(&mut options) = rng.u8(0..4) > 0;
            }
        }
        options.first_turn = rng.choice([0, 20, 200, 2_000_000]).expect("not empty");
        options.small_component = rng.choice([0, 10, 4096]).expect("not empty");
        options.split_per_return = rng.choice([0, 1, 16]).expect("not empty");
        if mistake(&formula, &options).is_some() {
            let small = shrink(&formula, |candidate| mistake(candidate, &options).is_some());
            let mistake = mistake(&small, &options).expect("it is still there");
            let mut text = Vec::new();
            formula::sdimacs::write(&small, &mut text).expect("memory takes all");
            let text = String::from_utf8_lossy(&text);
            panic!("seed {seed}, round {round}, {options:?}: {mistake}\n{text}");
        }
        let value = enumerate(&formula).expect("it is small");
        between += u32::from(!value.is_zero() && !value.is_one());
    }
    let enough = rounds(1500) as u32 / 4;
    assert!(
        between > enough,
        "seed {seed}: only {between} values between 0 and 1"
    );
}

/// The mistake in the strategy that is found for a formula, if there is one.
fn mistake(formula: &Formula, options: &Options) -> Option<String> {
    let (limits, nobody) = (Limits::default(), Publisher::default());
    let found = solve_with_strategy("random", formula, options, &limits, &nobody, MAX_LITERALS);
    let (answer, found) = found.expect("takes all");
    let value = enumerate(formula).expect("it is small");
    if answer.outcome != Outcome::Solved(Value::Exact(value.clone())) {
        return Some(format!("{:?}, not {value}", answer.outcome));
    }
    let StrategyOutcome::Strategy(strategy) = found else {
        return Some(format!("no strategy: {found:?}"));
    };
    if let Err(flaw) = witness::check(formula, &strategy) {
        return Some(flaw.to_string());
    }
    for side in Decider::BOTH {
        let found = worth(formula, &strategy, side);
        if found != value {
            return Some(format!(
                "{side:?} is worth {found}, not {value}: {strategy:?}"
            ));
        }
    }
    let verdict = witness::verify(formula, &strategy, &Limits::default()).verdict;
    (verdict != Verdict::Proved(value)).then(|| format!("{verdict:?}"))
}

/// Where the output of a gate is universal and stands behind its inputs, the minimizer makes it wrong.
#[test]
fn a_defined_universal_variable_is_made_wrong() {
    let gates = "-4 1 0\n-4 2 0\n4 -1 -2 0\n5 -4 0\n5 -3 0\n-5 4 3 0\n5 6 0\n";
    for prefix in [
        "e 1 0\nr 0.5 2 3 0\na 5 0\ne 4 6 0\n",
        "e 1 0\nr 0.5 2 3 0\ne 5 0\na 4 0\ne 6 0\n",
        "a 3 0\ne 1 0\nr 0.5 2 0\na 5 6 0\ne 4 0\n",
    ] {
        let text = format!("p cnf 6 7\n{prefix}{gates}");
        let formula = formula::read(text.as_bytes()).expect("well-formed");
        assert!(enumerate(&formula).expect("it is small").is_zero());
        assert_eq!(mistake(&formula, &Options::default()), None, "{prefix}");
    }
}
