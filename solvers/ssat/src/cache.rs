//! The transposition table: bounds of components met before, which all threads share.
//!
//! Keys are exact (see [`super::component`]): a hash is only used to find them. They mean the same in all threads, because
//! all number the variables and the clauses of the formula alike. Values are bounds, which may have been narrowed only as far as
//! a question needed it.
//!
//! Entries are records of bytes, one after the other in an arena; a hash table has only where they begin:
//!
//! ```text
//! used and mark (8)   lengths (1 to 3 each): key, lower, upper   proof (8, if there is one)   key, lower, upper
//! ```
//!
//! Numbers take as many bytes as they have, and a value that is known takes one number: an upper bound of no bytes is the lower one.
//! When memory runs out, the half that has not been of use for the longest time is dropped, and the others move together.

use super::frame::Bounds;
use super::leb128::{read_length, write_length};
use super::trace::Proof;
use base::value::Numerator;
use hashbrown::HashTable;
use limits::lock;
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

/// Shards for each of several threads. A thread holds one lock at a time, so it finds that of its shard taken once in so many
/// cases at most, however many threads there are.
const SHARDS_PER_THREAD: usize = 64;

/// Records begin at multiples of this many bytes, so that 32 bits say where.
const UNIT: usize = 8;

/// The bytes of a slot in the table and the one of its tag, at the lowest load, and those of a record besides key and numbers.
const SLOT: usize = 2 * (size_of::<Slot>() + 1);
const HEADER: usize = 12 + UNIT + size_of::<Proof>();

/// Where a record is, and half of its hash.
#[derive(Clone, Copy)]
struct Slot {
    unit: u32,
    hash: u32,
}

impl Slot {
    fn start(self) -> usize {
        self.unit as usize * UNIT
    }

    /// The hash by which the table finds it.
    fn spread(self) -> u64 {
        spread(self.hash)
    }
}

/// Spreads the 32 bits of a hash, so that its upper bits have enough of them too.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn used(now: u64, mark: u8) -> u64 {
    now << 8 | u64::from(mark)
}

/// A part of the entries.
#[derive(Default)]
struct Shard {
    slots: HashTable<Slot>,
    arena: Vec<u8>,
    /// Memory that was asked for.
    bytes: u64,
    /// How often an entry was of use, or stored.
    now: u64,
}

/// From keys to bounds.
pub struct Cache<N> {
    shards: Vec<Mutex<Shard>>,
    entries: AtomicU64,
    bytes: AtomicU64,
    numbers: std::marker::PhantomData<fn() -> N>,
}

/// The hash by which threads agree about a key.
pub fn hash(key: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(key);
    hasher.finish()
}

/// A record, taken apart.
struct Record<'a> {
    used: u64,
    key: &'a [u8],
    lower: &'a [u8],
    upper: &'a [u8],
    proof: Proof,
    /// How many bytes it takes.
    length: usize,
}

impl<'a> Record<'a> {
    fn read(bytes: &'a [u8]) -> Self {
        let word = |at: usize| bytes[at..at + 8].try_into().expect("eight bytes");
        let mut at = 8;
        let [key, lower, upper] = [(); 3].map(|()| read_length(bytes, &mut at));
        let has_proof = key % 2 == 1;
        let mut proof = Proof::default();
        if has_proof {
            let both = u64::from_le_bytes(word(at));
            proof = Proof {
                lower: both as u32,
                upper: (both >> 32) as u32,
            };
            at += 8;
        }
        let mut part = |length: usize| {
            at += length;
            &bytes[at - length..at]
        };
        let (key, lower, upper) = (part(key / 2), part(lower), part(upper));
        Record {
            used: u64::from_le_bytes(word(0)),
            key,
            lower,
            upper,
            proof,
            length: at,
        }
    }

    /// Memory that the entry takes.
    fn cost(&self) -> u64 {
        cost(self.key, [self.lower.len(), self.upper.len()])
    }

    fn mark(&self) -> u8 {
        self.used as u8
    }

