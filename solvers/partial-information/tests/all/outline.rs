//! Games as plain lists: the information sets of both players and the ends of play.

use sqasp_partial_information::sequence_form::{GameError, SequenceBuilder, SequenceGame};
use std::collections::HashMap;

/// A game with hidden information as lists.
#[derive(Clone, Default, Debug)]
pub struct Outline {
    /// By player: sequences that lead to sets, and numbers of moves.
    pub sets: [Vec<(u32, u32)>; 2],
    /// The pair of sequences at each end of play, and the payoff.
    pub ends: Vec<([u32; 2], i64)>,
    pub denominator: u32,
    /// By player and everything that the player knows: the first sequence of a set.
    known: HashMap<(usize, Vec<u8>), u32>,
    /// By player: the number of sequences.
    pub sequences: [u32; 2],
}

impl Outline {
    /// A game without sets and ends.
    pub fn new(denominator: u32) -> Self {
        Outline {
            denominator,
            sequences: [1, 1],
            ..Outline::default()
        }
    }

    /// The first sequence of the set with this knowledge. It is made at the first call.
    pub fn moves(&mut self, player: usize, parent: u32, knowledge: &[u8], moves: u32) -> u32 {
        let next = self.sequences[player];
        let key = (player, knowledge.to_vec());
        let first = *self.known.entry(key).or_insert(next);
        if first == next {
            self.sets[player].push((parent, moves));
            self.sequences[player] += moves;
        }
        first
    }

    /// An end of play.
    pub fn end(&mut self, sequences: [u32; 2], payoff: i64) {
        self.ends.push((sequences, payoff));
    }

    /// The game for the solver.
    pub fn build(&self) -> Result<SequenceGame, GameError> {
        let mut builder = SequenceBuilder::default();
        for (player, sets) in self.sets.iter().enumerate() {
            for &(parent, moves) in sets {
                builder.set(player, parent, moves)?;
            }
        }
        for &(sequences, payoff) in &self.ends {
            builder.payoff(sequences, payoff);
        }
        builder.finish(self.denominator)
    }
}
