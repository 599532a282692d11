//! The trace of a search: a decision diagram that proves its bounds, written down on the way if it is asked for.
//!
//! Each bound of a component has a *proof*: a node that says what a player does to get it. A lower bound is shown by what
//! the maximizer does, an upper bound by what the minimizer does.
//!
//! ```text
//! test 3:  then node 7, else node 5        somebody else decides 3, or chance
//! branch:  set 4, set -6;  nodes 2 and 8   the player does this, and then both of these: they are about other variables
//!          set -9 when 5                   if the other one leaves the path, that falsifies a clause
//! ```
//!
//! Nodes are numbered from the leaves to the root, and components that are met again have one node. So this is a decision
//! diagram, as large as the search.
//!
//! # Strategy of the maximizer
//!
//! The maximizer plays the literals that the search assigned to existential variables: the best branch, units, pure literals, models.
//! If others leave the path of units, nothing is lost that the lower bound counts, because the branch that was left has value 0.
//!
//! # Strategy of the minimizer
//!
//! The minimizer plays the literals that the search assigned to universal variables. But where a unit came from universal reduction,
//! its reason has open universal literals: these are made false if the unit is. Then the clause is false, and with it the formula. The
//! first unit that is false decides, so entries that come earlier on the path go before later ones.
//!
//! Learned clauses are implied by the formula. If one is a reason, and is false in the end, so is the formula.

use formula::{Lit, Var};

/// The number of a node.
pub type NodeId = u32;

/// Nothing has to be done.
pub const NOTHING: NodeId = 0;

/// The proofs of a lower and an upper bound.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Proof {
    /// The root of the maximizer's strategy.
    pub lower: NodeId,
    /// The root of the minimizer's strategy.
    pub upper: NodeId,
}

/// A literal that a player makes true, always or if another one is true.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The condition.
    pub when: Option<Lit>,
    /// The literal.
    pub set: Lit,
}

/// A node.
#[derive(Clone, Copy, Debug)]
pub enum Node {
    /// On with one of two nodes.
    Test {
        /// The variable that says which.
        variable: Var,
        /// The node where it is true.
        on_true: NodeId,
        /// The node where it is false.
        on_false: NodeId,
    },
    /// Entries, then all of some nodes. Both are numbers of places in the lists of the trace.
    Branch {
        /// The first entry, and the one after the last.
        entries: (u32, u32),
        /// The same for the nodes.
        nodes: (u32, u32),
    },
}

/// All nodes of a search.
#[derive(Default, Debug)]
pub struct Trace {
    nodes: Vec<Node>,
    entries: Vec<Entry>,
    children: Vec<NodeId>,
    /// Entries of the branch that is being written down.
    pub buffer: Vec<Entry>,
}

impl Trace {
    /// A node by its number, which is not [`NOTHING`].
    pub fn node(&self, id: NodeId) -> Node {
        self.nodes[id as usize - 1]
    }

    /// Entries of a branch.
    pub fn entries(&self, range: (u32, u32)) -> &[Entry] {
        &self.entries[range.0 as usize..range.1 as usize]
    }

    /// Nodes after a branch.
    pub fn nodes(&self, range: (u32, u32)) -> &[NodeId] {
        &self.children[range.0 as usize..range.1 as usize]
    }

    /// Memory that it takes, in bytes, while its lists grow.
    pub fn bytes(&self) -> u64 {
        let nodes = self.nodes.capacity() * size_of::<Node>();
        let entries = self.entries.capacity() * size_of::<Entry>();
        (nodes + entries + self.children.capacity() * size_of::<NodeId>()) as u64
    }

    /// Whether numbers of 32 bits do not suffice.
    pub fn is_full(&self) -> bool {
        self.nodes
            .len()
            .max(self.entries.len())
            .max(self.children.len())
            > u32::MAX as usize / 2
    }

    fn push(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() as NodeId
    }

    /// The node for a decision of somebody else: `nodes` are those after the literal and after its negation.
    pub fn test(&mut self, literal: Lit, nodes: [NodeId; 2]) -> NodeId {
        let [mut on_true, mut on_false] = nodes;
        if on_true == on_false {
            return on_true;
        }
        if literal.is_negative() {
            std::mem::swap(&mut on_true, &mut on_false);
        }
        self.push(Node::Test {
            variable: literal.var(),
            on_true,
            on_false,
        })
    }

    /// The node for the entries in the buffer, and for all of some nodes.
    pub fn branch(&mut self, nodes: &[NodeId]) -> NodeId {
        let first = (self.entries.len() as u32, self.children.len() as u32);
        let nodes = nodes.iter().copied().filter(|&node| node != NOTHING);
        self.children.extend(nodes);
        self.entries.append(&mut self.buffer);
        let entries = (first.0, self.entries.len() as u32);
        let nodes = (first.1, self.children.len() as u32);
        if entries.0 == entries.1 && nodes.1 - nodes.0 < 2 {
            return self
                .children
                .drain(first.1 as usize..)
                .next()
                .unwrap_or(NOTHING);
        }
        self.push(Node::Branch { entries, nodes })
    }
}
