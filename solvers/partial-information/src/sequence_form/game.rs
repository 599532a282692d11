//! Games in sequence form: the sequences of both players as trees, and a sparse matrix of payoffs.

use crate::sequence_form::tree::{GameError, SequenceTree, Weight};
use crate::sequence_form::walk::Play;
use limits::{Limits, StopReason};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;
use std::sync::Arc;

/// A game in sequence form. Player 0 gets the payoffs, player 1 pays them.
#[derive(Clone, Debug)]
pub struct SequenceGame {
    trees: [SequenceTree; 2],
    payoffs: Payoffs,
    denominator: BigInt,
}

/// The payoffs of pairs of sequences.
#[derive(Clone, Debug)]
pub(crate) enum Payoffs {
    /// A table of all that are not 0.
    Listed {
        /// By sequence of player 0: its first entry; then the number of entries.
        starts: Vec<usize>,
        /// By entry: the sequence of player 1.
        columns: Vec<u32>,
        /// By entry: the payoff times the denominator.
        payoffs: Vec<i64>,
    },
    /// No table: plays are walked through by this many threads.
    Walked { play: Arc<Play>, threads: usize },
}

impl SequenceGame {
    /// The information sets of a player.
    pub fn tree(&self, player: usize) -> &SequenceTree {
        &self.trees[player]
    }

    /// The common denominator of all payoffs.
    pub fn denominator(&self) -> &BigInt {
        &self.denominator
    }

    pub(crate) fn new(trees: [SequenceTree; 2], payoffs: Payoffs, denominator: BigInt) -> Self {
        SequenceGame {
            trees,
            payoffs,
            denominator,
        }
    }

    /// The number of pairs of sequences that pay something; none if there is no table of them.
    pub fn entries(&self) -> Option<usize> {
        match &self.payoffs {
            Payoffs::Listed { columns, .. } => Some(columns.len()),
            Payoffs::Walked { .. } => None,
        }
    }

    /// The pairs that pay something, of a sequence of player 0: sequences of player 1, and payoffs times the denominator. There are none without a
    /// table.
    #[inline]
    pub(crate) fn row(&self, sequence: usize) -> impl Iterator<Item = (usize, i64)> {
        let (columns, payoffs): (&[u32], &[i64]) = match &self.payoffs {
            Payoffs::Listed {
                starts,
                columns,
                payoffs,
            } => {
                let range = starts[sequence]..starts[sequence + 1];
                (&columns[range.clone()], &payoffs[range])
            }
            Payoffs::Walked { .. } => (&[], &[]),
        };
        let pairs = columns.iter().zip(payoffs);
        pairs.map(|(&column, &payoff)| (column as usize, payoff))
    }

    /// The payoff that is worst for a player, where the game says it without a table of payoffs.
    pub(crate) fn farthest(&self, player: usize) -> Option<BigRational> {
        let Payoffs::Walked { play, .. } = &self.payoffs else {
            return None;
        };
        let worst = play.range()[player];
        Some(BigRational::new(worst.into(), play.denominator().clone()))
    }

    /// The least payoff of a player times the denominator; its gains are counted from there.
    pub(crate) fn left_out(&self, player: usize) -> BigInt {
        match &self.payoffs {
            Payoffs::Listed { .. } => BigInt::zero(),
            Payoffs::Walked { play, .. } => {
                BigInt::from(play.left_out(player)) * BigInt::from(play.symmetries.order())
            }
        }
    }

    /// More than any sum of products of payoffs with the weights of plans, which are from 0 to 1.
    pub fn magnitude(&self) -> u128 {
        match &self.payoffs {
            Payoffs::Listed { payoffs, .. } => {
                let payoffs = payoffs.iter();
                payoffs
                    .map(|payoff| u128::from(payoff.unsigned_abs()))
                    .sum()
            }
            Payoffs::Walked { play, .. } => play.magnitude(),
        }
    }

    /// Adds what each sequence of a player gains against a plan of the other one, times the denominator.
    ///
    /// # Errors
    /// If there is no table of payoffs and a limit is reached.
    #[inline]
    pub(crate) fn add_gains<W: Weight>(
        &self,
        player: usize,
        plan: &[W],
        gains: &mut [W],
        limits: &Limits,
    ) -> Result<(), StopReason> {
        if let Payoffs::Walked { play, threads } = &self.payoffs {
            return play.add_gains(player, plan, gains, *threads, limits);
        }
        for sequence in 0..self.trees[0].sequences() {
            if player == 0 {
                let mut gain = W::zero();
                for (column, payoff) in self.row(sequence) {
                    gain += plan[column].times(payoff);
                }
                gains[sequence] += gain;
            } else if !plan[sequence].is_zero() {
                for (column, payoff) in self.row(sequence) {
                    gains[column] -= plan[sequence].times(payoff);
                }
            }
        }
        Ok(())
    }
}

