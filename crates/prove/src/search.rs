//! Violations by play: random plays in which every state is looked at.
//!
//! Most properties that do not hold are violated within a few plays, and a play that was found so is
//! its own witness. A property that is not violated in play may still not hold.

use super::condition::Condition;
use super::lanes;
use super::playing::{Played, Playing, Playthrough};
use super::steps::Stop;
use super::view::{StateView, ViewError};
use super::vocabulary::Vocabulary;
use gdl::Term;
use limits::StopReason;
use step::{StateBatch, StateMachine};

/// Plays at random and searches for states that violate some of these properties.
pub(super) fn play(
    game: &Vocabulary,
    machine: &mut StateMachine,
    properties: &[&[Condition]],
    playing: &Playing,
) -> Result<Played, Stop> {
    if let Some(mut batch) = StateBatch::new(machine) {
        return lanes::play(game, &mut batch, properties, playing);
    }
    let mut played = Played {
        violations: vec![None; properties.len()],
        ..Played::default()
    };
    let only_facts: Vec<bool> = properties
        .iter()
        .map(|instances| instances.iter().all(Condition::is_about_facts))
        .collect();
    let mut random = fastrand::Rng::with_seed(1);
    let cannot = |error: ViewError| match error {
        ViewError::Rules(rules::ReasonerError::Stopped(reason)) => Stop::Limit(reason),
        error => Stop::Cannot(error.to_string()),
    };
    for _ in 0..playing.plays {
        let mut position = machine.initial().map_err(|error| cannot(error.into()))?;
        let mut history: Vec<Vec<Term>> = Vec::new();
        loop {
            match playing.limits.check() {
                Err(StopReason::Time) => return Ok(played),
                looked => looked.map_err(Stop::Limit)?,
            }
            let open = |number: &usize| played.violations[*number].is_none();
            let open: Vec<usize> = (0..properties.len()).filter(open).collect();
            let facts = machine.facts(&position);
            let view = if open.iter().all(|&number| only_facts[number]) {
                StateView::of_facts(game, &facts)
            } else {
                StateView::new(game, machine, &position)
            };
            let view = view.map_err(cannot)?;
            for number in open {
                let violated = properties[number].iter().position(|c| !view.holds(c));
                if let Some(instance) = violated {
                    played.violations[number] = Some(Playthrough {
                        joint_moves: history.clone(),
                        state: facts.clone(),
                        instance,
                    });
                }
            }
            played.states += 1;
            if machine
                .terminal(&position)
                .map_err(|error| cannot(error.into()))?
            {
                break;
            }
            if history.len() == playing.steps {
                break;
            }
            let chosen = machine.random_move(&position, &mut random);
            let Some(joint_move) = chosen.map_err(|error| cannot(error.into()))? else {
                break;
            };
            let next = machine.next(&position, &joint_move);
            position = next.map_err(|error| cannot(error.into()))?;
            history.push(joint_move);
        }
        played.plays += 1;
        if history.len() > played.longest.len() {
            played.longest = history;
        }
    }
    Ok(played)
}
