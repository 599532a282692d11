//! The trait of games: [`StochasticGame`].

use crate::denominators::Chances;
use crate::expansion::{Expansion, Refusal};
use crate::tree::{Rows, Tree};
use base::value::Numerator;

/// A two-player stochastic game with perfect information, in layers.
///
/// A state stands in a *layer*, which is a number of steps left. From a state of layer n, what the
/// maximizer, the minimizer and chance do, in any order, leads to states of layer n - 1, or to the end of
/// play with a known value between 0 and 1. Nothing is left to do in layer 0, so no state stands there.
pub trait StochasticGame: Chances + Sync {
    /// The working memory with which a thread expands states.
    type Workspace: Send;

    fn workspace(&self) -> Self::Workspace;

    /// The words of the states of a layer (1 or more).
    fn rows(&self, layer: usize) -> Rows;

    /// The bits of the keys of a layer; those behind them are 0.
    fn key_bits(&self, layer: usize) -> usize {
        64 * self.rows(layer).key().len()
    }

    /// Writes the key of a state: two states of a layer may only have the same key if they have the same
    /// value. `key` is all zeros before. If [`Rows`]'s `key` is 0, the state is made its key: it is replaced by a
    /// state of the same value.
    fn write_key(&self, layer: usize, state: &mut [u64], key: &mut [u64]);

    /// Whether states of a layer are worth remembering.
    fn remembers(&self, _layer: usize) -> bool {
        true
    }

    /// Whether what follows from a state, and its key, is the same in all layers but the last.
    fn is_stationary(&self) -> bool {
        false
    }

    /// Adds what follows from some states of a layer, at least one and at most 64, to the tree: from one
    /// state after the other.
    ///
    /// # Errors
    /// The reason why that cannot be done; then the nodes that were added are of no use.
    fn expand<N: Numerator>(
        &self,
        states: &[u32],
        workspace: &mut Self::Workspace,
        to: &mut Expansion<'_, N>,
    ) -> Result<(), Refusal>;
}

/// Sets the key of a state of a layer in a tree; gives its hash.
pub fn set_key<N: Numerator>(
    game: &impl StochasticGame,
    tree: &mut Tree<N>,
    node: usize,
    layer: usize,
) -> u64 {
    let write = |state: &mut [u64], key: &mut [u64]| game.write_key(layer, state, key);
    tree.set_key(node, game.rows(layer), write)
}
