//! What a role is after.

use std::fmt;
use std::str::FromStr;

/// What counts as success.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Objective {
    /// The probability of 100 points.
    Win,
    /// The probability of at least this many points.
    GoalAtLeast(u32),
    /// The expected number of points, divided by 100.
    Score,
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Objective::Win => f.write_str("win"),
            Objective::GoalAtLeast(points) => write!(f, "goal>={points}"),
            Objective::Score => f.write_str("score"),
        }
    }
}

impl FromStr for Objective {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let points = text
            .strip_prefix("goal>=")
            .and_then(|points| points.parse::<u32>().ok());
        match (text, points) {
            ("win", _) => Ok(Objective::Win),
            ("score", _) => Ok(Objective::Score),
            (_, Some(points)) if points <= 100 => Ok(Objective::GoalAtLeast(points)),
            _ => Err("write `win`, `score`, or `goal>=N` with N from 0 to 100".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objectives_are_read_as_they_print() {
        for objective in [Objective::Win, Objective::GoalAtLeast(50), Objective::Score] {
            assert_eq!(objective.to_string().parse(), Ok(objective));
        }
        for wrong in ["", "goal", "goal>=", "goal>=101", "goal>=-1", "Win"] {
            assert!(wrong.parse::<Objective>().is_err(), "{wrong}");
        }
    }
}
