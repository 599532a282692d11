//! The tree of maxima, minima and means between the states that a search works on,
//! in one arena.
//!
//! A *node* is a maximum, a minimum or a mean of the nodes below it, or a leaf. Nodes at which a state of
//! some layer stands have a *row*: the words of the state, the words of its key, and the hash of the key.
//! A state that was not expanded yet is a leaf; a leaf without a row is a value that is known. The nodes
//! below a node stand side by side. For example two alternatives, of which chance decides the first:
//!
//! ```text
//! state a          max
//!                 /   \
//!              mean    state d
//!              /  \
//!        state b   1        with weights 1/3 and 2/3: a is worth max(b/3 + 2/3, d)
//! ```
//!
//! A node knows bounds of its value, as whole numbers of parts of the 1 of its place
//! (`denominators`). The arena is a stack: what was added last is dropped first.

use base::table::hash;
use base::value::Numerator;
use std::ops::Range;

/// How many words a state of some layer takes in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rows {
    /// The words of the state, which are needed to expand it.
    pub state: usize,
    /// The words of its key; 0 if the state itself is made its key.
    pub key: usize,
}

impl Rows {
    /// All words: the state, the key, and the hash of the key.
    #[inline]
    pub fn words(self) -> usize {
        self.state + self.key + 1
    }

    #[inline]
    pub fn key(self) -> Range<usize> {
        match self.key {
            0 => 0..self.state,
            words => self.state..self.state + words,
        }
    }
}

/// The number of no node and of no row.
pub const NO_NODE: u32 = u32::MAX;

/// The first node below a state whose question was answered: its successors are gone.
const ANSWERED: u32 = u32::MAX - 1;

/// The choice that leads to a node where there was none.
pub const NO_CHOICE: u16 = u16::MAX;

/// The kind of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A value that is known, or a state that was not expanded.
    Leaf,
    /// The largest value of the nodes below.
    Max,
    /// The smallest value of the nodes below.
    Min,
    /// The sum of the values of the nodes below, each times its weight.
    Mean,
}

/// A node of the tree.
#[derive(Clone, Debug)]
pub struct Node<N> {
    /// The value is at least this.
    pub lower: N,
    /// The value is at most this.
    pub upper: N,
    /// Below a mean: the factor by which the value is multiplied.
    pub weight: N,
    /// The first node below; `NO_NODE` at a leaf.
    pub first: u32,
    /// The number of nodes below.
    pub count: u32,
    /// At an expanded state: behind the last node of its successors.
    end: u32,
    /// The node above; `NO_NODE` at the root.
    pub parent: u32,
    /// The node below that is searched until it is settled; [`NO_NODE`] if none is.
    pub current: u32,
    /// Where the row of its state begins; [`NO_NODE`] if no state stands here.
    pub row: u32,
    /// The choice that leads here, for the history; [`NO_CHOICE`] if there was none.
    pub branch: u16,
    /// The number of sites of chance of its layer that it stands behind. It decides which number stands for 1 in its value.
    pub level: u16,
    /// The kind of the node.
    pub kind: Kind,
    /// Whether the states below have been looked up in the tables.
    pub is_looked_up: bool,
}

impl<N: Numerator> Node<N> {
    /// A leaf worth 0.
    fn leaf(parent: u32) -> Self {
        Node {
            lower: N::zero(),
            upper: N::zero(),
            weight: N::zero(),
            first: NO_NODE,
            count: 0,
            end: 0,
            parent,
            current: NO_NODE,
            row: NO_NODE,
            branch: NO_CHOICE,
            level: 0,
            kind: Kind::Leaf,
            is_looked_up: false,
        }
    }

    /// Whether the value is known.
    #[inline]
    pub fn is_known(&self) -> bool {
        self.lower == self.upper
    }

    /// Whether the bounds answer a question with this window.
    #[inline]
    pub fn answers(&self, alpha: &N, beta: &N) -> bool {
        self.lower >= *beta || self.upper <= *alpha || self.is_known()
    }

    /// Whether a state stands here.
    #[inline]
    pub fn is_state(&self) -> bool {
        self.row != NO_NODE
    }

    /// Whether a state stands here whose value is not known.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.is_state() && !self.is_known()
    }

    /// Whether what follows from this state is in the tree.
    #[inline]
    pub fn is_expanded(&self) -> bool {
        self.first < ANSWERED
    }

    /// Whether a state stands here that was not expanded, and whose value is not known.
    #[inline]
    pub fn is_unexpanded(&self) -> bool {
        self.row != NO_NODE && self.first == NO_NODE && !self.is_known()
    }

    /// Raises the lower bound and lowers the upper bound; whether either changed.
    #[inline]
    pub fn tighten(&mut self, lower: &N, upper: &N) -> bool {
        let (raises, lowers) = (*lower > self.lower, *upper < self.upper);
        if raises {
            self.lower = lower.clone();
        }
        if lowers {
            self.upper = upper.clone();
        }
        raises || lowers
    }

    /// The nodes below, by number.
    #[inline]
    pub fn below(&self) -> Range<usize> {
        match self.count {
            0 => 0..0,
            count => self.first as usize..(self.first + count) as usize,
        }
    }
}

