//! Measures that layers of tables are: on all states that play leads to, each step must lower them.

use crate::board::random_board;
use crate::definition::Definition;
use crate::race::random_race;
use crate::random::random_problem;
use emm::{Engine, Layering, Measure, Options, Problem};
use fastrand::Rng;
use generators::rounds;
use limits::Limits;
use std::collections::HashSet;

/// All moves of all agents together.
fn joint_moves(legal: &[Vec<usize>]) -> Vec<Vec<usize>> {
    legal.iter().fold(vec![Vec::new()], |all, legal| {
        let with = |moves: &Vec<usize>, &more: &usize| [&moves[..], &[more]].concat();
        let longer = all.iter();
        longer
            .flat_map(|moves| legal.iter().map(move |more| with(moves, more)))
            .collect()
    })
}

/// Looks at every step from every state that play leads to; tells the number of states.
fn check(problem: &Problem, measure: &Measure) -> Result<usize, String> {
    let definition = Definition::new(problem);
    let is_over =
        |state: &[bool]| Definition::holds(&definition.evaluate(state, &[]), problem.step.terminal);
    let mut seen = HashSet::from([problem.step.initial.clone()]);
    let mut left = vec![problem.step.initial.clone()];
    while let Some(state) = left.pop() {
        for moves in joint_moves(&definition.legal(&state)) {
            let values = definition.evaluate(&state, &moves);
            let next = problem.step.next.iter();
            let next: Vec<bool> = next.map(|&fact| Definition::holds(&values, fact)).collect();
            if is_over(&next) {
                continue;
            }
            let (before, after) = (measure.of(&state), measure.of(&next));
            if after > before || after == before && !measure.stays {
                return Err(format!("{state:?} by {moves:?} to {next:?}"));
            }
            if seen.insert(next.clone()) {
                left.push(next);
            }
        }
    }
    Ok(seen.len())
}

#[test]
fn each_step_lowers_a_measure_that_was_found() {
    let seed = fastrand::u64(..);
    let mut random = Rng::with_seed(seed);
    let (mut found, mut states) = (0, 0);
    let games = rounds(60);
    for round in 0..games {
        let problem = match round % 4 {
            0 => random_problem(&mut random),
            1 => {
                let says_empty = random.bool();
                random_board(&mut random, says_empty)
            }
            _ => random_race(&mut random),
        };
        let options = Options {
            use_symmetry: random.bool(),
            merge_dead_facts: random.bool(),
            ..Options::default()
        };
        let mut engine = Engine::new(problem.clone(), options).expect("it makes sense");
        let start = problem.step.initial.clone();
        let limits = Limits::default();
        if !matches!(
            engine.prepare_layers(&start, Layering::AnyMeasure, &limits),
            Ok(1..)
        ) {
            continue;
        }
        let measure = engine.layer_measure().expect("it was asked for");
        let checked = check(&problem, measure);
        let checked = checked.unwrap_or_else(|step| panic!("seed {seed}, round {round}: {step}"));
        found += usize::from(checked > 3);
        states += checked;
    }
    assert!(
        found * 6 > games && states > 10 * found,
        "seed {seed}: {found} measures, {states} states"
    );
}
