//! What may happen in one segment from one state: a small tree of maxima, minima and means, whose
//! leaves are states of the next cut or known values.
//!
//! Trees of the states on the present path lie behind each other in one arena. A node knows bounds
//! of its value, in parts of the 1 of its place. Nothing here is recursive, and nothing of a search
//! in progress is kept but the bounds: [`Tree::next_leaf`] walks down from the root with the window
//! of the question, takes at each node the branch that promises most, and so finds the leaf to look
//! at next; when that leaf is known better, [`Tree::update`] walks up again.
//!
//! The *window* of a question says which values are told apart: all up to `alpha` are alike, and all
//! from `beta`. Below a maximum, alpha rises to what is already sure; below a minimum, beta falls.
//! Below a mean, the window of a branch follows from what the others contribute at most and at least
//! (Star1, Ballard 1983).

use value::Numerator;

/// The number of no node and of no row.
pub const NONE: u32 = u32::MAX;

/// What stands at a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A value that is known.
    Known,
    /// A state of the next cut; `first` is the row of its key.
    State,
    /// The largest value of the branches.
    Max,
    /// The smallest value of the branches.
    Min,
    /// The sum of the values of the branches, each times its weight.
    Mean,
}

/// A node; its branches stand side by side.
#[derive(Clone, Debug)]
pub struct Node<N> {
    /// The value is at least this.
    pub lower: N,
    /// The value is at most this.
    pub upper: N,
    /// Below a mean: what the value is multiplied by.
    pub weight: N,
    /// The first branch, or the row of the key.
    pub first: u32,
    /// The node above; [`NONE`] at the root.
    pub parent: u32,
    /// The branch that is looked at until it is settled; [`NONE`] if none is.
    pub current: u32,
    /// The number of branches.
    pub count: u16,
    /// Which branch this is, for the history.
    pub branch: u16,
    /// What stands here.
    pub kind: Kind,
}

/// What to do next about a question.
pub enum Next<N> {
    /// The bounds at the root answer it.
    Settled,
    /// Look at this leaf, with this window.
    Leaf(usize, N, N),
}

/// The trees of the states on the path, one behind the other.
pub struct Tree<N> {
    /// The nodes.
    pub nodes: Vec<Node<N>>,
}

impl<N: Numerator> Tree<N> {
    /// No tree.
    pub fn new() -> Self {
        Tree { nodes: Vec::new() }
    }

    /// Adds nodes of unknown kind below a parent; gives the first.
    pub fn add(&mut self, count: usize, parent: u32) -> u32 {
        let first = self.nodes.len() as u32;
        let node = Node {
            lower: N::zero(),
            upper: N::zero(),
            weight: N::zero(),
            first: NONE,
            current: NONE,
            parent,
            count: 0,
            branch: 0,
            kind: Kind::Known,
        };
        self.nodes.resize(self.nodes.len() + count, node);
        first
    }

    /// Makes a node one whose value is known.
    pub fn set_known(&mut self, node: u32, value: N) {
        let node = &mut self.nodes[node as usize];
        node.kind = Kind::Known;
        node.lower = value.clone();
        node.upper = value;
    }

    /// Computes the bounds of inner nodes from a root on; those of leaves must be set.
    pub fn complete(&mut self, root: usize) {
        for node in (root..self.nodes.len()).rev() {
            if matches!(self.nodes[node].kind, Kind::Max | Kind::Min | Kind::Mean) {
                self.combine(node);
            }
        }
    }

    /// Computes the bounds of a node from those of its branches.
    fn combine(&mut self, node: usize) {
        let Node {
            first, count, kind, ..
        } = self.nodes[node];
        let (above, below) = self.nodes.split_at_mut(node + 1);
        let first = first as usize - above.len();
        let branches = &below[first..first + usize::from(count)];
        let (mut lower, mut upper) = (branches[0].lower.clone(), branches[0].upper.clone());
        match kind {
            Kind::Max => {
                for branch in &branches[1..] {
                    raise(&mut lower, &branch.lower);
                    raise(&mut upper, &branch.upper);
                }
            }
            Kind::Min => {
                for branch in &branches[1..] {
                    reduce(&mut lower, &branch.lower);
                    reduce(&mut upper, &branch.upper);
                }
            }
            _ => {
                (lower, upper) = (N::zero(), N::zero());
                for branch in branches {
                    lower = lower.plus(&branch.weight.times(&branch.lower));
                    upper = upper.plus(&branch.weight.times(&branch.upper));
                }
            }
        }
        let node = &mut above[node];
        node.lower = lower;
        node.upper = upper;
    }

