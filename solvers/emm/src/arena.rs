//! The states that a search has on its hands: those on the path from the root to where it is, their
//! successors, and the successors of those.
//!
//! States lie in one arena; the successors of a state stand side by side in it, in the order of
//! decision: first all that may follow the maximizer's first move (an *alternative*), in it first
//! what may follow the adversaries' first answer (a *reply*), in it what chance may do. Two marks say
//! where a reply and an alternative end, so a pass from left to right computes sums, the smallest of
//! the sums, and the largest of these:
//!
//! ```text
//! successors   a  b  c  d  e      weights 1/2 each, but e has 1
//! reply ends      |     |  |
//! alternative ends      |  |      max( min( (a+b)/2, (c+d)/2 ), e )
//! ```
//!
//! What a state's successors are is known before its bounds are asked for: a search expands many
//! states together. The arena is a stack: what was added last is dropped first.

use crate::keys::Keys;
use std::ops::Range;
use table::hash;
use value::Numerator;

/// The number of no state.
pub const NONE: u32 = u32::MAX;

/// A state, or a value that is known.
#[derive(Clone, Debug)]
pub struct Node<N> {
    /// The value is at least this.
    pub lower: N,
    /// The value is at most this.
    pub upper: N,
    /// What the value is multiplied by in the sum of its reply.
    pub weight: N,
    /// The first successor; [`NONE`] before there are any.
    pub first: u32,
    /// The number of successors.
    pub count: u32,
    /// Whether the successors have been looked up.
    pub is_looked_up: bool,
    /// The maximizer's choice that leads here.
    pub alternative: u16,
    /// The adversaries' choices that lead here, as one number.
    pub reply: u16,
    /// Whether it is the last of its reply.
    pub ends_reply: bool,
    /// Whether it is the last of its alternative.
    pub ends_alternative: bool,
}

impl<N: Numerator> Node<N> {
    /// A state of which nothing is known but that its value is at most this.
    pub fn open(one: N) -> Self {
        Node {
            lower: N::zero(),
            upper: one,
            weight: N::one(),
            first: NONE,
            count: 0,
            is_looked_up: false,
            alternative: 0,
            reply: 0,
            ends_reply: true,
            ends_alternative: true,
        }
    }

    /// Whether the value is known.
    #[inline]
    pub fn is_known(&self) -> bool {
        self.lower == self.upper
    }

    /// Raises the lower bound and lowers the upper bound.
    #[inline]
    pub fn tighten(&mut self, lower: &N, upper: &N) {
        if *lower > self.lower {
            self.lower = lower.clone();
        }
        if *upper < self.upper {
            self.upper = upper.clone();
        }
    }
}

/// A stack of states.
pub struct Arena<N> {
    /// The states.
    pub nodes: Vec<Node<N>>,
    /// The facts of each, one per bit, in rows of `fact_words` words.
    facts: Vec<u64>,
    fact_words: usize,
    /// What keys see of the facts of each, in rows of as many words; empty if that is the facts.
    seen: Vec<u64>,
    seen_words: usize,
    /// The key of each, in rows of `key_words` words.
    keys: Vec<u64>,
    key_words: usize,
    /// The hash of each key.
    hashes: Vec<u64>,
}

impl<N: Numerator> Arena<N> {
    /// An empty arena for so many facts, and keys of so many words, which see the facts or something
    /// else.
    pub fn new(facts: usize, key_words: usize, sees_else: bool) -> Self {
        let fact_words = facts.div_ceil(64).max(1);
        Arena {
            nodes: Vec::new(),
            facts: Vec::new(),
            fact_words,
            seen: Vec::new(),
            seen_words: if sees_else { fact_words } else { 0 },
            keys: Vec::new(),
            key_words,
            hashes: Vec::new(),
        }
    }

    /// The key of a state; [`Arena::set_key`] has to go before.
    #[inline]
    pub fn key(&self, node: usize) -> &[u64] {
        &self.keys[node * self.key_words..][..self.key_words]
    }

    /// The number of words of the facts of a state.
    pub fn fact_words(&self) -> usize {
        self.fact_words
    }

    /// The facts of a state.
    #[inline]
    pub fn facts(&self, node: usize) -> &[u64] {
        &self.facts[node * self.fact_words..][..self.fact_words]
    }

