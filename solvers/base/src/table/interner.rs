//! An interner of keys: they are numbered in the order in which they come.
//!
//! A number stands at the slot that the hash of its key says, or behind it where that is taken (linear probing). Beside it stands half of the
//! hash: other keys are recognised without reading them, and the table grows without one. The slots are in the order of
//! the hashes, so to grow is to read one table from its beginning to its end, and to write another.

use crate::table::bounds::hash;
use crate::table::prefetch::prefetch;

/// The number of no key.
const NONE: u32 = u32::MAX;

/// Slots of the first table.
const FEW: usize = 16;

/// Tables of up to this many slots double when they grow; larger ones save memory.
const MANY: usize = 1 << 16;

/// A slot of the table.
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
/// no more than its words and a few bytes. Behind each key there may be words that do not count.
#[derive(Clone, Debug)]
pub struct Interner {
    /// The words of a key, and with those behind it.
    width: usize,
    row: usize,
    words: Vec<u64>,
    slots: Vec<Slot>,
    /// The number of keys that memory is meant for.
    capacity: usize,
}

impl Interner {
    /// The bytes that a key takes beside its words, where there are as many keys as there should be; twice as much while the table grows.
    pub const SLOT_BYTES: usize = (4 * size_of::<Slot>()).div_ceil(3);

    /// No keys yet. Each will have `width` words, at least one.
    pub fn new(width: usize) -> Self {
        Interner::of_rows(width, width, usize::MAX)
    }

    /// No keys yet. Each will have `width` words, at least one, and is the beginning of a row of `row` words. Memory is for about
    /// `capacity` of them, once there are many.
    pub fn of_rows(width: usize, row: usize, capacity: usize) -> Self {
        assert!(width > 0 && row >= width, "keys have words");
        Interner {
            width,
            row,
            words: Vec::new(),
            slots: Vec::new(),
            capacity,
        }
    }

    /// Drops all keys, and keeps the memory.
    pub fn clear(&mut self) {
        self.words.clear();
        self.slots.fill(EMPTY);
    }

    /// The words of a key.
    pub fn width(&self) -> usize {
        self.width
    }

