//! Tables of moves at the same time: every position of some plays of random games has the value of the definition, by the rules as written.

use crate::common::definition::Definition;
use crate::common::{checked_table, in_parallel, random_joint_move, rounds};
use fastrand::Rng;
use gdl::Name;
use gdl::game::{Game, Objective};
use generators::{random_game, simultaneous_game};
use sqasp::Question;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Follows plays at random, and compares their positions with the definition; tells how many there were.
fn compare(
    game: &Game,
    role: &Name,
    objective: Objective,
    depth: u32,
    seed: u64,
) -> Result<usize, String> {
    let question = Question::new(role.clone()).mixed(true);
    let question = question.objective(objective).depth(depth);
    let folder = tempfile::tempdir().expect("a folder");
    let probe = checked_table(game, &question, folder.path(), seed);
    let mut probe = probe.map_err(|error| error.to_string())?;
    let definition = Definition::new(game, vec![game.role(role).expect("a role")], objective);
    let mut definition = definition.mixed(true);
    let mut random = Rng::with_seed(seed);
    let mut compared = 0;
    for _ in 0..3 {
        let mut state = definition.rules.initial().expect("a state");
        for steps in (1..=depth).rev() {
            if definition.rules.terminal(&state).expect("rules") {
                break;
            }
            let facts = definition.rules.facts(&state);
            let layer = steps as usize;
            let entries = probe.entries(Some(&facts)).expect("a table");
            let entry = entries.iter().find(|entry| entry.layer == layer);
            let entry = entry.ok_or_else(|| format!("{facts:?} is missing"))?;
            let expected = definition.value(&state, steps, depth - steps);
            let play = probe.mixture(Some(&facts), layer).expect("a table");
            let play = play.expect("few positions follow");
            if entry.value != expected || play.bounds != (expected.clone(), expected.clone()) {
                return Err(format!(
                    "{facts:?} with {steps} steps left: {} and {:?}, not {expected}",
                    entry.value, play.bounds
                ));
            }
            compared += 1;
            let reasoner = &mut definition.rules;
            let joint_move = random_joint_move(reasoner, &state, &mut random).expect("rules");
            state = reasoner
                .next(&state, &joint_move.expect("moves"))
                .expect("rules");
        }
    }
    Ok(compared)
}

#[test]
fn positions_of_random_games_have_the_values_of_the_definition() {
    let objectives = [
        Objective::Win,
        Objective::Points,
        Objective::GoalAtLeast(50.into()),
        Objective::Score,
    ];
    let first = fastrand::u64(..1 << 40);
    let count = rounds(150);
    let compared = AtomicUsize::new(0);
    in_parallel((first..first + count).collect(), |seed| {
        let (text, depth) = match seed % 2 {
            0 => {
                let random = random_game(seed);
                (random.text, random.depth)
            }
            _ => (simultaneous_game(seed, seed % 4 == 1), 4),
        };
        let game = engines::read("random", text.as_bytes()).expect("a valid game");
        let objective = objectives[seed as usize / 2 % 4];
        for role in game.players() {
            let found = compare(&game, role, objective, depth, seed);
            let found = found.map_err(|error| format!("seed {seed}, {role}: {error}\n{text}"))?;
            compared.fetch_add(found, Ordering::Relaxed);
        }
        Ok(())
    });
    assert!(compared.into_inner() as u64 > 4 * count, "seed {first}");
}
