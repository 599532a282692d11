//! Facts that keys and layers of tables rest on: they are the same in each run, and refutations are checked.

use crate::board::random_board;
use crate::race::random_race;
use crate::random::random_problem;
use crate::stones::Board;
use circuit::Literal;
use circuit::sat::{Observer, observed};
use fastrand::Rng;
use generators::conformance::check_refutations;
use generators::{rounds, seeds};
use limits::{Limits, StopReason};
use sqasp_emm::{Engine, Layering, Options, Problem, QuestionError};
use std::cell::Cell;
use std::thread::{self, sleep};
use std::time::Duration;

/// A solver on a machine that is busy with something else at first.
struct Slow(Cell<bool>);

impl Observer for Slow {
    fn require(&mut self, _: &[Literal]) {}

    fn learn(&mut self, _: &[Literal]) {}

    fn refute(&mut self, _: &[Literal]) {}

    fn wait(&self) {
        if self.0.replace(false) {
            sleep(Duration::from_millis(2100));
        }
    }
}

fn slowed<T>(work: impl FnOnce() -> T) -> T {
    observed(|| Box::new(Slow(Cell::new(true))), work)
}

fn engine(problem: &Problem) -> Engine {
    engine_with(problem, 0)
}

/// Facts that no longer matter are merged if there are this many.
fn engine_with(problem: &Problem, fewest_dead_facts: usize) -> Engine {
    let options = Options {
        fewest_dead_facts,
        ..Options::default()
    };
    Engine::new(problem.clone(), options).expect("it makes sense")
}

/// How keys and layers are made from the initial state on.
fn form(engine: &mut Engine, layering: Layering, limits: &Limits) -> Result<String, QuestionError> {
    let start = engine.initial().to_vec();
    let layer = engine.prepare_layers(&start, layering, limits)?;
    Ok(format!("{layer:?} {}", engine.key_form()))
}

/// A board on which stones matter no longer, and cells hold at most one.
fn board(side: usize) -> Problem {
    let board = Board {
        drop: false,
        width: side,
        height: side,
        line: side,
        against_random: true,
        keep: 0,
        flip: 0,
        player: 0,
    };
    board.problem()
}

/// One of some kinds of problems.
fn some_problem(random: &mut Rng, kind: u64) -> Problem {
    match kind % 4 {
        0 => random_problem(random),
        1 => {
            let says_empty = random.bool();
            random_board(random, says_empty)
        }
        2 => board(3),
        _ => random_race(random),
    }
}

#[test]
fn keys_do_not_depend_on_how_fast_the_machine_is() {
    let (problem, limits) = (board(3), Limits::default());
    let mut fast = engine(&problem);
    let steps = Layering::Steps(9);
    let expected = form(&mut fast, steps, &limits).expect("there is time");
    // Facts are seen in other ways.
    assert!(expected.contains("Some(\"[Literal"));
    let (found, ended, mut stopped) = thread::scope(|scope| {
        let slow = scope.spawn(|| slowed(|| form(&mut engine(&problem), steps, &limits)));
        let little = Limits::default().within(Duration::from_secs(1));
        let mut stopped = engine(&problem);
        let ended = slowed(|| form(&mut stopped, steps, &little));
        (slow.join().expect("no panic"), ended, stopped)
    });
    assert_eq!(found, Ok(expected.clone()));
    // A limit that the user sets ends the preparation; nothing else is made then.
    assert_eq!(ended, Err(QuestionError::Stopped(StopReason::Time)));
    assert_eq!(form(&mut stopped, steps, &limits), Ok(expected));
}

#[test]
fn keys_do_not_depend_on_memory_or_on_what_was_asked_before() {
    for (seed, mut random) in seeds(fastrand::u64(..1 << 60), 30) {
        let problem = some_problem(&mut random, seed);
        let fewest = random.usize(0..3);
        let engine = |problem: &Problem| engine_with(problem, fewest);
        let layering = Layering::AllSteps;
        let limits = Limits::default();
        let expected = form(&mut engine(&problem), layering, &limits);
        let little = Limits::with_memory(Some(1000));
        let steps = Layering::Steps(7);
        let with_little = form(&mut engine(&problem), steps, &little);
        let with_much = form(&mut engine(&problem), steps, &limits);
        assert_eq!(with_little, with_much, "seed {seed}");
        let mut other = engine(&problem);
        for _ in 0..3 {
            let mut state = other.initial().to_vec();
            state.iter_mut().for_each(|fact| *fact ^= random.bool());
            let _ = other.solve(&state, Some(random.u32(0..7)), &limits);
            let _ = other.horizon(&state, &limits);
        }
        let found = form(&mut other, layering, &limits);
        assert_eq!(found, expected, "seed {seed}");
    }
}

#[test]
fn what_keys_rest_on_is_refuted_step_by_step() {
    let seed = fastrand::u64(..);
    let mut random = Rng::with_seed(seed);
    let limits = Limits::default();
    let ((), checked) = check_refutations(|| {
        for round in 0..rounds(40) {
            let mut engine = engine(&some_problem(&mut random, round));
            let _ = form(&mut engine, Layering::AllSteps, &limits);
        }
        form(&mut engine(&board(4)), Layering::AllSteps, &limits).expect("it is found");
    });
    assert!(
        checked.refutations > 200 && checked.lemmas > 500,
        "seed {seed}: {checked:?}"
    );
}
