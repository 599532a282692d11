//! A strategy that an opponent follows.
//!
//! Where it says nothing about a position the opponent moves at random, as all other opponents do. So no opponent has a choice, and a
//! game against them is a decision process of the role.

use super::error::MixedError;
use gdl::Term;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive};
use rules::listed;
use rustc_hash::FxHashMap;
use verify::{AnyStrategy, Position, TermNumber, TermTable};

/// The largest common denominator of a mixture.
pub(super) const MAX_WEIGHT: u64 = 1 << 32;

/// A position, and moves with their probabilities.
type Entry<'a> = (&'a Position, Vec<(TermNumber, BigRational)>);

/// The moves of one role by position.
pub(super) struct Policy {
    /// The steps that count for the strategy, if some of its positions say how many are left.
    depth: Option<u64>,
    /// By the bits of a state and the steps left, where they matter.
    decisions: FxHashMap<(Box<[u64]>, Option<u64>), Decision>,
}

/// The moves of a role in a position.
pub(super) struct Decision {
    /// The index of the role.
    pub(super) role: usize,
    /// With their numbers, if they have one, and weights.
    moves: Vec<(Term, Option<usize>, u64)>,
    /// The sum of the weights.
    pub(super) total: u64,
}

impl Decision {
    /// A move that is not among these.
    pub(super) fn illegal(&self, legal: &[usize]) -> Option<&Term> {
        let is_legal = |number: &Option<usize>| number.is_some_and(|it| legal.contains(&it));
        let mut moves = self.moves.iter();
        let found = moves.find(|(_, number, _)| !is_legal(number));
        found.map(|(action, ..)| action)
    }

    /// The weight of a joint move.
    pub(super) fn weight(&self, joint_move: &[usize]) -> u64 {
        let made = Some(joint_move[self.role]);
        let moves = self.moves.iter().filter(|(_, number, _)| *number == made);
        moves.map(|(.., weight)| weight).sum()
    }
}

impl Policy {
    /// The side of the strategy's role, which has the index `role` in the game that is played: in the strategy's own game other roles may
    /// be teams. `row` gives the bits of a state, if play can lead to it; `number` that of a move of the role.
    ///
    /// # Errors
    /// If a mixture is none, or has a denominator above 2^32.
    pub(super) fn of(
        strategy: &AnyStrategy,
        role: usize,
        row: impl Fn(&[Term]) -> Option<Box<[u64]>>,
        number: impl Fn(&Term) -> Option<usize>,
    ) -> Result<Self, MixedError> {
        let heading = strategy.heading();
        let (terms, entries) = entries(strategy);
        let mut policy = Policy {
            depth: None,
            decisions: FxHashMap::default(),
        };
        if entries.iter().any(|(position, _)| position.steps.is_some()) {
            policy.depth = heading.depth.map(u64::from);
        }
        for (position, choices) in entries {
            let facts = terms.terms(&position.facts);
            // Play may start where it does not lead to all positions of the strategy.
            let Some(row) = row(&facts) else {
                continue;
            };
            let shares = || choices.iter().map(|(_, share)| share);
            if !shares().all(Signed::is_positive) || !shares().sum::<BigRational>().is_one() {
                let text = format!(
                    "in {{{}}} its probabilities are not positive with the sum 1",
                    listed(&facts)
                );
                return Err(MixedError::Followed(text));
            }
            let denominator =
                shares().fold(BigInt::one(), |common, share| common.lcm(share.denom()));
            let total = denominator.to_u64().filter(|total| *total <= MAX_WEIGHT);
            let total = total.ok_or(MixedError::JointMoves)?;
            let moves = choices.iter().map(|(action, share)| {
                let action = terms.term(*action);
                let weight = (share * &denominator).to_integer().to_u64();
                let weight = weight.expect("a part of the denominator");
                (action.clone(), number(action), weight)
            });
            let moves = moves.collect();
            let steps = position.steps.map(u64::from);
            policy
                .decisions
                .insert((row, steps), Decision { role, moves, total });
        }
        Ok(policy)
    }

    /// The number of steps so far in the row after this one: more than the strategy knows of are one number.
    pub(super) fn steps_after(&self, steps: u64) -> u64 {
        let most = self.depth.unwrap_or(0) + 1;
        (steps + 1).min(most)
    }

    /// Whether decisions depend on the steps left, so that rows count steps.
    pub(super) fn counts_steps(&self) -> bool {
        self.depth.is_some()
    }

    /// The decision for a row, behind whose bits the steps so far may stand.
    pub(super) fn at(&self, row: &[u64]) -> Option<&Decision> {
        let Some(depth) = self.depth else {
            return self.decisions.get(&(row.into(), None));
        };
        let (&taken, bits) = row.split_last()?;
        let bits: Box<[u64]> = bits.into();
        let left = depth.checked_sub(taken);
        let exact = left.and_then(|left| self.decisions.get(&(bits.clone(), Some(left))));
        exact.or_else(|| self.decisions.get(&(bits, None)))
    }
}

/// The terms of a strategy, and the moves of its role by position.
fn entries(strategy: &AnyStrategy) -> (&TermTable, Vec<Entry<'_>>) {
    match strategy {
        AnyStrategy::Known(strategy) => {
            let decisions = strategy.player.iter();
            let entries = decisions.map(|it| (&it.position, vec![(it.action, BigRational::one())]));
            (&strategy.terms, entries.collect())
        }
        AnyStrategy::Mixed(strategy) => {
            let mixtures = strategy.player.iter();
            let entries = mixtures.map(|it| {
                let choices = it.choices.iter();
                let choices = choices.map(|(moves, share)| (moves[0], share.clone()));
                (&it.position, choices.collect())
            });
            (&strategy.terms, entries.collect())
        }
        AnyStrategy::Hidden(_) | AnyStrategy::Equilibrium(_) => {
            unreachable!("refused when it was read")
        }
    }
}
