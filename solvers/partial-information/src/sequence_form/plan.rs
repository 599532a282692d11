//! Realization plans as whole numbers over one denominator, and the bounds that they prove.
//!
//! A plan of floating-point numbers is rounded from the root on: each set divides the whole units of its parent among its moves.
//! So the result is a plan exactly, however rough the numbers were, and a best response to it takes sums of words only. A share next to
//! a short fraction becomes that fraction: units are a number with many divisors.

use crate::sequence_form::game::SequenceGame;
use crate::sequence_form::response::best_response;
use crate::sequence_form::shares::{MAX_BITS, divisible, part};
use crate::sequence_form::tree::SequenceTree;
use limits::{Limits, StopReason};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

/// A realization plan of a player: for each sequence the chance that the player's throws of the dice allow it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RealizationPlan {
    weights: Weights,
    /// The weight of the empty sequence.
    whole: BigInt,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Weights {
    Short(Vec<u64>),
    Long(Vec<BigInt>),
}

impl RealizationPlan {
    /// From weights over a denominator.
    pub(crate) fn exact(weights: Vec<BigInt>, whole: BigInt) -> Self {
        RealizationPlan {
            weights: Weights::Long(weights),
            whole,
        }
    }

    /// The plan next to one of floating-point numbers, for a game whose payoffs have this magnitude.
    pub(crate) fn rounded(tree: &SequenceTree, weights: &[f64], magnitude: u128) -> Self {
        let bits_of_sums = u64::from(u128::BITS - magnitude.leading_zeros());
        let bits = MAX_BITS.min(125 - bits_of_sums);
        let mut rounded = vec![0u64; tree.sequences()];
        let whole_units = divisible(1 << bits);
        rounded[0] = whole_units;
        for set in 0..tree.sets() {
            let units = rounded[tree.parent(set)];
            let whole: f64 = tree.moves(set).map(|one| weights[one]).sum();
            let (mut rest, mut largest) = (units, tree.moves(set).start);
            for sequence in tree.moves(set) {
                if weights[sequence] > weights[largest] {
                    largest = sequence;
                }
                // A set without weight has no units but those of the rounding.
                rounded[sequence] = part(units, weights[sequence] / whole).min(rest);
                rest -= rounded[sequence];
            }
            rounded[largest] += rest;
        }
        RealizationPlan {
            weights: Weights::Short(rounded),
            whole: whole_units.into(),
        }
    }

    /// The chance that the player's throws of the dice allow a sequence.
    pub fn weight(&self, sequence: usize) -> BigRational {
        BigRational::new(self.numerator(sequence), self.whole.clone())
    }

    fn numerator(&self, sequence: usize) -> BigInt {
        match &self.weights {
            Weights::Short(weights) => weights[sequence].into(),
            Weights::Long(weights) => weights[sequence].clone(),
        }
    }

    /// The probability of each move of a set; none if the plan does not lead there.
    pub fn mixture(&self, tree: &SequenceTree, set: usize) -> Option<Vec<BigRational>> {
        let whole = self.numerator(tree.parent(set));
        let share = |sequence| BigRational::new(self.numerator(sequence), whole.clone());
        (!whole.is_zero()).then(|| tree.moves(set).map(share).collect())
    }

    /// Whether no weight is negative, and the moves of each set share the weight of the sequence that leads to it.
    pub fn is_plan(&self, tree: &SequenceTree) -> bool {
        let sequences = match &self.weights {
            Weights::Short(weights) => weights.len(),
            Weights::Long(weights) => weights.len(),
        };
        let shares = |set: usize| {
            let moves = tree.moves(set).map(|sequence| self.numerator(sequence));
            moves.sum::<BigInt>() == self.numerator(tree.parent(set))
        };
        sequences == tree.sequences()
            && self.whole.is_positive()
            && self.numerator(0) == self.whole
            && !(0..sequences).any(|sequence| self.numerator(sequence).is_negative())
            && (0..tree.sets()).all(shares)
    }

    /// The bound of the value that the plan of this player proves, by the best response to it: a lower one for player 0, an upper one for
    /// player 1.
    pub fn bound(&self, game: &SequenceGame, player: usize) -> BigRational {
        let bound = self.bound_within(game, player, &Limits::default());
        bound.expect("there is no limit")
    }

    /// The same, unless a limit is reached.
    pub(crate) fn bound_within(
        &self,
        game: &SequenceGame,
        player: usize,
        limits: &Limits,
    ) -> Result<BigRational, StopReason> {
        let most = self.answers(game, player, &[0], limits)?.swap_remove(0);
        // Where chances are rounded, a plan can seem to get less than the worst payoff.
        Ok(match (player, game.farthest(player)) {
            (0, None) => -most,
            (0, Some(worst)) => worst.max(-most),
            (_, None) => most,
            (_, Some(worst)) => worst.min(most),
        })
    }

    /// The largest gains of the rival after each of these sequences of its own, against the plan of this player. Without a table of payoffs only
    /// sequences that no play misses have exact ones, or proved upper bounds: the empty one, and those of the first set if play begins there.
    ///
    /// # Errors
    /// If there is no table of payoffs and a limit is reached.
    pub fn answers(
        &self,
        game: &SequenceGame,
        player: usize,
        sequences: &[usize],
        limits: &Limits,
    ) -> Result<Vec<BigRational>, StopReason> {
        let tree = game.tree(1 - player);
        let denominator = game.denominator() * &self.whole;
        let left_out = game.left_out(1 - player) * &self.whole;
        let fraction = |gain: BigInt| BigRational::new(gain + &left_out, denominator.clone());
        Ok(match &self.weights {
            Weights::Short(weights) => {
                let weights: Vec<i128> = weights.iter().map(|&weight| weight.into()).collect();
                let mut gains = vec![0i128; tree.sequences()];
                game.add_gains(1 - player, &weights, &mut gains, limits)?;
                best_response(tree, &mut gains);
                let gains = sequences
                    .iter()
                    .map(|&sequence| BigInt::from(gains[sequence]));
                gains.map(fraction).collect()
            }
            Weights::Long(weights) => {
                let mut gains = vec![BigInt::zero(); tree.sequences()];
                game.add_gains(1 - player, weights, &mut gains, limits)?;
                best_response(tree, &mut gains);
                let gains = sequences.iter().map(|&sequence| gains[sequence].clone());
                gains.map(fraction).collect()
            }
        })
    }
}
