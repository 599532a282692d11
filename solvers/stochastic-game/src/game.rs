//! What a game has to say of itself: [`StochasticGame`].

use crate::expansion::{Expansion, Refusal};
use num_rational::BigRational;
use value::Numerator;

/// How many words a state of some layer takes in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rows {
    /// The words of the state: what is needed to expand it.
    pub state: usize,
    /// The words of its key.
    pub key: usize,
}

impl Rows {
    /// All words: the state, the key, and the hash of the key.
    #[inline]
    pub fn words(self) -> usize {
        self.state + self.key + 1
    }
}

/// A place in a layer where chance decides: which denominators it may need.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Site {
    /// One of some equally likely outcomes; how many they are depends on the state.
    Uniform,
    /// One of two outcomes; the first has this probability.
    Coin(BigRational),
}

/// A two-player stochastic game with perfect information, in layers.
///
/// A state stands in a *layer*, which is a number of steps left. From a state of layer n, what the
/// maximiser, the minimiser and chance do, in any order, leads to states of layer n - 1, or to the end of
/// play with a known value between 0 and 1. Nothing is left to do in layer 0, so no state stands there.
pub trait StochasticGame: Sync {
    /// What a thread needs to expand states.
    type Workspace;

    /// Makes one.
    fn workspace(&self) -> Self::Workspace;

    /// The words of the states of a layer (1 or more).
    fn rows(&self, layer: usize) -> Rows;

    /// The bits of the keys of a layer; those behind them are 0.
    fn key_bits(&self, layer: usize) -> usize {
        64 * self.rows(layer).key
    }

    /// Writes the key of a state: two states of a layer may only have the same key if they have the same
    /// value. `key` is all zeros before.
    fn write_key(&self, layer: usize, state: &[u64], key: &mut [u64]);

    /// Whether states of a layer are worth remembering.
    fn remembers(&self, _layer: usize) -> bool {
        true
    }

    /// Whether what follows from a state, and its key, is the same in all layers but the last.
    fn is_stationary(&self) -> bool {
        false
    }

    /// Where chance decides in a layer, in the order of decision.
    fn sites(&self, layer: usize) -> &[Site];

    /// What the end of play may be worth, as far as that is not 0 or 1: each is between 0 and 1.
    fn payoffs(&self) -> &[BigRational] {
        &[]
    }

    /// Whether it is cheaper to expand several states together than one after the other.
    fn fills_words(&self) -> bool;

    /// Adds what follows from some states of a layer, at least one and at most 64, to the tree: from one
    /// state after the other.
    ///
    /// # Errors
    /// Why that cannot be done; then what was added is of no use.
    fn expand<N: Numerator>(
        &self,
        states: &[u32],
        workspace: &mut Self::Workspace,
        to: &mut Expansion<'_, N>,
    ) -> Result<(), Refusal>;
}
