//! The best plans so far, and the bounds that best responses to them prove.

use crate::sequence_form::game::SequenceGame;
use crate::sequence_form::plan::RealizationPlan;
use limits::{Limits, StopReason};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;

/// Bounds are tight if they are this many times as close as those of uniform plans; where a width is wanted, if they are as close as
/// floating-point numbers allow.
const TIGHT: [u64; 2] = [1_000_000, 1_000_000_000_000];

/// Bounds of the value of a game, which only get closer.
pub struct Bounds<'a> {
    game: &'a SequenceGame,
    magnitude: u128,
    /// Bounds this close are enough.
    width: BigRational,
    /// No bounds closer than this are searched for where there is no exact value.
    tight: BigRational,
    /// By player: the best plan.
    pub plans: [RealizationPlan; 2],
    /// The proved bounds: a lower bound and an upper one.
    pub pair: [BigRational; 2],
}

impl<'a> Bounds<'a> {
    /// By uniform plans; by the least payoff and the largest one where plays would have to be walked through.
    pub fn new(game: &'a SequenceGame, width: BigRational) -> Self {
        let magnitude = game.magnitude();
        let plans = [0, 1].map(|player| {
            let tree = game.tree(player);
            let mut weights = vec![1.0; tree.sequences()];
            for set in 0..tree.sets() {
                let share = weights[tree.parent(set)] / tree.moves(set).len() as f64;
                weights[tree.moves(set)].fill(share);
            }
            RealizationPlan::rounded(tree, &weights, magnitude)
        });
        let pair = [0, 1].map(|player| {
            let farthest = game.farthest(player);
            farthest.unwrap_or_else(|| plans[player].bound(game, player))
        });
        let tight = TIGHT[usize::from(!width.is_zero())];
        Bounds {
            game,
            magnitude,
            width,
            tight: (&pair[1] - &pair[0]) / BigInt::from(tight),
            plans,
            pair,
        }
    }

    /// Whether they are as close as asked.
    pub fn are_close(&self) -> bool {
        &self.pair[1] - &self.pair[0] <= self.width
    }

    /// Whether they are as close as is worth the time without an exact value.
    pub fn are_tight(&self) -> bool {
        &self.pair[1] - &self.pair[0] <= self.tight
    }

    /// Takes over the plan of a player if it proves a closer bound.
    pub fn offer(
        &mut self,
        player: usize,
        plan: RealizationPlan,
        limits: &Limits,
    ) -> Result<(), StopReason> {
        let bound = plan.bound_within(self.game, player, limits)?;
        let is_closer = match player {
            0 => bound > self.pair[0],
            _ => bound < self.pair[1],
        };
        if is_closer {
            (self.plans[player], self.pair[player]) = (plan, bound);
        }
        Ok(())
    }

    /// The same for plans in floating-point numbers, times any factors.
    pub fn offer_rounded(
        &mut self,
        weights: [&[f64]; 2],
        limits: &Limits,
    ) -> Result<(), StopReason> {
        for (player, weights) in weights.into_iter().enumerate() {
            let plan = RealizationPlan::rounded(self.game.tree(player), weights, self.magnitude);
            self.offer(player, plan, limits)?;
        }
        Ok(())
    }
}
