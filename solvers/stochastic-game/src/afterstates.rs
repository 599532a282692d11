//! Afterstates that were met while a game is listed: what follows from each is listed once.
//!
//! An *afterstate* is what players leave to chance: a state together with what they chose. Who keeps a 6 and throws two
//! dice again leaves the same to chance, whatever the two dice showed. A game that can tell afterstates by a key does so before it
//! lists what follows; if the key was met before, it need not list anything.
//!
//! ```text
//! hand 2 3 6, keep the 6   \
//! hand 1 1 6, keep the 6   ---> afterstate 6 --chance--> 21 hands
//! hand 5 5 6, keep the 6   /
//! ```
//!
//! In most games few states share their afterstates, and looking for them is lost work. So it is given up where it seldom helps.

use crate::tree::NONE;
use rustc_hash::FxHashMap;
use table::Numbers;

/// After how many keys it is decided whether to go on, each time; and of how many one must be known.
const KEYS_PER_LOOK: usize = 1 << 12;
const FEWEST_KNOWN: usize = 4;

/// The afterstates met so far.
#[derive(Debug, Default)]
pub struct Afterstates {
    numbers: Option<Numbers>,
    /// By afterstate, what its outcomes were listed for.
    entries: Vec<Entry>,
    /// The afterstates at nodes of the present tree.
    nodes: FxHashMap<u32, u32>,
    /// The number of the present tree.
    tree: u32,
    met: usize,
    known: usize,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The reply that has its outcomes, or [`NONE`].
    reply: u32,
    /// The tree in which it was met first, if there is no reply yet.
    tree: u32,
}

impl Afterstates {
    /// Begins a tree. What was met in the last one, and was not told by [`Afterstates::set_reply`], is forgotten.
    pub fn begin(&mut self) {
        self.nodes.clear();
        self.tree += 1;
    }

    /// An afterstate is met at a node; whether what follows from it is known, or listed in the present tree before.
    pub fn meet(&mut self, node: u32, key: &[u64]) -> bool {
        let numbers = self.numbers.get_or_insert_with(|| Numbers::new(key.len()));
        let number = numbers.number(key);
        self.nodes.insert(node, number);
        self.met += 1;
        let new = Entry {
            reply: NONE,
            tree: self.tree,
        };
        match self.entries.get_mut(number as usize) {
            Some(found) if found.reply != NONE || found.tree == self.tree => {
                self.known += 1;
                return true;
            }
            Some(found) => *found = new,
            None => self.entries.push(new),
        }
        false
    }

    /// The afterstate at a node, and the reply that has its outcomes if there is one already.
    pub fn at(&self, node: u32) -> Option<(u32, Option<u32>)> {
        let &number = self.nodes.get(&node)?;
        let reply = self.entries[number as usize].reply;
        Some((number, Some(reply).filter(|&reply| reply != NONE)))
    }

    /// The outcomes of an afterstate are those of this reply.
    pub fn set_reply(&mut self, afterstate: u32, reply: u32) {
        self.entries[afterstate as usize].reply = reply;
    }

    /// Whether afterstates are met again often enough.
    pub fn pay(&self) -> bool {
        self.met < KEYS_PER_LOOK || self.known * FEWEST_KNOWN >= self.met
    }

    /// The memory that they take, in bytes.
    pub fn bytes(&self) -> u64 {
        let numbers = self.numbers.as_ref().map_or(0, Numbers::bytes);
        numbers + (self.entries.capacity() * size_of::<Entry>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_listed_to_the_end_is_not_known() {
        let mut met = Afterstates::default();
        met.begin();
        assert!(!met.meet(1, &[5]));
        assert!(met.meet(2, &[5]));
        // The tree is thrown away.
        met.begin();
        assert!(!met.meet(1, &[5]));
        assert_eq!(met.at(1), Some((0, None)));
        met.set_reply(0, 7);
        met.begin();
        assert_eq!(met.at(1), None);
        assert!(met.meet(3, &[5]));
        assert_eq!(met.at(3), Some((0, Some(7))));
        assert!(!met.meet(4, &[6]));
    }

    #[test]
    fn keys_that_are_all_new_do_not_pay() {
        let mut met = Afterstates::default();
        met.begin();
        for key in 0..KEYS_PER_LOOK as u64 {
            assert!(met.pay());
            met.meet(key as u32, &[key]);
        }
        assert!(!met.pay());
    }
}
