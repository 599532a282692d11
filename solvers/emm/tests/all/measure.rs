//! Measures that layers of tables are: on all states that play leads to, each step must lower them.

use crate::board::random_board;
use crate::definition::Definition;
use crate::race::random_race;
use crate::random::random_problem;
use circuit::{Circuit, Signal, Step};
use fastrand::Rng;
use generators::rounds;
use limits::Limits;
use num_rational::BigRational;
use num_traits::One;
use sqasp_emm::{Agent, Engine, Layering, Measure, Options, Problem};
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

/// Looks at every step from every state that play leads to; tells the number of states, or the states before and after a step that the measure is
/// wrong for.
fn check(problem: &Problem, measure: &Measure) -> Result<usize, [Vec<bool>; 2]> {
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
                return Err([state, next]);
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
        let checked = checked.unwrap_or_else(|step| panic!("seed {seed}, round {round}: {step:?}"));
        found += usize::from(checked > 3);
        states += checked;
    }
    assert!(
        found * 6 > games && states > 10 * found,
        "seed {seed}: {found} measures, {states} states"
    );
}

/// A race by chance alone: a throw moves piece 0 by 1 or 2, or piece 1 by 1. Only if piece 0 is one place before the end while piece 1 is at
/// the start, which random play hardly ever meets on a long way, a step takes the one back and the other forwards.
fn race_of_luck(length: usize) -> Problem {
    let mut circuit = Circuit::new();
    let facts: Vec<Signal> = (0..2 * length).map(|_| circuit.input(0)).collect();
    let throws: Vec<Signal> = (0..3).map(|_| circuit.input(1)).collect();
    let (first, second) = facts.split_at(length);
    let is_rare = circuit.and([first[length - 2], second[0]]);
    let mut indices = [vec![Vec::new(); length], vec![Vec::new(); length]];
    for from in 0..length {
        for (number, &throw) in throws.iter().enumerate() {
            let moves = match number {
                0 | 1 => [number + 1, 0],
                _ => [0, 1],
            };
            for (piece, at) in [first, second].into_iter().enumerate() {
                let to = (from + moves[piece]).min(length - 1);
                indices[piece][to].push(circuit.and([at[from], throw, !is_rare]));
            }
        }
    }
    indices[0][length - 3].push(is_rare);
    indices[1][1].push(is_rare);
    let next = indices.into_iter().flatten();
    let next = next.map(|ways| circuit.or(ways)).collect();
    let noop = circuit.input(1);
    Problem {
        payoff: vec![(BigRational::one(), first[length - 1])],
        flaw: Signal::FALSE,
        agents: vec![Agent::Maximizer, Agent::Chance],
        step: Step {
            goals: vec![Vec::new(); 2],
            initial: (0..2 * length).map(|fact| fact % length == 0).collect(),
            moves: vec![vec![noop], throws],
            legal: vec![vec![Signal::TRUE], vec![Signal::TRUE; 3]],
            terminal: circuit.or([first[length - 1], second[length - 1]]),
            facts,
            next,
            circuit,
        },
    }
}

#[test]
fn wrong_guesses_are_learned_from() {
    let problem = race_of_luck(40);
    let mut engine = Engine::new(problem.clone(), Options::default()).expect("it makes sense");
    let (start, limits) = (problem.step.initial.clone(), Limits::default());
    let mut wrong = 0;
    loop {
        let layering = Layering::Best { proved: false };
        let prepared = engine.prepare_layers(&start, layering, &limits);
        assert!(matches!(prepared, Ok(1..)), "{prepared:?}");
        let measure = engine.layer_measure().expect("it takes fewer states");
        assert!(!measure.is_proved);
        let [before, _] = match check(&problem, measure) {
            Ok(states) => break assert!(wrong > 0 && states > 1500, "{wrong} {states}"),
            Err(step) => step,
        };
        wrong += 1;
        let other = engine.layered_state(&start).expect("play is open");
        assert!(!engine.learn_steps(&other, &limits));
        let words = engine.layered_state(&before).expect("play is open");
        assert!(engine.learn_steps(&[other, words].concat(), &limits));
    }
}
