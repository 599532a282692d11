//! A transposition table from exact keys to bounds of values, for all threads.
//!
//! The table is a tree of *segments* (see [`crate::table::segment`]), chosen by the first bits of the hash; a small table is one
//! segment. A segment is a list of *buckets* of one or a few cache lines. A bucket holds a few entries, packed to the
//! bit (see [`crate::table::layout`]), and a word about them: a byte per entry, which finds the right one, and a
//! counter.
//!
//! ```text
//! table ---> segment 0   | bucket | bucket | ... | bucket |
//!            segment 1   | bucket | bucket | ... | bucket | bucket |
//!            ...             |
//!            segment 63      tags, counter | key, lower, upper | key, lower, upper | ...
//! ```
//!
//! No thread locks a table to read it. A writer locks the bucket by a bit beside the counter, writes, and
//! counts on as it unlocks; a reader reads this word before and after, and reads again if it was locked or
//! has changed (a *sequence lock*: H.-J. Boehm, Can seqlocks get along with programming language memory
//! models?, MSPC 2012). So a reader never takes half of one entry and half of another for a value: keys
//! and values are exact, whatever the threads do.
//!
//! A segment that gets full grows on its own, by a half; so most of the memory is in use, there are never
//! two copies of the whole table, and threads go on meanwhile. Without memory for that, new entries replace old
//! ones of their bucket: then states are searched again, and the answer is the same.

use crate::table::layout::{Bucket, Key, Layout};
use crate::table::segment::{Insertion, Plan, Segment};
use crate::value::Numerator;
use std::sync::atomic::{AtomicU64, Ordering};

/// The outcome of storing an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stored {
    /// It is there.
    Done,
    /// It is there, but its part of the table is getting full.
    Crowded,
}

/// The outcome of growing a part of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GrowthOutcome {
    /// It has grown. This number of bytes is still in use, and [`Table::free`] gives them back.
    Done(u64),
    /// Another thread was faster.
    Already,
    /// There is no memory for that.
    NoRoom,
}

/// Bounds by key.
pub struct Table {
    layout: Layout,
    root: Segment,
    /// Memory taken.
    bytes: AtomicU64,
}

