//! The sequences of a player as a tree, and the numbers that plans are made of.

use num_bigint::BigInt;
use num_traits::Zero;
use std::ops::{AddAssign, Range, SubAssign};

/// The information sets of one player. Each has a sequence that leads to it and a sequence for each of its moves; the empty sequence
/// has number 0. A set comes after all those that its sequence goes through, so loops in this order and against it need no stack.
#[derive(Clone, Debug)]
pub struct SequenceTree {
    /// By set: the sequence that leads to it.
    parents: Vec<u32>,
    /// By set: its first sequence; then the number of sequences.
    firsts: Vec<u32>,
}

impl SequenceTree {
    pub(crate) fn new() -> Self {
        SequenceTree {
            parents: Vec::new(),
            firsts: vec![1],
        }
    }

    /// A new set: the sequence that leads there, and the number of moves. Gives the first sequence of its moves.
    pub(crate) fn add(&mut self, parent: u32, moves: u32) -> Result<u32, GameError> {
        let first = self.firsts[self.sets()];
        let end = first
            .checked_add(moves)
            .ok_or(GameError::TooManySequences)?;
        self.parents.push(parent);
        self.firsts.push(end);
        Ok(first)
    }

    /// The number of information sets.
    pub fn sets(&self) -> usize {
        self.parents.len()
    }

    /// The number of sequences, the empty one included.
    pub fn sequences(&self) -> usize {
        self.firsts[self.sets()] as usize
    }

    /// The sequence that leads to a set: the moves that the player made before.
    #[inline]
    pub fn parent(&self, set: usize) -> usize {
        self.parents[set] as usize
    }

    /// The sequences that end with a move of a set.
    #[inline]
    pub fn moves(&self, set: usize) -> Range<usize> {
        self.firsts[set] as usize..self.firsts[set + 1] as usize
    }
}

/// A number that plans are made of.
pub trait Weight: Clone + Zero + PartialOrd + AddAssign + SubAssign + Send + Sync {
    /// The number times a payoff.
    #[must_use]
    fn times(&self, payoff: i64) -> Self;
}

impl Weight for f64 {
    #[inline]
    fn times(&self, payoff: i64) -> f64 {
        self * payoff as f64
    }
}

impl Weight for i128 {
    #[inline]
    fn times(&self, payoff: i64) -> i128 {
        self * i128::from(payoff)
    }
}

impl Weight for BigInt {
    fn times(&self, payoff: i64) -> BigInt {
        self * payoff
    }
}

/// The reason why a game cannot be built.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GameError {
    /// A player has more than 2^32 - 1 sequences.
    #[error("a player has more than 4294967295 sequences of moves")]
    TooManySequences,
    /// The payoffs of a pair of sequences add up to more than 64 bits have room for.
    #[error(
        "a payoff, times its chance over the common denominator of all chances, is larger than 2^63"
    )]
    PayoffTooLarge,
}
