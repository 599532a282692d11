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

#[cfg(test)]
mod tests {
    use crate::game::{self, Objective};
    use crate::gdl::Options;
    use crate::search::{Search, SearchOptions};
    use formula::Limits;

    /// Grounding and factoring must not take away the symmetries of a game.
    #[test]
    fn boards_keep_their_symmetries() {
        for (file, expected) in [
            ("stochastic_ttt", 8),
            ("tic_tac_toe_random_first", 8),
            ("stochastic_connect_3", 2),
            ("connect_4_random_second", 2),
        ] {
            let path = format!("{}/games/{file}.gdl", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::read(path).expect("our own game");
            let game = game::read(file, &text, &Options::default())
                .expect("our games are valid")
                .game;
            let role = game.players().next().expect("there is a player").clone();
            let options = SearchOptions::default();
            let mut search = Search::new(&game, &role, Objective::Win, &options).expect("a step");
            let start = search.initial();
            let answer = search
                .solve(&start, Some(2), &Limits::default())
                .expect("a value");
            let images = answer.statistics.iter().find(|(name, _)| *name == "images");
            assert_eq!(images, Some(&("images", expected)), "{file}");
        }
    }
}
