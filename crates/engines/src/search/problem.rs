//! A grounded step and a question about it as a problem of the engine.

use circuit::{Circuit, Literal};
use emm::{Agent, Payoff, Problem};
use gdl::game::{Objective, Points, ValueRange, points};
use num_rational::BigRational;
use num_traits::{One, Zero};
use step::GroundStep;

/// The problem of a role with this index in the list of roles; its values are parts of the range.
pub(super) fn problem(
    ground: &GroundStep,
    role: usize,
    objective: Objective,
    range: &ValueRange,
) -> Problem {
    let mut step = ground.step.clone();
    let agents = ground.roles.iter().enumerate().map(|(index, name)| {
        if index == role {
            Agent::Maximizer
        } else if name.is_random() {
            Agent::Chance
        } else {
            Agent::Adversary
        }
    });
    let goals = ground.goals[role].iter();
    let (mut valued, mut others) = (Vec::new(), Vec::new());
    for (value, signal) in goals {
        match points(value) {
            Some(points) => valued.push((points, *signal)),
            None => others.push(*signal),
        }
    }
    let worth = |points: Points| range.part(&objective.worth(points));
    let paying = valued
        .iter()
        .filter(|(points, _)| !worth(*points).is_zero());
    let payoff: Payoff = if objective.is_mean() {
        paying
            .map(|(points, signal)| (worth(*points), *signal))
            .collect()
    } else {
        let reached = paying.map(|(_, signal)| *signal);
        vec![(BigRational::one(), step.circuit.or(reached))]
    };
    let valued: Vec<Literal> = valued.into_iter().map(|(_, signal)| signal).collect();
    let only = exactly_one(&mut step.circuit, &valued);
    let others = step.circuit.or(others);
    let flaw = step.circuit.or([!only, others]);
    Problem {
        flaw: step.circuit.and([step.terminal, flaw]),
        agents: agents.collect(),
        step,
        payoff,
        unfinished: range.unfinished(),
    }
}

/// Whether exactly one of some signals holds.
fn exactly_one(circuit: &mut Circuit, signals: &[Literal]) -> Literal {
    let (mut any, mut two) = (Literal::FALSE, Literal::FALSE);
    for &signal in signals {
        let both = circuit.and([any, signal]);
        two = circuit.or([two, both]);
        any = circuit.or([any, signal]);
    }
    circuit.and([any, !two])
}
