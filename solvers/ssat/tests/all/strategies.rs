//! Strategies that the search writes down prove the value, by enumeration of the definition and by the check; damaged ones prove nothing false.

use crate::circuits::circuit;
use crate::engine::clauses;
use crate::play::worth;
use formula::{BigRational, Formula, Outcome, Quantifier, Value};
use generators::{
    RandomClauses, Structured, enumerate, random_clauses, rounds, seeds, shrink, structured,
};
use limits::{Limits, Publisher};
use num_traits::{One, Zero};
use sqasp_ssat::trace::check::{Flaw, Side, Verdict, verify};
use sqasp_ssat::trace::{Trace, read, write_json};
use sqasp_ssat::{Options, StrategyOutcome, solve_with_strategy};

const MAX_SIZE: usize = 1_000_000;

fn random(rng: &mut fastrand::Rng) -> Formula {
    match rng.u8(0..4) {
        0 => structured(rng, &Structured::default()),
        1 | 2 => circuit(rng),
        _ => clauses(rng, 10),
    }
}

#[test]
fn traces_prove_the_value() {
    let mut between = 0;
    for (seed, mut rng) in seeds(41_000_000, 1500) {
        let formula = random(&mut rng);
        let mut options = Options::default();
        if rng.bool() {
            for (name, _) in Options::techniques() {
                *options.technique(name).expect("it is on the list") = rng.u8(0..4) > 0;
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
            panic!("seed {seed}, {options:?}: {mistake}\n{text}");
        }
        let value = enumerate(&formula).expect("it is small");
        between += u32::from(!value.is_zero() && !value.is_one());
    }
    let enough = rounds(1500) as u32 / 4;
    assert!(between > enough, "only {between} values between 0 and 1");
}

/// Long clauses over few variables: components come back where learned clauses need other literals.
#[test]
fn traces_of_components_that_come_back_prove_the_value() {
    for (seed, mut rng) in seeds(44_000_000, 12) {
        let family = RandomClauses {
            variables: 20,
            block: 10,
            clauses: rng.usize(60..=90),
            width: 5,
            quantifiers: vec![Quantifier::Exists, Quantifier::Chance],
        };
        let formula = random_clauses(&mut rng, &family);
        let (options, limits) = (Options::default(), Limits::default());
        let publisher = Publisher::default();
        let found =
            solve_with_strategy("random", &formula, &options, &limits, &publisher, MAX_SIZE);
        let (answer, found) = found.expect("takes all");
        let (Outcome::Solved(Value::Exact(value)), StrategyOutcome::Strategy(trace)) =
            (answer.outcome, found)
        else {
            panic!("seed {seed}: there are no limits");
        };
        let verdict = verify(&formula, &trace, &limits).verdict;
        assert_eq!(verdict, Verdict::Proved(value), "seed {seed}");
    }
}

/// The mistake in the strategy that is found for a formula, if there is one.
fn mistake(formula: &Formula, options: &Options) -> Option<String> {
    let (limits, publisher) = (Limits::default(), Publisher::default());
    let found = solve_with_strategy("random", formula, options, &limits, &publisher, MAX_SIZE);
    let (answer, found) = found.expect("takes all");
    let value = enumerate(formula).expect("it is small");
    if answer.outcome != Outcome::Solved(Value::Exact(value.clone())) {
        return Some(format!("{:?}, not {value}", answer.outcome));
    }
    let StrategyOutcome::Strategy(trace) = found else {
        return Some(format!("no strategy: {found:?}"));
    };
    let verdict = verify(formula, &trace, &Limits::default()).verdict;
    if verdict != Verdict::Proved(value.clone()) {
        return Some(format!("{verdict:?}: {}", text(&trace)));
    }
    let read = read(text(&trace).as_bytes());
    if read.as_ref() != Ok(&*trace) {
        return Some(format!("{read:?} is read from {}", text(&trace)));
    }
    for side in [Side::Lower, Side::Upper] {
        let found = worth(formula, &trace, side);
        if found != value {
            return Some(format!(
                "{side:?} is worth {found}, not {value}: {}",
                text(&trace)
            ));
        }
    }
    None
}

fn text(trace: &Trace) -> String {
    let mut text = Vec::new();
    write_json(trace, &mut text).expect("memory takes all");
    String::from_utf8(text).expect("JSON is text")
}

/// The check is right about traces in which some numbers were changed: a bound that it takes is one.
#[test]
fn damaged_traces_prove_nothing_false() {
    let (mut read_again, mut refused, mut other_bounds) = (0, 0, 0);
    for (seed, mut rng) in seeds(43_000_000, 400) {
        let formula = random(&mut rng);
        let (limits, publisher) = (Limits::default(), Publisher::default());
        let options = Options::default();
        let found =
            solve_with_strategy("random", &formula, &options, &limits, &publisher, MAX_SIZE);
        let Ok((_, StrategyOutcome::Strategy(trace))) = found else {
            panic!("seed {seed}: {found:?}");
        };
        let value = enumerate(&formula).expect("it is small");
        let whole = text(&trace);
        for change in 0..40 {
            let damaged = damaged(&mut rng, &whole, formula.variables());
            let Ok(mut damaged) = read(damaged.as_bytes()) else {
                continue;
            };
            read_again += 1;
            let at = format!("seed {seed}, change {change}");
            // Both sides are to be gone through, so the promise is neither 0 nor 1.
            damaged.value = BigRational::new(1.into(), 3.into());
            for _ in 0..2 {
                match verify(&formula, &damaged, &limits).verdict {
                    Verdict::Proved(found) => assert_eq!(found, value, "{at}"),
                    Verdict::Refused(Flaw::BrokenPromise { side, found, .. }) => {
                        let is_bound = match side {
                            Side::Lower => *found <= value,
                            Side::Upper => *found >= value,
                        };
                        assert!(is_bound, "{at}: {found} of {value}\n{}", text(&damaged));
                        other_bounds += u32::from(*found != value);
                        if side == Side::Lower && !found.is_one() && !found.is_zero() {
                            damaged.value = *found;
                            continue;
                        }
                    }
                    Verdict::Refused(_) => refused += 1,
                    stopped @ Verdict::Stopped { .. } => panic!("{at}: {stopped:?}"),
                }
                break;
            }
        }
    }
    println!("{read_again} read, {refused} refused, {other_bounds} other bounds");
    assert!(
        refused > read_again / 4 && other_bounds > 20,
        "{refused} of {read_again}, {other_bounds}"
    );
}

/// A text with one to three other numbers behind its heading.
fn damaged(rng: &mut fastrand::Rng, text: &str, variables: usize) -> String {
    let mut text = text.to_owned();
    for _ in 0..rng.usize(1..=3) {
        let body = text.find("\"definitions\"").expect("it is there");
        let is_number = |byte: u8| byte.is_ascii_digit() || byte == b'-';
        let bytes = text.as_bytes();
        let starts: Vec<usize> = (body..bytes.len())
            .filter(|&at| is_number(bytes[at]) && !is_number(bytes[at - 1]))
            .collect();
        let Some(start) = rng.choice(starts) else {
            return text;
        };
        let end = (start..bytes.len()).find(|&at| !is_number(bytes[at]));
        let end = end.expect("a number does not end the text");
        let other = match rng.u8(0..4) {
            0 => {
                let old: i64 = text[start..end].parse().expect("a number");
                -old
            }
            1 => rng.i64(-(variables as i64)..=variables as i64),
            _ => rng.i64(0..12),
        };
        text.replace_range(start..end, &other.to_string());
    }
    text
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