    fn bounds<N: Numerator>(&self) -> Bounds<N> {
        let lower: N = number(self.lower);
        let upper = match self.upper {
            [] => lower.clone(),
            upper => number(upper),
        };
        Bounds {
            lower,
            upper,
            proof: self.proof,
        }
    }
}

/// Memory that an entry takes: itself, and room that the table keeps (also while it grows).
fn cost(key: &[u8], [lower, upper]: [usize; 2]) -> u64 {
    (SLOT + HEADER + key.len() + lower + upper) as u64
}

/// Adds a record to the end of an arena.
fn write<N: Numerator>(arena: &mut Vec<u8>, used: u64, key: &[u8], bounds: &Bounds<N>) {
    let [lower, upper] = lengths(bounds);
    let has_proof = bounds.proof != Proof::default();
    arena.extend(used.to_le_bytes());
    for length in [2 * key.len() + usize::from(has_proof), lower, upper] {
        write_length(arena, length);
    }
    if has_proof {
        arena.extend(bounds.proof.lower.to_le_bytes());
        arena.extend(bounds.proof.upper.to_le_bytes());
    }
    arena.extend(key);
    write_number(arena, &bounds.lower, lower);
    write_number(arena, &bounds.upper, upper);
}

/// The bytes of the lower and of the upper bound in a record.
fn lengths<N: Numerator>(bounds: &Bounds<N>) -> [usize; 2] {
    // An upper bound is not 0 unless the value is.
    let upper = match bounds.lower == bounds.upper {
        true => 0,
        false => length(&bounds.upper),
    };
    [length(&bounds.lower), upper]
}

/// How many bytes a number has without leading zeros.
fn length<N: Numerator>(number: &N) -> usize {
    let words = N::BITS.map_or(number.heap_bytes() / 8, |bits| bits as usize / 64);
    let mut words = (0..words).rev().map(|index| (index, number.word(index)));
    let last = words.find(|&(_, word)| word != 0);
    last.map_or(0, |(index, word)| {
        8 * index + 8 - word.leading_zeros() as usize / 8
    })
}

fn write_number<N: Numerator>(arena: &mut Vec<u8>, number: &N, length: usize) {
    for index in 0..length.div_ceil(8) {
        let bytes = number.word(index).to_le_bytes();
        arena.extend(&bytes[..(length - 8 * index).min(8)]);
    }
}

fn number<N: Numerator>(bytes: &[u8]) -> N {
    N::from_words(bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    }))
}

impl Shard {
    fn find(&self, hash: u64, key: &[u8]) -> Option<Slot> {
        let half = (hash >> 32) as u32;
        let is_same =
            |slot: &Slot| slot.hash == half && Record::read(&self.arena[slot.start()..]).key == key;
        self.slots.find(spread(half), is_same).copied()
    }

    /// Notes that a record was of use.
    fn touch(&mut self, slot: Slot, used: u64) {
        self.arena[slot.start()..][..8].copy_from_slice(&used.to_le_bytes());
    }
}

impl<N: Numerator> Cache<N> {
    /// An empty cache for so many threads.
    pub fn new(threads: usize) -> Self {
        let count = match threads {
            1 => 1,
            threads => threads * SHARDS_PER_THREAD,
        };
        Cache {
            shards: (0..count).map(|_| Mutex::default()).collect(),
            entries: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            numbers: std::marker::PhantomData,
        }
    }

    pub fn len(&self) -> u64 {
        self.entries.load(Ordering::Relaxed)
    }

