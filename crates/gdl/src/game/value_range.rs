//! The range of the values of a role. Engines compute with parts of it, which lie between 0 and 1.

use super::{Game, GoalValues, Objective};
use crate::Name;
use num_rational::BigRational;
use num_traits::{One, Zero};

/// The range that the values of a role lie in, 0 included: that is the value of play that is not over.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueRange {
    least: BigRational,
    width: BigRational,
    is_bounded: bool,
}

impl ValueRange {
    /// The range from 0 to 1, that of probabilities.
    pub fn of_probabilities() -> Self {
        ValueRange {
            least: BigRational::zero(),
            width: BigRational::one(),
            is_bounded: true,
        }
    }

    /// The range from 0 on, without a largest value: that of numbers of steps. Its width is 1, and means nothing.
    pub fn unbounded() -> Self {
        ValueRange {
            is_bounded: false,
            ..ValueRange::of_probabilities()
        }
    }

    /// Whether it has a largest value.
    pub fn is_bounded(&self) -> bool {
        self.is_bounded
    }

    /// The range from 0 to a value above 0.
    pub fn up_to(largest: BigRational) -> Self {
        ValueRange {
            least: BigRational::zero(),
            width: largest,
            is_bounded: true,
        }
    }

    /// The range that covers 0 and the payoffs of these plays; of no width 0.
    pub(super) fn covering(payoffs: impl IntoIterator<Item = BigRational>) -> Self {
        let (mut least, mut largest) = (BigRational::zero(), BigRational::zero());
        for payoff in payoffs {
            if payoff < least {
                least = payoff;
            } else if payoff > largest {
                largest = payoff;
            }
        }
        if least == largest {
            largest = BigRational::one();
        }
        ValueRange {
            width: largest - &least,
            least,
            is_bounded: true,
        }
    }

    /// The range of a role's values under an objective.
    pub fn of(game: &Game, role: &Name, objective: Objective) -> Self {
        match objective.is_mean() {
            true => objective.range(GoalValues::of(game, role).points),
            false => ValueRange::of_probabilities(),
        }
    }

    /// No value is smaller.
    pub fn least(&self) -> &BigRational {
        &self.least
    }

    /// No value is larger.
    pub fn largest(&self) -> BigRational {
        &self.least + &self.width
    }

    /// The distance from the least to the largest value. It is never 0.
    pub fn width(&self) -> &BigRational {
        &self.width
    }

    /// The least and the largest value.
    pub fn ends(&self) -> (BigRational, BigRational) {
        (self.least.clone(), self.largest())
    }

    /// The part of the range below a value: between 0 and 1.
    pub fn part(&self, value: &BigRational) -> BigRational {
        (value - &self.least) / &self.width
    }

    /// The value at a part of the range.
    pub fn value(&self, part: &BigRational) -> BigRational {
        part * &self.width + &self.least
    }

    /// The part below 0, the value of play that is not over.
    pub fn unfinished(&self) -> BigRational {
        self.part(&BigRational::zero())
    }

    /// Whether values may be below 0.
    pub fn has_negative(&self) -> bool {
        !self.least.is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_lie_between_the_least_and_the_largest() {
        let number = |it: i64| BigRational::from_integer(it.into());
        let rows = [
            (vec![], 0, 1, "0"),
            (vec![0], 0, 1, "0"),
            (vec![50, 20], 0, 50, "0"),
            (vec![-2, 1], -2, 1, "2/3"),
            (vec![-2], -2, 0, "1"),
        ];
        for (payoffs, least, largest, unfinished) in rows {
            let range = ValueRange::covering(payoffs.into_iter().map(number));
            assert_eq!(
                (range.least(), range.largest()),
                (&number(least), number(largest))
            );
            assert_eq!(range.unfinished().to_string(), unfinished);
            assert_eq!(range.value(&range.part(&number(1))), number(1));
        }
    }
}
