//! Restricted games of the double oracle method (McMahan, Gordon, Blum 2003; in sequence form Bosansky, Kiekintveld, Lisy, Pechoucek: *An exact
//! double-oracle algorithm for zero-sum extensive-form games with imperfect information*, 2014).
//!
//! Best plans use few sequences. So only some are allowed at first, one at least in each set that they lead to. When a best
//! response in the whole game gains more than the best of those allowed, its moves are added. When none does, the plans are best in
//! the whole game.

use crate::sequence_form::game::SequenceGame;
use crate::sequence_form::response::best_move;
use crate::sequence_form::tree::Weight;

/// The sequences of both players that are allowed. Sets are in play if the sequence that leads there is allowed.
pub struct Support {
    /// By player and sequence.
    allowed: [Vec<bool>; 2],
    /// By player and set: a move that is allowed if the set is in play.
    first: [Vec<u32>; 2],
}

impl Support {
    /// The sequences with at least this weight in plans, and the heaviest of each set.
    pub fn over(game: &SequenceGame, plans: [&[f64]; 2], least: f64) -> Self {
        let mut support = Support {
            allowed: [0, 1].map(|player| vec![false; game.tree(player).sequences()]),
            first: [0, 1].map(|player| vec![0; game.tree(player).sets()]),
        };
        for (player, plan) in plans.into_iter().enumerate() {
            let tree = game.tree(player);
            let least = least * plan[0];
            support.allowed[player][0] = true;
            for set in 0..tree.sets() {
                let first = best_move(tree, plan, set);
                support.first[player][set] = first as u32;
                if support.allowed[player][tree.parent(set)] {
                    for sequence in tree.moves(set) {
                        support.allowed[player][sequence] =
                            sequence == first || plan[sequence] >= least;
                    }
                }
            }
        }
        support
    }

    /// Whether a sequence of a player is allowed.
    #[inline]
    pub fn allows(&self, player: usize, sequence: usize) -> bool {
        self.allowed[player][sequence]
    }

    /// The first choice of a player in a set.
    pub fn first(&self, player: usize, set: usize) -> usize {
        self.first[player][set] as usize
    }

    /// The sets of a player that are in play.
    pub fn sets(&self, game: &SequenceGame, player: usize) -> impl Iterator<Item = usize> {
        let tree = game.tree(player);
        (0..tree.sets()).filter(move |&set| self.allows(player, tree.parent(set)))
    }

    /// The allowed moves of a player in a set.
    pub fn moves(
        &self,
        game: &SequenceGame,
        player: usize,
        set: usize,
    ) -> impl Iterator<Item = usize> {
        let moves = game.tree(player).moves(set);
        moves.filter(move |&sequence| self.allows(player, sequence))
    }

    /// Allows the best moves of a player where they gain more than those allowed, by more than a tolerance; gains are those
    /// of sequences with what follows. Sets that come into play get a first choice, which is returned. Gives the number of new moves.
    pub fn extend<W: Weight>(
        &mut self,
        game: &SequenceGame,
        player: usize,
        gains: &[W],
        tolerance: &W,
        mut is_new: impl FnMut(usize),
    ) -> usize {
        let tree = game.tree(player);
        let mut added = 0;
        for set in 0..tree.sets() {
            if !self.allows(player, tree.parent(set)) {
                continue;
            }
            let best = best_move(tree, gains, set);
            let mut enough = gains[best].clone();
            enough -= tolerance.clone();
            let first = self.first(player, set);
            if !self.allows(player, first) {
                // Where the rival does not come no move is better than others.
                let first = if gains[first] >= enough { first } else { best };
                self.first[player][set] = first as u32;
                self.allowed[player][first] = true;
                is_new(first);
            } else if !self
                .moves(game, player, set)
                .any(|sequence| gains[sequence] >= enough)
            {
                self.allowed[player][best] = true;
                added += 1;
            }
        }
        added
    }
}
