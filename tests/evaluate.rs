//! The evaluator's two engines give the same answers, in any order of questions.

use crate::common::random_game::random_game;
use crate::common::rounds;
use crate::common::{checked_in_game, in_parallel, read_game, say};
use engines::search::SearchOptions;
use engines::{Definition, Engine, Evaluation, Position, Query, Searching};
use fastrand::Rng;
use gdl::Term;
use gdl::game::{Game, Objective};
use limits::Limits;
use rules::Reasoner;
use sqasp::Silent;
use std::sync::Arc;

/// Random plays of a game: for each step the joint moves up to it, and the facts after them.
fn positions(game: &Game, random: &mut Rng, most: u32) -> Vec<(Vec<Vec<Term>>, Vec<Term>)> {
    let mut reasoner = Reasoner::new(game).expect("a game that can be played");
    let mut state = reasoner.initial().expect("an initial state");
    let mut history = Vec::new();
    let mut positions = vec![(history.clone(), reasoner.facts(&state))];
    for _ in 0..most {
        if reasoner.terminal(&state).expect("it is known") {
            break;
        }
        let joint_move: Vec<Term> = (0..game.roles().len())
            .map(|role| {
                let legal = reasoner.legal(&state, role).expect("they are known");
                random.choice(legal).expect("everybody has a move")
            })
            .collect();
        state = reasoner.next(&state, &joint_move).expect("a next state");
        history.push(joint_move);
        positions.push((history.clone(), reasoner.facts(&state)));
    }
    positions
}

/// An answer without what engines may differ in.
fn comparable(evaluation: Evaluation) -> (bool, String, Vec<(String, String)>) {
    let mut moves: Vec<(String, String)> = evaluation
        .moves
        .into_iter()
        .map(|each| (each.action.to_string(), format!("{:?}", each.outcome)))
        .collect();
    moves.sort();
    (
        evaluation.terminal,
        format!("{:?}", evaluation.outcome),
        moves,
    )
}

/// Asks both engines about positions of random plays; the first difference, in words.
fn difference(game: &Game, objective: Objective, depth: u32, seed: u64) -> Option<String> {
    let mut random = Rng::with_seed(seed);
    let mut plain = Definition::new(game, objective, limits::Limits::default()).expect("an engine");
    let mut quick = match Searching::new(game, objective, SearchOptions::default()) {
        Ok(engine) => engine,
        Err(error) => return Some(format!("no circuit: {error}")),
    };
    let mut places = Vec::new();
    for _ in 0..3 {
        places.extend(positions(game, &mut random, depth));
    }
    random.shuffle(&mut places);
    for (history, facts) in places {
        for (role, name) in game.roles().iter().enumerate() {
            if name.as_str() == "random" {
                continue;
            }
            let position = match random.bool() {
                true => Position::State(facts.clone()),
                false => Position::History(history.clone()),
            };
            let query = Query {
                position,
                role,
                depth: Some(random.u32(0..=depth)),
                moves: random.bool(),
                limits: Limits::default(),
                observer: Arc::new(Silent),
            };
            if random.u8(0..16) == 0 {
                quick.clear();
            }
            let text = |error: sqasp::Error| error.to_string();
            let expected = plain.evaluate(&query).map(comparable).map_err(text);
            let found = quick.evaluate(&query).map(comparable).map_err(text);
            if expected != found {
                return Some(format!(
                    "{name}, {:?} within {:?} steps: {found:?}, expected {expected:?}",
                    query.position, query.depth
                ));
            }
        }
    }
    None
}

#[test]
fn engines_agree_on_random_games() {
    let seeds: Vec<u64> = (0..rounds(150)).collect();
    say(&format!("seeds 0 to {}", seeds.len() - 1));
    in_parallel(seeds, |seed| {
        let random = random_game(seed);
        let game = read_game("random", &random.text).map_err(|error| error.to_string())?;
        for objective in [Objective::Win, Objective::GoalAtLeast(50), Objective::Score] {
            if let Some(text) = difference(&game, objective, random.depth, seed) {
                return Err(format!("seed {seed}, {objective}: {text}\n{}", random.text));
            }
        }
        Ok(())
    });
}

#[test]
fn engines_agree_on_our_games() {
    let games = vec![
        ("figure_1.gdl", 1),
        ("stochastic_nim_5.gdl", 8),
        ("monty_hall.gdl", 4),
        ("dive.gdl", 5),
        ("duel.gdl", 3),
        ("stochastic_ttt_half.gdl", 4),
    ];
    in_parallel(games, |(file, depth)| {
        let game = checked_in_game(file);
        match difference(&game, Objective::Win, depth, 7) {
            None => Ok(()),
            Some(text) => Err(format!("{file}: {text}")),
        }
    });
}
