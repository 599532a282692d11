//! Marks on states that somebody is looking at, so that other threads look elsewhere first.
//!
//! A mark is a count, found by the hash of the state. Two states may share one; then a thread takes
//! the other way round for no reason, which costs little and changes no answer.

use std::sync::atomic::{AtomicU8, Ordering};

/// The number of marks; a power of two.
const MARKS: usize = 1 << 12;

/// How many threads are looking at a state, by hash.
pub struct Marks(Vec<AtomicU8>);

impl Default for Marks {
    fn default() -> Self {
        Marks((0..MARKS).map(|_| AtomicU8::new(0)).collect())
    }
}

impl Marks {
    /// Tells that a thread begins or ends to look at a state. Each beginning needs its end.
    #[inline]
    pub fn mark(&self, hash: u64, begins: bool) {
        let mark = &self.0[hash as usize % MARKS];
        if begins {
            mark.fetch_add(1, Ordering::Relaxed);
        } else {
            mark.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Whether a thread looks at a state (or at one with the same mark).
    #[inline]
    pub fn is_marked(&self, hash: u64) -> bool {
        self.0[hash as usize % MARKS].load(Ordering::Relaxed) != 0
    }
}
