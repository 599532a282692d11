//! The diagrams of a trace while it is written, and what their nodes need: see [`super::record`].

use super::trace::{Diagram, NodeId};
use formula::Lit;

/// The diagrams of a search.
#[derive(Default)]
pub struct Recorder {
    /// What the maximizer does.
    pub lower: Diagram,
    /// What the minimizer does, and why clauses are false.
    pub upper: Diagram,
    /// By node of the upper bound, from 1, the part of `needed` that it needs.
    needs: Vec<(usize, usize)>,
    /// Literals of the search.
    needed: Vec<Lit>,
    /// By variable of the search, its place on the trail behind the node at work, from 1.
    pub places: Vec<u32>,
    /// The needs of the node that is being written down.
    pub own_needs: Vec<Lit>,
}

impl Recorder {
    /// Goes on with another part of the formula.
    pub fn begin(&mut self, variables: usize) {
        self.places = vec![0; variables];
    }

    /// About how many bytes it takes while it grows.
    pub fn bytes(&self) -> u64 {
        let lists = 32 * self.needs.len() + 8 * (self.needed.len() + self.places.len());
        self.lower.bytes() + self.upper.bytes() + lists as u64
    }

    /// Whether numbers of 32 bits do not suffice.
    pub fn is_full(&self) -> bool {
        self.lower.size().max(self.upper.size()) > u32::MAX as usize / 2
    }

    /// The literals that must be false above a node of the upper bound.
    pub fn needs(&self, node: NodeId) -> &[Lit] {
        match self.needs.get((node as usize).wrapping_sub(1)) {
            Some(&(start, end)) => &self.needed[start..end],
            None => &[],
        }
    }

    /// Notes the needs of a new node of the upper bound: the own needs at hand, and those of the nodes below that none of its literals `made`
    /// true provides.
    pub fn note_needs(&mut self, node: NodeId, below: &[NodeId], made: &[Lit]) {
        debug_assert!(self.needs.len() < node as usize, "a node is noted once");
        let mut needs = std::mem::take(&mut self.own_needs);
        for &child in below {
            let of_child = self.needs(child).iter().copied();
            needs.extend(of_child.filter(|&literal| !made.contains(&!literal)));
        }
        needs.sort_unstable();
        needs.dedup();
        let start = self.needed.len();
        self.needed.append(&mut needs);
        self.own_needs = needs;
        self.needs.resize(node as usize, (0, 0));
        self.needs[node as usize - 1] = (start, self.needed.len());
    }
}
