//! Tables of moves at the same time: every position of some plays of random games has the value of the definition, by the rules as written.

use crate::common::definition::Definition;
use crate::common::{AnyError, checked_table, in_parallel, rounds};
use crate::tables::follow;
use fastrand::Rng;
use gdl::Name;
use gdl::game::{Game, Objective};
use generators::{random_game, simultaneous_game};
use rules::Reasoner;
use sqasp::Question;
use std::sync::atomic::{AtomicU64, Ordering};
use step::StateMachine;

/// Follows plays at random, and compares their positions with the definition; tells how many there were.
fn compare(
    game: &Game,
    role: &Name,
    objective: Objective,
    depth: u32,
    seed: u64,
) -> Result<u64, AnyError> {
    let question = Question::new(role.clone()).mixed(true);
    let question = question.objective(objective).depth(depth);
    let folder = tempfile::tempdir().expect("a folder");
    let probe = checked_table(game, &question, folder.path(), seed);
    let mut probe = probe?;
    let definition = Definition::new(game, vec![game.role(role).expect("a role")], objective);
    let mut definition = definition.mixed(true);
    let rules = Reasoner::new(game)?;
    let (mut machine, mut random) = (StateMachine::by_rules(rules), Rng::with_seed(seed));
    let mut compared = 0;
    for _ in 0..3 {
        compared += follow(
            &mut probe,
            &mut machine,
            &mut random,
            |probe, facts, entry| {
                let state = definition.rules.state(facts)?;
                let left = entry.layer as u32;
                let expected = definition.value(&state, left, depth - left);
                let play = probe.mixture(Some(facts), entry.layer)?;
                let bounds = play.ok_or("few positions follow")?.bounds;
                match entry.value == expected && bounds == (expected.clone(), expected.clone()) {
                    true => Ok(()),
                    false => Err(format!("{} and {bounds:?}, not {expected}", entry.value).into()),
                }
            },
        )?;
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
    let compared = AtomicU64::new(0);
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
    assert!(compared.into_inner() > 4 * count, "seed {first}");
}
