//! Games as plain lists: the information sets of both players and the ends of play.

use num_bigint::BigInt;
use num_rational::BigRational;
use sqasp_sequence_form::{Builder, GameError, SequenceGame};
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
    sequences: [u32; 2],
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

    /// The first sequence of the set with this knowledge. It is new if nobody asked for it before.
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

    /// The number of moves of the set with this first sequence.
    pub fn move_count(&self, player: usize, first: u32) -> u32 {
        let mut next = 1;
        for &(_, moves) in &self.sets[player] {
            if next == first {
                return moves;
            }
            next += moves;
        }
        panic!("no set begins with sequence {first}")
    }

    /// An end of play.
    pub fn end(&mut self, sequences: [u32; 2], payoff: i64) {
        self.ends.push((sequences, payoff));
    }

    /// The game for the solver.
    pub fn build(&self) -> Result<SequenceGame, GameError> {
        let mut builder = Builder::default();
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

    /// All pure strategies, reduced: the sequences that each of them allows.
    fn strategies(&self, player: usize) -> Vec<Vec<bool>> {
        let sets = &self.sets[player];
        let count = self.sequences[player] as usize;
        let mut first = 1;
        let mut found = vec![vec![false; count]];
        found[0][0] = true;
        for &(parent, moves) in sets {
            let range = first..first + moves as usize;
            first = range.end;
            let mut next = Vec::new();
            for strategy in found {
                if !strategy[parent as usize] {
                    next.push(strategy);
                    continue;
                }
                for sequence in range.clone() {
                    let mut strategy = strategy.clone();
                    strategy[sequence] = true;
                    next.push(strategy);
                }
            }
            found = next;
        }
        found
    }

    /// How many pure strategies the players have.
    pub fn strategy_counts(&self) -> [usize; 2] {
        [0, 1].map(|player| {
            let mut worth = vec![1f64; self.sequences[player] as usize];
            let mut first = self.sequences[player] as usize;
            for &(parent, moves) in self.sets[player].iter().rev() {
                first -= moves as usize;
                let sum: f64 = worth[first..first + moves as usize].iter().sum();
                worth[parent as usize] *= sum;
            }
            worth[0] as usize
        })
    }

    /// The value by the definition: that of the matrix of all pure strategies.
    pub fn value(&self) -> BigRational {
        let [rows, columns] = [0, 1].map(|player| self.strategies(player));
        let mut entries = Vec::new();
        for row in &rows {
            for column in &columns {
                let ends = self.ends.iter();
                let met = ends.filter(|([a, b], _)| row[*a as usize] && column[*b as usize]);
                entries.push(met.map(|(_, payoff)| BigInt::from(*payoff)).sum());
            }
        }
        let matrix = matrix_game::Matrix::new(columns.len(), entries);
        matrix_game::solve(&matrix).value / BigInt::from(self.denominator)
    }
}
