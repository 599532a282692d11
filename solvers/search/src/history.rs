//! The history heuristic (Schaeffer 1989), an order of choices: first comes the choice whose values were best so far for the player who
//! decides, in about the same layer. A good first choice makes windows narrow.
//!
//! This only guides the search, so a rough number will do: values are scaled to 32 bits.

use crate::bounds::{HISTORY_CHOICES, HISTORY_LAYERS, INERTIA};
use arena::{NO_CHOICE, Node};
use base::value::Numerator;

/// The score of a choice that was never searched.
const UNKNOWN: u32 = 1 << 31;

/// The average values of choices.
#[derive(Clone, Debug)]
pub struct History {
    enabled: bool,
    /// By layer, empty before anything is known of it.
    scores: Vec<Vec<u32>>,
}

impl History {
    /// Nothing is known.
    pub fn new(enabled: bool) -> Self {
        History {
            enabled,
            scores: vec![Vec::new(); HISTORY_LAYERS],
        }
    }

    /// How good the choice that leads to a node seems: as it was so far, within what is known of the node
    /// now, in parts of `one`.
    #[inline]
    pub fn estimate<N: Numerator>(&self, layer: usize, node: &Node<N>, one: f64) -> u32 {
        let scale = |bound: &N| (bound.approximately() / one * f64::from(u32::MAX)) as u32;
        let scores = &self.scores[layer % HISTORY_LAYERS];
        let score = scores.get(usize::from(node.branch) % HISTORY_CHOICES);
        let score = score.copied().unwrap_or(UNKNOWN);
        score.min(scale(&node.upper)).max(scale(&node.lower))
    }

    /// Notes the bounds of a node, in parts of `one`.
    pub fn note<N: Numerator>(&mut self, layer: usize, node: &Node<N>, one: f64) {
        if !self.enabled || node.branch == NO_CHOICE {
            return;
        }
        let middle = (node.lower.approximately() + node.upper.approximately()) / (2.0 * one);
        let scores = &mut self.scores[layer % HISTORY_LAYERS];
        if scores.is_empty() {
            scores.resize(HISTORY_CHOICES, UNKNOWN);
        }
        let score = &mut scores[usize::from(node.branch) % HISTORY_CHOICES];
        let latest = (middle * f64::from(u32::MAX)) as u32;
        *score = *score - (*score >> INERTIA) + (latest >> INERTIA);
    }
}
