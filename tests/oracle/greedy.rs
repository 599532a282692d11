//! Values against greedy opponents, on random games: by the definition, with the moves of each opponent that minimax within two steps
//! calls best.

use crate::common::{in_parallel, legal_moves, read_game, rounds, say};
use formula::BigRational;
use gdl::Term;
use gdl::game::{Game, Objective, joint_moves};
use generators::random_game;
use num_traits::{One, Zero};
use rules::{Minimax, Reasoner, State, worth};
use sqasp::{Opponents, Options, Question};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// How far an opponent looks ahead.
const AHEAD: u32 = 2;

struct Definition {
    rules: Reasoner,
    role: usize,
    objective: Objective,
    /// By role: minimax for an opponent, none for the role itself and for chance.
    opponents: Vec<Option<Minimax>>,
    values: HashMap<(State, u32), BigRational>,
    /// The states in which an opponent prefers some of its moves.
    picky: u64,
}

impl Definition {
    fn new(game: &Game, role: usize, objective: Objective) -> Self {
        let rules = || Reasoner::new(game).expect("rules");
        let opponent = |(place, name): (usize, &gdl::Name)| {
            let is_opponent = place != role && !name.is_random();
            is_opponent.then(|| Minimax::new(rules(), place, objective))
        };
        Definition {
            rules: rules(),
            role,
            objective,
            opponents: game.roles().iter().enumerate().map(opponent).collect(),
            values: HashMap::new(),
            picky: 0,
        }
    }

    /// The moves of all roles that can come: an opponent's are the best for it within a few steps.
    fn moves(&mut self, state: &State) -> Vec<Vec<Term>> {
        let mut legal = legal_moves(&mut self.rules, state).expect("rules");
        let facts = self.rules.facts(state);
        for (moves, opponent) in legal.iter_mut().zip(&mut self.opponents) {
            let Some(minimax) = opponent else {
                continue;
            };
            let same = minimax.reasoner().state(&facts).expect("a state");
            let values = minimax.move_values(&same, AHEAD).expect("values");
            let best = values.iter().map(|(_, value)| value).max().cloned();
            let taken = values
                .into_iter()
                .filter(|(_, value)| Some(value) == best.as_ref());
            let taken: Vec<Term> = taken.map(|(action, _)| action).collect();
            self.picky += u64::from(taken.len() < moves.len());
            *moves = taken;
        }
        legal
    }

    fn value(&mut self, state: &State, steps: u32) -> BigRational {
        if self.rules.terminal(state).expect("a state") {
            let goals = self.rules.goals(state, self.role).expect("goals");
            return worth(&goals, self.objective).expect("a number of points");
        }
        let key = (state.clone(), steps);
        if steps == 0 {
            return BigRational::zero();
        }
        if let Some(value) = self.values.get(&key) {
            return value.clone();
        }
        let moves = self.moves(state);
        let mut best = BigRational::zero();
        for action in &moves[self.role] {
            let mut all = moves.clone();
            all[self.role] = vec![action.clone()];
            let joint = joint_moves(all.iter().map(|moves| &moves[..]));
            let count = BigRational::from_integer(joint.len().into());
            let mut sum = BigRational::zero();
            for joint_move in joint {
                let next = self.rules.next(state, &joint_move).expect("the next state");
                sum += self.value(&next, steps - 1);
            }
            best = best.max(sum / count);
        }
        self.values.insert(key, best.clone());
        best
    }
}

#[test]
fn greedy_opponents_of_random_games_are_those_of_the_definition() {
    let [values, picky, between] = [(); 3].map(|()| AtomicU64::new(0));
    let games = rounds(300);
    in_parallel((3_000_000..3_000_000 + games).collect(), |seed| {
        let random = random_game(seed);
        let game = read_game("random", &random.text).expect("random games are valid");
        let objective = [Objective::Win, Objective::Score][seed as usize % 2];
        for (place, role) in game.roles().iter().enumerate() {
            if role.is_random() {
                continue;
            }
            let mut definition = Definition::new(&game, place, objective);
            let start = definition.rules.initial().expect("a state");
            let expected = definition.value(&start, random.depth);
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
            picky.fetch_add(definition.picky, Ordering::Relaxed);
            let is_between = !expected.is_zero() && !expected.is_one();
            between.fetch_add(u64::from(is_between), Ordering::Relaxed);
        }
        Ok(())
    });
    let [values, picky, between] = [values, picky, between].map(AtomicU64::into_inner);
    say(&format!(
        "{values} values against greedy opponents of {games} random games agree, {between} of them between 0 and 1; \
         opponents preferred moves {picky} times"
    ));
    assert!(picky > games && between > games / 4, "too few choices");
}
