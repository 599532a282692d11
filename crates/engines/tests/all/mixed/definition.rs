//! The value where roles may mix their moves, by the rules as written and the enumeration of supports.

use super::supports::value_by_supports;
use gdl::Name;
use gdl::game::{Game, Objective, Sides, joint_moves};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;
use rules::{Reasoner, State, payoff};
use std::collections::HashMap;

/// The value by definition.
pub struct Definition {
    pub reasoner: Reasoner,
    sides: Sides,
    objective: Objective,
    values: HashMap<(State, u32), BigRational>,
}

impl Definition {
    pub fn new(game: &Game, role: &Name, objective: Objective) -> Self {
        Definition {
            reasoner: Reasoner::new(game).expect("valid rules"),
            sides: Sides::of(game.roles(), role).expect("a role"),
            objective,
            values: HashMap::new(),
        }
    }

    #[allow(dead_code, reason = "each user takes a part")]
    pub fn start(&mut self, steps: u32) -> BigRational {
        let state = self.reasoner.initial().expect("a state");
        self.value(&state, steps)
    }

    pub fn value(&mut self, state: &State, steps: u32) -> BigRational {
        if self.reasoner.terminal(state).expect("rules") {
            let worth = payoff(&mut self.reasoner, state, self.sides.role, self.objective);
            return worth.expect("rules").expect("one goal value");
        }
        if steps == 0 {
            return BigRational::zero();
        }
        if let Some(value) = self.values.get(&(state.clone(), steps)) {
            return value.clone();
        }
        let roles = 0..self.reasoner.roles().len();
        let legal: Vec<_> = roles
            .map(|role| self.reasoner.legal(state, role).expect("rules"))
            .collect();
        let mut joint_move: Vec<_> = legal.iter().map(|moves| moves[0].clone()).collect();
        let sides = self.sides.clone();
        let random = sides.random.map_or(vec![], |random| legal[random].clone());
        let mut matrix = Vec::new();
        for own in &legal[sides.role] {
            joint_move[sides.role] = own.clone();
            let mut row = Vec::new();
            for reply in joint_moves(sides.opponents.iter().map(|&place| &legal[place][..])) {
                for (&place, action) in sides.opponents.iter().zip(reply) {
                    joint_move[place] = action;
                }
                let mut sum = BigRational::zero();
                let throws = random.iter().map(Some);
                let throws = throws.chain(random.is_empty().then_some(None));
                for thrown in throws {
                    if let (Some(place), Some(action)) = (sides.random, thrown) {
                        joint_move[place] = action.clone();
                    }
                    let next = self.reasoner.next(state, &joint_move).expect("rules");
                    sum += self.value(&next, steps - 1);
                }
                row.push(sum / BigInt::from(random.len().max(1)));
            }
            matrix.push(row);
        }
        let value = value_by_supports(&matrix);
        self.values.insert((state.clone(), steps), value.clone());
        value
    }
}
