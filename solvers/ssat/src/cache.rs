//! The values of components met before.
//!
//! Keys are exact (see [`super::component`]): a hash is only used to find them. Values are bounds,
//! which may have been narrowed only as far as a question needed it.
//!
//! When memory runs out, the half that has not been of use for the longest time is dropped.

use super::frame::Bounds;
use rustc_hash::FxHashMap;
use value::Numerator;

struct Entry<N> {
    bounds: Bounds<N>,
    /// The time when the entry was made or of use last.
    used: u64,
}

/// From keys to bounds.
pub struct Cache<N> {
    entries: FxHashMap<Box<[u8]>, Entry<N>>,
    clock: u64,
    /// Memory that all entries take.
    pub bytes: u64,
    pub hits: u64,
    pub stored: u64,
}

impl<N: Numerator> Cache<N> {
    /// An empty cache.
    pub fn new() -> Self {
        Cache {
            entries: FxHashMap::default(),
            clock: 0,
            bytes: 0,
            hits: 0,
            stored: 0,
        }
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The bounds of a component.
    pub fn get(&mut self, key: &[u8]) -> Option<Bounds<N>> {
        self.clock += 1;
        let entry = self.entries.get_mut(key)?;
        entry.used = self.clock;
        self.hits += 1;
        Some(entry.bounds.clone())
    }

    /// Memory that an entry takes: itself, room that the table keeps (also while it grows), and what
    /// it points to.
    pub fn cost(key: &[u8], bounds: &Bounds<N>) -> u64 {
        let slot = size_of::<(Box<[u8]>, Entry<N>)>() + 1;
        (3 * slot + key.len() + 32 + bounds.lower.heap_bytes() + bounds.upper.heap_bytes()) as u64
    }

    /// Stores the bounds of a component in place of any older ones.
    pub fn set(&mut self, key: Box<[u8]>, bounds: Bounds<N>) {
        self.clock += 1;
        self.stored += 1;
        self.bytes += Self::cost(&key, &bounds);
        if let Some(old) = self.entries.get(&key) {
            self.bytes -= Self::cost(&key, &old.bounds);
        }
        let used = self.clock;
        self.entries.insert(key, Entry { bounds, used });
    }

    /// Drops the half of the entries that were not of use for the longest time; gives the memory
    /// that became free.
    pub fn drop_half(&mut self) -> u64 {
        let mut times: Vec<u64> = self.entries.values().map(|entry| entry.used).collect();
        if times.is_empty() {
            return 0;
        }
        let middle = times.len() / 2;
        let (_, &mut middle, _) = times.select_nth_unstable(middle);
        let before = self.bytes;
        let bytes = &mut self.bytes;
        self.entries.retain(|key, entry| {
            let keep = entry.used > middle;
            if !keep {
                *bytes -= Self::cost(key, &entry.bounds);
            }
            keep
        });
        self.entries.shrink_to_fit();
        before - self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_of_use_stays() {
        let mut cache: Cache<u64> = Cache::new();
        for number in 0..10u8 {
            cache.set([number].into(), Bounds::between(u64::from(number), 20));
        }
        let full = cache.bytes;
        assert_eq!(cache.get(&[1]), Some(Bounds::between(1, 20)));
        let freed = cache.drop_half();
        assert!(freed > 0 && cache.bytes == full - freed);
        assert_eq!(cache.get(&[1]), Some(Bounds::between(1, 20)));
        assert_eq!(cache.get(&[9]), Some(Bounds::between(9, 20)));
        assert_eq!(cache.get(&[0]), None);
        for _ in 0..4 {
            cache.drop_half();
        }
        assert_eq!((cache.len(), cache.bytes), (0, 0));
    }
}
