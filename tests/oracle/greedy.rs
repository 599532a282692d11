//! Values against greedy opponents, on random games: by the definition, with the moves of each opponent that minimax within two steps
//! calls best.

use crate::common::definition::{Definition, Follower, uniform};
use crate::common::{in_parallel, read_game, rounds, say};
use gdl::Term;
use gdl::game::{Game, Objective};
use generators::random_game;
use num_traits::{One, Zero};
use rules::{Minimax, Reasoner, State};
use sqasp::{Opponents, Options, Question};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How far an opponent looks ahead.
const AHEAD: u32 = 2;

/// An opponent that makes any of the moves that minimax within a few steps calls best. Counts the states in which these are not all.
fn greedy(game: &Game, role: usize, objective: Objective, picky: Arc<AtomicU64>) -> Follower {
    let mut minimax = Minimax::new(Reasoner::new(game).expect("rules"), role, objective);
    let moves = move |rules: &Reasoner, state: &State, _: u32| {
        let state = minimax.reasoner().state(&rules.facts(state));
        let state = state.expect("a state");
        let values = minimax.move_values(&state, AHEAD).expect("values");
        let best = values.iter().map(|(_, value)| value).max().cloned();
        let all = values.len();
        let is_best = |value| Some(value) == best;
        let taken = values
            .into_iter()
            .filter(|(_, value)| is_best(value.clone()));
        let taken: Vec<Vec<Term>> = taken.map(|(action, _)| vec![action]).collect();
        picky.fetch_add(u64::from(taken.len() < all), Ordering::Relaxed);
        Some(uniform(taken))
    };
    Follower {
        members: vec![role],
        moves: Box::new(moves),
    }
}

#[test]
fn greedy_opponents_of_random_games_are_those_of_the_definition() {
    let [values, picky, between] = [(); 3].map(|()| Arc::new(AtomicU64::new(0)));
    let games = rounds(300);
    in_parallel((3_000_000..3_000_000 + games).collect(), |seed| {
        let random = random_game(seed);
        let game = read_game("random", &random.text).expect("random games are valid");
        let objective = [Objective::Win, Objective::Score][seed as usize % 2];
        for (place, role) in game.roles().iter().enumerate() {
            if role.is_random() {
                continue;
            }
            let mut definition = Definition::new(&game, vec![place], objective);
            for opponent in (0..game.roles().len()).filter(|&other| other != place) {
                if !game.roles()[opponent].is_random() {
                    let opponent = greedy(&game, opponent, objective, picky.clone());
                    definition = definition.followed_by(opponent);
                }
            }
            let expected = definition.initial_value(random.depth);
            let question = Question::new(role.clone())
                .objective(objective)
                .depth(random.depth)
                .opponents(Opponents::Greedy);
            let answer = sqasp::solve(&game, &question, &Options::default());
            let answer =
                answer.map_err(|error| format!("seed {seed}: {error}\n{}", random.text))?;
            if answer.value() != Some(&expected) {
                let found = answer.value();
                let text = &random.text;
                return Err(format!(
                    "seed {seed}: {role} has {found:?}, not {expected}\n{text}"
                ));
            }
            values.fetch_add(1, Ordering::Relaxed);
            let is_between = !expected.is_zero() && !expected.is_one();
            between.fetch_add(u64::from(is_between), Ordering::Relaxed);
        }
        Ok(())
    });
    let [values, picky, between] = [values, picky, between].map(|it| it.load(Ordering::Relaxed));
    say(&format!(
        "{values} values against greedy opponents of {games} random games agree, {between} of them between 0 and 1; \
         opponents preferred moves {picky} times"
    ));
    assert!(picky > games && between > games / 4, "too few choices");
}
