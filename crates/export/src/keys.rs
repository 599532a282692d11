//! Keys of nodes: the words of the facts, and a last word for all else.

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;

/// The last word of the key of the last node.
pub(crate) const OVER: u64 = u64::MAX;

/// The last word of the key of another node: the steps left, and the role's move plus 1 if it is made.
pub(crate) fn last_word(steps: u32, made: Option<u32>) -> u64 {
    u64::from(steps) << 32 | u64::from(made.map_or(0, |place| place + 1))
}

/// The steps left and the move made, of a last word.
pub(crate) fn parts(word: u64) -> (u32, Option<u32>) {
    ((word >> 32) as u32, (word as u32).checked_sub(1))
}

/// Keys and the numbers of the nodes that they stand for.
pub(crate) struct Keys {
    /// The words of a key: those of the facts, and one.
    width: usize,
    words: Vec<u64>,
    numbers: HashTable<u32>,
}

impl Keys {
    /// No keys yet. Each will have `words` words of facts.
    pub(crate) fn new(words: usize) -> Self {
        Keys {
            width: words + 1,
            words: Vec::new(),
            numbers: HashTable::new(),
        }
    }

    /// The words of the facts.
    pub(crate) fn fact_words(&self) -> usize {
        self.width - 1
    }

    fn hash(key: &[u64]) -> u64 {
        let mut hasher = FxHasher::default();
        key.iter().for_each(|&word| hasher.write_u64(word));
        hasher.finish()
    }

    /// The number of nodes.
    pub(crate) fn count(&self) -> usize {
        self.words.len() / self.width
    }

    /// The key of a node.
    pub(crate) fn key(&self, number: usize) -> &[u64] {
        &self.words[number * self.width..][..self.width]
    }

    /// The number of a node, if it is there.
    pub(crate) fn find(&self, key: &[u64]) -> Option<usize> {
        let is_it = |&number: &u32| self.key(number as usize) == key;
        let found = self.numbers.find(Keys::hash(key), is_it);
        found.map(|&number| number as usize)
    }

    /// The number of a node, which gets one if it has none.
    pub(crate) fn number(&mut self, key: &[u64]) -> u32 {
        let Keys {
            width,
            words,
            numbers,
        } = self;
        let at = |number: u32| number as usize * *width..(number as usize + 1) * *width;
        let hash = Keys::hash(key);
        if let Some(&number) = numbers.find(hash, |&number| words[at(number)] == *key) {
            return number;
        }
        let number = (words.len() / *width) as u32;
        words.extend_from_slice(key);
        let hasher = |&number: &u32| Keys::hash(&words[at(number)]);
        numbers.insert_unique(hash, number, hasher);
        number
    }

    /// The memory that all take.
    pub(crate) fn bytes(&self) -> u64 {
        (8 * self.words.capacity() + 8 * self.numbers.capacity()) as u64
    }
}
