//! Which move to look at first: the one whose values were best so far for whoever decides, with about
//! as many steps left (the history heuristic of game-tree search). A good first move makes windows
//! narrow.
//!
//! This only guides the search, so a rough number will do: values are scaled to 32 bits.

use value::Numerator;

/// The score of a move that was never looked at.
const UNKNOWN: u32 = 1 << 31;

/// Numbers of steps left that are told apart, and moves.
const STEPS: usize = 64;
const MOVES: usize = 256;

/// The average values of moves.
#[derive(Clone, Debug)]
pub struct History {
    enabled: bool,
    scores: Vec<u32>,
}

impl History {
    /// Nothing is known.
    pub fn new(enabled: bool) -> Self {
        History {
            enabled,
            scores: vec![UNKNOWN; STEPS * MOVES],
        }
    }

    #[inline]
    fn place(steps: usize, number: u16) -> usize {
        steps % STEPS * MOVES + usize::from(number) % MOVES
    }

    /// How good a move seems: as it was so far, within what is known of it now, in parts of `one`.
    #[inline]
    pub fn estimate<N: Numerator>(
        &self,
        steps: usize,
        number: u16,
        lower: &N,
        upper: &N,
        one: f64,
    ) -> u32 {
        let scale = |bound: &N| (bound.approximately() / one * f64::from(u32::MAX)) as u32;
        let score = self.scores[History::place(steps, number)];
        score.min(scale(upper)).max(scale(lower))
    }

    /// Notes bounds of the value after a move, in parts of `one`.
    pub fn note<N: Numerator>(
        &mut self,
        steps: usize,
        number: u16,
        lower: &N,
        upper: &N,
        one: f64,
    ) {
        if !self.enabled {
            return;
        }
        let middle = (lower.approximately() + upper.approximately()) / (2.0 * one);
        let score = &mut self.scores[History::place(steps, number)];
        let latest = (middle * f64::from(u32::MAX)) as u32;
        *score = *score - (*score >> 6) + (latest >> 6);
    }
}