/// The hash of a key.
#[inline]
pub fn hash(key: &[u64]) -> u64 {
    let mut hash = 0u64;
    for word in key {
        hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash = (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    }
    hash ^ (hash >> 32)
}

impl Table {
    /// An empty table for keys of at most `key_bits` bits and bounds of at most `value_bits` bits.
    pub fn new(key_bits: usize, value_bits: usize) -> Self {
        Table::with_buckets(Layout::new(key_bits, value_bits), 1)
    }

    /// An empty table for bounds with room for `entries` entries.
    pub fn with_room(key_bits: usize, value_bits: usize, entries: usize) -> Self {
        let layout = Layout::new(key_bits, value_bits);
        Table::with_buckets(layout, buckets_for(&layout, entries))
    }

    /// A table for bounds without any memory until it grows for the first time; before that it is crowded, and
    /// keeps nothing.
    pub fn unallocated(key_bits: usize, value_bits: usize) -> Self {
        Table::with_buckets(Layout::new(key_bits, value_bits), 0)
    }

    fn with_buckets(layout: Layout, buckets: usize) -> Self {
        let bytes = Segment::bytes_with_room(&layout, buckets);
        Table {
            layout,
            root: Segment::with_room(&layout, buckets),
            bytes: AtomicU64::new(bytes),
        }
    }

    pub fn len(&self) -> usize {
        let mut len = 0;
        self.root.for_each(&mut |segment| len += segment.len());
        len
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Brings the bucket of a hash near. Asking for many at once, and reading only then, makes the
    /// processor wait for all of them together.
    #[inline]
    pub fn touch(&self, hash: u64) {
        let (segment, used) = self.root.find(hash);
        segment.touch(&self.layout, hash << used);
    }

    /// The bounds of a state.
    #[inline]
    pub fn get<N: Numerator>(&self, key: &[u64], hash: u64) -> Option<(N, N)> {
        let (segment, used) = self.root.find(hash);
        let bounds = |bucket: Bucket<'_>, entry| self.layout.bounds(bucket, entry);
        segment.get(&self.layout, self.layout.key(key), hash << used, bounds)
    }

    /// Adds to what is known about a state. Gives back the bounds as they are then.
    pub fn set<N: Numerator>(&self, key: &[u64], hash: u64, lower: N, upper: N) -> (N, N, Stored) {
        let (key, bounds): (Key<'_>, (N, N)) = (self.layout.key(key), (lower, upper));
        let tighter = |new: &(N, N), known: (N, N)| {
            let lower = known.0.max(new.0.clone());
            (lower, known.1.min(new.1.clone()))
        };
        let ((lower, upper), stored) = self.put(hash, |segment, rest| {
            segment.update(&self.layout, key, rest, &bounds, tighter)
        });
        (lower, upper, stored)
    }

    /// Lets the segment for a hash store something, as soon as no thread moves it.
    #[inline(always)]
    fn put<T>(&self, hash: u64, store: impl Fn(&Segment, u64) -> Insertion<T>) -> (T, Stored) {
        loop {
            let (segment, used) = self.root.find(hash);
            match store(segment, hash << used) {
                Insertion::Moved => segment.wait(),
                Insertion::Done(there, false) => return (there, Stored::Done),
                Insertion::Done(there, true) => return (there, Stored::Crowded),
            }
        }
    }

    /// The bytes that it takes to let the part of the table with this hash grow; nothing if it need not.
    fn to_grow(&self, hash: u64) -> Option<(&Segment, u32, Plan)> {
        let (segment, used) = self.root.find(hash);
        let should = segment.should_grow(&self.layout);
        should.then(|| (segment, used, segment.plan(&self.layout)))
    }

    /// The memory that is needed to let a crowded part of the table grow, in bytes.
    pub fn bytes_to_grow(&self, hash: u64) -> u64 {
        let plan = self.to_grow(hash);
        plan.map_or(0, |(_, _, plan)| plan.bytes(&self.layout))
    }

    /// Notes for the part of the table with this hash that there is no memory to grow.
    pub(crate) fn confine(&self, hash: u64) {
        self.root.find(hash).0.confine();
    }

    /// Lets the part of the table with this hash grow if it is crowded, while others use the table. First
    /// `may_take` is asked for the bytes. The old memory of the part stays in use until [`Table::free`].
    pub(crate) fn grow(&self, hash: u64, may_take: impl Fn(u64) -> bool) -> GrowthOutcome {
        let Some((segment, used, plan)) = self.to_grow(hash) else {
            return GrowthOutcome::Already;
        };
        if !segment.begin_to_grow() {
            return GrowthOutcome::Already;
        }
        let bytes = plan.bytes(&self.layout);
        if !may_take(bytes) {
            segment.stay();
            return GrowthOutcome::NoRoom;
        }
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        segment.grow(&self.layout, plan, used);
        GrowthOutcome::Done(segment.bytes())
    }

    /// Gives back the memory that parts which have grown took before, on the way to a hash; returns how much.
    pub(crate) fn free(&mut self, hash: u64) -> u64 {
        let freed = self.root.free(hash);
        *self.bytes.get_mut() -= freed;
        freed
    }

    /// Multiplies all bounds, which may then need more bits. At no moment it takes more than `room`
    /// further bytes, if there is such a limit; it forgets some states if need be. If `go_on`, asked
    /// now and then, says `false`, it forgets them all.
    pub fn scale<N: Numerator>(
        &mut self,
        factor: &N,
        value_bits: usize,
        room: Option<u64>,
        go_on: impl Fn() -> bool,
    ) {
        let old = self.layout;
        let new = Layout::new(old.key_bits(), value_bits);
        let mut room = room.unwrap_or(u64::MAX);
        let bytes = self.bytes.get_mut();
        // Segment by segment, so that two copies of the whole never exist.
        let is_whole = self.root.for_each_mut(0, &mut |segment, used| {
            let most = room / new.bucket_bytes() as u64;
            let buckets = match segment.len() {
                0 => 0,
                len => buckets_for(&new, len).min(most as usize),
            };
            let scaled = Segment::with_buckets(&new, buckets);
            segment.for_each_entry(&old, |bucket, entry, key| {
                let (lower, upper): (N, N) = old.bounds(bucket, entry);
                let bounds = (lower.times(factor), upper.times(factor));
                let rest = crate::table::hash(key) << used;
                scaled.update(&new, new.key(key), rest, &bounds, |_, known| known);
            });
            let (before, after) = (segment.bytes(), scaled.bytes());
            room = room.saturating_add(before) - after;
            *bytes = *bytes + after - before;
            *segment = scaled;
            go_on()
        });
        self.layout = new;
        if !is_whole {
            *self = Table::unallocated(old.key_bits(), value_bits);
        }
    }
}

/// The number of buckets with room for `entries` entries.
fn buckets_for(layout: &Layout, entries: usize) -> usize {
    (entries * 4 / 3).div_ceil(layout.entries).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::U256;
    use num_bigint::BigUint;
    use std::collections::HashMap;

    /// Stores bounds, and lets the table grow if it is crowded.
    fn put<N: Numerator>(table: &mut Table, key: &[u64], bounds: &(N, N)) -> (N, N) {
        let hash = hash(key);
        let (lower, upper, stored) = table.set(key, hash, bounds.0.clone(), bounds.1.clone());
        if stored == Stored::Crowded {
            let before = table.bytes();
            if let GrowthOutcome::Done(left) = table.grow(hash, |_| true) {
                assert!(before < table.bytes());
                assert!(table.free(hash) >= left);
            }
        }
        (lower, upper)
    }

    /// A random number of at most `bits` bits: short ones, long ones, and those with all bits set.
    fn number(random: &mut fastrand::Rng, bits: usize) -> BigUint {
        let words: Vec<u64> = (0..8).map(|_| random.u64(..)).collect();
        match random.usize(..8) {
            0 => (BigUint::from(1u8) << bits) - 1u8,
            _ => BigUint::from_words(words.into_iter()) >> random.usize(512 - bits..512),
        }
    }

    /// Whatever the widths, a table holds what a map of the standard library does, while it grows and after
    /// its bounds are multiplied.
    #[test]
    fn is_a_map_for_all_widths() {
        let seed = fastrand::u64(..1 << 60);
        let mut random = fastrand::Rng::with_seed(seed);
        let mut widths: Vec<(usize, usize)> = (1..510).map(|bits| (bits, bits)).collect();
        widths.extend((0..400).map(|_| (random.usize(..200), random.usize(1..510))));
        widths.extend([(0, 1), (3000, 9), (64, 1), (7, 1), (6, 509), (128, 64)]);
        for (key_bits, value_bits) in widths {
            let about = format!("{key_bits} and {value_bits} bits, seed {seed}");
            let mut table = match random.bool() {
                true => Table::new(key_bits, value_bits),
                false => Table::unallocated(key_bits, value_bits),
            };
            let mut known: HashMap<Vec<u64>, (BigUint, BigUint)> = HashMap::new();
            let mut lost = 0;
            for _ in 0..400 {
                let mut key = vec![0; key_bits.div_ceil(64).max(1)];
                // Keys that differ in the first word, in the last, or only in a few bits.
                for _ in 0..random.usize(..4) {
                    let bit = random.usize(..key_bits.max(1));
                    key[bit / 64] |= 1 << (bit % 64);
                }
                if key_bits == 0 {
                    key[0] = 0;
                }
                let bounds = (
                    number(&mut random, value_bits),
                    number(&mut random, value_bits),
                );
                let found = table.get::<BigUint>(&key, hash(&key));
                lost += usize::from(found.is_none() && known.contains_key(&key));
                if let Some(found) = found {
                    assert_eq!(Some(&found), known.get(&key), "{about}");
                }
                // A table without memory keeps nothing of the first entry.
                let stays = table.bytes() > 0;
                let merged = put(&mut table, &key, &bounds);
                if stays {
                    known.insert(key, merged);
                }
            }
            assert_eq!((lost, table.len()), (0, known.len()), "{about}");
            let seven = BigUint::from(7u8);
            table.scale(&seven, value_bits + 3, None, || true);
            for (key, bounds) in &known {
                let scaled = (&bounds.0 * &seven, &bounds.1 * &seven);
                assert_eq!(table.get(key, hash(key)), Some(scaled), "{about}");
            }
        }
    }

    /// A large table is divided, grows on, and can be made with room from the start.
    #[test]
    fn a_large_table_consists_of_segments() {
        let keys = 300_000u64;
        let mut table = Table::new(40, 9);
        for key in 0..keys {
            put(&mut table, &[key << 20], &(key % 256, key % 256 + 1));
        }
        assert_eq!(table.len() as u64, keys);
        // 33 bits of a key, 18 of bounds, and a tag.
        let per_entry = table.bytes() as f64 / keys as f64;
        assert!((8.0..16.0).contains(&per_entry), "{per_entry}");
        let layout = Layout::new(40, 9);
        let made = Table::with_buckets(layout, buckets_for(&layout, keys as usize));
        let bytes = made.bytes();
        let buckets = buckets_for(&layout, keys as usize);
        assert_eq!(bytes, Segment::bytes_with_room(&layout, buckets));
        for key in 0..keys {
            let key = key << 20;
            let stored = made.set(&[key], hash(&[key]), key >> 20 & 255, key >> 20 & 255);
            assert_eq!(stored.2, Stored::Done);
        }
        assert_eq!((made.len() as u64, made.bytes()), (keys, bytes));
        let mut room = 1 << 20;
        while room > 0 {
            let before = table.bytes();
            table.scale(&1u64, 9, Some(room), || true);
            assert!(table.bytes() <= before + room);
            room /= 4;
        }
        let known = (0..keys).filter(|key| {
            let found = table.get::<u64>(&[key << 20], hash(&[key << 20]));
            found
                .inspect(|found| assert_eq!(*found, (key % 256, key % 256 + 1)))
                .is_some()
        });
        let known = known.count();
        assert_eq!(known, table.len());
        assert!(known > 0 && known < keys as usize, "{known}");
    }

    /// A scaling that is stopped leaves the table empty, never half of it.
    #[test]
    fn a_table_that_is_not_scaled_to_the_end_is_empty() {
        let filled = || {
            let mut table = Table::unallocated(16, 64);
            let known = table.get::<u64>(&[1], hash(&[1]));
            assert_eq!((table.bytes(), known), (0, None));
            (0..40_000u64).for_each(|key| _ = put(&mut table, &[key], &(key, key)));
            table
        };
        let mut table = filled();
        // The first is not kept without memory.
        assert_eq!(table.len(), 39_999);
        assert_eq!(table.grow(hash(&[7]), |_| false), GrowthOutcome::Already);
        table.scale(&2u64, 64, None, || false);
        assert_eq!((table.len(), table.bytes()), (0, 0));
        let mut table = filled();
        table.scale(&2u64, 64, None, || true);
        assert_eq!(table.get(&[7], hash(&[7])), Some((14u64, 14)));
    }

    #[test]
    fn bounds_only_get_tighter() {
        let table = Table::new(3, 64);
        let key = [7];
        table.set(&key, hash(&key), 3u64, 9);
        assert_eq!(table.set(&key, hash(&key), 2u64, 8), (3, 8, Stored::Done));
        assert_eq!(table.get(&key, hash(&key)), Some((3u64, 8)));
        assert_eq!(table.len(), 1);
    }

    /// Else two keys would be one.
    #[test]
    #[should_panic(expected = "a key of at most 3 bits")]
    fn a_key_that_is_too_long_is_refused() {
        Table::new(3, 64).set(&[8], hash(&[8]), 1u64, 1);
    }

    #[test]
    fn a_full_table_forgets_but_does_not_lie() {
        let table = Table::with_room(64, 64, 500);
        let bytes = table.bytes();
        for key in 0..10_000u64 {
            let crowded = table.set(&[key], hash(&[key]), key, key + 1).2;
            if crowded == Stored::Crowded {
                assert_eq!(table.grow(hash(&[key]), |_| false), GrowthOutcome::NoRoom);
            }
        }
        let mut found = 0;
        for key in 0..10_000u64 {
            if let Some(bounds) = table.get::<u64>(&[key], hash(&[key])) {
                assert_eq!(bounds, (key, key + 1));
                found += 1;
            }
        }
        assert!(found >= 500 && found <= table.len(), "{found}");
        assert_eq!(table.grow(hash(&[1]), |_| false), GrowthOutcome::NoRoom);
        assert_eq!(table.bytes(), bytes);
    }

    #[test]
    fn scaling_within_bounds_of_memory_forgets_but_does_not_lie() {
        let mut table = Table::new(10, 64);
        for key in 0..1000u64 {
            let number = U256::from(key);
            put(&mut table, &[key], &(number, number));
        }
        let (bytes, factor) = (table.bytes(), U256::from(1u64) << 100);
        table.scale(&factor, 256, Some(bytes), || true);
        assert!(table.bytes() <= bytes);
        let found = (0..1000).filter(|&key| match table.get(&[key], hash(&[key])) {
            None => false,
            Some(bounds) => {
                let number = U256::from(key) << 100;
                assert_eq!(bounds, (number, number));
                true
            }
        });
        let found = found.count();
        assert!(found > 0 && found < 1000, "{found}");
    }

    #[test]
    fn threads_never_see_half_an_entry() {
        // Miri is some thousand times slower.
        let (threads, rounds) = if cfg!(miri) { (3, 60) } else { (4, 50_000) };
        let table = Table::with_room(128, 100, 60);
        std::thread::scope(|scope| {
            for thread in 0..threads {
                let table = &table;
                scope.spawn(move || {
                    let mut random = fastrand::Rng::with_seed(thread);
                    for _ in 0..rounds {
                        let number = random.u64(0..if cfg!(miri) { 10 } else { 200 });
                        let key = [number, number * 3];
                        // All parts of an entry are made of one number.
                        let value = u128::from(number) << 90 | u128::from(number) << 40;
                        match table.get::<u128>(&key, hash(&key)) {
                            Some(bounds) => assert_eq!(bounds, (value, value)),
                            None => _ = table.set(&key, hash(&key), value, value),
                        }
                    }
                });
            }
        });
    }
}