/// The entries that are collected before equal pairs are added up for the first time.
const FEW: usize = 1 << 16;

/// Builds a [`SequenceGame`]: sets from the roots to the leaves, and payoffs in any order.
#[derive(Clone, Debug)]
pub struct SequenceBuilder {
    trees: [SequenceTree; 2],
    entries: Vec<([u32; 2], i64)>,
    /// Equal pairs are added up when there are this many entries.
    full: usize,
    overflow: bool,
}

impl Default for SequenceBuilder {
    fn default() -> Self {
        SequenceBuilder::with_trees([SequenceTree::new(), SequenceTree::new()])
    }
}

impl SequenceBuilder {
    /// The memory of an entry, in bytes.
    pub(crate) const BYTES: u64 = 16;

    /// For payoffs of sequences that are known.
    pub(crate) fn with_trees(trees: [SequenceTree; 2]) -> Self {
        SequenceBuilder {
            trees,
            entries: Vec::new(),
            full: FEW,
            overflow: false,
        }
    }

    /// The number of entries, before equal pairs are added up.
    pub(crate) fn entries(&self) -> usize {
        self.entries.len()
    }

    /// A new information set of a player, which a sequence of the player leads to. Gives the first sequence of its moves; the others
    /// have the next numbers. Sets are numbered from 0 on in the order in which they come.
    ///
    /// # Panics
    /// If the sequence does not exist, or there is no move.
    pub fn set(&mut self, player: usize, parent: u32, moves: u32) -> Result<u32, GameError> {
        let tree = &mut self.trees[player];
        assert!(
            (parent as usize) < tree.sequences() && moves > 0,
            "a set has a parent and a move"
        );
        tree.add(parent, moves)
    }

    /// Adds what player 1 pays to player 0 at an end of play, times its chance and the common denominator. The pair is that of the moves
    /// that each player made on the way; ends with the same pair are added up.
    ///
    /// # Panics
    /// If a sequence does not exist.
    pub fn payoff(&mut self, sequences: [u32; 2], payoff: i64) {
        for (tree, sequence) in self.trees.iter().zip(sequences) {
            assert!((sequence as usize) < tree.sequences(), "sequences exist");
        }
        if self.entries.len() >= self.full {
            self.add_up();
            self.full = FEW.max(2 * self.entries.len());
        }
        self.entries.push((sequences, payoff));
    }

    fn add_up(&mut self) {
        self.entries.sort_unstable_by_key(|(pair, _)| *pair);
        let overflow = &mut self.overflow;
        self.entries.dedup_by(|(pair, payoff), (kept, sum)| {
            let is_same = pair == kept;
            if is_same {
                match sum.checked_add(*payoff) {
                    Some(both) => *sum = both,
                    None => *overflow = true,
                }
            }
            is_same
        });
        self.entries.retain(|(_, payoff)| *payoff != 0);
    }

    /// The game, whose payoffs have this denominator.
    ///
    /// # Panics
    /// If the denominator is 0.
    pub fn finish(
        mut self,
        denominator: impl Into<num_bigint::BigUint>,
    ) -> Result<SequenceGame, GameError> {
        let denominator = BigInt::from(denominator.into());
        assert!(!denominator.is_zero(), "a denominator is positive");
        self.add_up();
        // The least number has no negative.
        if self.overflow || self.entries.iter().any(|(_, payoff)| *payoff == i64::MIN) {
            return Err(GameError::PayoffTooLarge);
        }
        let mut starts = vec![0usize; self.trees[0].sequences() + 1];
        for ([row, _], _) in &self.entries {
            starts[*row as usize + 1] += 1;
        }
        for row in 1..starts.len() {
            starts[row] += starts[row - 1];
        }
        let columns = self.entries.iter().map(|([_, column], _)| *column);
        let payoffs = self.entries.iter().map(|(_, payoff)| *payoff);
        let payoffs = Payoffs::Listed {
            starts,
            columns: columns.collect(),
            payoffs: payoffs.collect(),
        };
        Ok(SequenceGame::new(self.trees, payoffs, denominator))
    }
}
