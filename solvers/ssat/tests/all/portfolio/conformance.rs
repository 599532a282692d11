//! The suite every solver runs through, with all techniques and without each of them.

use crate::mixture::{ENGINES, mixture};
use formula::{Outcome, Solver, Value};
use generators::conformance::{Options as Suite, check};
use generators::rounds;
use limits::Limits;
use sqasp_ssat::portfolio::{Engine, Options, Portfolio};

#[test]
fn with_everything() {
    let suite = Suite {
        rounds: 1500,
        ..Suite::default()
    };
    for engine in ENGINES {
        let mut solver = Portfolio::default();
        solver.options.engine = engine;
        let summary = check(&mut solver, &suite).unwrap_or_else(|failure| panic!("{failure}"));
        assert_eq!(summary.refused, 0);
    }
}

#[test]
fn without_each_technique() {
    for (number, (name, _)) in Options::techniques().into_iter().enumerate() {
        let mut solver = Portfolio::default();
        solver.options.engine = Engine::Layered;
        *solver.options.technique(name).expect("it is on the list") = false;
        let suite = Suite {
            seed: 100 + number as u64,
            rounds: 150,
            ..Suite::default()
        };
        check(&mut solver, &suite).unwrap_or_else(|failure| panic!("without {name}: {failure}"));
    }
}

/// Any mixture of techniques, engines and threads, and odd sizes of groups, segments and keys.
#[test]
fn with_random_mixtures() {
    let mut random = fastrand::Rng::with_seed(3);
    for seed in 0..rounds(300) {
        let mut solver = mixture(&mut random);
        let suite = Suite {
            seed: 1000 + seed as u64,
            rounds: 15,
            scaled: false,
            ..Suite::default()
        };
        check(&mut solver, &suite)
            .unwrap_or_else(|failure| panic!("{:?}: {failure}", solver.options));
    }
}

/// Found by [`with_random_mixtures`]: constants that unit propagation did not take out were more
/// than a key may hold, even before the first decision.
#[test]
fn the_first_key_may_be_too_wide() {
    let text = "p cnf 4 4\ne 1 2 0\nr 0.5 3 0\ne 4 0\n-1 0\n2 0\n4 1 0\n2 3 0\n";
    let formula = formula::read(text.as_bytes()).expect("well-formed");
    let mut solver = Portfolio::default();
    solver.options.engine = Engine::Layered;
    solver.options.simplify.propagate_units = false;
    solver.options.layered.check_definability = false;
    solver.options.layered.group_size = 1;
    solver.options.layered.widest_key = 1;
    solver.options.layered.reduce_keys = false;
    let answer = solver.solve(&formula, &Limits::default()).expect("solves");
    let one = "1".parse().expect("a fraction");
    assert_eq!(answer.outcome, Outcome::Solved(Value::Exact(one)));
}

/// Found by [`with_random_mixtures`]: when the move of an opponent was recognised, a variable that
/// says which player selects, or which moves are legal, was set as the pure literal that was left of it.
#[test]
fn who_selects_is_of_interest() {
    let text = "p cnf 6 7\na 1 0\ne 2 0\na 3 0\ne 4 5 0\nr 0.5 6 0\n-2 -1 0\n2 1 0\n-3 2 -4 0\n\
                -3 -2 4 0\n-5 3 0\n4 6 0\n-5 -6 0\n";
    let formula = formula::read(text.as_bytes()).expect("well-formed");
    let half = "1/2".parse().expect("a fraction");
    let mut solver = Portfolio::default();
    solver.options.engine = Engine::Layered;
    solver.options.layered.check_definability = false;
    let answer = solver.solve(&formula, &Limits::default()).expect("solves");
    assert_eq!(answer.outcome, Outcome::Solved(Value::Exact(half)));
}
