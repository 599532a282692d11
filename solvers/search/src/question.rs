//! Questions for the value of a state.

use crate::options::Options;

/// A question: the value of a state of a layer (1 or more).
pub struct Question<'a, G> {
    pub game: &'a G,
    pub options: &'a Options,
    /// The words of the state.
    pub state: &'a [u64],
    pub layer: usize,
    /// The number of expansions after which the search ends without an answer.
    pub patience: Option<u64>,
}

impl<G> Clone for Question<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G> Copy for Question<'_, G> {}
