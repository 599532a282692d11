//! Several threads: the value is that of one thread, and all obey the limits.

use crate::circuits::circuit;
use crate::engine::learning;
use fastrand::Rng;
use formula::{Answer, Formula, Outcome, Quantifier, Solver};
use generators::{RandomClauses, SandCastle, random_clauses, rounds, sand_castle};
use limits::{Limits, StopReason};
use std::time::Duration;

fn solve(formula: &Formula, threads: usize, first_help: u64, limits: &Limits) -> Answer {
    let mut solver = learning();
    let options = &mut solver.options.learning;
    options.threads = threads;
    options.first_help = first_help;
    options.help_per_literal = 0;
    options.first_turn = 3000;
    solver.solve(formula, limits).expect("takes all")
}

/// Some thousands of branchings: too many for enumeration.
fn medium(random: &mut Rng) -> Formula {
    if random.u8(0..4) == 0 {
        return sand_castle(&SandCastle::new(random.usize(3..=7), random.bool()));
    }
    let mut quantifiers = vec![Quantifier::Exists, Quantifier::Forall, Quantifier::Chance];
    random.shuffle(&mut quantifiers);
    quantifiers.truncate(random.usize(2..=3));
    let family = RandomClauses {
        variables: 30,
        block: random.usize(3..=15),
        clauses: random.usize(50..=100),
        width: random.usize(3..=5),
        quantifiers,
    };
    random_clauses(random, &family)
}

/// How many threads took part.
fn threads(answer: &Answer) -> u64 {
    let mut numbers = answer.statistics.iter();
    let found = numbers.find(|(name, _)| *name == "threads");
    found.map_or(1, |&(_, number)| number)
}

#[test]
fn all_threads_together_find_the_value_of_one() {
    let seed = 41;
    let mut random = Rng::with_seed(seed);
    let mut together = 0;
    for round in 0..rounds(24) {
        let formula = medium(&mut random);
        let alone = solve(&formula, 1, 0, &Limits::default());
        for count in [2, 3, 5] {
            let first_help = random.choice([0, 1000, 20_000]).expect("not empty");
            let answer = solve(&formula, count, first_help, &Limits::default());
            let at = format!("seed {seed}, round {round}, {count} threads, help at {first_help}");
            assert_eq!(answer.outcome, alone.outcome, "{at}");
            together += usize::from(threads(&answer) == count as u64);
        }
    }
    assert!(together > 20, "seed {seed}: only {together} with help");
}

#[test]
fn circuits_have_one_value_for_all_numbers_of_threads() {
    let seed = 42;
    let mut random = Rng::with_seed(seed);
    for round in 0..rounds(300) {
        let text = circuit(&mut random);
        let formula = formula::read(text.as_bytes()).expect("well-formed");
        let alone = solve(&formula, 1, 0, &Limits::default());
        for count in [2, 3] {
            let answer = solve(&formula, count, 0, &Limits::default());
            let at = format!("seed {seed}, round {round}, {count} threads\n{text}");
            assert_eq!(answer.outcome, alone.outcome, "{at}");
        }
    }
}

/// A formula that takes hours.
fn hard() -> Formula {
    let mut random = Rng::with_seed(9);
    let family = RandomClauses {
        variables: 300,
        block: 100,
        clauses: 900,
        width: 3,
        quantifiers: vec![Quantifier::Exists, Quantifier::Chance, Quantifier::Exists],
    };
    random_clauses(&mut random, &family)
}

#[test]
fn all_threads_obey_limits() {
    let formula = hard();
    let reason = |limits: &Limits| match solve(&formula, 3, 0, limits).outcome {
        Outcome::Stopped {
            reason,
            lower,
            upper,
            ..
        } => {
            assert!(lower <= upper);
            reason
        }
        solved => panic!("{solved:?}: choose a harder formula"),
    };
    let time = Some(Duration::from_millis(300));
    let limits = Limits::default().within(time);
    assert_eq!(reason(&limits), StopReason::Time);

    let limits = Limits::default();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            limits.interrupt.raise();
        });
        assert_eq!(reason(&limits), StopReason::Interrupted);
    });
}

/// Threads share the memory. Where it is short, entries are dropped, and computed again when they are needed.
#[test]
fn little_memory_costs_threads_only_time() {
    let seed = 43;
    let mut random = Rng::with_seed(seed);
    let mut together = 0;
    for round in 0..rounds(10) {
        let family = RandomClauses {
            variables: 40,
            block: 10,
            clauses: 100,
            width: 3,
            quantifiers: vec![Quantifier::Exists, Quantifier::Chance],
        };
        let formula = random_clauses(&mut random, &family);
        let free = solve(&formula, 1, 0, &Limits::default());
        let tight = Limits {
            memory: Some(400_000),
            ..Limits::default()
        };
        let answer = solve(&formula, 3, 0, &tight);
        assert_eq!(answer.outcome, free.outcome, "seed {seed}, round {round}");
        together += usize::from(threads(&answer) > 1);
    }
    assert!(together > 0, "seed {seed}: no thread had room to help");
}
