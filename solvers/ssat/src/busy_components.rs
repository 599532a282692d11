//! Notes of all threads about the components that they search, and the decisions there (ABDADA).
//!
//! A thread that comes to a component at which another one is at work decides the same variable, and begins with the other
//! branch. So both share the work, and meet each other's results in the cache.
//!
//! The list has a fixed size. A note may be lost, or be about another component with the same hash: a reader must check
//! that the literal is one that it may decide. Then a wrong note costs time only.

use formula::Lit;
use std::sync::atomic::{AtomicU64, Ordering};

/// Slots for notes: far more than frames of all threads, in most searches.
const SLOTS: usize = 1 << 14;

/// Notes about components at work.
pub struct BusyComponents {
    /// The upper half of a hash, and the code of a literal plus 1; or 0.
    notes: Vec<AtomicU64>,
}

impl BusyComponents {
    /// No component.
    pub fn new() -> Self {
        BusyComponents {
            notes: (0..SLOTS).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    fn note(&self, hash: u64) -> &AtomicU64 {
        &self.notes[hash as usize % SLOTS]
    }

    /// Notes that the component with this hash is at work, in the branch of this literal.
    pub fn put(&self, hash: u64, literal: Lit) {
        let note = hash >> 32 << 32 | (literal.code() as u64 + 1);
        self.note(hash).store(note, Ordering::Relaxed);
    }

    /// The branch at work of the component with this hash, if there is one.
    pub fn get(&self, hash: u64) -> Option<Lit> {
        let note = self.note(hash).load(Ordering::Relaxed);
        let code = (note as u32).checked_sub(1)?;
        (note >> 32 == hash >> 32).then(|| Lit::from_code(code as usize))
    }

    /// Takes the note about a component off.
    pub fn clear(&self, hash: u64) {
        if self.get(hash).is_some() {
            self.note(hash).store(0, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use formula::Var;

    #[test]
    fn a_note_is_about_one_hash() {
        let busy = BusyComponents::new();
        let literal = Var::new(5).negative();
        let (one, other) = (7 << 32 | 3, 8 << 32 | 3);
        busy.put(one, literal);
        assert_eq!((busy.get(one), busy.get(other)), (Some(literal), None));
        busy.clear(other);
        assert_eq!(busy.get(one), Some(literal));
        busy.clear(one);
        assert_eq!(busy.get(one), None);
    }
}
