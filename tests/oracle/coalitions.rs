//! Games with several opponents or with moves at the same time, as they were published: both routes against expected minimax by
//! definition, a step before the end.
//!
//! A player is asked what it can guarantee against all others together, who know its move of the
//! same step. Games are played at random, and the question is put before the end:
//! at the start nobody can guarantee anything in so few steps. [`super::random_games`] has random games of three players.

use super::random_games::{Questions, disagreement};
use crate::common::{in_parallel, random_joint_move, rounds, say, shared};
use gdl::game::{Game, Objective};
use gdl::{Options, Term};
use rules::Reasoner;
use std::sync::atomic::{AtomicU64, Ordering};

/// Plays at random to the end; the facts of the state before that.
fn late_state(game: &Game, rng: &mut fastrand::Rng) -> Option<Vec<Term>> {
    const LONGEST: usize = 200;
    let mut rules = Reasoner::new(game).ok()?;
    let mut state = rules.initial().ok()?;
    for _ in 0..LONGEST {
        let joint_move = random_joint_move(&mut rules, &state, rng).ok()??;
        let next = rules.next(&state, &joint_move).ok()?;
        if rules.terminal(&next).ok()? {
            return Some(rules.facts(&state));
        }
        state = next;
    }
    None
}

#[test]
#[ignore = "needs ../shared: public games"]
fn late_positions_of_public_games_have_the_values_of_minimax() {
    let folder = shared("games-ggp");
    let [compared, between] = [(); 2].map(|()| AtomicU64::new(0));
    let games = [
        // Three players.
        "tictactoe_3player",
        "pacman3p",
        // Two at the same time.
        "gt_attrition",
        "gt_dollar",
    ];
    let seeds = rounds(3);
    let jobs = games
        .iter()
        .flat_map(|name| (0..seeds).map(move |seed| (*name, seed)));
    in_parallel(jobs.collect(), |(name, seed)| {
        let text = std::fs::read(folder.join(format!("{name}.kif"))).expect("a file");
        let reading = gdl::game::read(name, &text, &Options::default()).expect("a valid game");
        let mut rng = fastrand::Rng::with_seed(seed);
        let Some(facts) = late_state(&reading.game, &mut rng) else {
            return Ok(());
        };
        // Farther from the end there are too many joint moves for the rules.
        let questions = Questions {
            objectives: vec![Objective::Score],
            depth: 1,
        };
        compared.fetch_add(1, Ordering::Relaxed);
        let game = reading.game.starting_from(&facts);
        match disagreement(&game, &questions, &between) {
            None => Ok(()),
            Some(trouble) => Err(format!("{name}, seed {seed}: {trouble}")),
        }
    });
    let [compared, between] = [compared, between].map(AtomicU64::into_inner);
    say(&format!(
        "{compared} positions of public games agree, {between} values are between 0 and 1"
    ));
    assert!(compared >= 2 * seeds && between > 0);
}
