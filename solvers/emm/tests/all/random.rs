//! Random steps.

use circuit::{Circuit, Literal, Step};
use fastrand::Rng;
use generators::random_signal;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::One;
use sqasp_emm::{Agent, Problem};

/// A random problem: up to four agents, in any order, who move at the same time.
pub fn random_problem(random: &mut Rng) -> Problem {
    let mut circuit = Circuit::new();
    let fact_count = random.usize(1..8);
    let facts: Vec<Literal> = (0..fact_count).map(|_| circuit.input(0)).collect();
    let mut agents = vec![Agent::Maximizer];
    for _ in 0..random.usize(0..4) {
        agents.push(if random.bool() {
            Agent::Adversary
        } else {
            Agent::Chance
        });
    }
    random.shuffle(&mut agents);
    let mut moves = Vec::new();
    let mut legal = Vec::new();
    for _ in &agents {
        let count = random.usize(1..5);
        moves.push(
            (0..count)
                .map(|_| circuit.input(1))
                .collect::<Vec<Literal>>(),
        );
        let mut allowed: Vec<Literal> = (0..count)
            .map(|_| match random.usize(0..3) {
                0 => Literal::TRUE,
                _ => random_signal(&mut circuit, &facts, random),
            })
            .collect();
        // Both sides can always move; `flaws.rs` is about the others.
        allowed[0] = Literal::TRUE;
        legal.push(allowed);
    }
    let all: Vec<Literal> = facts
        .iter()
        .chain(moves.iter().flatten())
        .copied()
        .collect();
    let next = (0..fact_count)
        .map(|_| random_signal(&mut circuit, &all, random))
        .collect();
    let ends = [
        random_signal(&mut circuit, &facts, random),
        random_signal(&mut circuit, &facts, random),
    ];
    let terminal = circuit.and(ends);
    let payoff = match random.usize(0..3) {
        0 => vec![(
            BigRational::one(),
            random_signal(&mut circuit, &facts, random),
        )],
        // Sums of at most 1.
        kind => {
            let parts = random.i32(1..5);
            let value =
                |parts: i32| BigRational::new(BigInt::from(1), BigInt::from(parts * kind as i32));
            (0..parts)
                .map(|_| (value(parts), random_signal(&mut circuit, &facts, random)))
                .collect()
        }
    };
    let unfinished = match random.usize(..3) {
        0 => BigRational::new(random.i32(1..4).into(), 3.into()),
        _ => BigRational::default(),
    };
    Problem {
        payoff,
        unfinished,
        flaw: Literal::FALSE,
        step: Step {
            goals: vec![Vec::new(); agents.len()],
            initial: (0..fact_count).map(|_| random.bool()).collect(),
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

/// A random problem with a fact that says of a move of the maximizer and one of an adversary that both were made, or none: half
/// of what is paid depends on it.
#[allow(dead_code, reason = "each user takes a part")]
pub fn random_contest(random: &mut Rng) -> Problem {
    let is_adversary = |agent: &Agent| *agent == Agent::Adversary;
    let mut problem = std::iter::repeat_with(|| random_problem(random))
        .find(|problem| problem.agents.iter().any(is_adversary))
        .expect("many have one");
    let step = &mut problem.step;
    let mut moves_of = |agent| {
        let index = problem.agents.iter().position(|other| *other == agent);
        let moves = &step.moves[index.expect("there is one")];
        moves[random.usize(..moves.len())]
    };
    let (own, reply) = (moves_of(Agent::Maximizer), moves_of(Agent::Adversary));
    let both = step.circuit.and([own, reply]);
    let none = step.circuit.and([!own, !reply]);
    let fact = step.circuit.input(0);
    step.facts.push(fact);
    step.initial.push(false);
    step.next.push(step.circuit.or([both, none]));
    let half = BigRational::new(BigInt::from(1), BigInt::from(2));
    for (paid, _) in &mut problem.payoff {
        *paid *= &half;
    }
    problem.payoff.push((half, fact));
    problem
}