    pub fn len(&self) -> usize {
        self.words.len() / self.row
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The key with a number.
    pub fn key(&self, number: usize) -> &[u64] {
        &self.words[number * self.row..][..self.width]
    }

    /// The row with a number: the key, and the words behind it.
    pub fn row(&self, number: usize) -> &[u64] {
        &self.words[number * self.row..][..self.row]
    }

    /// Adds a row: a key whose hash is known, and the rest behind it. If there is a row with this key, the smaller one of the two stays.
    #[inline]
    pub fn keep_smallest(&mut self, key: &[u64], hash: u64, rest: &[u64]) {
        let count = self.len();
        let number = self.number_or_next(key, hash) as usize;
        if number == count {
            self.words.extend_from_slice(rest);
            return;
        }
        let known = &mut self.words[number * self.row..][..self.row][self.width..];
        if *rest < *known {
            known.copy_from_slice(rest);
        }
    }

    /// Brings the slot of a hash near. Asking for many at once, and reading only then, makes the processor wait for all of
    /// them together.
    #[inline]
    pub fn touch(&self, hash: u64) {
        if let Some(slot) = self.slots.get(index(upper(hash), self.slots.len())) {
            prefetch(slot);
        }
    }

    /// Brings the key near that stands at the slot of a hash, if it may have this hash.
    #[inline]
    pub fn touch_key(&self, hash: u64) {
        let slot = self.slots.get(index(upper(hash), self.slots.len()));
        if let Some(slot) = slot
            && slot.hash == upper(hash)
            && let Some(word) = self.words.get(slot.number as usize * self.row)
        {
            prefetch(word);
        }
    }

    /// The number of a key, if it is there.
    pub fn find(&self, key: &[u64]) -> Option<usize> {
        match self.slots.is_empty() {
            true => None,
            false => self
                .probe(key, hash(key))
                .ok()
                .map(|number| number as usize),
        }
    }

    /// The number of a key. One that is not there gets the next number.
    pub fn number(&mut self, key: &[u64]) -> u32 {
        self.number_of_hash(key, hash(key))
    }

    /// The number of a key whose hash is known. One that is not there gets the next number. Rows have no words behind the key.
    #[inline]
    pub fn number_of_hash(&mut self, key: &[u64], hash: u64) -> u32 {
        debug_assert_eq!(self.row, self.width, "rows are added by keep_smallest");
        self.number_or_next(key, hash)
    }

    /// The number of a key whose hash is known. One that is not there gets the next number, and the rest of its row must be added.
    #[inline]
    fn number_or_next(&mut self, key: &[u64], hash: u64) -> u32 {
        // At most three quarters of the slots are taken.
        if 4 * self.len() >= 3 * self.slots.len() {
            self.grow();
        }
        match self.probe(key, hash) {
            Ok(number) => number,
            Err(index) => {
                let number = self.len() as u32;
                if self.words.len() + self.row > self.words.capacity() {
                    self.make_room();
                }
                self.words.extend_from_slice(key);
                self.slots[index] = Slot {
                    hash: upper(hash),
                    number,
                };
                number
            }
        }
    }

    /// The number of a key, or the slot where it belongs. There are free slots.
    #[inline]
    fn probe(&self, key: &[u64], hash: u64) -> Result<u32, usize> {
        let mut index = index(upper(hash), self.slots.len());
        loop {
            let slot = self.slots[index];
            if slot.number == NONE {
                return Err(index);
            }
            // Word by word: to compare slices is a call, and most keys have one or two words.
            let is_key = |number: u32| self.key(number as usize).iter().eq(key);
            if slot.hash == upper(hash) && is_key(slot.number) {
                return Ok(slot.number);
            }
            index = following(index, self.slots.len());
        }
    }

    /// Makes room for rows: twice as many, but hardly more than there should be.
    fn make_room(&mut self) {
        let count = self.len();
        let more = match 2 * count > self.capacity {
            true => (self.capacity + self.capacity / 16)
                .saturating_sub(count)
                .max(count / 8),
            false => count,
        };
        self.words.reserve_exact(more.max(FEW) * self.row);
    }

    fn grow(&mut self) {
        let more = match self.slots.len() {
            0 => FEW,
            few if few < MANY => few,
            many => many / 2,
        };
        let enough = (self.capacity / 3).saturating_mul(4).saturating_add(FEW);
        let count = match self.slots.len() + more {
            count if self.slots.len() < enough => count.min(enough),
            count => count,
        };
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

/// The index, of 0 to `indices` - 1, of the first slot for a key with this half of its hash.
#[inline]
fn index(hash: u32, indices: usize) -> usize {
    ((u64::from(hash) * indices as u64) >> 32) as usize
}

/// The slot behind one; behind the last comes the first.
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
    fn the_smallest_row_of_a_key_stays() {
        let mut rows = Interner::of_rows(1, 3, 900);
        for round in 0..3 {
            for key in 0..1000 {
                let last = (key + round) % 3;
                rows.keep_smallest(&[key], hash(&[key]), &[8, last]);
            }
        }
        assert_eq!(rows.len(), 1000);
        assert!((0..1000).all(|number| *rows.row(number) == [number as u64, 8, 0]));
    }

    #[test]
    fn keys_get_numbers_in_the_order_in_which_they_come() {
        let mut numbers = Interner::new(2);
        for round in 0..2 {
            for key in 0..1000u64 {
                assert_eq!(numbers.number(&[key * key, key]), key as u32, "{round}");
            }
        }
        assert_eq!(numbers.len(), 1000);
        assert_eq!(numbers.key(7), [49, 7]);
        assert_eq!(numbers.find(&[49, 7]), Some(7));
        assert_eq!(numbers.find(&[49, 8]), None);
        // Half of a hash does not distinguish all keys.
        let numbers = &mut Interner::new(1);
        let found: Vec<u32> = (0..100)
            .map(|key| numbers.number_of_hash(&[key % 50], key % 5))
            .collect();
        assert!(
            found
                .iter()
                .zip(0..)
                .all(|(&number, key)| number == key % 50)
        );
        assert_eq!(Interner::new(1).find(&[7]), None);
    }
}
