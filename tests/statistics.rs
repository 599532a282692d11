//! Statistics of best play, against play by the rules along the written strategy of both sides.

use crate::common::{checked_in_game, game, known_strategy, rounds};
use engines::strategy::Losses;
use engines::{BestPlay, Choices};
use fastrand::Rng;
use gdl::game::{Game, Objective};
use gdl::{Name, Term};
use generators::random_game;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};
use rules::{Minimax, Reasoner, State};
use std::collections::{BTreeMap, HashMap};
use verify::{Position, Strategy};

/// The indices of a side's entries by facts and steps.
type Entries = HashMap<(Vec<String>, Option<u32>), usize>;

/// All plays, one after the other.
struct Plays<'a> {
    game: &'a Game,
    strategy: &'a Strategy,
    /// The rules, and the values of moves by their definition.
    minimax: Minimax,
    /// Those of both sides.
    entries: [Entries; 2],
    lengths: BTreeMap<u32, BigRational>,
    choices: Choices,
}

fn sorted(facts: &[Term]) -> Vec<String> {
    let mut texts: Vec<String> = facts.iter().map(ToString::to_string).collect();
    texts.sort();
    texts
}

impl<'a> Plays<'a> {
    fn new(game: &'a Game, strategy: &'a Strategy) -> Self {
        let key = |position: &Position| {
            let facts = strategy.terms.terms(&position.facts);
            (sorted(&facts), position.steps)
        };
        let mut roles = game.roles().iter();
        let role = roles.position(|role| *role == strategy.heading.role);
        let player = strategy.player.iter().map(|entry| key(&entry.position));
        let opponents = strategy.opponents.iter().map(|entry| key(&entry.position));
        Plays {
            game,
            strategy,
            minimax: Minimax::new(
                Reasoner::new(game).expect("a game"),
                role.expect("a role"),
                Objective::Win,
            ),
            entries: [player.zip(0..).collect(), opponents.zip(0..).collect()],
            lengths: BTreeMap::new(),
            choices: Choices::default(),
        }
    }

    fn index(&mut self, side: usize, state: &State, left: Option<u32>) -> usize {
        let facts = sorted(&self.minimax.reasoner().facts(state));
        let entries = &self.entries[side];
        let found = entries.get(&(facts.clone(), None));
        *found.unwrap_or_else(|| &entries[&(facts, left)])
    }

    /// The losses of other players in a state in which the role has a choice.
    fn losses(&mut self, state: &State, left: Option<u32>) -> Option<Losses> {
        let strategy = self.strategy;
        let response = &strategy.opponents[self.index(1, state, left)];
        let values = response
            .answers
            .iter()
            .map(|it| it.value.clone().expect("a value"));
        let values: Vec<BigRational> = values.collect();
        if values.len() == 1 {
            return None;
        }
        let best = values.iter().max().expect("there are values");
        let mean = |values: Vec<&BigRational>| {
            let count = BigRational::from_integer(values.len().into());
            values.into_iter().sum::<BigRational>() / count
        };
        let steps = left.map_or(2, |left| left.min(2));
        let near = self.minimax.move_values(state, steps).expect("moves");
        let near: HashMap<Term, BigRational> = near.into_iter().collect();
        let most = near.values().max().expect("there are values");
        let moves = response.answers.iter().map(|it| it.action);
        let taken = values.iter().zip(moves);
        let taken = taken.filter(|(_, action)| near[strategy.terms.term(*action)] == *most);
        let taken = mean(taken.map(|(value, _)| value).collect());
        Some(Losses {
            at_random: best - mean(values.iter().collect()),
            greedy: best - taken,
        })
    }