/// A stack of nodes and rows.
pub struct Tree<N> {
    pub nodes: Vec<Node<N>>,
    rows: Vec<u64>,
}

impl<N: Numerator> Default for Tree<N> {
    fn default() -> Self {
        Tree {
            nodes: Vec::new(),
            rows: Vec::new(),
        }
    }
}

impl<N: Numerator> Tree<N> {
    pub fn clear(&mut self) {
        self.truncate((0, 0));
    }

    /// Adds a state with nothing above it, worth at most `one`.
    pub fn add_root(&mut self, state: &[u64], rows: Rows, one: N) -> u32 {
        let root = self.nodes.len() as u32;
        self.nodes.push(Node::leaf(NO_NODE));
        let row = self.add_rows(1, rows);
        self.rows[row as usize..][..rows.state].copy_from_slice(&state[..rows.state]);
        self.set_state(root, row, one);
        root
    }

    /// Makes a leaf a maximum, a minimum or a mean of `count` new leaves, which stand behind `level` sites
    /// of chance; gives the first of these. The caller sets their weights and choices.
    #[inline]
    pub fn open(&mut self, node: u32, kind: Kind, count: usize, level: u16) -> u32 {
        let first = self.nodes.len() as u32;
        let above = &mut self.nodes[node as usize];
        above.kind = kind;
        above.first = first;
        above.count = count as u32;
        let leaf = || Node {
            level,
            ..Node::leaf(node)
        };
        self.nodes.extend((0..count).map(|_| leaf()));
        first
    }

    /// Makes a node a leaf whose value is known.
    #[inline]
    pub fn set_known(&mut self, node: u32, value: N) {
        let node = &mut self.nodes[node as usize];
        node.lower = value.clone();
        node.upper = value;
    }

    /// Adds rows for `count` states, all zeros; gives where the first begins. The next begins
    /// [`Rows::words`] behind it.
    #[inline]
    pub fn add_rows(&mut self, count: usize, rows: Rows) -> u32 {
        let first = self.rows.len();
        self.rows.resize(first + count * rows.words(), 0);
        first as u32
    }

    /// The words of rows, from the beginning of one on.
    #[inline]
    pub fn rows_mut(&mut self, row: u32) -> &mut [u64] {
        &mut self.rows[row as usize..]
    }

    /// Makes a leaf a state that has this row and is worth at most `one`.
    #[inline]
    pub fn set_state(&mut self, node: u32, row: u32, one: N) {
        let node = &mut self.nodes[node as usize];
        node.row = row;
        node.upper = one;
    }

    /// The words of the state of a node.
    #[inline]
    pub fn state(&self, node: usize, rows: Rows) -> &[u64] {
        &self.rows[self.nodes[node].row as usize..][..rows.state]
    }

    /// The key of the state of a node; [`Tree::set_key`] has to go before.
    #[inline]
    pub fn key(&self, node: usize, rows: Rows) -> &[u64] {
        &self.rows[self.nodes[node].row as usize..][rows.key()]
    }

    /// The hash of the key of a node.
    #[inline]
    pub fn hash(&self, node: usize, rows: Rows) -> u64 {
        self.rows[self.nodes[node].row as usize + rows.state + rows.key]
    }

    /// Writes the key of a state with a function from its words to its key; gives the hash.
    #[inline]
    pub fn set_key(
        &mut self,
        node: usize,
        rows: Rows,
        write: impl FnOnce(&mut [u64], &mut [u64]),
    ) -> u64 {
        let row = &mut self.rows[self.nodes[node].row as usize..][..rows.words()];
        let (words, index) = row.split_at_mut(rows.state + rows.key);
        let (state, key) = words.split_at_mut(rows.state);
        write(state, key);
        index[0] = hash(&words[rows.key()]);
        index[0]
    }

    /// The numbers of nodes and of words of rows.
    pub fn mark(&self) -> (usize, usize) {
        (self.nodes.len(), self.rows.len())
    }

    /// Drops all nodes and rows that were added since [`Tree::mark`] gave these numbers.
    pub fn truncate(&mut self, (nodes, rows): (usize, usize)) {
        self.nodes.truncate(nodes);
        self.rows.truncate(rows);
    }

    /// Makes a state a leaf again whose question was answered.
    pub fn close(&mut self, node: usize) {
        self.reopen(node);
        self.nodes[node].first = ANSWERED;
    }

    /// Makes a state a leaf again that was not expanded.
    pub fn reopen(&mut self, node: usize) {
        let node = &mut self.nodes[node];
        node.kind = Kind::Leaf;
        node.first = NO_NODE;
        node.count = 0;
        node.current = NO_NODE;
        node.is_looked_up = false;
    }

