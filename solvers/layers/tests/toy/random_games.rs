//! Tables of random games: without end, each value against the definition and against the solver in memory; of matrix games, with keys by
//! all that is proved of the game.

use crate::board::random_board;
use crate::definition::{Definition, listed, random_options};
use crate::race::random_race;
use crate::random::{random_contest, random_problem};
use crate::supports::value_by_supports;
use emm::{Engine, Layering, Options, Problem};
use fastrand::Rng;
use generators::rounds;
use limits::Limits;
use sqasp_layers::{DiskTable, DiskTableError, FORMAT, Manifest, VERSION, build, check, check_all};
use std::collections::HashSet;
use std::path::Path;

pub fn manifest(layer: Option<usize>, mixed: bool) -> Manifest {
    Manifest {
        format: FORMAT.to_owned(),
        version: VERSION,
        rules: "none".to_owned(),
        text_of_rules: "none".to_owned(),
        as_written: None,
        game: "random".to_owned(),
        role: "max".to_owned(),
        objective: "win".to_owned(),
        largest: "1".to_owned(),
        depth: layer.unwrap_or(1),
        keys: "random".to_owned(),
        shards: 1,
        mixed,
        endless: layer.is_none(),
    }
}

/// Builds a table of all that follows from the initial state, and checks it; nothing if there is none.
fn table(
    engine: &mut Engine,
    layering: Layering,
    mixed: bool,
    folder: &Path,
) -> Option<(DiskTable, usize)> {
    let start = engine.initial().to_vec();
    let limits = Limits::default();
    let layer = engine.prepare_layers(&start, layering, &limits).ok()?;
    let state = engine.layered_state(&start).filter(|_| layer != Some(0))?;
    let (game, manifest) = (engine.layered_game(), manifest(layer, mixed));
    let little = Limits::with_memory(Some(1_000_000));
    let table = match build(game, &state, &manifest, folder, &little, 1, &mut |_| ()) {
        Err(DiskTableError::Flaw(_)) => return None,
        built => built.expect("a table"),
    };
    check(&table).expect("whole");
    let scratch = tempfile::tempdir().expect("a folder");
    let path = scratch.path();
    let checked = check_all(game, &state, &table, path, &limits, 2, &mut |_| ());
    assert_eq!(checked.expect("right"), table.states());
    Some((table, manifest.depth))
}

/// All states of play that is not over; the first is one of them in any case.
fn reachable(problem: &Problem) -> Vec<Vec<bool>> {
    let definition = Definition::new(problem);
    let states = listed(&definition, &problem.step.initial).into_iter();
    let states = states.map(|(state, _)| state).enumerate();
    let states =
        states.filter(|(number, state)| *number == 0 || definition.payoff(state).is_none());
    states.map(|(_, state)| state).collect()
}

/// The most states of a game whose values are computed by definition.
const MAX_STATES: usize = 300;

/// The steps that the definition follows play of which no end is known.
const STEPS: u32 = 12;

#[test]
fn each_position_has_the_value_of_play_without_end() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = Rng::with_seed(seed);
    let (mut tables, mut endless, mut positions, mut between) = (0, 0, 0, 0);
    let games = rounds(150);
    for round in 0..games {
        let problem = match round % 4 {
            0 => {
                let says_empty = random.bool();
                random_board(&mut random, says_empty)
            }
            1 => random_race(&mut random),
            // Play that never ends is worth nothing.
            _ => Problem {
                unfinished: Default::default(),
                ..random_problem(&mut random)
            },
        };
        let states = reachable(&problem);
        if states.len() > MAX_STATES {
            continue;
        }
        let at = format!("seed {seed}, round {round}");
        let options = random_options(&mut random);
        let mut engine = Engine::new(problem.clone(), options).expect("it makes sense");
        let folder = tempfile::tempdir().expect("a folder");
        let Some((mut found, _)) = table(&mut engine, Layering::Endless, false, folder.path())
        else {
            continue;
        };
        tables += 1;
        let mut solver = Engine::new(problem.clone(), Options::default()).expect("it makes sense");
        let mut definition = Definition::new(&problem);
        let mut keys = HashSet::new();
        let limits = Limits::default();
        for state in states {
            let words = engine.layered_state(&state).expect("play leads to it");
            let entry = found.entry(engine.layered_game(), 1, &words);
            let entry = entry.expect("a file");
            let (key, value) = entry.unwrap_or_else(|| panic!("{at}: {state:?} is missing"));
            let solved = solver.solve(&state, None, &limits).expect("a value");
            assert_eq!(solved.outcome.value(), Some(&value), "{at}: {state:?}");
            match solver.known_horizon(&state) {
                Some(steps) => assert_eq!(definition.value(&state, steps), value, "{at}"),
                None => {
                    endless += 1;
                    assert!(definition.value(&state, STEPS) <= value, "{at}: {state:?}");
                }
            }
            between += u64::from(!value.is_integer());
            keys.insert(key);
            positions += 1;
        }
        assert_eq!(found.states(), keys.len() as u64, "{at}");
    }
    println!("{tables} tables, {positions} positions, {endless} without end, {between} fractions");
    assert!(tables * 4 > games && endless * 10 > positions && between > 0);
}

#[test]
fn each_position_has_the_value_of_its_matrix_game() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = Rng::with_seed(seed);
    let (mut tables, mut positions, mut mixtures, mut merged) = (0, 0, 0, 0);
    let games = rounds(120);
    for round in 0..games {
        let (problem, mut engine) = match round % 3 {
            0 => {
                let problem = random_race(&mut random);
                let engine = Engine::new(problem.clone(), Options::default());
                (problem, engine.expect("it makes sense"))
            }
            _ => {
                let problem = random_contest(&mut random);
                let options = random_options(&mut random);
                let engine = Engine::new(problem.clone(), options);
                (problem, engine.expect("it makes sense"))
            }
        };
        let layering = Layering::Steps(random.u32(1..=4));
        let states = reachable(&problem);
        if states.len() > MAX_STATES {
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let found = table(&mut engine, layering, true, folder.path());
        let Some((mut found, depth)) = found else {
            continue;
        };
        tables += 1;
        let mut known = Definition::new(&problem);
        let mut definition = Definition::new(&problem);
        definition.value_of_matrix = value_by_supports;
        let mut here = 0;
        for state in states {
            let words = engine.layered_state(&state).expect("play leads to it");
            let game = engine.layered_game();
            for layer in 1..=depth {
                let entry = found.entry(game, layer, &words).expect("a file");
                let Some((_, value)) = entry else {
                    continue;
                };
                let steps = layer as u32;
                let expected = definition.value(&state, steps);
                assert_eq!(value, expected, "seed {seed}, round {round}: {state:?}");
                mixtures += u64::from(known.value(&state, steps) != expected);
                here += 1;
            }
        }
        assert!(here >= found.states(), "seed {seed}, round {round}");
        merged += u64::from(here > found.states());
        positions += here;
    }
    assert!(
        tables * 4 > games && positions > 5 * tables,
        "seed {seed}: {tables} tables, {positions} positions"
    );
    assert!(
        mixtures + merged > 0,
        "seed {seed}: no value needs a mixture, and no key stands for several states"
    );
}
