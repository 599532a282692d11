//! Busy states: a thread searches them, so other threads search elsewhere first (ABDADA; Weill 1996).
//!
//! A mark is a count, found by the hash of the state. Two states may share one; then a thread takes
//! the other way round for no reason, which costs little and changes no answer.

use std::sync::atomic::{AtomicU8, Ordering};

/// The number of marks; a power of two.
const MARKS: usize = 1 << 12;

/// The number of threads that search a state, by hash.
pub struct BusyStates(Vec<AtomicU8>);

impl Default for BusyStates {
    fn default() -> Self {
        BusyStates((0..MARKS).map(|_| AtomicU8::new(0)).collect())
    }
}

impl BusyStates {
    /// A thread begins to search a state.
    #[inline]
    pub fn enter(&self, hash: u64) {
        self.0[hash as usize % MARKS].fetch_add(1, Ordering::Relaxed);
    }

    /// A thread that began to search a state ends.
    #[inline]
    pub fn leave(&self, hash: u64) {
        self.0[hash as usize % MARKS].fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether a thread searches a state (or one with the same mark).
    #[inline]
    pub fn is_busy(&self, hash: u64) -> bool {
        self.0[hash as usize % MARKS].load(Ordering::Relaxed) != 0
    }
}
