//! Afterstates: the outcomes of chance are listed once for each, and no value changes.

use crate::definition::{Definition, number, random_options};
use circuit::{Circuit, Literal, Step};
use fastrand::Rng;
use generators::seeds;
use limits::Limits;
use num_rational::BigRational;
use num_traits::{One, Zero};
use sqasp_emm::{Agent, Engine, Options, Problem};

/// A random game of dice: players, who may move at the same time, keep some of the dice and throw the others again; a score, and
/// a few facts beside, follow from dice and moves. With `ends` no play takes longer than `throws` steps.
fn random_dice(random: &mut Rng, ends: bool) -> (Problem, u32) {
    let mut circuit = Circuit::new();
    let (dice, sides) = (random.usize(1..3), random.usize(2..4));
    let throws = random.usize(1..4);
    let facts: Vec<Vec<Literal>> = (0..dice)
        .map(|_| (0..sides).map(|_| circuit.input(0)).collect())
        .collect();
    let extra: Vec<Literal> = (0..random.usize(1..4)).map(|_| circuit.input(0)).collect();
    let clock: Vec<Literal> = (0..throws).map(|_| circuit.input(0)).collect();
    let mut agents = vec![Agent::Maximizer, Agent::Chance];
    for _ in 0..random.usize(0..3) {
        agents.push([Agent::Adversary, Agent::Adversary, Agent::Chance][random.usize(..3)]);
    }
    random.shuffle(&mut agents);
    // Each move of a player keeps some dice, and each move of chance shows a throw of all.
    let outcomes = sides.pow(dice as u32);
    let counts = agents.iter().map(|agent| match agent {
        Agent::Chance => outcomes,
        _ => random.usize(1..=1 << dice),
    });
    let counts: Vec<usize> = counts.collect();
    let moves: Vec<Vec<Literal>> = counts
        .iter()
        .map(|&count| (0..count).map(|_| circuit.input(1)).collect())
        .collect();
    let some = |random: &mut Rng, circuit: &mut Circuit, among: &[Literal]| {
        let chosen: Vec<Literal> = (0..random.usize(1..4))
            .map(|_| among[random.usize(..among.len())].negated_if(random.bool()))
            .collect();
        circuit.and(chosen).negated_if(random.bool())
    };
    let players: Vec<usize> = (0..agents.len())
        .filter(|&agent| agents[agent] != Agent::Chance)
        .collect();
    let chances: Vec<usize> = (0..agents.len())
        .filter(|&agent| agents[agent] == Agent::Chance)
        .collect();
    let mut next: Vec<Literal> = Vec::new();
    for (die, old) in facts.iter().enumerate() {
        let thrower = players[random.usize(..players.len())];
        let shower = chances[random.usize(..chances.len())];
        let keeps = moves[thrower].iter().enumerate();
        let keeps = keeps.filter(|(number, _)| number >> die & 1 == 1);
        let keeps: Vec<Literal> = keeps.map(|(_, &input)| input).collect();
        let keeps = circuit.or(keeps);
        for (side, &old) in old.iter().enumerate() {
            let showing = moves[shower].iter().enumerate();
            let showing = showing
                .filter(|(number, _)| number / sides.pow(die as u32) % sides == side)
                .map(|(_, &input)| input);
            let showing: Vec<Literal> = showing.collect();
            let shown = circuit.or(showing);
            let kept = circuit.and([keeps, old]);
            let new = circuit.and([!keeps, shown]);
            next.push(circuit.or([kept, new]));
        }
    }
    let all_facts: Vec<Literal> = facts.iter().flatten().chain(&extra).copied().collect();
    let player_moves = players.iter().flat_map(|&player| &moves[player]);
    let known: Vec<Literal> = all_facts.iter().chain(player_moves).copied().collect();
    for _ in &extra {
        next.push(some(random, &mut circuit, &known));
    }
    for (index, &tick) in clock.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| clock[before]);
        next.push(match (before, ends) {
            (Some(before), _) => before,
            (None, true) => Literal::FALSE,
            // Some plays begin again.
            (None, false) => {
                let again = some(random, &mut circuit, &known);
                circuit.and([again, !tick])
            }
        });
    }
    let legal = moves.iter().map(|moves| {
        let mut legal = vec![Literal::TRUE];
        legal.extend((1..moves.len()).map(|_| match random.u8(0..3) {
            0 => some(random, &mut circuit, &all_facts),
            _ => Literal::TRUE,
        }));
        legal
    });
    let legal = legal.collect();
    let runs = circuit.or(clock.iter().copied());
    let won = some(random, &mut circuit, &all_facts);
    let early = some(random, &mut circuit, &all_facts);
    let terminal = match random.bool() {
        true => !runs,
        false => circuit.or([!runs, early]),
    };
    let facts: Vec<Literal> = all_facts.iter().chain(&clock).copied().collect();
    let mut initial: Vec<bool> = all_facts.iter().map(|_| random.bool()).collect();
    initial.extend((0..throws).map(|index| index == 0));
    let problem = Problem {
        payoff: vec![(BigRational::one(), won)],
        unfinished: BigRational::default(),
        flaw: Literal::FALSE,
        step: Step {
            goals: vec![Vec::new(); agents.len()],
            initial,
            circuit,
            facts,
            moves,
            legal,
            terminal,
            next,
        },
        agents,
    };
    (problem, throws as u32)
}

