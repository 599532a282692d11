//! Tables of random games whose layers are a measure: each value against the definition, and against a table whose layers are steps. Tables of
//! random games whose states are matrix games, with keys by all that is proved of the game.

use crate::board::random_board;
use crate::definition::{Definition, random_options};
use crate::race::random_race;
use crate::random::random_contest;
use crate::supports::value_by_supports;
use emm::{Engine, Layering, Options, Problem};
use fastrand::Rng;
use generators::rounds;
use limits::Limits;
use sqasp_layers::{
    DiskTable, DiskTableError, FORMAT, Manifest, MeasureInfo, VERSION, build, check, check_all,
};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use stochastic_game::StochasticGame;

pub fn manifest(depth: usize, has_measure: bool, mixed: bool) -> Manifest {
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
        depth,
        keys: "random".to_owned(),
        shards: 1,
        mixed,
        measure: has_measure.then(|| MeasureInfo {
            constant: 0,
            denominator: 1,
            stays: false,
            proved: true,
            weights: BTreeMap::new(),
        }),
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
    let depth = engine.prepare_layers(&start, layering, &limits).ok()?;
    let state = engine.layered_state(&start).filter(|_| depth > 0)?;
    let (game, manifest) = (
        engine.layered_game(),
        manifest(depth, engine.layer_measure().is_some(), mixed),
    );
    let little = Limits {
        memory: Some(1_000_000),
        ..Limits::default()
    };
    let table = match build(game, &state, &manifest, folder, &little, 1, &mut |_| ()) {
        Err(DiskTableError::Flaw(_)) => return None,
        built => built.expect("a table"),
    };
    check(&table).expect("whole");
    let scratch = tempfile::tempdir().expect("a folder");
    let path = scratch.path();
    let checked = check_all(game, &state, &table, path, &limits, 2, &mut |_| ());
    assert_eq!(checked.expect("right"), table.states());
    Some((table, depth))
}

/// All states of play that is not over.
fn reachable(problem: &Problem) -> Vec<Vec<bool>> {
    let definition = Definition::new(problem);
    let step = &problem.step;
    let mut seen = HashSet::from([step.initial.clone()]);
    let mut found = vec![step.initial.clone()];
    let mut index = 0;
    while let Some(state) = found.get(index).cloned() {
        index += 1;
        let legal = definition.legal(&state);
        let count: usize = legal.iter().map(Vec::len).product();
        for mut number in 0..count {
            let chosen = legal.iter().map(|legal| {
                let own = legal[number % legal.len()];
                number /= legal.len();
                own
            });
            let values = definition.evaluate(&state, &chosen.collect::<Vec<usize>>());
            let next = step.next.iter();
            let next: Vec<bool> = next.map(|&fact| Definition::holds(&values, fact)).collect();
            let ends = definition.evaluate(&next, &[]);
            if !Definition::holds(&ends, step.terminal) && seen.insert(next.clone()) {
                found.push(next);
            }
        }
    }
    found
}

#[test]
fn each_position_has_its_value_in_one_layer() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = Rng::with_seed(seed);
    let (mut tables, mut staying, mut positions, mut by_steps) = (0, 0, 0, 0);
    let games = rounds(40);
    for round in 0..games {
        let problem = match round % 4 {
            0 => {
                let says_empty = random.bool();
                random_board(&mut random, says_empty)
            }
            _ => random_race(&mut random),
        };
        let mut engine = Engine::new(problem.clone(), Options::default()).expect("it makes sense");
        let folder = tempfile::tempdir().expect("a folder");
        let found = table(&mut engine, Layering::AnyMeasure, false, folder.path());
        let Some((mut measured, depth)) = found else {
            continue;
        };
        let stays = engine.layer_measure().is_some_and(|measure| measure.stays);
        match stays {
            true => staying += 1,
            false => tables += 1,
        }
        let mut definition = Definition::new(&problem);
        let mut keys = HashSet::new();
        for state in reachable(&problem) {
            let words = engine.layered_state(&state).expect("play leads to it");
            let game = engine.layered_game();
            let layer = game.layer_of(&words);
            let entry = measured.entry(game, layer, &words).expect("a file");
            let (key, value) =
                entry.unwrap_or_else(|| panic!("seed {seed}, round {round}: {state:?} is missing"));
            let expected = match stays {
                false => definition.value(&state, depth as u32),
                // Play may go on for ever.
                true => {
                    let solved = engine.solve(&state, None, &Limits::default());
                    let outcome = solved.expect("a value").outcome;
                    assert_eq!(outcome.lower, outcome.upper, "seed {seed}, round {round}");
                    outcome.lower
                }
            };
            assert_eq!(value, expected, "seed {seed}, round {round}: {state:?}");
            keys.insert((layer, key));
            positions += 1;
        }
        assert_eq!(
            measured.states(),
            keys.len() as u64,
            "seed {seed}, round {round}"
        );
        if stays {
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let steps = table(&mut engine, Layering::Steps(None), false, folder.path());
        let (steps, _) = steps.expect("a measure bounds the number of steps");
        by_steps += usize::from(steps.states() > measured.states());
        assert!(
            steps.states() >= measured.states(),
            "seed {seed}, round {round}"
        );
    }
    assert!(
        tables * 4 > games && staying > 0 && positions > 10 * tables && by_steps > 0,
        "seed {seed}: {tables} tables and {staying} with layers to stay in, {positions} positions, {by_steps} smaller than by steps"
    );
}

/// The most states of a game whose values are computed by definition.
const MAX_STATES: usize = 300;

#[test]
fn each_position_has_the_value_of_its_matrix_game() {
    let seed = fastrand::u64(..);
    println!("seed {seed}");
    let mut random = Rng::with_seed(seed);
    let (mut tables, mut positions, mut mixtures, mut merged, mut by_measure) = (0, 0, 0, 0, 0);
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
        let layering = match round % 6 {
            0 => Layering::AnyMeasure,
            _ => Layering::Steps(Some(random.u32(1..=4))),
        };
        let states = reachable(&problem);
        if states.len() > MAX_STATES {
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        if matches!(layering, Layering::AnyMeasure) {
            let start = engine.initial().to_vec();
            let found = engine.prepare_layers(&start, layering.clone(), &Limits::default());
            if found.is_err() || engine.layer_measure().is_some_and(|measure| measure.stays) {
                continue;
            }
        }
        let found = table(&mut engine, layering, true, folder.path());
        let Some((mut found, depth)) = found else {
            continue;
        };
        tables += 1;
        let mut known = Definition::new(&problem);
        let mut definition = Definition::new(&problem);
        definition.value_of_matrix = value_by_supports;
        let has_measure = engine.layer_measure().is_some();
        by_measure += u64::from(has_measure);
        let mut here = 0;
        for state in states {
            let words = engine.layered_state(&state).expect("play leads to it");
            let game = engine.layered_game();
            let layers = match has_measure {
                true => game.layer_of(&words)..=game.layer_of(&words),
                false => 1..=depth,
            };
            for layer in layers {
                let entry = found.entry(game, layer, &words).expect("a file");
                let Some((_, value)) = entry else {
                    assert!(
                        !has_measure,
                        "seed {seed}, round {round}: {state:?} is missing"
                    );
                    continue;
                };
                let steps = if has_measure { depth } else { layer } as u32;
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
        tables * 4 > games && positions > 5 * tables && by_measure > 0,
        "seed {seed}: {tables} tables, {positions} positions, {by_measure} by a measure"
    );
    assert!(
        mixtures + merged > 0,
        "seed {seed}: no value needs a mixture, and no key stands for several states"
    );
}
