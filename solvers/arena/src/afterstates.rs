//! Afterstates that were met while a game is listed: the successors of each are listed once.
//!
//! An *afterstate* is a state together with the choices of the players, before chance decides. A player who keeps a 6 and throws two
//! dice again leaves the same to chance, whatever the two dice showed. A game that has a key for afterstates gives it before it
//! lists the successors; if the key was met before, it need not list anything.
//!
//! ```text
//! hand 2 3 6, keep the 6   \
//! hand 1 1 6, keep the 6   ---> afterstate 6 --chance--> 21 hands
//! hand 5 5 6, keep the 6   /
//! ```
//!
//! In most games few states share their afterstates, and the search for them is lost work. So it is given up where it seldom helps.

use crate::tree::NO_NODE;
use base::table::Interner;
use rustc_hash::FxHashMap;

/// After how many keys it is decided whether to go on, each time; and of how many one must be known.
const KEYS_PER_CHECK: usize = 1 << 12;
const FEWEST_KNOWN: usize = 4;

/// The afterstates met so far.
#[derive(Debug, Default)]
pub struct Afterstates {
    numbers: Option<Interner>,
    /// By afterstate, the reply that has its outcomes, or [`NO_NODE`].
    replies: Vec<u32>,
    met: usize,
    known: usize,
}

/// The afterstates that are met in one tree.
#[derive(Debug, Default)]
pub struct TreeAfterstates {
    numbers: Option<Interner>,
    /// By node, its number in the tree.
    nodes: FxHashMap<u32, u32>,
    /// By number in the tree, the number among all.
    among_all: Vec<u32>,
}

/// Where afterstates are noted while a tree is made.
pub struct AfterstateLookup<'a> {
    pub known: &'a Afterstates,
    pub met: &'a mut TreeAfterstates,
}

impl AfterstateLookup<'_> {
    /// An afterstate is met at a node; whether what follows from it is known, or listed in this tree before.
    pub fn meet(&mut self, node: u32, key: &[u64]) -> bool {
        let numbers = &mut self.met.numbers;
        let numbers = numbers.get_or_insert_with(|| Interner::new(key.len()));
        let before = numbers.len();
        let number = numbers.number(key);
        self.met.nodes.insert(node, number);
        (number as usize) < before || self.known.is_known(key)
    }
}

impl Afterstates {
    fn is_known(&self, key: &[u64]) -> bool {
        let numbers = self.numbers.as_ref();
        let number = numbers.and_then(|numbers| numbers.find(key));
        number.is_some_and(|number| self.replies[number] != NO_NODE)
    }

    /// Takes what was met in a tree, which is the next to be listed.
    pub fn join(&mut self, met: &mut TreeAfterstates) {
        let Some(found) = &met.numbers else {
            return;
        };
        let numbers = &mut self.numbers;
        let numbers = numbers.get_or_insert_with(|| Interner::new(found.width()));
        let mut new = 0;
        for number in 0..found.len() {
            let among_all = numbers.number(found.key(number));
            if among_all as usize == self.replies.len() {
                self.replies.push(NO_NODE);
            }
            new += usize::from(self.replies[among_all as usize] == NO_NODE);
            met.among_all.push(among_all);
        }
        self.met += met.nodes.len();
        self.known += met.nodes.len() - new;
    }

    /// The afterstate at a node of a tree that was taken, and the reply that has its outcomes if there is one already.
    pub fn at(&self, met: &TreeAfterstates, node: u32) -> Option<(u32, Option<u32>)> {
        let &number = met.nodes.get(&node)?;
        let number = met.among_all[number as usize];
        let reply = self.replies[number as usize];
        Some((number, Some(reply).filter(|&reply| reply != NO_NODE)))
    }

    /// The outcomes of an afterstate are those of this reply.
    pub fn set_reply(&mut self, afterstate: u32, reply: u32) {
        self.replies[afterstate as usize] = reply;
    }

    /// Whether afterstates are met again often enough.
    pub fn pay(&self) -> bool {
        self.met < KEYS_PER_CHECK || self.known * FEWEST_KNOWN >= self.met
    }

    /// The memory that they take, in bytes.
    pub fn bytes(&self) -> u64 {
        let numbers = self.numbers.as_ref().map_or(0, Interner::bytes);
        numbers + (self.replies.capacity() * size_of::<u32>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Notes keys at nodes 0, 1, ... of a new tree; whether they were known.
    fn note(known: &Afterstates, keys: &[u64]) -> (TreeAfterstates, Vec<bool>) {
        let mut met = TreeAfterstates::default();
        let mut meeting = AfterstateLookup {
            known,
            met: &mut met,
        };
        let are_known = (0..)
            .zip(keys)
            .map(|(node, &key)| meeting.meet(node, &[key]));
        let are_known = are_known.collect();
        (met, are_known)
    }

    #[test]
    fn what_was_not_listed_to_the_end_is_not_known() {
        let mut all = Afterstates::default();
        let (_, are_known) = note(&all, &[5, 5]);
        assert_eq!(are_known, [false, true]);
        // The tree is thrown away. Two others are made before either is taken.
        let (mut met, are_known) = note(&all, &[5]);
        assert_eq!(are_known, [false]);
        let (mut later, are_known) = note(&all, &[6, 5]);
        assert_eq!(are_known, [false, false]);
        all.join(&mut met);
        assert_eq!(all.at(&met, 0), Some((0, None)));
        assert_eq!(all.at(&met, 1), None);
        all.set_reply(0, 7);
        all.join(&mut later);
        assert_eq!(all.at(&later, 0), Some((1, None)));
        assert_eq!(all.at(&later, 1), Some((0, Some(7))));
        assert_eq!(note(&all, &[5, 6, 6]).1, [true, false, true]);
    }

    #[test]
    fn keys_that_are_all_new_do_not_pay() {
        let mut all = Afterstates::default();
        let keys: Vec<u64> = (0..KEYS_PER_CHECK as u64).collect();
        for keys in keys.chunks(64) {
            assert!(all.pay());
            let mut met = note(&all, keys).0;
            all.join(&mut met);
        }
        assert!(!all.pay());
    }
}
