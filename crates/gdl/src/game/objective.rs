//! Objectives: the worth of points to a role.

use super::Unit;
use crate::MAX_POINTS;
use num_rational::BigRational;
use num_traits::{One, Zero};
use std::fmt;
use std::str::FromStr;

/// The objective: the quantity that the role maximizes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Objective {
    /// The probability of 100 points (or more, in a game that gives more).
    Win,
    /// The probability of at least this many points.
    GoalAtLeast(u32),
    /// The expected number of points, divided by 100.
    Score,
    /// The expected number of points.
    Points,
}

impl Objective {
    /// The payoff of a play that ends with these points.
    pub fn worth(self, points: u32) -> BigRational {
        let certain = |reached: bool| {
            if reached {
                BigRational::one()
            } else {
                BigRational::zero()
            }
        };
        match self {
            Objective::Win => certain(points >= 100),
            Objective::GoalAtLeast(least) => certain(points >= least),
            Objective::Score => BigRational::new(points.into(), 100.into()),
            Objective::Points => BigRational::from_integer(points.into()),
        }
    }

    /// The points that are worth the largest value, where no play ends with more than `most`.
    pub fn full_points(self, most: u32) -> u32 {
        match self {
            Objective::Win => 100,
            Objective::GoalAtLeast(least) => least,
            Objective::Score => most.max(100),
            Objective::Points => most.max(1),
        }
    }

    /// No value is larger than this, where no play ends with more points than `most`. Engines compute
    /// with parts of it, which lie between 0 and 1. It is never 0.
    pub fn largest(self, most: u32) -> BigRational {
        self.worth(self.full_points(most))
    }

    /// The unit that values are told in.
    pub fn unit(self) -> Unit {
        match self.is_mean() {
            true => Unit::Number,
            false => Unit::Percent,
        }
    }

    /// Whether values are means of points, and no probabilities.
    pub fn is_mean(self) -> bool {
        matches!(self, Objective::Score | Objective::Points)
    }
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Objective::Win => f.write_str("win"),
            Objective::GoalAtLeast(points) => write!(f, "goal>={points}"),
            Objective::Score => f.write_str("score"),
            Objective::Points => f.write_str("points"),
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
            ("points", _) => Ok(Objective::Points),
            (_, Some(points)) if points <= MAX_POINTS => Ok(Objective::GoalAtLeast(points)),
            _ => Err(format!(
                "write `win`, `score`, `points`, or `goal>=N` with N from 0 to {MAX_POINTS}"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objectives_are_read_as_they_print() {
        let objectives = [
            Objective::Win,
            Objective::GoalAtLeast(50),
            Objective::GoalAtLeast(250),
            Objective::Score,
            Objective::Points,
        ];
        for objective in objectives {
            assert_eq!(objective.to_string().parse(), Ok(objective));
        }
        for wrong in ["", "goal", "goal>=", "goal>=1000001", "goal>=-1", "Win"] {
            assert!(wrong.parse::<Objective>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn values_are_parts_of_the_largest() {
        let rows = [
            (Objective::Win, 250, "1", "1"),
            (Objective::GoalAtLeast(251), 250, "0", "1"),
            (Objective::Score, 250, "5/2", "5/2"),
            (Objective::Score, 50, "1/2", "1"),
            (Objective::Points, 250, "250", "250"),
            (Objective::Points, 0, "0", "1"),
        ];
        for (objective, points, worth, largest) in rows {
            assert_eq!(objective.worth(points).to_string(), worth, "{objective}");
            assert_eq!(
                objective.largest(points).to_string(),
                largest,
                "{objective}"
            );
        }
    }
}
