//! Objectives: the worth of points to a role.

use super::points::unbounded;
use super::{Points, Unit, ValueRange};
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
    GoalAtLeast(Points),
    /// The expected number of points, divided by 100.
    Score,
    /// The expected number of points.
    Points,
}

impl Objective {
    /// The payoff of a play that ends with these points.
    pub fn worth(self, points: Points) -> BigRational {
        let certain = |reached: bool| {
            if reached {
                BigRational::one()
            } else {
                BigRational::zero()
            }
        };
        match self {
            Objective::Win => certain(points >= Points::WIN),
            Objective::GoalAtLeast(least) => certain(points >= least),
            Objective::Score => unbounded(points.score()),
            Objective::Points => points.fraction(),
        }
    }

    /// The range of the values of a role whose plays end with some of these points. Probabilities lie between 0 and 1.
    pub fn range(self, points: impl IntoIterator<Item = Points>) -> ValueRange {
        let payoffs = points.into_iter().map(|points| self.worth(points));
        match self {
            Objective::Win | Objective::GoalAtLeast(_) => ValueRange::of_probabilities(),
            Objective::Score => ValueRange::covering(payoffs.chain([BigRational::one()])),
            Objective::Points => ValueRange::covering(payoffs),
        }
    }

    /// The range of values in any game.
    pub fn widest_range(self) -> ValueRange {
        self.range([Points::MOST, Points::LEAST])
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
            .and_then(|points| points.parse::<Points>().ok());
        match (text, points) {
            ("win", _) => Ok(Objective::Win),
            ("score", _) => Ok(Objective::Score),
            ("points", _) => Ok(Objective::Points),
            (_, Some(points)) => Ok(Objective::GoalAtLeast(points)),
            _ => Err(format!(
                "write `win`, `score`, `points`, or `goal>=N` with a number N up to {MAX_POINTS}, such as 50, -3 or 1/2"
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
            Objective::GoalAtLeast(50.into()),
            Objective::GoalAtLeast("-1/2".parse().expect("points")),
            Objective::Score,
            Objective::Points,
        ];
        for objective in objectives {
            assert_eq!(objective.to_string().parse(), Ok(objective));
        }
        for wrong in ["", "goal", "goal>=", "goal>=1000001", "goal>=05", "Win"] {
            assert!(wrong.parse::<Objective>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn ranges_cover_what_points_are_worth() {
        let least = Objective::GoalAtLeast(251.into());
        let rows = [
            (Objective::Win, "250", "1", "0", "1"),
            (least, "250", "0", "0", "1"),
            (Objective::Score, "250", "5/2", "0", "5/2"),
            (Objective::Points, "250", "250", "0", "250"),
            (Objective::Points, "0", "0", "0", "1"),
            (Objective::Score, "50", "1/2", "0", "1"),
            (Objective::Points, "-1/2", "-1/2", "-1/2", "0"),
        ];
        for (objective, points, worth, low, high) in rows {
            let points: Points = points.parse().expect("points");
            assert_eq!(objective.worth(points).to_string(), worth, "{objective}");
            let range = objective.range([points]);
            let ends = (range.least().to_string(), range.largest().to_string());
            assert_eq!(ends, (low.to_owned(), high.to_owned()), "{objective}");
        }
    }
}
