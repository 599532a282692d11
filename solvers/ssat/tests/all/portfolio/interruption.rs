//! Runs that are cut short: the bounds must enclose the value wherever the cut falls, and nothing
//! may be left to chance.

use crate::engine::clauses;
use crate::mixture::{ENGINES, mixture, resize};
use formula::{BigRational, Formula, Lit, Outcome, Probability, Quantifier, Solver, Value};
use generators::conformance::is_solved;
use generators::{
    FormulaBuilder, Layered, Structured, enumerate, layered, rounds, seeds, structured,
};
use limits::{Limits, StopReason};
use sqasp_ssat::portfolio::{Engine, Options, Portfolio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A formula of several steps; larger than plain enumeration can take if `steps` is.
fn game(random: &mut fastrand::Rng, steps: usize, state: usize) -> Formula {
    let family = Layered {
        steps,
        state,
        decision: random.usize(1..=3),
        quantifiers: vec![Quantifier::Exists, Quantifier::Forall, Quantifier::Chance],
    };
    layered(random, &family)
}

fn solve(solver: &mut Portfolio, formula: &Formula) -> BigRational {
    match solver
        .solve(formula, &Limits::default())
        .expect("takes all formulas")
        .outcome
    {
        Outcome::Solved(Value::Exact(value)) => value,
        other => panic!("not solved: {other:?}"),
    }
}

#[test]
fn bounds_enclose_the_value_wherever_the_run_ends() {
    let (mut stopped, mut informative) = (0, 0);
    for (seed, mut random) in seeds(11_000_000, 600) {
        let formula = match random.bool() {
            true => structured(&mut random, &Structured::default()),
            false => clauses(&mut random, 12),
        };
        let value = enumerate(&formula).expect("it is small");
        let mut solver = mixture(&mut random);
        solver.options.engine = ENGINES[seed as usize % ENGINES.len()];
        for limit in (0..12).chain([16, 36, 64, 121]) {
            solver.options.decision_limit = Some(limit);
            let answer = solver
                .solve(&formula, &Limits::default())
                .expect("takes all formulas");
            let at = format!("seed {seed}, limit {limit}");
            let reasons = [StopReason::Interrupted];
            stopped += u32::from(!is_solved(&answer.outcome, &value, &reasons, &at));
            if let Outcome::Stopped { lower, upper, .. } = &answer.outcome {
                informative += u32::from(lower + BigRational::from_integer(1.into()) > *upper);
            }
        }
    }
    assert!(stopped > 100 && informative > 10, "{stopped} {informative}");
}

#[test]
fn larger_formulas_have_one_value_whatever_is_switched_off() {
    for (seed, mut random) in seeds(5_000_000, 40) {
        let formula = game(&mut random, 6, 3);
        let value = solve(&mut Portfolio::default(), &formula);
        for (name, _) in Options::techniques() {
            // Without gates the search is hopeless on formulas of this size.
            if ["gates", "definability"].contains(&name) {
                continue;
            }
            let mut solver = Portfolio::default();
            *solver.options.technique(name).expect("it is on the list") = false;
            let other = solve(&mut solver, &formula);
            assert_eq!(other, value, "seed {seed}, without {name}");
        }
    }
}

#[test]
fn two_runs_are_alike() {
    let mut random = fastrand::Rng::with_seed(6);
    for _ in 0..rounds(20) {
        let formula = game(&mut random, 8, 4);
        let run = || {
            let mut solver = Portfolio::default();
            // With several threads the value is the same, but not the way to it.
            solver.options.layered.search.threads = 1;
            solver.options.learning.threads = 1;
            solver.solve(&formula, &Limits::default()).unwrap()
        };
        assert_eq!(run(), run());
    }
}

/// A formula without layers, gates or an easy answer.
fn hard(variables: usize) -> Formula {
    let mut random = fastrand::Rng::with_seed(9);
    let family = generators::RandomClauses {
        variables,
        block: variables / 3,
        clauses: 3 * variables,
        width: 3,
        quantifiers: vec![Quantifier::Exists, Quantifier::Chance, Quantifier::Exists],
    };
    generators::random_clauses(&mut random, &family)
}

#[test]
fn limits_are_obeyed_and_named() {
    let formula = hard(300);
    let stop = |threads: usize, limits: Limits| {
        let mut solver = Portfolio::default();
        let options = &mut solver.options.learning;
        (options.threads, options.first_help) = (threads, 0);
        match solver.solve(&formula, &limits).unwrap().outcome {
            Outcome::Stopped {
                reason,
                lower,
                upper,
                ..
            } => {
                assert!(lower <= upper);
                reason
            }
            solved => panic!("solved to {solved:?}: choose a harder formula"),
        }
    };
    let calls = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&calls);
    let time = Some(Duration::from_millis(900));
    let limits = Limits {
        progress: Some(Arc::new(move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
        })),
        ..Limits::default().within(time)
    };
    assert_eq!(stop(0, limits), StopReason::Time);
    assert!(
        (1..=5).contains(&calls.load(Ordering::Relaxed)),
        "{calls:?} reports"
    );

    let limits = Limits::with_memory(Some(1 << 18));
    assert_eq!(stop(0, limits), StopReason::Memory);
    for (threads, checks) in [(1, 0), (1, 100), (3, 100)] {
        assert_eq!(
            stop(threads, Limits::after_checks(checks)),
            StopReason::Interrupted
        );
    }
}

