//! States without a value: an engine that meets one says so, with the moves that lead there, and no answer
//! depends on one.

use crate::definition::{Definition, random_case, random_options};
use crate::random::random_problem;
use circuit::Literal;
use fastrand::Rng;
use generators::{random_signal, rounds, seeds};
use limits::Limits;
use num_rational::BigRational;
use num_traits::{One, Zero};
use sqasp_emm::{Engine, Flaw, Problem, QuestionError};

/// A random problem with states in which a side cannot move, or whose worth has no meaning.
fn flawed_problem(random: &mut Rng) -> Problem {
    let mut problem = random_problem(random);
    let facts = problem.step.facts.clone();
    let mut rare = |problem: &mut Problem| {
        let circuit = &mut problem.step.circuit;
        let parts: Vec<Literal> = (0..random.usize(2..6))
            .map(|_| random_signal(circuit, &facts, random))
            .collect();
        circuit.and(parts)
    };
    problem.flaw = rare(&mut problem);
    let stuck = rare(&mut problem);
    let agent = random.usize(..problem.agents.len());
    for index in 0..problem.step.legal[agent].len() {
        let legal = problem.step.legal[agent][index];
        problem.step.legal[agent][index] = problem.step.circuit.and([legal, !stuck]);
    }
    problem
}

fn is_flawed(definition: &Definition<'_>, state: &[bool]) -> bool {
    let holds = definition.signals(state, &[]);
    match holds(definition.problem.step.terminal) {
        true => holds(definition.problem.flaw),
        false => definition.legal(state).iter().any(Vec::is_empty),
    }
}

/// Panics unless the moves are legal and lead to the state, which has a flaw.
fn check_flaw(definition: &Definition<'_>, start: &[bool], flaw: &Flaw, seed: u64) {
    let mut state = start.to_vec();
    for joint in &flaw.moves {
        assert_eq!(definition.payoff(&state), None, "seed {seed}");
        let legal = definition.legal(&state);
        let all_legal = joint.iter().zip(&legal).all(|(m, legal)| legal.contains(m));
        assert!(all_legal, "seed {seed}");
        state = definition.next(&state, joint);
    }
    assert_eq!(state, flaw.state, "seed {seed}");
    assert!(is_flawed(definition, &state), "seed {seed}");
}

#[test]
fn no_value_depends_on_a_flaw() {
    let (mut refused, mut valued, mut far) = (0, 0, 0);
    for (seed, mut random) in seeds(0, 1500) {
        let problem = flawed_problem(&mut random);
        let mut low = Definition::with_flaws_worth(&problem, BigRational::zero());
        let mut high = Definition::with_flaws_worth(&problem, BigRational::one());
        let options = random_options(&mut random);
        let mut engine = Engine::new(problem.clone(), options).expect("a sound problem");
        for _ in 0..3 {
            let steps = random.u32(0..7);
            let state: Vec<bool> = match random.bool() {
                true => engine.initial().to_vec(),
                false => engine.initial().iter().map(|_| random.bool()).collect(),
            };
            match engine.solve(&state, Some(steps), &Limits::default()) {
                Ok(answer) => {
                    let value = answer.outcome.value();
                    assert_eq!(value, Some(&low.value(&state, steps)), "seed {seed}");
                    assert_eq!(value, Some(&high.value(&state, steps)), "seed {seed}");
                    valued += 1;
                }
                Err(QuestionError::Flaw(flaw)) => {
                    assert!(flaw.moves.len() <= steps as usize, "seed {seed}");
                    check_flaw(&low, &state, &flaw, seed);
                    far += u32::from(flaw.moves.len() > 1);
                    refused += 1;
                }
                Err(other) => panic!("seed {seed}: {other}"),
            }
            match engine.moves(&state, Some(steps), &Limits::default()) {
                Err(QuestionError::Flaw(flaw)) => check_flaw(&low, &state, &flaw, seed),
                Err(other) => panic!("seed {seed}: {other}"),
                Ok(moves) => {
                    let legal = low.legal(&state);
                    for found in moves {
                        let number = found.number;
                        let value = found.outcome.value();
                        let least = low.move_value(&state, steps, &legal, number);
                        let most = high.move_value(&state, steps, &legal, number);
                        assert_eq!(value, Some(&least), "seed {seed}");
                        assert_eq!(value, Some(&most), "seed {seed}");
                    }
                }
            }
        }
    }
    println!("{valued} questions have a value, {refused} meet a flaw, {far} after some steps");
    assert!(valued > 2000 && refused > 500 && far > 50);
}

#[test]
fn an_answer_says_whether_plays_are_cut_off() {
    let (mut cut, mut whole) = (0, 0);
    for seed in 0..rounds(600) {
        let (mut random, problem, mut engine) = random_case(seed);
        let mut definition = Definition::new(&problem);
        let state = engine.initial().to_vec();
        for _ in 0..2 {
            let steps = random.u32(0..6);
            let answer = engine.solve(&state, Some(steps), &Limits::default());
            match answer.expect("a value").cuts_off {
                true => cut += 1,
                false => {
                    // More steps change nothing.
                    let value = definition.value(&state, steps);
                    assert_eq!(value, definition.value(&state, steps + 4), "seed {seed}");
                    whole += 1;
                }
            }
        }
    }
    assert!(cut > 100 && whole > 100, "{cut} {whole}");
}
