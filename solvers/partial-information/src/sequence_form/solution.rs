//! Bounds of the value of a game, and the plans that prove them.

use crate::sequence_form::game::SequenceGame;
use crate::sequence_form::plan::RealizationPlan;
use limits::StopReason;
use num_rational::BigRational;

/// The value of a game, or bounds of it.
#[derive(Clone, Debug)]
pub struct SequenceSolution {
    /// The payoff that the plan of player 0 guarantees.
    pub lower: BigRational,
    /// The payoff that the plan of player 1 holds player 0 down to.
    pub upper: BigRational,
    /// The plan of each player.
    pub plans: [RealizationPlan; 2],
    /// The reason why the bounds are no closer, if they are not as close as asked.
    pub stopped: Option<StopReason>,
    /// The work that was done.
    pub statistics: Statistics,
}

/// The work that was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Rounds of regret minimization.
    pub rounds: u64,
    /// Pivots of the simplex method.
    pub pivots: u64,
    /// Bases that were solved exactly.
    pub bases: u64,
}

impl SequenceSolution {
    /// The value, if it is known exactly.
    pub fn value(&self) -> Option<&BigRational> {
        (self.lower == self.upper).then_some(&self.lower)
    }

    /// Whether both plans are plans and guarantee the bounds.
    pub fn is_proved(&self, game: &SequenceGame) -> bool {
        let [lower, upper] = &self.plans;
        lower.is_plan(game.tree(0))
            && upper.is_plan(game.tree(1))
            && lower.bound(game, 0) >= self.lower
            && upper.bound(game, 1) <= self.upper
    }
}
