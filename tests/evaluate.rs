//! The evaluator's engines give the same answers as each other, in any order of questions, and as the definition.

use crate::common::{checked_in_game, in_parallel, random_joint_move, read_game, rounds, say};
use engines::search::SearchOptions;
use engines::{
    DefinitionEngine, EmmEngine, Engine, Evaluation, HiddenEngine, KnownStep, Position, Query,
};
use fastrand::Rng;
use gdl::Term;
use gdl::game::{Game, Objective};
use generators::random_game;
use limits::Limits;
use num_rational::BigRational;
use num_traits::Zero;
use rules::{Reasoner, State, worth};
use sqasp::Silent;
use std::collections::BTreeMap;
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

/// A role against chance: all plays that look alike to it, each with its probability.
struct Alone {
    reasoner: Reasoner,
    objective: Objective,
}

type Plays = Vec<(State, BigRational)>;

impl Alone {
    /// The plays after a move by what the role sees then, and the payoffs of those that are over, times their probabilities.
    fn after(&mut self, plays: &Plays, action: &Term) -> (BTreeMap<Vec<Term>, Plays>, BigRational) {
        let (mut next, mut over) = (BTreeMap::<_, Plays>::new(), BigRational::zero());
        for (state, share) in plays {
            let throws = self.reasoner.legal(state, 1).expect("moves of chance");
            let share = share / BigRational::from_integer(throws.len().into());
            for throw in throws {
                let joint_move = [action.clone(), throw];
                let then = self.reasoner.next(state, &joint_move).expect("a state");
                if self.reasoner.terminal(&then).expect("it is known") {
                    let goals = self.reasoner.goals(&then, 0).expect("goals");
                    over += worth(&goals, self.objective).expect("a value") * &share;
                    continue;
                }
                let mut sees = self
                    .reasoner
                    .percepts(state, &joint_move)
                    .expect("percepts");
                let group = next.entry(sees.swap_remove(0)).or_default();
                group.push((then, share.clone()));
            }
        }
        (next, over)
    }

    /// The worth of each move, not divided by the probability of the plays.
    fn worths(&mut self, plays: &Plays, steps: u32) -> Vec<(Term, BigRational)> {
        let moves = self.reasoner.legal(&plays[0].0, 0).expect("moves");
        let worths = moves.into_iter().map(|action| {
            let (next, mut sum) = self.after(plays, &action);
            for plays in next.values().filter(|_| steps > 1) {
                let worths = self.worths(plays, steps - 1).into_iter();
                sum += worths.map(|each| each.1).max().expect("a move");
            }
            (action, sum)
        });
        worths.collect()
    }
}

/// The worth of all that a role can know, by the definition. The whole game is solved once.
#[test]
fn what_a_role_knows_is_worth_what_all_plays_that_look_alike_are() {
    for (file, steps) in [("hidden_monty_hall.gdl", 4), ("hidden_tiger.gdl", 4)] {
        let game = checked_in_game(file);
        let objective = Objective::Points;
        let mut engine = HiddenEngine::new(&game, None, objective, &SearchOptions::default());
        let reasoner = Reasoner::new(&game).expect("a game that can be played");
        let mut alone = Alone {
            reasoner,
            objective,
        };
        let start = alone.reasoner.initial().expect("a state");
        let mut open = vec![(
            Vec::new(),
            vec![(start, BigRational::from_integer(1.into()))],
        )];
        let mut seen = 0;
        while let Some((known, plays)) = open.pop() {
            let left = steps - known.len() as u32;
            let query = Query {
                position: Position::Information(known.clone()),
                role: 0,
                depth: Some(left),
                moves: true,
                limits: Limits::default(),
                observer: Arc::new(Silent),
            };
            let found = engine.evaluate(&query).expect("an answer");
            assert_eq!(found.states > 0, seen == 0, "the solution is kept");
            seen += 1;
            if left == 0 {
                assert!(found.outcome.bounds().1.is_zero() && found.moves.is_empty());
                continue;
            }
            let worths = alone.worths(&plays, left);
            let whole: BigRational = plays.iter().map(|each| &each.1).sum();
            let told = found
                .moves
                .iter()
                .map(|each| (each.action.clone(), each.outcome.bounds()));
            let expected = worths.iter().map(|(action, worth)| {
                let worth = worth / &whole;
                (action.clone(), (worth.clone(), worth))
            });
            assert!(told.eq(expected), "{file} {known:?}");
            let best = worths.iter().map(|each| &each.1).max().expect("a move") / &whole;
            assert_eq!(
                found.outcome.bounds(),
                (best.clone(), best),
                "{file} {known:?}"
            );
            for (action, _) in worths {
                for (sees, plays) in alone.after(&plays, &action).0 {
                    let moves = vec![action.clone()];
                    open.push(([&known[..], &[KnownStep { moves, sees }]].concat(), plays));
                }
            }
        }
        say(&format!("{file}: {seen} informations"));
        assert!(seen > 8);
    }
}
