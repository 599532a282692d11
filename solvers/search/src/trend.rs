//! An estimate of a value from the trend of its bounds so far. Nothing is proved of it.
//!
//! The lower bound is the probability to win within some steps, the upper one what is left of 1 by losing
//! within them. If the next steps decide plays in the same proportion as the last ones did, the value divides
//! what is between the bounds in that proportion. Where little has closed yet, that says little: so a fifth of
//! what is open counts as if it had closed evenly.
//!
//! ```text
//! bounds [0.2, 0.9], then [0.5, 0.8]: 0.3 + 0.03 won, 0.1 + 0.03 lost
//! estimate                            0.5 + 33/46 of 0.3
//! ```

use crate::bounds::EVENLY;
use num_rational::BigRational;
use num_traits::{One, Zero};

/// The last bounds, and which part of what closed before is won.
#[derive(Debug)]
pub struct Trend {
    lower: BigRational,
    upper: BigRational,
    won: Option<BigRational>,
}

impl Default for Trend {
    fn default() -> Self {
        Trend {
            lower: BigRational::zero(),
            upper: BigRational::one(),
            won: None,
        }
    }
}

impl Trend {
    /// Takes note of bounds.
    pub fn note(&mut self, lower: BigRational, upper: BigRational) {
        let (lower, upper) = self.tighten(lower, upper);
        let (raised, lowered) = (&lower - &self.lower, &self.upper - &upper);
        if !(&raised + &lowered).is_zero() {
            let even = (&upper - &lower) / BigRational::from_integer(EVENLY.into());
            let closed = &raised + &even + lowered + &even;
            self.won = Some((raised + even) / closed);
            (self.lower, self.upper) = (lower, upper);
        }
    }

    /// Whether the bounds noted last are the value.
    pub fn is_value(&self) -> bool {
        self.lower == self.upper
    }

    /// Other bounds of the same value, with what the bounds noted last add to them.
    pub fn tighten(&self, lower: BigRational, upper: BigRational) -> (BigRational, BigRational) {
        let bounds = (lower.max(self.lower.clone()), upper.min(self.upper.clone()));
        // Rather no answer than a wrong one.
        assert!(bounds.0 <= bounds.1, "proved bounds do not cross");
        bounds
    }

    /// An estimate between bounds; nothing if none were noted, or they meet.
    pub fn estimate(&self, lower: &BigRational, upper: &BigRational) -> Option<BigRational> {
        let won = self.won.as_ref().filter(|_| lower < upper)?;
        let estimate = &self.lower + won * (&self.upper - &self.lower);
        Some(estimate.max(lower.clone()).min(upper.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_open_is_divided_as_what_was_closed() {
        let tenths = |number: i32| BigRational::new(number.into(), 10.into());
        let mut trend = Trend::default();
        assert_eq!(trend.estimate(&tenths(0), &tenths(10)), None);
        trend.note(tenths(2), tenths(9));
        trend.note(tenths(5), tenths(8));
        trend.note(tenths(5), tenths(8));
        let expected = tenths(5) + tenths(3) * BigRational::new(33.into(), 46.into());
        assert_eq!(trend.estimate(&tenths(5), &tenths(8)), Some(expected));
        // The bounds that the search has proved meanwhile count.
        assert_eq!(trend.estimate(&tenths(5), &tenths(7)), Some(tenths(7)));
        assert_eq!(trend.estimate(&tenths(7), &tenths(7)), None);
    }
}
