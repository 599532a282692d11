//! Random games in which facts stay and exclude each other, so that some no longer matter, against the
//! definition.

#[path = "support/definition.rs"]
mod definition;

use circuit::{Circuit, Signal, Step};
use definition::{Definition, random_options, rounds};
use emm::{Agent, Engine, Options, Problem};
use fastrand::Rng;
use formula::{BigRational, Limits};
use num_bigint::BigInt;
use num_traits::{One, Zero};

/// Some of these, at least one.
fn some<T: Copy>(random: &mut Rng, all: &[T], most: usize) -> Vec<T> {
    let count = random.usize(1..=most.min(all.len()));
    (0..count).map(|_| all[random.usize(..all.len())]).collect()
}

/// A board: cells are claimed for one of several colours; lines of cells of one colour end the play or
/// pay. Everything may go slightly wrong: cells that are taken again, lines that allow a move, take
/// stones away or need an empty cell.
fn random_board(random: &mut Rng) -> Problem {
    let mut circuit = Circuit::new();
    let (cells, colours) = (random.usize(2..6), random.usize(1..4));
    let facts: Vec<Signal> = (0..cells * colours + 1).map(|_| circuit.input(0)).collect();
    let stone = |cell: usize, colour: usize| facts[cell * colours + colour];
    let turn = facts[cells * colours];
    let taken: Vec<Signal> = (0..cells)
        .map(|cell| circuit.or((0..colours).map(|colour| stone(cell, colour))))
        .collect();
    let mut lines = Vec::new();
    for _ in 0..random.usize(1..7) {
        let colour = random.usize(..colours);
        let stones: Vec<Signal> = (0..cells).map(|cell| stone(cell, colour)).collect();
        let mut line = some(random, &stones, 3);
        match random.usize(0..12) {
            0 => line.push(!taken[random.usize(..cells)]),
            1 => line.push(facts[random.usize(..facts.len())]),
            2 => line.push(turn),
            _ => {}
        }
        lines.push(circuit.and(line));
    }
    // Two players who may both move, or wait for their turn; and chance.
    let takes_turns = random.bool();
    let (mut moves, mut legal) = (Vec::new(), Vec::new());
    let mut agents = vec![Agent::Maximizer, Agent::Adversary];
    if random.usize(0..3) == 0 {
        agents[1] = Agent::Chance;
    }
    for player in 0..2 {
        moves.push((0..=cells).map(|_| circuit.input(1)).collect::<Vec<_>>());
        let own = match (takes_turns, player) {
            (false, _) => Signal::TRUE,
            (true, 0) => turn,
            (true, _) => !turn,
        };
        let mut allowed: Vec<Signal> = taken
            .iter()
            .map(|&taken| circuit.and([own, !taken]))
            .collect();
        if random.usize(0..8) == 0 {
            let place = random.usize(..cells);
            allowed[place] = circuit.or([allowed[place], lines[random.usize(..lines.len())]]);
        }
        allowed.push(if takes_turns { !own } else { Signal::TRUE });
        legal.push(allowed);
    }
    let outcomes = random.usize(1..4);
    agents.push(Agent::Chance);
    moves.push((0..outcomes).map(|_| circuit.input(1)).collect());
    legal.push(vec![Signal::TRUE; outcomes]);
    // Who claims a cell, and what chance does, says which colour it gets.
    let table: Vec<Vec<usize>> = (0..2)
        .map(|_| (0..outcomes).map(|_| random.usize(..colours)).collect())
        .collect();
    let mut next = Vec::new();
    for cell in 0..cells {
        let first = circuit.and([moves[0][cell], !taken[cell]]);
        let second = circuit.and([moves[1][cell], !moves[0][cell], !taken[cell]]);
        for colour in 0..colours {
            let mut ways = Vec::new();
            for (claimed, colour_of) in [first, second].into_iter().zip(&table) {
                let lucky = (0..outcomes).filter(|&o| colour_of[o] == colour);
                let lucky = circuit.or(lucky.map(|outcome| moves[2][outcome]));
                ways.push(circuit.and([claimed, lucky]));
            }
            ways.push(match random.usize(0..40) {
                0 => circuit.and([stone(cell, colour), !lines[random.usize(..lines.len())]]),
                1 => moves[0][cell],
                _ => stone(cell, colour),
            });
            next.push(circuit.or(ways));
        }
    }
    next.push(!turn);
    let ends = some(random, &lines, 3);
    let full = circuit.and(taken.iter().copied());
    let terminal = match random.usize(0..4) {
        0 => full,
        1 => circuit.or(ends),
        _ => {
            let line = circuit.or(ends);
            circuit.or([line, full])
        }
    };
    let paid = random.usize(1..3);
    let payoff = (0..paid)
        .map(|_| {
            let signals = some(random, &lines, 3);
            (
                BigRational::new(BigInt::one(), BigInt::from(paid)),
                circuit.or(signals),
            )
        })
        .collect();
    Problem {
        payoff,
        step: Step {
            goals: vec![Vec::new(); agents.len()],
            initial: vec![false; facts.len()],
            circuit,
            facts,
            moves,
            legal,
            terminal,
            next,
        },
        agents,
    }
}

#[test]
fn values_do_not_depend_on_facts_that_no_longer_matter() {
    let (mut between, mut merged, mut saved) = (0, 0, 0);
    for seed in 0..200 * rounds() {
        let mut random = Rng::with_seed(seed);
        let problem = random_board(&mut random);
        let mut definition = Definition::new(&problem);
        let options = Options {
            dead_facts_after: random.u64(0..2) * 20,
            merge_dead_facts: true,
            fewest_dead_facts: 0,
            ..random_options(&mut random)
        };
        let plain = Options {
            merge_dead_facts: false,
            ..options.clone()
        };
        let mut engine = Engine::new(problem.clone(), options).expect("a sound problem");
        let mut other = Engine::new(problem.clone(), plain).expect("a sound problem");
        for question in 0..4 {
            let steps = random.u32(2..5);
            let state: Vec<bool> = match question {
                // A state that play does not lead to, perhaps.
                2 => problem
                    .step
                    .facts
                    .iter()
                    .map(|_| random.usize(0..4) == 0)
                    .collect(),
                _ => engine.initial().to_vec(),
            };
            let expected = definition.value(&state, steps);
            between += u32::from(!expected.is_zero() && !expected.is_one());
            let mut states = [0; 2];
            for (engine, states) in [&mut engine, &mut other].into_iter().zip(&mut states) {
                let answer = engine.solve(&state, Some(steps), &Limits::default());
                let answer = answer.expect("a sound question");
                assert_eq!(answer.outcome.value(), Some(&expected), "seed {seed}");
                let number = |name| {
                    let mut numbers = answer.statistics.iter();
                    numbers
                        .find(|(found, _)| *found == name)
                        .expect("it is told")
                        .1
                };
                merged += u32::from(question == 0 && number("dead_facts") > 0);
                *states = number("states");
            }
            saved += i32::from(question == 0 && states[0] < states[1]);
        }
    }
    assert!(between > 150, "only {between} values between 0 and 1");
    assert!(merged > 40, "only {merged} had facts that may be dead");
    assert!(saved > 20, "only {saved} had fewer states");
}