/// A formula of many variables and nothing in common with a game must not overflow the stack, take
/// quadratic time to prepare, or take memory unasked.
#[test]
fn very_large_formulas_are_interrupted_in_good_order() {
    let limits = Limits {
        memory: Some(100 << 20),
        ..Limits::after_checks(100)
    };
    let answer = Portfolio::default().solve(&hard(30_000), &limits).unwrap();
    assert!(matches!(answer.outcome, Outcome::Stopped { .. }));
}

/// However little memory there is: the value, or bounds.
#[test]
fn any_memory_limit_gives_the_value_or_bounds() {
    let (mut solved, mut stopped) = (0, 0);
    for (seed, mut random) in seeds(14_000_000, 300) {
        let formula = structured(&mut random, &Structured::default());
        let value = enumerate(&formula).expect("it is small");
        let mut solver = mixture(&mut random);
        let bits = random.u32(1..24);
        let memory = random.u64(0..1 << bits);
        let limits = Limits::with_memory(Some(memory));
        let answer = solver.solve(&formula, &limits).expect("takes all");
        let at = format!("seed {seed}, {memory} bytes, {:?}", solver.options);
        match is_solved(&answer.outcome, &value, &[StopReason::Memory], &at) {
            true => solved += 1,
            false => stopped += 1,
        }
    }
    assert!(solved > 10 && stopped > 10, "{solved} {stopped}");
}

/// A game with as many states as its bits allow: each step turns the state round by one bit and
/// flips two bits as the players say.
fn game_of_many_states(random: &mut fastrand::Rng, steps: usize, bits: usize) -> Formula {
    let mut made = FormulaBuilder::default();
    let mut state = made.block("e", bits);
    state.iter().for_each(|&bit| made.clause([bit]));
    for step in 0..steps {
        let moves = made.block(["e", "r 1/2", "a"][step % 3], 2);
        state.rotate_left(1);
        for action in moves {
            let bit = random.usize(..bits);
            state[bit] = made.xor("", state[bit], action);
        }
    }
    for _ in 0..bits {
        let literal = |_| {
            let bit = state[random.usize(..bits)];
            if random.bool() { bit } else { !bit }
        };
        made.clause((0..4).map(literal));
    }
    made.finish()
}

/// Tables that may not grow forget states; the value is found all the same, by many threads in each
/// other's way.
#[test]
fn little_memory_costs_only_time() {
    let mut forgotten = 0;
    for (seed, mut random) in seeds(15_000_000, 12) {
        let formula = game_of_many_states(&mut random, 18, 16);
        let value = solve(&mut Portfolio::default(), &formula);
        let states = |memory: Option<u64>, random: &mut fastrand::Rng| {
            let mut solver = Portfolio::default();
            solver.options.engine = Engine::Layered;
            solver.options.layered.segment_length = 1;
            solver.options.layered.search.threads = [1, 2, 8][random.usize(..3)];
            let limits = Limits {
                memory,
                ..Limits::default()
            };
            let answer = solver.solve(&formula, &limits).expect("takes all");
            let at = format!(
                "seed {seed}, {memory:?} bytes, {} threads",
                solver.options.layered.search.threads
            );
            assert!(is_solved(&answer.outcome, &value, &[], &at), "{at}");
            let mut statistics = answer.statistics.into_iter();
            let states = statistics.find(|(name, _)| *name == "states");
            states.map_or(0, |(_, states)| states)
        };
        let all = states(None, &mut random);
        for kilobytes in [600, 300, 150] {
            let left = states(Some(kilobytes << 10), &mut random);
            forgotten += u32::from(4 * left < 3 * all);
        }
    }
    assert!(forgotten > 0, "choose larger formulas");
}

