//! The set of states that were seen, each with a number. States are compared bit by bit.

use hashbrown::HashTable;

/// The number of a state.
pub type StateId = u32;

/// A set of states in the order in which they came.
pub struct States {
    words: usize,
    keys: Vec<u64>,
    table: HashTable<StateId>,
}

impl States {
    /// An empty set of keys of this number of words.
    pub fn new(words: usize) -> Self {
        States {
            words,
            keys: Vec::new(),
            table: HashTable::new(),
        }
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.keys.len() / self.words
    }

    /// The key of a state.
    pub fn key(&self, state: StateId) -> &[u64] {
        let start = state as usize * self.words;
        &self.keys[start..start + self.words]
    }

    /// The number of a state, and whether it is new.
    pub fn insert(&mut self, key: &[u64]) -> (StateId, bool) {
        let (keys, words) = (&self.keys, self.words);
        let at = |state: StateId| &keys[state as usize * words..][..words];
        let found = self
            .table
            .find(hash(key), |&state| at(state) == key)
            .copied();
        if let Some(state) = found {
            return (state, false);
        }
        let state = self.len() as StateId;
        self.table
            .insert_unique(hash(key), state, |&state| hash(at(state)));
        self.keys.extend_from_slice(key);
        (state, true)
    }

    /// The memory in use, in bytes, as it is while the table grows.
    pub fn bytes(&self) -> u64 {
        (8 * self.keys.capacity() + 15 * self.table.capacity()) as u64
    }
}

/// Mixes all bits of a key (multiplication and folding, as in wyhash).
fn hash(key: &[u64]) -> u64 {
    let mut hash = 0x9e37_79b9_7f4a_7c15;
    for &word in key {
        let product = u128::from(hash ^ word) * 0xa076_1d64_78bd_642f;
        hash = (product >> 64) as u64 ^ product as u64;
    }
    hash
}