    /// The facts of a state, to be written; [`Arena::set_key`] has to follow
    /// before the key is asked for.
    #[inline]
    pub fn facts_mut(&mut self, node: usize) -> &mut [u64] {
        &mut self.facts[node * self.fact_words..][..self.fact_words]
    }

    /// What the key sees of a state, to be written, if that is not the facts.
    #[inline]
    pub fn seen_mut(&mut self, node: usize) -> &mut [u64] {
        &mut self.seen[node * self.seen_words..][..self.seen_words]
    }

    /// The hash of the key of a state.
    #[inline]
    pub fn hash(&self, node: usize) -> u64 {
        self.hashes[node]
    }

    /// Sets the key of a state to what its facts say, or what is seen of them; gives the hash.
    #[inline]
    pub fn set_key(&mut self, node: usize, keys: &Keys) -> u64 {
        let seen = match self.seen_words {
            0 => &self.facts[node * self.fact_words..][..self.fact_words],
            words => &self.seen[node * words..][..words],
        };
        let key = &mut self.keys[node * self.key_words..][..self.key_words];
        keys.write(seen, key);
        self.hashes[node] = hash(key);
        self.hashes[node]
    }

    /// Adds a state.
    pub fn push(&mut self, node: Node<N>) {
        self.nodes.push(node);
        self.make_room();
    }

    /// Makes room for the facts and keys of states that were pushed to `nodes`.
    #[inline]
    pub fn make_room(&mut self) {
        let len = self.nodes.len();
        self.facts.resize(len * self.fact_words, 0);
        self.seen.resize(len * self.seen_words, 0);
        self.keys.resize(len * self.key_words, 0);
        self.hashes.resize(len, 0);
    }

    /// Drops all states from this one on.
    pub fn truncate(&mut self, len: usize) {
        self.nodes.truncate(len);
        self.facts.truncate(len * self.fact_words);
        self.seen.truncate(len * self.seen_words);
        self.keys.truncate(len * self.key_words);
        self.hashes.truncate(len);
    }

    /// Computes the bounds of a state from those of its successors.
    pub fn combine(&mut self, node: usize) {
        let Node { first, count, .. } = self.nodes[node];
        let (mut lower, mut upper) = (N::zero(), N::zero());
        let successors = first as usize..(first + count) as usize;
        self.for_each_alternative(successors, |_, bounds| {
            raise(&mut lower, bounds.0);
            raise(&mut upper, bounds.1);
        });
        if count > 0 {
            self.nodes[node].tighten(&lower, &upper);
        }
    }

    /// Calls `visit` with the states of each alternative among some successors, and its bounds.
    #[inline]
    pub fn for_each_alternative(
        &self,
        successors: Range<usize>,
        mut visit: impl FnMut(Range<usize>, (N, N)),
    ) {
        let mut first = successors.start;
        let mut worst: Option<(N, N)> = None;
        self.for_each_reply(successors, |reply, mut bounds| {
            if let Some((lower, upper)) = worst.take() {
                reduce(&mut bounds.0, lower);
                reduce(&mut bounds.1, upper);
            }
            if self.nodes[reply.end - 1].ends_alternative {
                visit(first..reply.end, bounds);
                first = reply.end;
            } else {
                worst = Some(bounds);
            }
        });
    }

    /// Calls `visit` with the states of each reply among some successors, and its bounds.
    #[inline]
    pub fn for_each_reply(
        &self,
        successors: Range<usize>,
        mut visit: impl FnMut(Range<usize>, (N, N)),
    ) {
        let mut first = successors.start;
        let (mut lower, mut upper) = (N::zero(), N::zero());
        for node in successors {
            let found = &self.nodes[node];
            lower = lower.plus(&found.weight.times(&found.lower));
            upper = upper.plus(&found.weight.times(&found.upper));
            if found.ends_reply {
                let bounds = (
                    std::mem::replace(&mut lower, N::zero()),
                    std::mem::replace(&mut upper, N::zero()),
                );
                visit(first..node + 1, bounds);
                first = node + 1;
            }
        }
    }
}

#[inline]
fn raise<N: Numerator>(number: &mut N, other: N) {
    if other > *number {
        *number = other;
    }
}

#[inline]
fn reduce<N: Numerator>(number: &mut N, other: N) {
    if other < *number {
        *number = other;
    }
}
