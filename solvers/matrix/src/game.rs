//! The trait of a concurrent game, and the choices in one of its states.

use limits::{Limits, StopReason};
use num_rational::BigRational;
use std::hash::Hash;

pub trait ConcurrentGame {
    /// A state. Equal states have equal futures.
    type State: Clone + Eq + Hash;

    /// The payoff where play is over; a number from 0 to 1, if the game is to be solved.
    type Payoff;

    /// A reason why a state has no value.
    type Error;

    /// The payoff of a state in which play is over; none if play goes on.
    fn payoff(
        &mut self,
        state: &Self::State,
    ) -> Result<Option<Self::Payoff>, StageError<Self::Error>>;

    /// The payoff of play that is not over when no step is left, from 0 to 1. It is 0 where all steps count and play can go on for ever.
    fn unfinished(&self) -> BigRational {
        BigRational::default()
    }

    /// The choices in a state in which play goes on.
    fn stage(
        &mut self,
        state: &Self::State,
        limits: &Limits,
    ) -> Result<Stage<Self::State>, StageError<Self::Error>>;

    /// The memory that a state takes outside of itself, in bytes.
    fn heap_bytes(_state: &Self::State) -> usize {
        0
    }
}

/// The choices of both sides in a state, and what they lead to.
#[derive(Clone, Debug)]
pub struct Stage<S> {
    /// The number of choices of the column side, at least 1.
    pub columns: usize,
    /// For each row and, within it, each column the states that may follow, with weights: the probability of a state is its weight
    /// divided by the sum of the cell's. All cells have the same sum, from 1 to 2^32.
    pub cells: Vec<Vec<(S, u64)>>,
}

/// Why a state is not listed.
#[derive(Clone, Debug)]
pub enum StageError<E> {
    Stopped(StopReason),
    /// The state has no value.
    Failed(E),
}

impl<E> StageError<E> {
    /// The same with an error of another type.
    pub fn map<F>(self, form: impl FnOnce(E) -> F) -> StageError<F> {
        match self {
            StageError::Stopped(reason) => StageError::Stopped(reason),
            StageError::Failed(error) => StageError::Failed(form(error)),
        }
    }
}

impl<E> From<StopReason> for StageError<E> {
    fn from(reason: StopReason) -> Self {
        StageError::Stopped(reason)
    }
}
