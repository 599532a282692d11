//! Several threads: the value is that of one thread, and all share the memory.

use crate::engine::learning;
use fastrand::Rng;
use formula::{Answer, Formula, Quantifier, Solver};
use generators::{RandomClauses, SandCastle, random_clauses, sand_castle, seeds};
use limits::{Limits, StopReason};

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
    let mut together = 0;
    for (seed, mut random) in seeds(41_000_000, 24) {
        let formula = medium(&mut random);
        let alone = solve(&formula, 1, 0, &Limits::default());
        for count in [2, 3, 5] {
            let first_help = random.choice([0, 1000, 20_000]).expect("not empty");
            let answer = solve(&formula, count, first_help, &Limits::default());
            let at = format!("seed {seed}, {count} threads, help at {first_help}");
            assert_eq!(answer.outcome, alone.outcome, "{at}");
            together += usize::from(threads(&answer) == count as u64);
        }
    }
    assert!(together > 20, "only {together} with help");
}

/// Threads share the memory. Where it is short, entries are dropped, and computed again when they are needed.
#[test]
fn little_memory_costs_only_time() {
    let (mut reached, mut together) = (0, 0);
    for (seed, mut random) in seeds(43_000_000, 10) {
        let family = RandomClauses {
            variables: 40,
            block: 10,
            clauses: 100,
            width: 3,
            quantifiers: vec![Quantifier::Exists, Quantifier::Chance],
        };
        let formula = random_clauses(&mut random, &family);
        let run = |threads, memory| {
            let limits = Limits {
                memory,
                ..Limits::default()
            };
            solve(&formula, threads, 0, &limits)
        };
        let (free, tight) = (run(1, None), run(1, Some(100_000)));
        let shared = run(3, Some(400_000));
        for answer in [&tight, &shared] {
            assert_eq!(answer.outcome, free.outcome, "seed {seed}");
        }
        reached += usize::from(free.statistics != tight.statistics);
        together += usize::from(threads(&shared) > 1);
        let hopeless = run(1, Some(1000)).outcome.stopped_by();
        assert_eq!(hopeless, Some(StopReason::Memory), "seed {seed}");
    }
    assert!(
        reached > 0 && together > 0,
        "{reached} used up their memory, {together} had room for help"
    );
}
