//! The engine as a policy: it is asked for the moves of all roles position by position, and nothing is
//! listed.
//!
//! So the value of a game can be proved from both sides where a list of all positions would take
//! gigabytes. The engine only gives the moves; their value is computed by
//! [`certify`](strategy::certify()), which takes no value from here.
//!
//! For one position the states after all its joint moves are computed side by side, and the engine is
//! asked what each of them is worth that is not over; most are in its tables. Chance often leads to the
//! same state by several moves, so each state is asked about once.

use super::Search;
use super::advisor::AdviceError;
use formula::{Outcome, Value};
use gdl::game::{Objective, Sides, joint_moves};
use limits::Limits;
use num_rational::BigRational;
use num_traits::Zero;
use rules::worth;
use rustc_hash::FxHashMap;
use step::{GroundStep, LANES, StateBatch};
use strategy::{NO_ENTRY, Policy};
use verify::Side;

/// The most values that are kept beside the tables of the search, which know most of them too.
const MAX_VALUES: usize = 2_000_000;

/// A search that is asked what to do.
pub struct SearchPolicy<'a> {
    search: &'a mut Search,
    batch: StateBatch,
    sides: Sides,
    objective: Objective,
    limits: Limits,
    /// Values of states with `steps` steps left.
    values: FxHashMap<Box<[u64]>, BigRational>,
    steps: u32,
}

/// A move of the role with the best answer to it.
struct BestMove {
    action: u32,
    reply: Vec<u32>,
    value: BigRational,
}

impl<'a> SearchPolicy<'a> {
    /// For a caller that follows play on this circuit, under limits for all of it together; none if the
    /// search has another circuit. The objective must be that of the search.
    pub fn new(
        search: &'a mut Search,
        ground: &GroundStep,
        objective: Objective,
        limits: Limits,
    ) -> Option<Self> {
        if search.ground.facts != ground.facts || search.ground.moves != ground.moves {
            return None;
        }
        Some(SearchPolicy {
            batch: StateBatch::new(&search.machine)?,
            sides: Sides::new(&ground.roles, search.role),
            objective,
            limits,
            values: FxHashMap::default(),
            steps: 0,
            search,
        })
    }

    /// For each legal move of the role the best answer to it, by the values of the successors.
    fn best_replies(&mut self, state: &[u64], steps: u32) -> Result<Vec<BestMove>, AdviceError> {
        if self.steps != steps - 1 || self.values.len() > MAX_VALUES {
            self.values.clear();
            self.steps = steps - 1;
        }
        self.batch.load(&state.repeat(LANES));
        let roles = self.batch.ground().roles.len();
        let legal: Vec<Vec<u32>> = (0..roles)
            .map(|role| {
                let legal = self.batch.legal(role).enumerate();
                let legal = legal.filter(|(_, lanes)| lanes & 1 == 1);
                legal.map(|(number, _)| number as u32).collect()
            })
            .collect();
        let of_roles = |roles: &[usize]| joint_moves(roles.iter().map(|&role| &legal[role][..]));
        let replies = of_roles(&self.sides.opponents);
        let chances: Vec<usize> = self.sides.random.into_iter().collect();
        let outcomes = of_roles(&chances);
        let mut all = Vec::new();
        for &action in &legal[self.sides.role] {
            for reply in &replies {
                for outcome in &outcomes {
                    let mut joint_move = vec![action; roles];
                    let others = self.sides.opponents.iter().zip(reply);
                    for (&index, &other) in others.chain(chances.iter().zip(outcome)) {
                        joint_move[index] = other;
                    }
                    all.push(joint_move);
                }
            }
        }
        let values = self.values_after(&all)?;
        let mut means = values.chunks_exact(outcomes.len()).map(|values| {
            let sum: BigRational = values.iter().sum();
            sum / BigRational::from_integer(outcomes.len().into())
        });
        let best = |action: &u32| {
            let means = means.by_ref().take(replies.len());
            let least = means
                .zip(&replies)
                .reduce(|least, other| if other.0 < least.0 { other } else { least });
            let (value, reply) = least.expect("play goes on, so there is an answer");
            BestMove {
                action: *action,
                reply: reply.clone(),
                value,
            }
        };
        Ok(legal[self.sides.role].iter().map(best).collect())
    }

