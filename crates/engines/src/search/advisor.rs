//! The engine as an advisor: the moves of all roles in a position, and their value.
//!
//! The engine is asked for values of positions only, each once; which move is best follows from the
//! values of the positions after it. Positions of a strategy share most of these, so this asks far
//! fewer questions than asking for the value of every move in every position.

use super::{Search, SearchError, SearchState};
use crate::strategy::{Advisor, Reply, best_moves};
use formula::{Outcome, Value};
use gdl::Term;
use gdl::game::{Points, Sides, joint_moves, points};
use limits::{Limits, StopReason};
use num_rational::BigRational;
use num_traits::Zero;
use rules::{PlayDefect, PlayFinding};
use rustc_hash::FxHashMap;
use step::Position;

/// The most values that are kept beside the tables of the search, which know most of them too.
const MAX_VALUES: usize = 1_000_000;

/// A search that gives advice, under limits for all of it together.
pub struct Adviser<'a> {
    search: &'a mut Search,
    limits: Limits,
    values: FxHashMap<(Position, Option<u32>), BigRational>,
}

/// Why there is no advice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AdviceError {
    /// A limit was reached.
    #[error("a limit was reached")]
    Stopped(StopReason),
    /// The search failed.
    #[error(transparent)]
    Search(#[from] SearchError),
}

impl<'a> Adviser<'a> {
    /// For this search.
    pub fn new(search: &'a mut Search, limits: Limits) -> Self {
        Adviser {
            search,
            limits,
            values: FxHashMap::default(),
        }
    }

    fn ask(&mut self, state: &SearchState, steps: Option<u32>) -> Result<BigRational, AdviceError> {
        match self.search.solve(state, steps, &self.limits)?.outcome {
            Outcome::Solved(Value::Exact(value)) => Ok(value),
            Outcome::Stopped { reason, .. } => Err(AdviceError::Stopped(reason)),
            _ => unreachable!("this engine is exact, and values payoffs"),
        }
    }

    fn sides(&self) -> Sides {
        Sides::new(self.search.machine.roles(), self.search.role)
    }

    fn legal(&mut self, state: &Position, index: usize) -> Result<Vec<Term>, AdviceError> {
        let legal = self.search.machine.legal(state, index);
        let legal = legal.map_err(SearchError::from)?;
        if legal.is_empty() {
            let role = self.search.machine.roles()[index].clone();
            let finding = PlayFinding {
                defect: PlayDefect::NoLegalMove(role),
                history: Vec::new(),
                state: self.search.machine.facts(state),
            };
            return Err(SearchError::Defect(Box::new(finding)).into());
        }
        Ok(legal)
    }

    /// All joint legal moves of these roles.
    fn joint_moves(
        &mut self,
        state: &Position,
        indexes: &[usize],
    ) -> Result<Vec<Vec<Term>>, AdviceError> {
        let legal = indexes.iter().map(|&index| self.legal(state, index));
        let legal = legal.collect::<Result<Vec<_>, _>>()?;
        Ok(joint_moves(legal.iter().map(Vec::as_slice)))
    }

    /// The best answer to a move of the role, by the values of the successors.
    fn best_reply(
        &mut self,
        state: &Position,
        steps: Option<u32>,
        action: &Term,
        replies: &[Vec<Term>],
    ) -> Result<Reply, AdviceError> {
        let mut best: Option<(BigRational, &Vec<Term>)> = None;
        for reply in replies {
            let next = self.successors(state, action, Some(reply))?.concat();
            let mut sum = BigRational::zero();
            for position in &next {
                sum += self.value(position, steps.map(|steps| steps - 1))?;
            }
            let mean = sum / BigRational::from_integer(next.len().into());
            if best.as_ref().is_none_or(|(least, _)| mean < *least) {
                best = Some((mean, reply));
            }
        }
        let (value, reply) = best.expect("play goes on, so there is an answer");
        Ok(Reply {
            action: action.clone(),
            reply: reply.clone(),
            value,
        })
    }
}

impl Advisor for Adviser<'_> {
    type State = Position;
    type Error = AdviceError;

    fn start(&mut self) -> Result<Position, AdviceError> {
        Ok(self.search.machine.initial().map_err(SearchError::from)?)
    }

    fn facts(&mut self, state: &Position) -> Vec<Term> {
        self.search.machine.facts(state)
    }

    fn is_over(&mut self, state: &Position) -> Result<bool, AdviceError> {
        let over = self.search.machine.terminal(state);
        Ok(over.map_err(SearchError::from)?)
    }

    fn points(&mut self, state: &Position) -> Result<Points, AdviceError> {
        let role = self.search.role;
        let goals = self.search.machine.goals(state, role);
        let goals = goals.map_err(SearchError::from)?;
        // A state without one goal value was refused when its value was asked for.
        Ok(goals.first().and_then(points).unwrap_or_default())
    }

    fn value(&mut self, state: &Position, steps: Option<u32>) -> Result<BigRational, AdviceError> {
        let key = (state.clone(), steps);
        if let Some(value) = self.values.get(&key) {
            return Ok(value.clone());
        }
        let state = self.search.state_of(state)?;
        let value = self.ask(&state, steps)?;
        if self.values.len() >= MAX_VALUES {
            self.values.clear();
        }
        self.values.insert(key, value.clone());
        Ok(value)
    }

    fn decide(
        &mut self,
        state: &Position,
        steps: Option<u32>,
    ) -> Result<(Term, BigRational), AdviceError> {
        let (mut best, value) = best_moves(self.answer(state, steps)?);
        if let (None, true) = (steps, best.len() > 1) {
            let state = self.search.state_of(state)?;
            let found = self.search.first_to_advance(&state, &best, &self.limits)?;
            best.extend(found);
            best.swap_remove(0);
        }
        Ok((best.swap_remove(0), value))
    }

    fn answer(&mut self, state: &Position, steps: Option<u32>) -> Result<Vec<Reply>, AdviceError> {
        let opponents = self.sides().opponents;
        let replies = self.joint_moves(state, &opponents)?;
        let legal = self.legal(state, self.search.role)?.into_iter();
        legal
            .map(|action| self.best_reply(state, steps, &action, &replies))
            .collect()
    }

    fn successors(
        &mut self,
        state: &Position,
        action: &Term,
        reply: Option<&[Term]>,
    ) -> Result<Vec<Vec<Position>>, AdviceError> {
        let Sides {
            opponents, random, ..
        } = self.sides();
        let chance: Vec<usize> = random.into_iter().collect();
        let replies = match reply {
            Some(reply) => vec![reply.to_vec()],
            None => self.joint_moves(state, &opponents)?,
        };
        let outcomes = self.joint_moves(state, &chance)?;
        let mut next = Vec::with_capacity(replies.len());
        let mut joint_move = vec![action.clone(); self.search.machine.roles().len()];
        for reply in &replies {
            for (&index, other) in opponents.iter().zip(reply) {
                joint_move[index] = other.clone();
            }
            let mut after = Vec::with_capacity(outcomes.len());
            for outcome in &outcomes {
                for (&index, other) in chance.iter().zip(outcome) {
                    joint_move[index] = other.clone();
                }
                let state = self.search.machine.next(state, &joint_move);
                after.push(state.map_err(SearchError::from)?);
            }
            next.push(after);
        }
        Ok(next)
    }
}
