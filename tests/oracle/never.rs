//! Random games with words exchanged: what is told never to be true, legal or reached is not met in any play.

use crate::common::legal_moves;
use gdl::Options;
use gdl::game::{Game, Objective, joint_moves, never, points};
use generators::{random_game, seeds};
use num_traits::Zero;
use rules::{Reasoner, State};
use rustc_hash::FxHashSet;

/// The most states of a game that are looked at.
const MAX_STATES: usize = 3000;

/// The text with some words in place of others of it.
fn with_words_exchanged(text: &str, rng: &mut fastrand::Rng) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words: Vec<&str> = text
        .split(|c| !is_word(c))
        .filter(|w| !w.is_empty())
        .collect();
    let mut changed = text.to_owned();
    for _ in 0..rng.usize(1..4) {
        let places: Vec<(usize, &str)> = changed.match_indices(is_word).collect();
        let (start, _) = places[rng.usize(..places.len())];
        let start = changed[..start]
            .rfind(|c| !is_word(c))
            .map_or(0, |at| at + 1);
        let end = changed[start..]
            .find(|c| !is_word(c))
            .map_or(changed.len(), |at| start + at);
        changed.replace_range(start..end, words[rng.usize(..words.len())]);
    }
    changed
}

/// Calls `visit` on the states that play leads to, as far as rules can be evaluated.
fn visit_states(game: &Game, visit: &mut impl FnMut(&mut Reasoner, &State)) -> Option<()> {
    let mut reasoner = Reasoner::new(game).ok()?;
    let start = reasoner.initial().ok()?;
    let mut seen = FxHashSet::from_iter([start.clone()]);
    let mut open = vec![start];
    while let Some(state) = open.pop() {
        visit(&mut reasoner, &state);
        if reasoner.terminal(&state).ok()? {
            continue;
        }
        let legal = legal_moves(&mut reasoner, &state).ok()?;
        for joint_move in joint_moves(legal.iter().map(Vec::as_slice)) {
            let next = reasoner.next(&state, &joint_move).ok()?;
            if seen.len() < MAX_STATES && seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    Some(())
}

#[test]
fn what_is_told_never_to_be_is_never_met() {
    let (mut claims, mut warned, mut refuted) = (0, 0, Vec::new());
    for (seed, mut rng) in seeds(0, 900) {
        let text = with_words_exchanged(&random_game(seed).text, &mut rng);
        let Ok(reading) = gdl::game::read("changed", text.as_bytes(), &Options::default()) else {
            continue;
        };
        let game = reading.game;
        warned += usize::from(game.warnings().contains("never-"));
        let domains = game.domains();
        let objectives = [
            Objective::Win,
            Objective::GoalAtLeast(1.into()),
            Objective::Points,
        ];
        let questions: Vec<_> = (game.players())
            .flat_map(|role| objectives.map(|objective| (role.clone(), objective)))
            .filter(|(role, objective)| never(&game, role, *objective).is_some())
            .collect();
        claims += questions.len();
        visit_states(&game, &mut |reasoner, state| {
            let facts = reasoner.facts(state);
            if let Some(fact) = domains.impossible(&facts) {
                refuted.push(format!("seed {seed}: {fact} holds\n{text}"));
            }
            if reasoner.terminal(state) != Ok(true) {
                for (place, role) in game.roles().iter().enumerate() {
                    let legal = reasoner.legal(state, place).unwrap_or_default();
                    let Ok(moves) = domains.moves(role) else {
                        continue;
                    };
                    if let Some(action) = legal.iter().find(|action| !moves.contains(action)) {
                        refuted.push(format!("seed {seed}: {action} is legal\n{text}"));
                    }
                }
                return;
            }
            for (role, objective) in &questions {
                let place = game.role(role).expect("a player");
                let goals = reasoner.goals(state, place).unwrap_or_default();
                let is_worth = |goal| points(goal).is_some_and(|p| !objective.worth(p).is_zero());
                if goals.iter().any(is_worth) {
                    refuted.push(format!("seed {seed}: {role} reaches {objective}\n{text}"));
                }
            }
        });
    }
    assert!(refuted.is_empty(), "{}", refuted[0]);
    println!("{claims} claims, warnings in {warned} games");
    assert!(
        claims > 10 && warned > 10,
        "{claims} claims, warnings in {warned} games"
    );
}