    /// The states after a step of both strategies, all equally likely.
    fn next(&mut self, state: &State, left: Option<u32>) -> Vec<State> {
        let strategy = self.strategy;
        let action = strategy.player[self.index(0, state, left)].action;
        let response = &strategy.opponents[self.index(1, state, left)];
        let mut answers = response.answers.iter();
        let answer = answers.find(|it| it.action == action).expect("an answer");
        let mut reply = answer.reply.iter();
        let roles = self.game.roles();
        let random = roles.iter().position(|role| role.is_random());
        let joint_move = roles.iter().map(|role| match role {
            role if *role == strategy.heading.role => Some(action),
            role if role.is_random() => None,
            _ => Some(*reply.next().expect("a move of each opponent")),
        });
        let joint_move: Vec<Option<u32>> = joint_move.collect();
        let throws = match random {
            None => vec![Term::Constant(Name::new("none"))],
            Some(random) => self.minimax.reasoner().legal(state, random).expect("moves"),
        };
        let next = throws.iter().map(|throw| {
            let named = joint_move.iter().map(|action| match action {
                None => throw.clone(),
                Some(action) => strategy.terms.term(*action).clone(),
            });
            let named: Vec<Term> = named.collect();
            self.minimax
                .reasoner()
                .next(state, &named)
                .expect("a state")
        });
        next.collect()
    }

    fn follow(&mut self, state: &State, step: u32, left: u32, chance: &BigRational) {
        if left == 0 || self.minimax.reasoner().terminal(state).expect("a state") {
            *self.lengths.entry(step).or_default() += chance;
            return;
        }
        if let Some(losses) = self.losses(state, Some(left)) {
            self.choices.number += chance;
            self.choices.losses.at_random += chance * losses.at_random;
            self.choices.losses.greedy += chance * losses.greedy;
        }
        let next = self.next(state, Some(left));
        let part = chance / BigRational::from_integer(next.len().into());
        for next in &next {
            self.follow(next, step + 1, left - 1, &part);
        }
    }

    /// The number of choices and both losses of plays without a step limit: step by step, until hardly any goes on.
    fn follow_for_ever(&mut self) -> [f64; 3] {
        let mut sums = [0.0; 3];
        let mut known: HashMap<State, ([f64; 3], Vec<State>)> = HashMap::new();
        let start = self.minimax.reasoner().initial().expect("a state");
        let mut going: HashMap<State, f64> = HashMap::from([(start, 1.0)]);
        while going.values().sum::<f64>() > 1e-12 {
            for (state, chance) in std::mem::take(&mut going) {
                if self.minimax.reasoner().terminal(&state).expect("a state") {
                    continue;
                }
                if !known.contains_key(&state) {
                    let float = |number: BigRational| number.to_f64().expect("a number");
                    let losses = self.losses(&state, None);
                    let told = losses.map_or([0.0; 3], |losses| {
                        [1.0, float(losses.at_random), float(losses.greedy)]
                    });
                    known.insert(state.clone(), (told, self.next(&state, None)));
                }
                let (told, next) = &known[&state];
                for (sum, told) in sums.iter_mut().zip(told) {
                    *sum += chance * told;
                }
                for state in next {
                    *going.entry(state.clone()).or_default() += chance / next.len() as f64;
                }
            }
        }
        sums
    }
}

#[test]
fn statistics_are_those_of_all_plays() {
    let mut seen = 0;
    for seed in 0..rounds(300) {
        let random = random_game(seed);
        let game = game("random", &random.text);
        let players: Vec<&Name> = game.players().collect();
        if players.len() < 2 {
            continue;
        }
        let role = Rng::with_seed(seed).choice(&players).expect("a player");
        let question = sqasp::Question::new((*role).clone()).depth(random.depth);
        let mut options = sqasp::Options::default();
        options.extras.statistics = true;
        options.extras.strategy = Some(100_000);
        let answer = sqasp::solve(&game, &question, &options).expect("a value");
        let strategy = known_strategy(&answer).expect("a strategy");
        let Some(Ok(BestPlay {
            steps,
            lengths,
            choices,
            ..
        })) = &answer.best_play
        else {
            panic!("{seed}: {:?}", answer.best_play);
        };
        let mut plays = Plays::new(&game, strategy);
        let start = plays.minimax.reasoner().initial().expect("a state");
        plays.follow(&start, 0, random.depth, &BigRational::one());
        let mean = plays.lengths.iter();
        let mean = mean.map(|(steps, chance)| BigRational::from_integer((*steps).into()) * chance);
        assert_eq!(*steps, Some(mean.sum()), "{seed}");
        assert_eq!(*lengths, plays.lengths, "{seed}: {}", random.text);
        assert_eq!(*choices, Some(plays.choices), "{seed}: {}", random.text);
        seen += 1;
    }
    assert!(seen > 30, "{seen}");
}

