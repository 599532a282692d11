//! The values of components met before, which all threads share.
//!
//! Keys are exact (see [`super::component`]): a hash is only used to find them. They mean the same in all threads, because
//! all number the variables and the clauses of the formula alike. Values are bounds, which may have been narrowed only as far as
//! a question needed it.
//!
//! When memory runs out, the half that has not been of use for the longest time is dropped.

use super::frame::Bounds;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use value::Numerator;

/// Shards for several threads: far more than threads, so that two seldom want the same one.
const SHARDS: usize = 64;

struct Entry<N> {
    bounds: Bounds<N>,
    /// The time when the entry was made or of use last, and in the last eight bits its mark.
    used: u64,
}

impl<N> Entry<N> {
    fn mark(&self) -> u8 {
        self.used as u8
    }
}

fn used(clock: u64, mark: u8) -> u64 {
    clock << 8 | u64::from(mark)
}

/// A part of the entries.
struct Shard<N> {
    entries: FxHashMap<Box<[u8]>, Entry<N>>,
    clock: u64,
}

/// From keys to bounds.
pub struct Cache<N> {
    shards: Vec<Mutex<Shard<N>>>,
    entries: AtomicU64,
    bytes: AtomicU64,
}

/// The hash by which threads agree about a key.
pub fn hash(key: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(key);
    hasher.finish()
}

impl<N: Numerator> Cache<N> {
    /// An empty cache, for one thread or for several.
    pub fn new(is_shared: bool) -> Self {
        let shard = || Shard {
            entries: FxHashMap::default(),
            clock: 0,
        };
        let count = if is_shared { SHARDS } else { 1 };
        Cache {
            shards: (0..count).map(|_| Mutex::new(shard())).collect(),
            entries: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
        }
    }

    /// The number of entries.
    pub fn len(&self) -> u64 {
        self.entries.load(Ordering::Relaxed)
    }

    /// Memory that all entries take.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    fn shard(&self, key: &[u8]) -> MutexGuard<'_, Shard<N>> {
        let index = match self.shards.len() {
            1 => 0,
            // The tables of the shards use the other bits.
            count => (hash(key) >> 40) as usize % count,
        };
        locked(&self.shards[index])
    }

    /// The bounds of a component.
    pub fn get(&self, key: &[u8]) -> Option<Bounds<N>> {
        self.get_marked(key).map(|(bounds, _)| bounds)
    }

    /// The same, and the last mark that it was given.
    pub fn get_marked(&self, key: &[u8]) -> Option<(Bounds<N>, u8)> {
        let shard = &mut *self.shard(key);
        shard.clock += 1;
        let entry = shard.entries.get_mut(key)?;
        entry.used = used(shard.clock, entry.mark());
        Some((entry.bounds.clone(), entry.mark()))
    }

    /// Memory that an entry takes: itself, room that the table keeps (also while it grows), and what
    /// it points to.
    pub fn cost(key: &[u8], bounds: &Bounds<N>) -> u64 {
        let slot = size_of::<(Box<[u8]>, Entry<N>)>() + 1;
        (3 * slot + key.len() + 32 + bounds.lower.heap_bytes() + bounds.upper.heap_bytes()) as u64
    }

    /// Stores the bounds of a component, with a mark if there is one. If there are some already, the better ones of both stay, and
    /// `bounds` becomes them. Gives the memory that the older ones took.
    pub fn set(&self, key: Box<[u8]>, bounds: &mut Bounds<N>, mut mark: Option<u8>) -> u64 {
        let shard = &mut *self.shard(&key);
        shard.clock += 1;
        let mut freed = 0;
        if let Some(old) = shard.entries.get(&key) {
            mark = mark.or(Some(old.mark()));
            freed = Self::cost(&key, &old.bounds);
            bounds.narrow(&old.bounds);
        } else {
            self.entries.fetch_add(1, Ordering::Relaxed);
        }
        self.bytes
            .fetch_add(Self::cost(&key, bounds), Ordering::Relaxed);
        self.bytes.fetch_sub(freed, Ordering::Relaxed);
        let bounds = bounds.clone();
        let used = used(shard.clock, mark.unwrap_or(0));
        shard.entries.insert(key, Entry { bounds, used });
        freed
    }

    /// Drops the half of the entries that were not of use for the longest time; gives the memory
    /// that became free.
    pub fn drop_half(&self) -> u64 {
        let mut freed = 0;
        for shard in &self.shards {
            let shard = &mut *locked(shard);
            let mut times: Vec<u64> = shard.entries.values().map(|entry| entry.used).collect();
            if times.is_empty() {
                continue;
            }
            let middle = times.len() / 2;
            let (_, &mut middle, _) = times.select_nth_unstable(middle);
            let before = shard.entries.len();
            shard.entries.retain(|key, entry| {
                let keep = entry.used > middle;
                if !keep {
                    freed += Self::cost(key, &entry.bounds);
                }
                keep
            });
            let dropped = before - shard.entries.len();
            self.entries.fetch_sub(dropped as u64, Ordering::Relaxed);
            shard.entries.shrink_to_fit();
        }
        self.bytes.fetch_sub(freed, Ordering::Relaxed);
        freed
    }
}

/// A thread that panicked with a lock ends the whole search, so nobody sees what it left.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_of_use_stays() {
        let cache: Cache<u64> = Cache::new(false);
        for number in 0..10u8 {
            cache.set(
                [number].into(),
                &mut Bounds::between(u64::from(number), 20),
                None,
            );
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
        let cache: Cache<u64> = Cache::new(true);
        assert_eq!(
            cache.set([7].into(), &mut Bounds::between(3, 9), Some(1)),
            0
        );
        let mut bounds = Bounds::between(2, 5);
        assert!(cache.set([7].into(), &mut bounds, None) > 0);
        assert_eq!(bounds, Bounds::between(3, 5));
        assert_eq!(cache.get_marked(&[7]), Some((bounds, 1)));
        assert_eq!(cache.len(), 1);
    }
}
