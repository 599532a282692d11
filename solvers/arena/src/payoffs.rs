//! A game that may go on for ever: its graph, and the payoffs at the ends of play.

use crate::arena::Arena;
use num_rational::BigRational;
use num_traits::{One, Zero};

/// A game that may go on for ever.
#[derive(Clone, Debug)]
pub struct GameGraph {
    arena: Arena,
    payoffs: Vec<BigRational>,
}

/// A payoff that is missing, or not between 0 and 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("end {end} needs one payoff between 0 and 1")]
pub struct PayoffError {
    /// The number of the end.
    pub end: usize,
}

impl GameGraph {
    /// A graph and the payoff of each of its ends.
    pub fn new(arena: Arena, payoffs: Vec<BigRational>) -> Result<Self, PayoffError> {
        let (zero, one) = (BigRational::zero(), BigRational::one());
        let wrong = payoffs
            .iter()
            .position(|payoff| *payoff < zero || *payoff > one);
        let missing = (payoffs.len() != arena.ends()).then(|| payoffs.len().min(arena.ends()));
        match wrong.or(missing) {
            Some(end) => Err(PayoffError { end }),
            None => Ok(GameGraph { arena, payoffs }),
        }
    }

    pub fn arena(&self) -> &Arena {
        &self.arena
    }

    /// Changes the payoff of an end, to another one between 0 and 1.
    pub fn set_payoff(&mut self, end: usize, payoff: BigRational) {
        self.payoffs[end] = payoff;
    }

    /// The payoffs, by end.
    pub fn payoffs(&self) -> &[BigRational] {
        &self.payoffs
    }
}
