//! Keys, numbered in the order in which they came.

use crate::bounds::hash;
use hashbrown::HashTable;

/// Keys of a few words each, and their numbers. The words stand one after the other in one list, so a key takes
/// no more than its words and a few bytes.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// The words of a key.
    width: usize,
    words: Vec<u64>,
    numbers: HashTable<u32>,
}

impl Numbers {
    /// No keys yet. Each will have `width` words, at least one.
    pub fn new(width: usize) -> Self {
        assert!(width > 0, "keys have words");
        Numbers {
            width,
            words: Vec::new(),
            numbers: HashTable::new(),
        }
    }

    /// The words of a key.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.words.len() / self.width
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The key with a number.
    pub fn key(&self, number: usize) -> &[u64] {
        &self.words[number * self.width..][..self.width]
    }

    /// The number of a key, if it is there.
    pub fn find(&self, key: &[u64]) -> Option<usize> {
        let is_it = |&number: &u32| self.key(number as usize) == key;
        let found = self.numbers.find(hash(key), is_it);
        found.map(|&number| number as usize)
    }

    /// The number of a key. One that is not there gets the next number.
    pub fn number(&mut self, key: &[u64]) -> u32 {
        let Numbers {
            width,
            words,
            numbers,
        } = self;
        let at = |number: u32| number as usize * *width..(number as usize + 1) * *width;
        let own = hash(key);
        if let Some(&number) = numbers.find(own, |&number| words[at(number)] == *key) {
            return number;
        }
        let number = (words.len() / *width) as u32;
        words.extend_from_slice(key);
        numbers.insert_unique(own, number, |&number| hash(&words[at(number)]));
        number
    }

    /// The memory that all take, in bytes.
    pub fn bytes(&self) -> u64 {
        (8 * self.words.capacity() + 8 * self.numbers.capacity()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_get_numbers_in_the_order_in_which_they_come() {
        let mut numbers = Numbers::new(2);
        for round in 0..2 {
            for key in 0..1000u64 {
                assert_eq!(numbers.number(&[key * key, key]), key as u32, "{round}");
            }
        }
        assert_eq!(numbers.len(), 1000);
        assert_eq!(numbers.key(7), [49, 7]);
        assert_eq!(numbers.find(&[49, 7]), Some(7));
        assert_eq!(numbers.find(&[49, 8]), None);
    }
}