/// Interrupted at any moment, with several threads.
#[test]
fn bounds_enclose_the_value_whenever_the_interrupt_comes() {
    let (mut solved, mut stopped) = (0, 0);
    for (seed, mut random) in seeds(16_000_000, 150) {
        let formula = game(&mut random, 10, 8);
        let mut solver = Portfolio::default();
        let value = solve(&mut solver, &formula);
        resize(&mut random, &mut solver);
        solver.options.engine = ENGINES[random.usize(..ENGINES.len())];
        solver.options.layered.search.threads = [1, 2, 8][random.usize(..3)];
        let at = format!("seed {seed}, {:?}", solver.options);
        let limits = Limits::after_checks(1 << random.u32(..12));
        let answer = solver.solve(&formula, &limits).expect("takes all");
        match is_solved(&answer.outcome, &value, &[StopReason::Interrupted], &at) {
            true => solved += 1,
            false => stopped += 1,
        }
    }
    assert!(stopped > 10, "{solved} {stopped}");
}

/// Variables that propagation forces one after the other have one assignment each; thousands of
/// them do not fit into one segment (this was a stack overflow).
#[test]
fn forced_decisions_are_many() {
    let count = 4000;
    let mut made = FormulaBuilder::default();
    let (forced, chance) = (made.block("e", count), made.block("r 1/2", 1)[0]);
    let others = made.block("e", count);
    for (forced, other) in forced.into_iter().zip(others) {
        made.clause([forced, other]);
        made.clause([forced, !other, chance]);
        made.clause([forced, !other, !chance]);
    }
    let formula = made.finish();
    for engine in [Engine::Layered, Engine::Learning] {
        let mut solver = Portfolio::default();
        solver.options.engine = engine;
        let one = BigRational::from_integer(1.into());
        assert_eq!(solve(&mut solver, &formula), one);
    }
}

/// Each of many chances has a denominator of its own, and segments are too wide to learn them before
/// the search: it begins again for each, and still has to check the limits.
#[test]
fn restarts_for_denominators_end_in_time() {
    let half = 12_000_u64;
    let mut made = FormulaBuilder::default();
    let chance = |number| made.chance("", &Probability::ratio(1000 + number % 997, 10_000));
    let chances: Vec<Lit> = (1..=2 * half).map(chance).collect();
    let (first, second) = chances.split_at(half as usize);
    for (&one, &other) in first.iter().zip(second) {
        made.clause([one, other]);
    }
    let formula = made.finish();
    let mut solver = Portfolio::default();
    solver.options.engine = Engine::Layered;
    let answer = solver.solve(&formula, &Limits::after_checks(100));
    let reason = answer.expect("takes all").outcome.stopped_by();
    assert_eq!(reason, Some(StopReason::Interrupted));
}

/// Where memory does not hold the branches of a single state, clause learning goes on and finds the value.
#[test]
fn learning_goes_on_where_a_state_has_too_many_branches() {
    let formula = parities(12);
    let limits = Limits::with_memory(Some(1 << 18));
    let mut solver = Portfolio::default();
    let mut outcome = |engine| {
        solver.options.engine = engine;
        let answer = solver.solve(&formula, &limits).expect("takes all");
        answer.outcome
    };
    let stopped = outcome(Engine::Layered);
    assert!(
        matches!(stopped, Outcome::Stopped { reason, .. } if reason == StopReason::Memory),
        "{stopped:?}"
    );
    let half = Value::Exact("1/2".parse().expect("a fraction"));
    assert_eq!(outcome(Engine::Auto), Outcome::Solved(half));
}

/// Coins are thrown, and the opponent names a bit. In each of twelve rounds gates take the sums modulo 2 of neighbours in a row that
/// was turned by one, so that all gates depend on all coins. The last gate or the bit must be true.
fn parities(coins: usize) -> Formula {
    let mut made = FormulaBuilder::default();
    let (mut row, bit) = (made.block("r 1/2", coins), made.block("a", 1)[0]);
    for _ in 0..12 {
        for place in 1..coins {
            row[place] = made.xor("", row[place - 1], row[place]);
        }
        row.rotate_left(1);
    }
    made.clause([row[coins - 2], bit]);
    made.finish()
}
