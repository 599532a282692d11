//! Teams, and opponents that move at random, against the definition: expected minimax in which each role has its side.

use crate::common::random_game::random_game;
use crate::common::{checked_in_game, in_parallel, read_game, rounds};
use formula::BigRational;
use gdl::Term;
use gdl::game::{Game, Objective, joint_moves};
use num_traits::{One, Zero};
use rules::{Reasoner, State, worth};
use sqasp::{Opponents, Options, Question};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a role does.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Team,
    Opponents,
    Chance,
}

/// Expected minimax by definition, with a side for each role.
struct Definition<'a> {
    rules: Reasoner,
    sides: Vec<Side>,
    /// The role whose goals count.
    first: usize,
    objective: &'a Objective,
    known: HashMap<(State, u32), BigRational>,
}

impl Definition<'_> {
    fn value(&mut self, state: &State, steps: u32) -> BigRational {
        if self.rules.terminal(state).expect("a state") {
            let goals = self.rules.goals(state, self.first).expect("goals");
            return worth(&goals, *self.objective).expect("a number of points");
        }
        if steps == 0 {
            return BigRational::zero();
        }
        if let Some(value) = self.known.get(&(state.clone(), steps)) {
            return value.clone();
        }
        let mut joint = vec![None; self.sides.len()];
        let value = self.choice(
            state,
            steps,
            &mut joint,
            [Side::Team, Side::Opponents, Side::Chance].as_slice(),
        );
        self.known.insert((state.clone(), steps), value.clone());
        value
    }

    /// The value of a state where these sides still choose, one after the other.
    fn choice(
        &mut self,
        state: &State,
        steps: u32,
        joint: &mut Vec<Option<Term>>,
        open: &[Side],
    ) -> BigRational {
        let [side, later @ ..] = open else {
            let made: Vec<Term> = joint.iter().flatten().cloned().collect();
            let next = self.rules.next(state, &made).expect("the next state");
            return self.value(&next, steps - 1);
        };
        let members: Vec<usize> = (0..self.sides.len())
            .filter(|&role| self.sides[role] == *side)
            .collect();
        let legal: Vec<Vec<Term>> = members
            .iter()
            .map(|&role| self.rules.legal(state, role).expect("moves"))
            .collect();
        let choices = joint_moves(legal.iter().map(Vec::as_slice));
        let values: Vec<BigRational> = choices
            .into_iter()
            .map(|choice| {
                for (&role, made) in members.iter().zip(choice) {
                    joint[role] = Some(made);
                }
                self.choice(state, steps, joint, later)
            })
            .collect();
        let count = BigRational::from_integer(values.len().into());
        match side {
            Side::Team => values.into_iter().max(),
            Side::Opponents => values.into_iter().min(),
            Side::Chance => Some(values.into_iter().sum::<BigRational>() / count),
        }
        .expect("every role has a move")
    }
}

/// The value by definition for a team, of which the first member's goals count.
fn defined(
    game: &Game,
    team: &[usize],
    others: Side,
    objective: Objective,
    depth: u32,
) -> BigRational {
    let sides = game.roles().iter().enumerate().map(|(index, role)| {
        if team.contains(&index) {
            Side::Team
        } else if role.is_random() {
            Side::Chance
        } else {
            others
        }
    });
    let mut definition = Definition {
        rules: Reasoner::new(game).expect("rules"),
        sides: sides.collect(),
        first: team[0],
        objective: &objective,
        known: HashMap::new(),
    };
    let start = definition.rules.initial().expect("a state");
    definition.value(&start, depth)
}

/// The same by an engine.
fn found(
    game: &Game,
    team: &[usize],
    opponents: Opponents,
    objective: Objective,
    depth: u32,
    engine: &str,
) -> BigRational {
    let names: Vec<&str> = team
        .iter()
        .map(|&role| game.roles()[role].as_str())
        .collect();
    let question = Question::about(game)
        .expect("a player")
        .role(&names.join("+"))
        .objective(objective)
        .depth(depth)
        .opponents(opponents);
    let mut options = Options::default();
    options.engine = engines::Entry::named(engine);
    let answer = sqasp::solve(game, &question, &options).expect("an answer");
    answer.value().expect("a value").clone()
}

#[test]
fn teams_of_random_games_have_the_values_of_the_definition() {
    let (zero, one, between) = (
        AtomicUsize::new(0),
        AtomicUsize::new(0),
        AtomicUsize::new(0),
    );
    let wanted = rounds(40) as usize;
    let games = (2_000_000..)
        .map(|seed| (seed, random_game(seed)))
        .filter_map(|(seed, random)| {
            let game = read_game("random", &random.text).expect("random games are valid");
            (game.players().count() > 1).then_some((seed, random, game))
        });
    in_parallel(games.take(wanted).collect(), |(seed, random, game)| {
        let players: Vec<usize> = (0..game.roles().len())
            .filter(|&role| !game.roles()[role].is_random())
            .collect();
        let mut team = players.clone();
        team.rotate_left(seed as usize % players.len());
        team.truncate(2);
        let objective = [
            Objective::Win,
            Objective::GoalAtLeast(50),
            Objective::Points,
        ][seed as usize % 3];
        for (team, opponents, others) in [
            (&team[..], Opponents::Best, Side::Opponents),
            (&team[..1], Opponents::Random, Side::Chance),
            (&team[..], Opponents::Random, Side::Chance),
        ] {
            let expected = defined(&game, team, others, objective, random.depth);
            for engine in ["emm", "xssat"] {
                let value = found(&game, team, opponents, objective, random.depth, engine);
                if value != expected {
                    return Err(format!(
                        "seed {seed}: {value} by {engine}, not {expected} for {team:?}, {opponents:?}, {objective}\n{}",
                        random.text
                    ));
                }
            }
            let counter = match () {
                () if expected.is_zero() => &zero,
                () if expected.is_one() => &one,
                () => &between,
            };
            counter.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    });
    let [zero, one, between] = [zero, one, between].map(AtomicUsize::into_inner);
    assert!(
        zero > 0 && one > 0 && between * 4 > wanted,
        "{zero} {one} {between}"
    );
}

/// The hounds are one side.
#[test]
fn the_hounds_catch_the_fox_together() {
    let game = checked_in_game("fox_and_hounds.gdl");
    let expected = defined(&game, &[1, 2], Side::Opponents, Objective::Win, 3);
    for engine in ["emm", "xssat"] {
        let value = found(&game, &[1, 2], Opponents::Best, Objective::Win, 3, engine);
        assert_eq!(value, expected, "{engine}");
    }
}

/// The other player of a game is `random` in two more, whose values a publication has.
#[test]
fn random_opponents_are_those_of_a_game_with_a_random_player() {
    let game = checked_in_game("tic_tac_toe.gdl");
    for (role, other) in [
        ("xplayer", "tic_tac_toe_random_first.gdl"),
        ("oplayer", "tic_tac_toe_random_second.gdl"),
    ] {
        let solved = |game: &Game, opponents| {
            let question = Question::about(game).expect("a player");
            let question = question.role(role).depth(9).opponents(opponents);
            let answer = sqasp::solve(game, &question, &Options::default()).expect("an answer");
            answer.value().expect("a value").clone()
        };
        let expected = solved(&checked_in_game(other), Opponents::Best);
        assert_eq!(solved(&game, Opponents::Random), expected, "{role}");
    }
}
