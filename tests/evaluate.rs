//! The evaluator's engines give the same answers as each other, in any order of questions, and as the definition.

use crate::common::{
    checked_in_game, in_parallel, legal_moves, query, random_joint_move, read_game, rounds, say,
};
use engines::search::SearchOptions;
use engines::{DefinitionEngine, EmmEngine, Engine, Evaluation, HiddenEngine, KnownStep, Position};
use fastrand::Rng;
use gdl::Term;
use gdl::game::{Game, Objective, joint_moves};
use generators::random_game;
use hidden::HiddenQuestion;
use limits::Limits;
use num_traits::Zero;
use rules::Reasoner;

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
        let joint_move = random_joint_move(&mut reasoner, &state, random).expect("rules");
        let joint_move = joint_move.expect("each role has a move");
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
    let mut plain =
        DefinitionEngine::new(game, objective, limits::Limits::default()).expect("an engine");
    let mut quick = match EmmEngine::new(game, objective, SearchOptions::default()) {
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
            let query = query(position, role, Some(random.u32(0..=depth)), random.bool());
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
        for objective in [
            Objective::Win,
            Objective::GoalAtLeast(50.into()),
            Objective::Score,
        ] {
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

/// The engine says of all that a role can know what the solution of the whole game says, which is made once. The tests of `hidden` compare the
/// solution with the definition.
#[test]
fn what_a_role_knows_is_worth_what_the_solution_says() {
    const STEPS: u32 = 4;
    for file in ["hidden_monty_hall.gdl", "hidden_tiger.gdl"] {
        let game = checked_in_game(file);
        let (objective, limits) = (Objective::Points, Limits::default());
        let mut engine = HiddenEngine::new(&game, None, objective, &SearchOptions::default());
        let question = HiddenQuestion::new(game.roles()[0].clone(), objective, Some(STEPS));
        let solution = hidden::solve(&game, &question, &limits).expect("a value");
        let mut rules = Reasoner::new(&game).expect("a game that can be played");
        let start = rules.initial().expect("a state");
        let mut open = vec![(Vec::new(), start)];
        let mut seen = 0;
        while let Some((known, state)) = open.pop() {
            let left = STEPS - known.len() as u32;
            let query = query(Position::Information(known.clone()), 0, Some(left), true);
            let found = engine.evaluate(&query).expect("an answer");
            assert_eq!(found.states > 0, seen == 0, "the solution is kept");
            seen += 1;
            if left == 0 {
                assert!(found.outcome.bounds().1.is_zero() && found.moves.is_empty());
                continue;
            }
            let expected = solution.knowledge(&known, &limits).expect("a play");
            let bounds = Some(found.outcome.bounds());
            assert_eq!(bounds, expected.bounds, "{file} {known:?}");
            let told = found.moves.iter();
            let told = told.map(|each| (&each.action, Some(each.outcome.bounds())));
            let moves = expected.moves.iter();
            let moves = moves.map(|each| (&each.action, each.bounds.clone()));
            assert!(told.eq(moves), "{file} {known:?}");
            let legal = legal_moves(&mut rules, &state).expect("moves");
            for joint_move in joint_moves(legal.iter().map(Vec::as_slice)) {
                let next = rules.next(&state, &joint_move).expect("a state");
                if !rules.terminal(&next).expect("it is known") {
                    let mut sees = rules.percepts(&state, &joint_move).expect("percepts");
                    let (moves, sees) = (joint_move[..1].to_vec(), sees.swap_remove(0));
                    open.push(([&known[..], &[KnownStep { moves, sees }]].concat(), next));
                }
            }
        }
        say(&format!("{file}: {seen} informations"));
        assert!(seen > 8);
    }
}