fn value(problem: &Problem, options: Options) -> (BigRational, u64) {
    let mut engine = Engine::new(problem.clone(), options).expect("a sound problem");
    let initial = engine.initial().to_vec();
    let answer = engine.solve(&initial, None, &Limits::default());
    let answer = answer.expect("a sound question");
    let states = number(&answer, "states");
    let value = answer.outcome.value().expect("there are no limits");
    (value.clone(), states)
}

#[test]
fn dice_that_end_have_the_values_of_the_definition() {
    let (mut between, mut states) = (0, 0);
    for (seed, mut random) in seeds(0, 400) {
        let (problem, steps) = random_dice(&mut random, true);
        let initial = problem.step.initial.clone();
        let mut definition = Definition::new(&problem);
        let expected = definition.value(&initial, steps + 1);
        let (found, listed) = value(&problem, random_options(&mut random));
        assert_eq!(found, expected, "seed {seed}");
        // By search, without a list of all states.
        let mut options = random_options(&mut random);
        options.many_outcomes = 1;
        options.search.induct_backwards = false;
        let depth = random.u32(1..=steps);
        let mut engine = Engine::new(problem.clone(), options).expect("a sound problem");
        let answer = engine.solve(&initial, Some(depth), &Limits::default());
        let answer = answer.expect("a sound question").outcome;
        let expected_at = definition.value(&initial, depth);
        assert_eq!(
            answer.value(),
            Some(&expected_at),
            "seed {seed}, {depth} steps"
        );
        between += u32::from(!expected.is_zero() && !expected.is_one());
        states += listed;
    }
    assert!(between > 60, "only {between} values between 0 and 1");
    assert!(states > 1000, "only {states} states");
}

#[test]
fn dice_without_end_have_one_value_with_and_without_afterstates() {
    let mut between = 0;
    for (seed, mut random) in seeds(0, 400) {
        let (problem, _) = random_dice(&mut random, false);
        let options = random_options(&mut random);
        let shared = |share_afterstates| Options {
            share_afterstates,
            ..options.clone()
        };
        let (with, states) = value(&problem, shared(true));
        assert_eq!(
            (with.clone(), states),
            value(&problem, shared(false)),
            "seed {seed}"
        );
        between += u32::from(!with.is_zero() && !with.is_one());
    }
    assert!(between > 60, "only {between} values between 0 and 1");
}