    /// Computes the bounds of a node from those of the nodes below. At a state they only get tighter: more
    /// may be known of it.
    pub fn combine(&mut self, node: usize) {
        let Node {
            first, count, kind, ..
        } = self.nodes[node];
        if count == 0 {
            return;
        }
        let below = || &self.nodes[first as usize..][..count as usize];
        let (lower, upper) = match kind {
            Kind::Leaf => return,
            Kind::Max => best(below(), |new, old| new > old),
            Kind::Min => best(below(), |new, old| new < old),
            Kind::Mean => self.mean(&self.nodes[node]),
        };
        let node = &mut self.nodes[node];
        if node.is_state() {
            node.tighten(&lower, &upper);
        } else {
            (node.lower, node.upper) = (lower, upper);
        }
    }

    /// The bounds of a mean that follow from those of the nodes below.
    pub fn mean(&self, node: &Node<N>) -> (N, N) {
        let (mut lower, mut upper) = (N::zero(), N::zero());
        for found in &self.nodes[node.below()] {
            lower = lower.plus(&found.weight.times(&found.lower));
            upper = upper.plus(&found.weight.times(&found.upper));
        }
        (lower, upper)
    }

    /// Computes the bounds of some nodes side by side, those below first. Bounds of leaves must be set.
    pub fn combine_all(&mut self, nodes: Range<usize>) {
        for node in nodes.rev() {
            let found = &self.nodes[node];
            if found.kind != Kind::Leaf && !found.is_state() {
                self.combine(node);
            }
        }
    }

    /// Computes the bounds of the nodes above one, up to the next state.
    pub fn update_above(&mut self, node: usize) {
        let mut node = self.nodes[node].parent;
        while node != NO_NODE {
            self.combine(node as usize);
            let found = &self.nodes[node as usize];
            if found.is_state() {
                return;
            }
            node = found.parent;
        }
    }

    /// Puts the nodes that follow from some states side by side, state by state: all from `first` on.
    pub fn group(&mut self, states: &[u32], first: usize) {
        let mut old: Vec<Node<N>> = self.nodes.drain(first..).collect();
        for &state in states {
            let mut next = self.nodes.len();
            self.take_below(state as usize, &mut old, first);
            while next < self.nodes.len() {
                self.take_below(next, &mut old, first);
                next += 1;
            }
        }
    }

    /// Takes the nodes below one to the end, out of a list whose first has this number.
    fn take_below(&mut self, above: usize, from: &mut [Node<N>], first: usize) {
        let below = self.nodes[above].below();
        if !below.is_empty() {
            self.nodes[above].first = self.nodes.len() as u32;
        }
        for node in below {
            let mut node = std::mem::replace(&mut from[node - first], Node::leaf(NO_NODE));
            node.parent = above as u32;
            self.nodes.push(node);
        }
    }

    /// Notes where the successors of each of some states end, which stand side by side.
    pub fn note_ends(&mut self, states: &[u32]) {
        let mut end = self.nodes.len() as u32;
        for &state in states.iter().rev() {
            let state = &mut self.nodes[state as usize];
            state.end = end;
            end = end.min(state.first);
        }
    }

    /// All nodes that follow from an expanded state, each behind the one above it.
    #[inline]
    pub fn all_below(&self, state: usize) -> Range<usize> {
        let found = &self.nodes[state];
        match found.is_expanded() {
            true => found.first as usize..found.end as usize,
            false => 0..0,
        }
    }

    /// Adds to a list states that were not expanded, in the order of play behind this one and below the
    /// same state, until it is full.
    pub fn list_siblings(&self, node: usize, max: usize, list: &mut Vec<u32>) {
        let mut below = node;
        let mut pending = Vec::new();
        while list.len() < max {
            let above = self.nodes[below].parent as usize;
            let all = self.nodes[above].below();
            pending.extend((all.start..below).rev());
            pending.extend((below + 1..all.end).rev());
            while let Some(found) = pending.pop() {
                let here = &self.nodes[found];
                if here.is_unexpanded() {
                    list.push(found as u32);
                    if list.len() == max {
                        return;
                    }
                } else if !here.is_state() && !here.is_known() {
                    pending.extend(here.below().rev());
                }
            }
            if self.nodes[above].is_state() {
                return;
            }
            below = above;
        }
    }
}

/// The bounds of the best of some nodes.
#[inline]
fn best<N: Numerator>(nodes: &[Node<N>], is_better: impl Fn(&N, &N) -> bool) -> (N, N) {
    let (mut lower, mut upper) = (&nodes[0].lower, &nodes[0].upper);
    for found in &nodes[1..] {
        if is_better(&found.lower, lower) {
            lower = &found.lower;
        }
        if is_better(&found.upper, upper) {
            upper = &found.upper;
        }
    }
    (lower.clone(), upper.clone())
}