    /// The values of the states after joint moves in the state that is loaded.
    fn values_after(&mut self, joint_moves: &[Vec<u32>]) -> Result<Vec<BigRational>, AdviceError> {
        let mut values = Vec::with_capacity(joint_moves.len());
        let mut rows = Vec::new();
        for chunk in joint_moves.chunks(LANES) {
            for (lane, joint_move) in chunk.iter().enumerate() {
                for (role, &action) in joint_move.iter().enumerate() {
                    self.batch.choose(role, action as usize, 1 << lane);
                }
            }
            self.batch.step();
            rows.clear();
            self.batch.next_rows(chunk.len(), &mut rows);
            let over = self.batch.next_terminal();
            let words = self.batch.row_words();
            for (lane, row) in rows.chunks_exact(words).enumerate() {
                values.push(if over >> lane & 1 == 1 {
                    self.payoff(lane)
                } else {
                    self.value(row)?
                });
            }
        }
        Ok(values)
    }

    /// The value of a state in which play is over. Where that is not defined,
    /// the caller, which follows play, finds out.
    fn payoff(&self, lane: usize) -> BigRational {
        let goals = self.batch.ground().goals[self.sides.role].iter();
        let held = goals.zip(self.batch.next_goals(self.sides.role));
        let held = held.filter(|(_, lanes)| lanes >> lane & 1 == 1);
        let values: Vec<_> = held.map(|((value, _), _)| value.clone()).collect();
        worth(&values, self.objective).unwrap_or_else(BigRational::zero)
    }

    /// The value of a state in which play goes on.
    fn value(&mut self, row: &[u64]) -> Result<BigRational, AdviceError> {
        if self.steps == 0 {
            return Ok(BigRational::zero());
        }
        if let Some(value) = self.values.get(row) {
            return Ok(value.clone());
        }
        let facts = 0..self.batch.ground().facts.len();
        let state = facts.map(|index| row[index / 64] >> (index % 64) & 1 == 1);
        let answer = self
            .search
            .solve(&state.collect(), Some(self.steps), &self.limits);
        let value = match answer?.outcome {
            Outcome::Solved(Value::Exact(value)) => value,
            Outcome::Stopped { reason, .. } => return Err(AdviceError::Stopped(reason)),
            Outcome::Solved(Value::Float(_)) => unreachable!("this engine is exact"),
        };
        self.values.insert(row.into(), value.clone());
        Ok(value)
    }
}

impl Policy for SearchPolicy<'_> {
    type Error = AdviceError;

    fn decide(&mut self, state: &[u64], steps: u32) -> Result<Option<(u32, u32)>, AdviceError> {
        let replies = self.best_replies(state, steps)?.into_iter();
        let best = replies.reduce(|best, other| {
            if other.value > best.value {
                other
            } else {
                best
            }
        });
        Ok(best.map(|best| (best.action, NO_ENTRY)))
    }

    fn answer(
        &mut self,
        state: &[u64],
        steps: u32,
        actions: &[u32],
        replies: &mut Vec<u32>,
    ) -> Result<Option<u32>, AdviceError> {
        let best = self.best_replies(state, steps)?;
        let is_asked = best
            .iter()
            .map(|best| best.action)
            .eq(actions.iter().copied());
        replies.extend(best.into_iter().flat_map(|best| best.reply));
        Ok(is_asked.then_some(NO_ENTRY))
    }

    fn makes_claims(&self, _: Side) -> bool {
        false
    }

    fn agrees(&self, _: Side, _: u32, _: Option<u32>, _: &dyn Fn(&BigRational) -> bool) -> bool {
        true
    }
}
