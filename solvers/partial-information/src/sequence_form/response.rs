//! Best responses: dynamic programming from the leaves of a tree of information sets.
//!
//! Against a fixed plan of the other side a player has no reason to throw dice. The best move of a set is that of the largest gain,
//! where the gain of a sequence includes the best of all sets behind it. With whole numbers this is a proof: what a plan
//! holds the best response down to, it guarantees.

use crate::sequence_form::tree::{SequenceTree, Weight};

/// The most that a player can gain, from the gains of each sequence alone. These become those of the sequences with what follows.
pub fn best_response<W: Weight>(tree: &SequenceTree, gains: &mut [W]) -> W {
    for set in (0..tree.sets()).rev() {
        let best = gains[best_move(tree, gains, set)].clone();
        gains[tree.parent(set)] += best;
    }
    gains[0].clone()
}

/// The first of the sequences of a set that gain the most.
pub fn best_move<W: Weight>(tree: &SequenceTree, gains: &[W], set: usize) -> usize {
    let mut moves = tree.moves(set);
    let first = moves.next().expect("a set has a move");
    moves.fold(first, |best, other| match gains[other] > gains[best] {
        true => other,
        false => best,
    })
}