    /// Computes the bounds of all nodes above a leaf whose bounds were changed.
    pub fn update(&mut self, leaf: usize) {
        let mut node = self.nodes[leaf].parent;
        while node != NONE {
            self.combine(node as usize);
            node = self.nodes[node as usize].parent;
        }
    }

    /// The leaf to look at next so that the bounds of the root answer a question. `is_busy` tells
    /// of a state, by its row, that somebody else is looking at it.
    ///
    /// At each node some branch is not settled for its window, because the node is not: a maximum
    /// whose upper bound is above the window has a branch whose upper bound is, and so on.
    pub fn next_leaf(
        &mut self,
        root: usize,
        mut alpha: N,
        mut beta: N,
        score: impl Fn(&Node<N>) -> u32,
        is_busy: impl Fn(u32) -> bool,
    ) -> Next<N> {
        let mut node = root;
        if self.is_settled(node, &alpha, &beta) {
            return Next::Settled;
        }
        loop {
            let here = &self.nodes[node];
            let chosen = match here.kind {
                Kind::State => return Next::Leaf(node, alpha, beta),
                Kind::Known => unreachable!("known values are settled"),
                Kind::Max => {
                    raise(&mut alpha, &here.lower);
                    let is_open = |branch: &Node<N>| branch.upper > alpha;
                    self.choose(here, is_open, &score, &is_busy)
                }
                Kind::Min => {
                    reduce(&mut beta, &here.upper);
                    let is_open = |branch: &Node<N>| branch.lower < beta;
                    self.choose(here, is_open, |branch| !score(branch), &is_busy)
                }
                Kind::Mean => {
                    let is_open = |branch: &Node<N>| branch.lower < branch.upper;
                    let chosen = self.choose(here, is_open, |branch| !score(branch), &is_busy);
                    let Node { lower, upper, .. } = here;
                    let branch = &self.nodes[chosen];
                    // What the other branches contribute at most, and at least.
                    let most = upper.minus(&branch.weight.times(&branch.upper));
                    let least = lower.minus(&branch.weight.times(&branch.lower));
                    alpha = if alpha > most {
                        alpha.minus(&most).divided_down(&branch.weight)
                    } else {
                        N::zero()
                    };
                    beta = beta.minus(&least).divided_up(&branch.weight);
                    chosen
                }
            };
            self.nodes[node].current = chosen as u32;
            node = chosen;
        }
    }

    /// Whether the bounds of a node answer a question.
    pub fn is_settled(&self, node: usize, alpha: &N, beta: &N) -> bool {
        let Node { lower, upper, .. } = &self.nodes[node];
        lower >= beta || upper <= alpha || lower == upper
    }

    /// The branch to look at: the one looked at so far if it is still open, else the open branch of
    /// the highest score; one that somebody else looks at only if all are.
    fn choose(
        &self,
        node: &Node<N>,
        is_open: impl Fn(&Node<N>) -> bool,
        score: impl Fn(&Node<N>) -> u32,
        is_busy: impl Fn(u32) -> bool,
    ) -> usize {
        if node.current != NONE && is_open(&self.nodes[node.current as usize]) {
            return node.current as usize;
        }
        let first = node.first as usize;
        let mut best = (usize::MAX, 0, true);
        for branch in first..first + usize::from(node.count) {
            let node = &self.nodes[branch];
            if is_open(node) {
                let busy = node.kind == Kind::State && is_busy(node.first);
                let score = score(node);
                if best.0 == usize::MAX || (!busy, score) > (!best.2, best.1) {
                    best = (branch, score, busy);
                }
            }
        }
        best.0
    }
}

fn raise<N: Numerator>(number: &mut N, other: &N) {
    if other > number {
        *number = other.clone();
    }
}

fn reduce<N: Numerator>(number: &mut N, other: &N) {
    if other < number {
        *number = other.clone();
    }
}
