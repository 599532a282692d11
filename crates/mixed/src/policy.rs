//! A strategy that an opponent follows.
//!
//! Where it says nothing about a position the opponent moves at random, as all other opponents do. So no opponent has a choice, and a
//! game against them is a decision process of the role.

use crate::error::MixedError;
use gdl::Term;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};
use rustc_hash::FxHashMap;
use verify::{AnyStrategy, Position, TermNumber, TermTable};

/// The largest common denominator of a mixture.
const MAX_WEIGHT: u64 = 1 << 32;

/// A position, and moves with their probabilities.
type Entry<'a> = (&'a Position, Vec<(TermNumber, BigRational)>);

/// The moves of one role by position.
pub(crate) struct Policy {
    /// The steps that count for the strategy, if some of its positions say how many are left.
    depth: Option<u64>,
    /// By the bits of a state and the steps left, where they matter.
    decisions: FxHashMap<(Box<[u64]>, Option<u64>), Decision>,
}

/// The moves of a role in a position, with weights.
pub(crate) struct Decision {
    role: usize,
    moves: Vec<(usize, u64)>,
}

impl Decision {
    /// The weight of a joint move.
    pub(crate) fn weight(&self, joint_move: &[usize]) -> u64 {
        let made = self
            .moves
            .iter()
            .find(|(number, _)| *number == joint_move[self.role]);
        made.map_or(0, |(_, weight)| *weight)
    }
}

impl Policy {
    /// The side of the strategy's role. `row` gives the bits of a state, or a fact that does not occur; `number` that of a move of a role.
    ///
    /// # Errors
    /// If a position or a move does not occur in the game, or a mixture has a denominator above 2^32.
    pub(crate) fn of(
        strategy: &AnyStrategy,
        row: impl Fn(&[Term]) -> Result<Box<[u64]>, Term>,
        number: impl Fn(usize, &Term) -> Option<usize>,
    ) -> Result<Self, MixedError> {
        let heading = strategy.heading();
        let role = heading.roles.iter().position(|role| *role == heading.role);
        let role = role.expect("the heading was compared with the game");
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
            let row = row(&facts).map_err(MixedError::UnknownFact)?;
            let denominator = choices.iter().fold(BigInt::one(), |common, (_, share)| {
                common.lcm(share.denom())
            });
            let weight = |share: &BigRational| (share * &denominator).to_integer().to_u64();
            let mut moves = Vec::new();
            for (action, share) in choices {
                let action = terms.term(action);
                let number = number(role, action);
                let number = number.ok_or_else(|| MixedError::UnknownFact(action.clone()))?;
                let weight = weight(&share).filter(|weight| *weight <= MAX_WEIGHT);
                moves.push((number, weight.ok_or(MixedError::JointMoves)?));
            }
            let steps = position.steps.map(u64::from);
            policy
                .decisions
                .insert((row, steps), Decision { role, moves });
        }
        Ok(policy)
    }

    /// The number of steps so far in the row after this one: more than the strategy knows of are one number.
    pub(crate) fn steps_after(&self, steps: u64) -> u64 {
        let most = self.depth.unwrap_or(0) + 1;
        (steps + 1).min(most)
    }

    /// Whether decisions depend on the steps left, so that rows count steps.
    pub(crate) fn counts_steps(&self) -> bool {
        self.depth.is_some()
    }

    /// The decision for a row, behind whose bits the steps so far may stand.
    pub(crate) fn at(&self, row: &[u64]) -> Option<&Decision> {
        let Some(depth) = self.depth else {
            return self.decisions.get(&(row.into(), None));
        };
        let (&taken, bits) = row.split_last()?;
        let bits: Box<[u64]> = bits.into();
        let left = depth.checked_sub(taken)?;
        let exact = self.decisions.get(&(bits.clone(), Some(left)));
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
        AnyStrategy::Hidden(_) => unreachable!("refused when it was read"),
    }
}