#[test]
fn choices_without_a_step_limit_are_those_of_all_plays() {
    for (name, role) in [
        ("endless_pig", "oplayer"),
        ("endless_ruin", "gambler"),
        ("endless_cant_stop", "xplayer"),
        ("endless_pursuit", "fox"),
    ] {
        let game = checked_in_game(&format!("{name}.gdl"));
        let mut options = sqasp::Options::default();
        options.extras.statistics = true;
        options.extras.strategy = Some(100_000);
        let answer =
            sqasp::solve(&game, &sqasp::Question::new(Name::new(role)), &options).expect("a value");
        let strategy = known_strategy(&answer).expect("a strategy");
        let Some(Ok(play)) = answer.best_play.clone() else {
            panic!("{name}: {:?}", answer.best_play);
        };
        let Choices { number, losses } = play.choices.expect("plays end");
        let found = [number, losses.at_random, losses.greedy];
        let found = found.map(|number| number.to_f64().expect("a number"));
        let expected = Plays::new(&game, strategy).follow_for_ever();
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                (found - expected).abs() < 1e-9,
                "{name}: {found} {expected}"
            );
        }
        assert!(play.lengths.is_empty() && !play.quantiles.is_empty());
    }
}

/// Where both sides keep to best mixtures the role wins with the probability that is the value.
#[test]
fn mixed_play_ends_with_wins_as_often_as_its_value_says() {
    let mut options = sqasp::Options::default();
    options.extras.statistics = true;
    let mut mixing = 0;
    let check = |game: &Game, question: &sqasp::Question, what: &str| {
        let answer = sqasp::solve(game, question, &options).expect("a value");
        let value = answer.value().cloned();
        let Some(Ok(play)) = answer.best_play else {
            panic!("{what}: {:?}", answer.best_play);
        };
        let wins = play
            .points
            .iter()
            .filter(|(points, _)| *points >= sqasp::Points::WIN);
        let wins: BigRational = wins.map(|(_, chance)| chance).sum();
        assert_eq!(Some(wins), value, "{what}");
        let ends = play.points.iter().map(|(_, chance)| chance);
        let ends = ends.sum::<BigRational>() + &play.cut_off;
        assert!(ends.is_one(), "{what}: {ends}");
        let all: BigRational = play.lengths.values().sum();
        assert!(all.is_one(), "{what}: {all}");
    };
    for seed in 0..rounds(100) {
        let random = random_game(seed);
        let game = game("random", &random.text);
        let players: Vec<&Name> = game.players().collect();
        let role = Rng::with_seed(seed).choice(&players).expect("a player");
        let question = sqasp::Question::new((*role).clone());
        check(
            &game,
            &question.depth(random.depth).mixed(true),
            &random.text,
        );
        mixing += usize::from(players.len() > 1);
    }
    assert!(mixing > 10, "{mixing}");
    for (name, role) in [
        ("hidden_monty_hall", "guest"),
        ("hidden_nim", "first"),
        ("hidden_pennies", "even"),
    ] {
        let game = checked_in_game(&format!("{name}.gdl"));
        let question = sqasp::Question::new(Name::new(role));
        check(&game, &question, name);
    }
}