    /// Memory that all entries take.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    fn shard(&self, hash: u64) -> MutexGuard<'_, Shard> {
        // The tables of the shards use the other bits.
        lock(&self.shards[hash as usize % self.shards.len()])
    }

    /// The bounds of a component.
    pub fn get(&self, key: &[u8]) -> Option<Bounds<N>> {
        self.get_marked(key).map(|(bounds, _)| bounds)
    }

    /// The same, and the last mark that it was given.
    pub fn get_marked(&self, key: &[u8]) -> Option<(Bounds<N>, u8)> {
        let hash = hash(key);
        let shard = &mut *self.shard(hash);
        let slot = shard.find(hash, key)?;
        let record = Record::read(&shard.arena[slot.start()..]);
        let (bounds, mark) = (record.bounds(), record.mark());
        shard.now += 1;
        shard.touch(slot, used(shard.now, mark));
        Some((bounds, mark))
    }

    /// Memory that an entry takes.
    pub fn cost(key: &[u8], bounds: &Bounds<N>) -> u64 {
        cost(key, lengths(bounds))
    }

    /// Stores the bounds of a component, with a mark if there is one. If there are some already, the better ones of both stay, and
    /// `bounds` becomes them. Gives the memory that was asked for and not needed. Where there is no room for a record any more, nothing is stored.
    pub fn set(&self, key: &[u8], bounds: &mut Bounds<N>, mut mark: Option<u8>) -> u64 {
        let hash = hash(key);
        let asked = Self::cost(key, bounds);
        let shard = &mut *self.shard(hash);
        let old = shard.find(hash, key);
        if let Some(slot) = old {
            let record = Record::read(&shard.arena[slot.start()..]);
            mark = mark.or(Some(record.mark()));
            let known = record.bounds();
            bounds.narrow(&known);
            if *bounds == known {
                shard.now += 1;
                shard.touch(slot, used(shard.now, mark.unwrap_or(0)));
                return asked;
            }
        }
        let start = shard.arena.len();
        let Ok(unit) = u32::try_from(start / UNIT) else {
            return asked;
        };
        shard.now += 1;
        let used = used(shard.now, mark.unwrap_or(0));
        write(&mut shard.arena, used, key, bounds);
        let end = shard.arena.len().next_multiple_of(UNIT);
        shard.arena.resize(end, 0);
        let half = (hash >> 32) as u32;
        let slot = Slot { unit, hash: half };
        if let Some(old) = old {
            let length = Record::read(&shard.arena[old.start()..]).length;
            if end - start <= length.next_multiple_of(UNIT) {
                shard.arena.copy_within(start..end, old.start());
                shard.arena.truncate(start);
                return asked;
            }
            // The old record stays where it is until half of all are dropped.
            let is_old = |one: &Slot| one.unit == old.unit;
            let found = shard.slots.find_mut(spread(half), is_old);
            *found.expect("it was found before") = slot;
        } else {
            let slots = &mut shard.slots;
            slots.insert_unique(slot.spread(), slot, |slot| slot.spread());
            self.entries.fetch_add(1, Ordering::Relaxed);
        }
        let cost = Self::cost(key, bounds).min(asked);
        shard.bytes += cost;
        self.bytes.fetch_add(cost, Ordering::Relaxed);
        asked - cost
    }

    /// Drops the half of the entries that were not of use for the longest time; gives the memory
    /// that became free.
    pub fn drop_half(&self) -> u64 {
        let mut freed = 0;
        for shard in &self.shards {
            let shard = &mut *lock(shard);
            let Shard {
                slots,
                arena,
                bytes,
                ..
            } = shard;
            let word = |slot: &Slot| arena[slot.start()..][..8].try_into().expect("eight bytes");
            let used = |slot: &Slot| u64::from_le_bytes(word(slot));
            let mut times: Vec<u64> = slots.iter().map(used).collect();
            if times.is_empty() {
                continue;
            }
            let middle = times.len() / 2;
            let (_, &mut middle, _) = times.select_nth_unstable(middle);
            let mut kept: Vec<Slot> = slots.iter().copied().collect();
            kept.retain(|slot| used(slot) > middle);
            kept.sort_unstable_by_key(|slot| slot.unit);
            let dropped = (slots.len() - kept.len()) as u64;
            self.entries.fetch_sub(dropped, Ordering::Relaxed);
            let before = std::mem::take(bytes);
            slots.clear();
            slots.shrink_to(kept.len(), |slot| slot.spread());
            let mut end = 0;
            for mut slot in kept {
                let start = slot.start();
                let record = Record::read(&arena[start..]);
                *bytes += record.cost();
                let length = record.length;
                arena.copy_within(start..start + length, end);
                slot.unit = (end / UNIT) as u32;
                slots.insert_unique(slot.spread(), slot, |slot| slot.spread());
                end = (end + length).next_multiple_of(UNIT);
            }
            arena.truncate(end);
            arena.shrink_to_fit();
            // An entry never takes more than was asked for, and its record may have become shorter.
            *bytes = before.min(*bytes);
            freed += before - *bytes;
        }
        self.bytes.fetch_sub(freed, Ordering::Relaxed);
        freed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn what_was_of_use_stays() {
        let cache: Cache<u64> = Cache::new(1);
        for number in 0..10u8 {
            let mut bounds = Bounds::between(u64::from(number), 20);
            assert_eq!(cache.set(&[number], &mut bounds, None), 0);
        }
        let full = cache.bytes();
        assert_eq!(cache.get(&[1]), Some(Bounds::between(1, 20)));
        let freed = cache.drop_half();
        assert!(freed > 0 && cache.bytes() == full - freed);
        assert_eq!(cache.get(&[1]), Some(Bounds::between(1, 20)));
        assert_eq!(cache.get(&[9]), Some(Bounds::between(9, 20)));
        assert_eq!(cache.get(&[0]), None);
        for _ in 0..4 {
            cache.drop_half();
        }
        assert_eq!((cache.len(), cache.bytes()), (0, 0));
    }

    #[test]
    fn bounds_only_become_better() {
        let cache: Cache<u64> = Cache::new(2);
        let mut bounds = Bounds::between(3, 9);
        assert_eq!(cache.set(&[7], &mut bounds, Some(1)), 0);
        let mut bounds = Bounds::between(2, 5);
        assert!(cache.set(&[7], &mut bounds, None) > 0);
        assert_eq!(bounds, Bounds::between(3, 5));
        assert_eq!(cache.get_marked(&[7]), Some((bounds, 1)));
        assert_eq!(cache.len(), 1);
    }

    /// Entries that are stored are found, in any width and of any length, while half of the cache is dropped now and then.
    fn check<N: Numerator>(threads: usize) {
        let seed = 11;
        let mut random = fastrand::Rng::with_seed(seed);
        let cache: Cache<N> = Cache::new(threads);
        let mut known: HashMap<Vec<u8>, Bounds<N>> = HashMap::new();
        let mut found = 0;
        for round in 0..3000 {
            let length = random.choice([0, 1, 5, 200]).expect("not empty");
            let key: Vec<u8> = (0..length).map(|_| random.u8(..3)).collect();
            let words = N::BITS.map_or(20, |bits| bits / 64);
            let words: Vec<u64> = (0..random.u32(..=words)).map(|_| random.u64(..)).collect();
            let number = N::from_words(words.into_iter());
            let small = N::from_words([random.u64(..9)].into_iter());
            let mut bounds = match random.u8(..3) {
                0 => Bounds::exactly(number),
                1 => Bounds::between(number.clone().min(small.clone()), number.max(small)),
                _ => Bounds::between(N::zero(), number),
            };
            bounds.proof.lower = random.choice([0, round]).expect("not empty");
            if let Some(before) = known.get(&key) {
                // They are bounds of one value.
                bounds = before.clone();
                bounds.proof.upper = round;
                bounds.upper = bounds.lower.clone();
            }
            let at = format!("seed {seed}, round {round}");
            let old = cache.get(&key);
            if let (Some(old), Some(known)) = (&old, known.get(&key)) {
                assert_eq!(old, known, "{at}");
                found += 1;
            }
            cache.set(&key, &mut bounds, None);
            known.insert(key, bounds);
            if random.u32(..500) == 0 {
                let before = (cache.bytes(), cache.len());
                let freed = cache.drop_half();
                assert_eq!(cache.bytes(), before.0 - freed, "{at}");
                assert!(cache.len() < before.1, "{at}");
            }
        }
        assert!(found > 300, "seed {seed}: only {found}");
    }

    #[test]
    fn what_is_stored_is_found() {
        check::<u64>(1);
        check::<u128>(3);
        check::<base::value::U256>(1);
        check::<num_bigint::BigUint>(1);
        check::<num_bigint::BigUint>(3);
    }
}
