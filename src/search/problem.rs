//! A grounded step and a question about it as a problem of the engine.

use crate::game::Objective;
use crate::machine::GroundStep;
use circuit::Signal;
use emm::{Agent, Payoff, Problem};
use num_rational::BigRational;
use num_traits::One;

/// The problem of a role with this place in the list of roles.
pub(super) fn problem(ground: &GroundStep, role: usize, objective: Objective) -> Problem {
    let mut step = ground.step.clone();
    let agents = ground.roles.iter().enumerate().map(|(place, name)| {
        if place == role {
            Agent::Maximizer
        } else if name.as_str() == "random" {
            Agent::Chance
        } else {
            Agent::Adversary
        }
    });
    let goals = step.goals[role].clone();
    let at_least = |least: i64| {
        let reached = goals
            .iter()
            .filter(move |(value, _)| (least..=100).contains(value));
        reached.map(|(_, signal)| *signal)
    };
    let payoff: Payoff = match objective {
        Objective::Win => certain(step.circuit.or(at_least(100))),
        Objective::GoalAtLeast(points) => certain(step.circuit.or(at_least(i64::from(points)))),
        // Of a valid game exactly one holds in every state that is terminal.
        Objective::Score => goals
            .iter()
            .filter(|(value, _)| (1..=100).contains(value))
            .map(|(value, signal)| (BigRational::new((*value).into(), 100.into()), *signal))
            .collect(),
    };
    Problem {
        agents: agents.collect(),
        step,
        payoff,
    }
}

fn certain(success: Signal) -> Payoff {
    vec![(BigRational::one(), success)]
}
