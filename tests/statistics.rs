//! Statistics of best play, against play by the rules along the written strategy of both sides.

use crate::common::random_game::random_game;
use crate::common::{game, rounds};
use engines::{BestPlay, BoundedPlay};
use fastrand::Rng;
use gdl::game::{Game, Objective, joint_moves};
use gdl::{Name, Term};
use num_rational::BigRational;
use num_traits::{One, Zero};
use rules::{Reasoner, State, worth};
use std::collections::HashMap;
use strategy::Extracted;
use verify::{Position, Strategy};

/// The indices of a side's entries by facts and steps.
type Entries = HashMap<(Vec<String>, Option<u32>), usize>;

/// All plays, one after the other.
struct Plays<'a> {
    game: &'a Game,
    strategy: &'a Strategy,
    reasoner: Reasoner,
    /// Those of both sides.
    entries: [Entries; 2],
    bounded: BoundedPlay,
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
        let player = strategy.player.iter().map(|entry| key(&entry.position));
        let opponents = strategy.opponents.iter().map(|entry| key(&entry.position));
        Plays {
            game,
            strategy,
            reasoner: Reasoner::new(game).expect("a game"),
            entries: [player.zip(0..).collect(), opponents.zip(0..).collect()],
            bounded: BoundedPlay::default(),
        }
    }

    fn index(&self, side: usize, state: &State, left: u32) -> usize {
        let facts = sorted(&self.reasoner.facts(state));
        let entries = &self.entries[side];
        let found = entries.get(&(facts.clone(), None));
        *found.unwrap_or_else(|| &entries[&(facts, Some(left))])
    }

    /// The value of a move of the role where this many steps count, by the definition of expected minimax.
    fn near(&mut self, state: &State, action: &Term, left: u32) -> BigRational {
        let roles = self.game.roles();
        let own = &self.strategy.heading.role;
        let legal: Vec<Vec<Term>> = (0..roles.len())
            .map(|role| match roles[role] == *own {
                true => vec![action.clone()],
                false => self.reasoner.legal(state, role).expect("moves"),
            })
            .collect();
        let random = roles.iter().position(|role| role.is_random());
        let mut replies: HashMap<Vec<Term>, Vec<BigRational>> = HashMap::new();
        for joint_move in joint_moves(legal.iter().map(Vec::as_slice)) {
            let next = self.reasoner.next(state, &joint_move).expect("a state");
            let value = self.value(&next, left - 1);
            let mut reply = joint_move;
            if let Some(random) = random {
                reply.remove(random);
            }
            replies.entry(reply).or_default().push(value);
        }
        let means = replies.into_values().map(|values| {
            let count = BigRational::from_integer(values.len().into());
            values.into_iter().sum::<BigRational>() / count
        });
        means.min().expect("a joint move")
    }

    fn value(&mut self, state: &State, left: u32) -> BigRational {
        let own = &self.strategy.heading.role;
        let role = self.game.roles().iter().position(|role| role == own);
        let role = role.expect("a role");
        if self.reasoner.terminal(state).expect("a state") {
            let goals = self.reasoner.goals(state, role).expect("goals");
            return worth(&goals, Objective::Win).expect("a number of points");
        }
        if left == 0 {
            return BigRational::zero();
        }
        let legal = self.reasoner.legal(state, role).expect("moves");
        let values = legal.iter().map(|action| self.near(state, action, left));
        let values: Vec<BigRational> = values.collect();
        values.into_iter().max().expect("a move")
    }

    fn follow(&mut self, state: &State, step: u32, left: u32, chance: &BigRational) {
        if left == 0 || self.reasoner.terminal(state).expect("a state") {
            *self.bounded.lengths.entry(step).or_default() += chance;
            return;
        }
        let strategy = self.strategy;
        let action = strategy.player[self.index(0, state, left)].action;
        let response = &strategy.opponents[self.index(1, state, left)];
        let values = response
            .answers
            .iter()
            .map(|it| it.value.clone().expect("a value"));
        let values: Vec<BigRational> = values.collect();
        if values.len() > 1 {
            let best = values.iter().max().expect("there are values");
            let mean = |values: Vec<&BigRational>| {
                let count = BigRational::from_integer(values.len().into());
                values.into_iter().sum::<BigRational>() / count
            };
            self.bounded.choices += chance;
            self.bounded.losses.at_random += chance * (best - mean(values.iter().collect()));
            let moves = response.answers.iter();
            let moves = moves.map(|it| strategy.terms.term(it.action).clone());
            let near: Vec<BigRational> = moves
                .map(|action| self.near(state, &action, left.min(2)))
                .collect();
            let most = near.iter().max().expect("there are values");
            let taken = values.iter().zip(&near);
            let taken = taken.filter(|(_, near)| *near == most);
            let taken = mean(taken.map(|(value, _)| value).collect());
            self.bounded.losses.greedy += chance * (best - taken);
        }
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
            Some(random) => self.reasoner.legal(state, random).expect("moves"),
        };
        let part = chance / BigRational::from_integer(throws.len().into());
        for throw in &throws {
            let named = joint_move.iter().map(|action| match action {
                None => throw.clone(),
                Some(action) => strategy.terms.term(*action).clone(),
            });
            let named: Vec<Term> = named.collect();
            let next = self.reasoner.next(state, &named).expect("a state");
            self.follow(&next, step + 1, left - 1, &part);
        }
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
        let Some(Extracted::Complete(strategy)) = &answer.strategy else {
            panic!("{seed}: {:?}", answer.strategy);
        };
        let Some(Ok(BestPlay { steps, bounded, .. })) = answer.best_play else {
            panic!("{seed}: {:?}", answer.best_play);
        };
        let mut plays = Plays::new(&game, strategy);
        let start = plays.reasoner.initial().expect("a state");
        plays.follow(&start, 0, random.depth, &BigRational::one());
        let lengths = plays.bounded.lengths.iter();
        let mean =
            lengths.map(|(steps, chance)| BigRational::from_integer((*steps).into()) * chance);
        assert_eq!(steps, Some(mean.sum()), "{seed}");
        assert_eq!(bounded, Some(plays.bounded), "{seed}: {}", random.text);
        seen += 1;
    }
    assert!(seen > 30, "{seen}");
}
