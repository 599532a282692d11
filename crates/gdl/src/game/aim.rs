//! Aims of a role: a payoff at the end of play, or the number of steps until then.

use super::{Game, Objective, Unit, ValueRange};
use crate::Name;
use num_bigint::BigInt;

use std::fmt;
use std::str::FromStr;

/// The aim of a role.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Aim {
    /// The mean of what plays pay at their end, as large as possible.
    Payoff(Objective),
    /// The mean number of steps until play is over.
    Steps(StepAim),
}

/// Whether a role wants few or many steps until play is over; its opponents want the contrary.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StepAim {
    /// As few as possible.
    Fewest,
    /// As many as possible.
    Most,
}

/// The relation without arguments that holds in the states whose steps count.
pub const COUNTED_STEP: &str = "step_counts";

impl Game {
    /// Whether the rules say which steps count; else all do.
    pub fn names_counted_steps(&self) -> bool {
        self.defines(COUNTED_STEP, 0)
    }
}

impl Aim {
    /// The payoffs that it is about; none if it is a number of steps.
    pub fn payoff(self) -> Option<Objective> {
        match self {
            Aim::Payoff(objective) => Some(objective),
            Aim::Steps(_) => None,
        }
    }

    /// The unit that values are told in.
    pub fn unit(self) -> Unit {
        match self {
            Aim::Payoff(objective) => objective.unit(),
            Aim::Steps(_) => Unit::Number,
        }
    }

    /// The range of values in any game.
    pub fn widest_range(self) -> ValueRange {
        match self {
            Aim::Payoff(objective) => objective.widest_range(),
            Aim::Steps(_) => ValueRange::unbounded(),
        }
    }

    /// The range of a role's values where this many steps count, or all.
    pub fn range(self, game: &Game, role: &Name, depth: Option<u32>) -> ValueRange {
        match (self, depth) {
            (Aim::Payoff(objective), _) => ValueRange::of(game, role, objective),
            (Aim::Steps(_), Some(depth)) => ValueRange::up_to(BigInt::from(depth.max(1)).into()),
            (Aim::Steps(_), None) => ValueRange::unbounded(),
        }
    }

    /// Whether small values are good for the role.
    pub fn prefers_small(self) -> bool {
        self == Aim::Steps(StepAim::Fewest)
    }
}

impl From<Objective> for Aim {
    fn from(objective: Objective) -> Self {
        Aim::Payoff(objective)
    }
}

impl fmt::Display for Aim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Aim::Payoff(objective) => objective.fmt(f),
            Aim::Steps(StepAim::Fewest) => f.write_str("fewest-steps"),
            Aim::Steps(StepAim::Most) => f.write_str("most-steps"),
        }
    }
}

impl FromStr for Aim {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "fewest-steps" => Ok(Aim::Steps(StepAim::Fewest)),
            "most-steps" => Ok(Aim::Steps(StepAim::Most)),
            other => {
                let objective = other.parse::<Objective>();
                let objective = objective
                    .map_err(|message| format!("{message}; or `fewest-steps` or `most-steps`"));
                objective.map(Aim::Payoff)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aims_are_read_as_they_print() {
        for aim in [
            Aim::Steps(StepAim::Fewest),
            Aim::Steps(StepAim::Most),
            Aim::Payoff(Objective::Points),
        ] {
            assert_eq!(aim.to_string().parse(), Ok(aim));
        }
        let message = "steps".parse::<Aim>().expect_err("it is no aim");
        assert!(message.ends_with("; or `fewest-steps` or `most-steps`"));
    }
}
