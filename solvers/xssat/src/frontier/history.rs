//! Which branch to look at first: the one whose values were best so far, in all states of the same
//! cut (the history heuristic of game-tree search). A good first branch makes windows narrow.
//!
//! This only guides the search, so a rough number will do: values are scaled to 16 bits.

use super::tree::Node;
use value::Numerator;

/// The average values of branches at one cut.
#[derive(Clone, Debug)]
pub struct History {
    enabled: bool,
    scores: Vec<u32>,
}

/// The score of a branch that was never looked at.
const UNKNOWN: u32 = 1 << 31;

impl History {
    /// Nothing is known about this many branches.
    pub fn new(branches: usize, enabled: bool) -> Self {
        History {
            enabled,
            scores: vec![UNKNOWN; branches],
        }
    }

    /// How good a branch was so far.
    #[inline]
    pub fn score<N>(&self, node: &Node<N>) -> u32 {
        self.scores[usize::from(node.branch)]
    }

    /// How good a branch seems: as it was so far, within what is known of it now.
    #[inline]
    pub fn estimate<N: Numerator>(&self, node: &Node<N>, one: f64) -> u32 {
        let scale = |bound: &N| (bound.approximately() / one * f64::from(u32::MAX)) as u32;
        self.score(node)
            .min(scale(&node.upper))
            .max(scale(&node.lower))
    }

    /// Notes bounds of the value of a branch, in parts of `one`.
    pub fn note<N: Numerator>(&mut self, branch: u16, lower: &N, upper: &N, one: f64) {
        if !self.enabled {
            return;
        }
        let middle = (lower.approximately() + upper.approximately()) / (2.0 * one);
        let score = &mut self.scores[usize::from(branch)];
        let latest = (middle * f64::from(u32::MAX)) as u32;
        *score = *score - (*score >> 6) + (latest >> 6);
    }
}
