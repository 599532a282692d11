//! The engine as an advisor: what everybody does in a position, and what that is worth.

use super::{Search, SearchError, outcome};
use crate::gdl::Term;
use crate::machine::Position;
use crate::strategy::{Advisor, Reply};
use formula::{Limits, Outcome, StopReason, Value};
use num_rational::BigRational;
use std::time::Instant;

/// A search that gives advice, under limits for all of it together.
pub struct Adviser<'a> {
    search: &'a mut Search,
    limits: Limits,
    deadline: Option<Instant>,
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
    /// Time runs from now on.
    pub fn new(search: &'a mut Search, limits: Limits) -> Self {
        let deadline = limits.time.and_then(|time| Instant::now().checked_add(time));
        Adviser {
            search,
            limits,
            deadline,
        }
    }

    /// What is left of the limits.
    fn limits(&self) -> Limits {
        let left = |deadline: Instant| deadline.saturating_duration_since(Instant::now());
        Limits {
            time: self.deadline.map(left),
            ..self.limits.clone()
        }
    }

    fn places(&self, is_meant: impl Fn(&str) -> bool) -> Vec<usize> {
        let roles = self.search.machine.roles().iter().enumerate();
        let meant = roles.filter(|(place, role)| {
            *place != self.search.role && is_meant(role.as_str())
        });
        meant.map(|(place, _)| place).collect()
    }

    /// All joint legal moves of these roles.
    fn joint_moves(
        &mut self,
        state: &Position,
        places: &[usize],
    ) -> Result<Vec<Vec<Term>>, AdviceError> {
        let mut joint_moves = vec![Vec::new()];
        for &place in places {
            let legal = self.search.machine.legal(state, place);
            let legal = legal.map_err(SearchError::from)?;
            let longer = joint_moves.iter().flat_map(|joint_move: &Vec<Term>| {
                legal.iter().map(|action| {
                    let mut longer = joint_move.clone();
                    longer.push(action.clone());
                    longer
                })
            });
            joint_moves = longer.collect();
        }
        Ok(joint_moves)
    }
}

/// A value that is known.
fn known(outcome: Outcome) -> Result<BigRational, AdviceError> {
    match outcome {
        Outcome::Solved(Value::Exact(value)) => Ok(value),
        Outcome::Stopped { reason, .. } => Err(AdviceError::Stopped(reason)),
        Outcome::Solved(Value::Float(_)) => unreachable!("this engine is exact"),
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
        Ok(self.search.machine.terminal(state).map_err(SearchError::from)?)
    }

    fn value(&mut self, state: &Position, steps: Option<u32>) -> Result<BigRational, AdviceError> {
        let state = self.search.state_of(state)?;
        let limits = self.limits();
        known(self.search.solve(&state, steps, &limits)?.outcome)
    }

    fn decide(
        &mut self,
        state: &Position,
        steps: Option<u32>,
    ) -> Result<(Term, BigRational), AdviceError> {
        let state = self.search.state_of(state)?;
        let limits = self.limits();
        let mut best: Option<(Term, BigRational)> = None;
        for (action, outcome) in self.search.moves(&state, steps, &limits)? {
            let value = known(outcome)?;
            if best.as_ref().is_none_or(|(_, other)| value > *other) {
                best = Some((action, value));
            }
        }
        Ok(best.expect("play goes on, so there is a legal move"))
    }

    fn answer(&mut self, state: &Position, steps: Option<u32>) -> Result<Vec<Reply>, AdviceError> {
        let role = self.search.role;
        let opponents = self.places(|role| role != "random");
        let legal = self.search.machine.legal(state, role);
        let legal = legal.map_err(SearchError::from)?;
        let state = self.search.state_of(state)?;
        let mut replies = Vec::with_capacity(legal.len());
        for action in legal {
            let moves = &self.search.ground.moves;
            let number = moves[role].iter().position(|other| *other == action);
            let number = number.expect("what is legal is among the moves");
            let limits = self.limits();
            let engine = &mut self.search.engine;
            let answers = engine.replies(&state, number, steps, &limits);
            let answers = answers.map_err(SearchError::from)?;
            let mut best: Option<(BigRational, Vec<Term>)> = None;
            for answer in answers {
                let value = known(outcome(answer.outcome))?;
                if best.as_ref().is_none_or(|(other, _)| value < *other) {
                    let named = opponents.iter().map(|&place| {
                        let number = answer.moves[place].expect("every opponent answers");
                        self.search.ground.moves[place][number].clone()
                    });
                    best = Some((value, named.collect()));
                }
            }
            let (value, reply) = best.expect("play goes on, so there is an answer");
            replies.push(Reply {
                action,
                reply,
                value,
            });
        }
        Ok(replies)
    }

    fn successors(
        &mut self,
        state: &Position,
        action: &Term,
        reply: Option<&[Term]>,
    ) -> Result<Vec<Position>, AdviceError> {
        let opponents = self.places(|role| role != "random");
        let chance = self.places(|role| role == "random");
        let replies = match reply {
            Some(reply) => vec![reply.to_vec()],
            None => self.joint_moves(state, &opponents)?,
        };
        let outcomes = self.joint_moves(state, &chance)?;
        let mut next = Vec::with_capacity(replies.len() * outcomes.len());
        let mut joint_move = vec![action.clone(); self.search.machine.roles().len()];
        for reply in &replies {
            for (&place, other) in opponents.iter().zip(reply) {
                joint_move[place] = other.clone();
            }
            for outcome in &outcomes {
                for (&place, other) in chance.iter().zip(outcome) {
                    joint_move[place] = other.clone();
                }
                let state = self.search.machine.next(state, &joint_move);
                next.push(state.map_err(SearchError::from)?);
            }
        }
        Ok(next)
    }
}
