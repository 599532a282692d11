//! Keys, numbered in the order in which they came.
//!
//! A number stands at the place that the hash of its key says, or behind it where that is taken (linear probing). Beside it stands half of the
//! hash: others are told apart without a look at their keys, and the table grows without one. The places are in the order of
//! the hashes, so to grow is to read one table from its beginning to its end, and to write another.

use crate::bounds::hash;
use crate::prefetch::prefetch;

/// The number of no key.
const NONE: u32 = u32::MAX;

/// Places of the first table.
const FEW: usize = 16;

/// Tables of up to this many places double when they grow; larger ones save memory.
const MANY: usize = 1 << 16;

/// A place of the table.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// The upper half of the hash of the key.
    hash: u32,
    /// The number of the key, or [`NONE`].
    number: u32,
}

const EMPTY: Slot = Slot {
    hash: 0,
    number: NONE,
};

/// Keys of a few words each, and their numbers. The words stand one after the other in one list, so a key takes
/// no more than its words and a few bytes.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// The words of a key.
    width: usize,
    words: Vec<u64>,
    slots: Vec<Slot>,
}

impl Numbers {
    /// No keys yet. Each will have `width` words, at least one.
    pub fn new(width: usize) -> Self {
        assert!(width > 0, "keys have words");
        Numbers {
            width,
            words: Vec::new(),
            slots: Vec::new(),
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

    /// Brings the place of a hash near. Asking for many at once, and only then looking, makes the processor wait for all of
    /// them together.
    #[inline]
    pub fn touch(&self, hash: u64) {
        if let Some(slot) = self.slots.get(index(upper(hash), self.slots.len())) {
            prefetch(slot);
        }
    }

    /// Brings the key near that stands at the place of a hash, if it may have this hash.
    #[inline]
    pub fn touch_key(&self, hash: u64) {
        let slot = self.slots.get(index(upper(hash), self.slots.len()));
        if let Some(slot) = slot
            && slot.hash == upper(hash)
            && let Some(word) = self.words.get(slot.number as usize * self.width)
        {
            prefetch(word);
        }
    }

    /// The number of a key, if it is there.
    pub fn find(&self, key: &[u64]) -> Option<usize> {
        match self.slots.is_empty() {
            true => None,
            false => self.look(key, hash(key)).ok().map(|number| number as usize),
        }
    }

    /// The number of a key. One that is not there gets the next number.
    pub fn number(&mut self, key: &[u64]) -> u32 {
        self.number_of_hash(key, hash(key))
    }

    /// The number of a key whose hash is known. One that is not there gets the next number.
    #[inline]
    pub fn number_of_hash(&mut self, key: &[u64], hash: u64) -> u32 {
        // At most three quarters of the places are taken.
        if 4 * self.len() >= 3 * self.slots.len() {
            self.grow();
        }
        match self.look(key, hash) {
            Ok(number) => number,
            Err(index) => {
                let number = self.len() as u32;
                self.words.extend_from_slice(key);
                self.slots[index] = Slot {
                    hash: upper(hash),
                    number,
                };
                number
            }
        }
    }

    /// The number of a key, or the place where it belongs. There are free places.
    #[inline]
    fn look(&self, key: &[u64], hash: u64) -> Result<u32, usize> {
        let mut index = index(upper(hash), self.slots.len());
        loop {
            let slot = self.slots[index];
            if slot.number == NONE {
                return Err(index);
            }
            if slot.hash == upper(hash) && self.key(slot.number as usize) == key {
                return Ok(slot.number);
            }
            index = following(index, self.slots.len());
        }
    }

    /// Makes more places.
    fn grow(&mut self) {
        let more = match self.slots.len() {
            0 => FEW,
            few if few < MANY => few,
            many => many / 2,
        };
        let count = self.slots.len() + more;
        let old = std::mem::replace(&mut self.slots, vec![EMPTY; count]);
        for slot in old.into_iter().filter(|slot| slot.number != NONE) {
            let mut index = index(slot.hash, count);
            while self.slots[index].number != NONE {
                index = following(index, count);
            }
            self.slots[index] = slot;
        }
    }

    /// The memory that all take, in bytes.
    pub fn bytes(&self) -> u64 {
        (8 * self.words.capacity() + size_of::<Slot>() * self.slots.len()) as u64
    }
}

/// The half of a hash that is stored.
#[inline]
fn upper(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// The index, of 0 to `indices` - 1, where to look first for a key with this half of its hash.
#[inline]
fn index(hash: u32, indices: usize) -> usize {
    ((u64::from(hash) * indices as u64) >> 32) as usize
}

/// The place behind one; behind the last comes the first.
#[inline]
fn following(index: usize, indices: usize) -> usize {
    match index + 1 == indices {
        true => 0,
        false => index + 1,
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
        // Half of a hash is not enough to tell keys apart.
        let numbers = &mut Numbers::new(1);
        let found: Vec<u32> = (0..100)
            .map(|key| numbers.number_of_hash(&[key % 50], key % 5))
            .collect();
        assert!(
            found
                .iter()
                .zip(0..)
                .all(|(&number, key)| number == key % 50)
        );
        assert_eq!(Numbers::new(1).find(&[7]), None);
    }
}
