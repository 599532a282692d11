//! Several agents of chance, whose joint moves are many but of few kinds.

use circuit::{Circuit, Literal, Step};
use limits::{Limits, StopReason};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};
use sqasp_emm::{Agent, Engine, Options, Problem, QuestionError};

/// Some dice with 16 sides each, thrown at once: it is a win if all show their first side.
fn dice(count: u32) -> Problem {
    let mut circuit = Circuit::new();
    let [won, over] = [(); 2].map(|()| circuit.input(0));
    let throws = (0..count).map(|_| (0..16).map(|_| circuit.input(1)).collect());
    let mut moves: Vec<Vec<Literal>> = throws.collect();
    let next = circuit.and(moves.iter().map(|sides| sides[0]));
    let noop = circuit.input(1);
    moves.insert(0, vec![noop]);
    let legal = moves.iter().map(|moves| vec![Literal::TRUE; moves.len()]);
    let mut agents = vec![Agent::Maximizer];
    agents.resize(moves.len(), Agent::Chance);
    Problem {
        payoff: vec![(BigRational::one(), won)],
        unfinished: BigRational::default(),
        flaw: Literal::FALSE,
        step: Step {
            goals: vec![Vec::new(); moves.len()],
            initial: vec![false; 2],
            legal: legal.collect(),
            terminal: over,
            facts: vec![won, over],
            next: vec![next, Literal::TRUE],
            moves,
            circuit,
        },
        agents,
    }
}

#[test]
fn weights_of_joint_moves_are_exact_or_refused() {
    for count in [1, 7, 8, 9] {
        let mut engine = Engine::new(dice(count), Options::default()).expect("a sound problem");
        let start = engine.initial().to_vec();
        let answer = engine.solve(&start, Some(1), &Limits::default());
        let outcome = answer.expect("a sound question").outcome;
        let chance = BigRational::new(BigInt::one(), BigInt::from(16).pow(count));
        if count < 8 {
            assert_eq!(outcome.value(), Some(&chance), "{count} dice");
        } else {
            // Weights are numbers of 32 bits.
            assert_eq!(outcome.stopped, Some(StopReason::Memory), "{count} dice");
            let bounds = (outcome.lower, outcome.upper);
            assert_eq!(bounds, (BigRational::zero(), BigRational::one()));
        }
        let listed = engine.solve(&start, None, &Limits::default());
        match listed {
            Ok(answer) if count < 8 => assert_eq!(answer.outcome.value(), Some(&chance)),
            Ok(answer) => assert_eq!(answer.outcome.value(), None, "{count} dice"),
            Err(QuestionError::Unlisted(_)) => assert!(count >= 8),
            Err(error) => panic!("{count} dice: {error}"),
        }
    }
}
