//! Teams, and opponents that move at random or follow a strategy, against the definition: expected minimax in which each role has its side.

use crate::common::random_game::random_game;
use crate::common::{checked_in_game, in_parallel, read_game, rounds};
use formula::BigRational;
use gdl::Term;
use gdl::game::{Game, Objective, joint_moves};
use num_traits::{One, Zero};
use rules::{Reasoner, State, worth};
use sqasp::{Opponents, Options, Question};
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use strategy::Extracted;
use verify::write_json;

/// The choice of a role.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Team,
    Opponents,
    Follower,
    Chance,
}

/// The choices of a strategy's role, with probabilities, by the facts of a state and the steps left.
type Followed = HashMap<(BTreeSet<Term>, Option<u32>), Vec<(Term, BigRational)>>;

/// Expected minimax by definition, with a side for each role.
struct Definition<'a> {
    rules: Reasoner,
    sides: Vec<Side>,
    /// The role whose goals count.
    first: usize,
    objective: &'a Objective,
    followed: &'a Followed,
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
            [Side::Team, Side::Opponents, Side::Follower, Side::Chance].as_slice(),
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
        let mut choices = joint_moves(legal.iter().map(Vec::as_slice));
        let facts: BTreeSet<Term> = self.rules.facts(state).into_iter().collect();
        let said = [Some(steps), None].map(|steps| self.followed.get(&(facts.clone(), steps)));
        let said = said.into_iter().flatten().next().cloned();
        if let (Side::Follower, Some(said)) = (side, said) {
            let mut sum = BigRational::zero();
            for (made, share) in said {
                joint[members[0]] = Some(made);
                sum += share * self.choice(state, steps, joint, later);
            }
            return sum;
        }
        let values: Vec<BigRational> = choices
            .drain(..)
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
            Side::Follower | Side::Chance => Some(values.into_iter().sum::<BigRational>() / count),
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
    let nobody = (usize::MAX, &Followed::new());
    defined_against(game, team, others, nobody, objective, depth)
}

/// The same where one role follows a strategy.
fn defined_against(
    game: &Game,
    team: &[usize],
    others: Side,
    (follower, followed): (usize, &Followed),
    objective: Objective,
    depth: u32,
) -> BigRational {
    let sides = game.roles().iter().enumerate().map(|(index, role)| {
        if team.contains(&index) {
            Side::Team
        } else if index == follower {
            Side::Follower
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
        followed,
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
                let value = found(
                    &game,
                    team,
                    opponents.clone(),
                    objective,
                    random.depth,
                    engine,
                );
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

/// A role against another one that follows a strategy, in half of which some positions are left out; other roles move at random.
#[test]
fn best_responses_in_random_games_have_the_values_of_the_definition() {
    let (mut followed, mut between) = (0, 0);
    for seed in 3_000_000.. {
        if followed == rounds(60) {
            break;
        }
        let random = random_game(seed);
        let game = read_game("random", &random.text).expect("random games are valid");
        let players: Vec<usize> = (0..game.roles().len())
            .filter(|&role| !game.roles()[role].is_random())
            .collect();
        let [role, other, ..] = players[..] else {
            continue;
        };
        let mixed = seed % 2 == 0;
        let question = Question::about(&game)
            .expect("a player")
            .role(game.roles()[other].as_str())
            .depth(random.depth)
            .mixed(mixed);
        let mut options = Options::default();
        options.extras.strategy = Some(100_000);
        let answer = sqasp::solve(&game, &question, &options).expect("an answer");
        let text = written(answer);
        let thinned = if seed % 4 < 2 { thinned(&text) } else { text };
        let question = Question::about(&game)
            .expect("a player")
            .role(game.roles()[role].as_str())
            .depth(random.depth)
            .opponents(Opponents::following(thinned.as_bytes()).expect("a strategy"));
        let answer = sqasp::solve(&game, &question, &Options::default()).expect("an answer");
        let value = answer.value().expect("a value").clone();
        let choices = (other, &choices(&thinned));
        let expected = defined_against(
            &game,
            &[role],
            Side::Chance,
            choices,
            Objective::Win,
            random.depth,
        );
        assert_eq!(value, expected, "seed {seed}\n{}\n{thinned}", random.text);
        followed += 1;
        between += u64::from(!value.is_zero() && !value.is_one());
    }
    assert!(between * 4 > followed, "{between} of {followed}");
}

/// The strategy of an answer as JSON.
fn written(answer: sqasp::Answer) -> String {
    let mut text = Vec::new();
    match (answer.strategy, answer.mixed_strategy) {
        (Some(Extracted::Complete(strategy)), _) => write_json(&strategy, &mut text),
        (_, Some(Extracted::Complete(strategy))) => strategy.write_json(&mut text),
        _ => panic!("no strategy"),
    }
    .expect("memory");
    String::from_utf8(text).expect("text")
}

/// The strategy without every other position of its role.
fn thinned(text: &str) -> String {
    let mut strategy: serde_json::Value = serde_json::from_str(text).expect("JSON");
    let player = strategy["player"].as_array_mut().expect("a list");
    let mut index = 0;
    player.retain(|_| {
        index += 1;
        index % 2 == 0
    });
    strategy.to_string()
}

/// The choices of a strategy's role, read from JSON by what the page about the format says.
fn choices(text: &str) -> Followed {
    let strategy: serde_json::Value = serde_json::from_str(text).expect("JSON");
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let term = |text: &serde_json::Value| {
        let terms = gdl::parse_terms(text.as_str().expect("text")).expect("a term");
        terms.into_iter().next().expect("a term")
    };
    let mut found = Followed::new();
    for entry in list(&strategy["player"]) {
        let facts = list(&entry["state"]).iter().map(term).collect();
        let steps = entry["steps"].as_u64().map(|steps| steps as u32);
        let said = match entry["mixture"].as_array() {
            Some(choices) => choices
                .iter()
                .map(|choice| {
                    let share = choice["probability"].as_str().expect("a fraction");
                    (
                        term(&choice["moves"][0]),
                        share.parse().expect("a fraction"),
                    )
                })
                .collect(),
            None => vec![(term(&entry["move"]), BigRational::one())],
        };
        found.insert((facts, steps), said);
    }
    found
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
