//! What is known about states: a table from exact keys to a lower and an upper bound of the value.
//!
//! Open addressing; keys, bounds and one byte of the hash each in a block of their own. Keys are
//! stored whole and compared whole: a hash alone is not proof enough for an exact answer. Memory is
//! asked for from the [`Watch`] before it is taken.

use limits::{StopReason, Watch};
use value::Numerator;

const FIRST_CAPACITY: usize = 16;
/// The byte of an empty place; others have the top bit set.
const EMPTY: u8 = 0;

/// Bounds by key.
pub struct Table<N> {
    words: usize,
    /// Memory that the two numbers of an entry hold outside of the table.
    heap_bytes: usize,
    tags: Vec<u8>,
    keys: Vec<u64>,
    bounds: Vec<(N, N)>,
    len: usize,
}

impl<N: Numerator> Table<N> {
    /// An empty table for keys of this many words. `largest` is the largest bound there will be.
    pub fn new(words: usize, largest: &N) -> Self {
        Table {
            words,
            heap_bytes: 2 * largest.heap_bytes(),
            tags: Vec::new(),
            keys: Vec::new(),
            bounds: Vec::new(),
            len: 0,
        }
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The bounds of a state.
    pub fn get(&self, key: &[u64]) -> Option<&(N, N)> {
        let place = self.find(key)?;
        (self.tags[place] != EMPTY).then(|| &self.bounds[place])
    }

    /// Sets the bounds of a state.
    ///
    /// # Errors
    /// If the table would have to grow beyond the memory limit; then it stays as it was.
    pub fn set(
        &mut self,
        key: &[u64],
        bounds: (N, N),
        watch: &mut Watch<'_>,
    ) -> Result<(), StopReason> {
        if self.len * 4 >= self.tags.len() * 3 {
            self.grow(watch)?;
        }
        let place = self.find(key).expect("a table that has grown has places");
        if self.tags[place] == EMPTY {
            watch.take_memory(self.heap_bytes as u64)?;
            self.tags[place] = tag(hash(key));
            self.keys[place * self.words..(place + 1) * self.words].copy_from_slice(key);
            self.len += 1;
        }
        self.bounds[place] = bounds;
        Ok(())
    }

    /// Multiplies all bounds.
    pub fn scale(&mut self, factor: &N) {
        for (lower, upper) in &mut self.bounds {
            *lower = lower.times(factor);
            *upper = upper.times(factor);
        }
    }

    /// The place of a key, or the empty place where it belongs; `None` if there are no places.
    fn find(&self, key: &[u64]) -> Option<usize> {
        let mask = self.tags.len().checked_sub(1)?;
        let hash = hash(key);
        let tag = tag(hash);
        let mut place = hash as usize & mask;
        loop {
            match self.tags[place] {
                EMPTY => return Some(place),
                other if other == tag && self.key(place) == key => return Some(place),
                _ => place = (place + 1) & mask,
            }
        }
    }

    fn key(&self, place: usize) -> &[u64] {
        &self.keys[place * self.words..(place + 1) * self.words]
    }

    fn bytes(&self, capacity: usize) -> u64 {
        (capacity * (1 + 8 * self.words + size_of::<(N, N)>())) as u64
    }

    fn grow(&mut self, watch: &mut Watch<'_>) -> Result<(), StopReason> {
        let old = self.tags.len();
        let capacity = (2 * old).max(FIRST_CAPACITY);
        // Both tables exist for a moment.
        watch.take_memory(self.bytes(capacity))?;
        let mut grown = Table {
            words: self.words,
            heap_bytes: self.heap_bytes,
            tags: vec![EMPTY; capacity],
            keys: vec![0; capacity * self.words],
            bounds: vec![(N::zero(), N::zero()); capacity],
            len: self.len,
        };
        for (place, bounds) in std::mem::take(&mut self.bounds).into_iter().enumerate() {
            if self.tags[place] != EMPTY {
                let key = self.key(place);
                let new = grown.find(key).expect("it has places");
                grown.tags[new] = self.tags[place];
                grown.keys[new * self.words..(new + 1) * self.words].copy_from_slice(key);
                grown.bounds[new] = bounds;
            }
        }
        watch.give_memory_back(self.bytes(old));
        *self = grown;
        Ok(())
    }
}

fn hash(key: &[u64]) -> u64 {
    let mix = |hash: u64, word: &u64| {
        let hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93)
    };
    let hash = key.iter().fold(0, mix);
    hash ^ (hash >> 32)
}

fn tag(hash: u64) -> u8 {
    (hash >> 56) as u8 | 0x80
}

#[cfg(test)]
mod tests {
    use super::*;
    use limits::Limits;
    use std::collections::HashMap;

    #[test]
    fn finds_what_was_put_in() {
        let limits = Limits::default();
        let mut watch = Watch::new(&limits);
        let mut table = Table::<u64>::new(2, &1);
        let mut expected = HashMap::new();
        let mut random = fastrand::Rng::with_seed(7);
        for number in 0..5000 {
            let key = [random.u64(0..100), random.u64(0..20)];
            assert_eq!(table.get(&key), expected.get(&key));
            table.set(&key, (number, number + 1), &mut watch).unwrap();
            expected.insert(key, (number, number + 1));
        }
        assert_eq!(table.len(), expected.len());
        table.scale(&3);
        for (key, bounds) in expected {
            assert_eq!(table.get(&key), Some(&(bounds.0 * 3, bounds.1 * 3)));
        }
    }

    #[test]
    fn does_not_grow_beyond_the_limit() {
        let limits = Limits {
            memory: Some(10_000),
            ..Limits::default()
        };
        let mut watch = Watch::new(&limits);
        let mut table = Table::<u64>::new(1, &1);
        let refused = (0..10_000).find(|&key| table.set(&[key], (0, 1), &mut watch).is_err());
        let refused = refused.expect("ten thousand entries take more than ten thousand bytes");
        assert!(refused > 100);
        assert_eq!(table.len() as u64, refused);
        assert_eq!(table.get(&[refused - 1]), Some(&(0, 1)));
    }
}
