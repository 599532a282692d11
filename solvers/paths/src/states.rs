//! The set of states that were seen, each with a number. States are compared bit by bit.

use base::table::Interner;

/// The number of a state.
pub type StateId = u32;

/// A set of states in the order in which they came.
pub struct States(Interner);

impl States {
    /// An empty set of keys of this number of words.
    pub fn new(words: usize) -> Self {
        States(Interner::new(words))
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The key of a state.
    pub fn key(&self, state: StateId) -> &[u64] {
        self.0.key(state as usize)
    }

    /// The number of a state, and whether it is new.
    pub fn insert(&mut self, key: &[u64]) -> (StateId, bool) {
        let count = self.len();
        let state = self.0.number(key);
        (state, state as usize == count)
    }

    /// The memory in use, in bytes, as it is while the table grows.
    pub fn bytes(&self) -> u64 {
        self.0.bytes() + (Interner::SLOT_BYTES * self.len()) as u64
    }
}
