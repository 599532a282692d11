//! Points: the numbers that goal values stand for.
//!
//! A goal value counts if it is a fraction in the usual digits, such as `100`, `-3` or `1/2`, and neither numerator nor denominator is over
//! [`MAX_POINTS`]. GDL itself takes whole numbers from 0 to 100. This is the one place that decides it: engines, checks and translations all ask
//! [`points`].

use crate::{MAX_POINTS, Term};
use num_rational::{BigRational, Ratio};
use num_traits::{Signed, Zero};
use serde::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// A number of points: a fraction whose numerator and denominator are at most [`MAX_POINTS`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Points(Ratio<i64>);

impl Points {
    /// As many points as a win gives.
    pub const WIN: Points = Points(Ratio::new_raw(100, 1));

    /// The most and the fewest points that there are.
    pub const MOST: Points = Points(Ratio::new_raw(MAX_POINTS as i64, 1));
    pub const LEAST: Points = Points(Ratio::new_raw(-(MAX_POINTS as i64), 1));

    /// The points as a fraction.
    pub fn fraction(self) -> BigRational {
        unbounded(self.0)
    }

    /// The points divided by those of a win.
    #[doc(hidden)]
    pub fn score(self) -> Ratio<i64> {
        self.0 / Points::WIN.0
    }

    /// The points, if they are a whole number.
    pub fn whole(self) -> Option<i64> {
        self.0.is_integer().then(|| *self.0.numer())
    }

    /// About the points.
    pub fn rounded(self) -> f64 {
        *self.0.numer() as f64 / *self.0.denom() as f64
    }

    /// Whether these are no points.
    pub fn is_zero(self) -> bool {
        self.0.is_zero()
    }

    /// Whether these are points below zero.
    pub fn is_negative(self) -> bool {
        self.0.is_negative()
    }
}

/// The same fraction, of numbers without a bound.
pub(super) fn unbounded(fraction: Ratio<i64>) -> BigRational {
    let (numerator, denominator) = fraction.into_raw();
    BigRational::new_raw(numerator.into(), denominator.into())
}

impl From<u32> for Points {
    fn from(number: u32) -> Self {
        Points(Ratio::from_integer(number.into()))
    }
}

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Points {
    type Err = ();

    /// Reads points as they print: `01`, `2/4` and `+5` are other constants.
    fn from_str(text: &str) -> Result<Self, ()> {
        let (numerator, denominator) = text.split_once('/').unwrap_or((text, "1"));
        let number = |digits: &str| digits.parse::<i64>().map_err(|_| ());
        let (numerator, denominator) = (number(numerator)?, number(denominator)?);
        let most = i64::from(MAX_POINTS);
        if !(-most..=most).contains(&numerator) || !(1..=most).contains(&denominator) {
            return Err(());
        }
        let points = Points(Ratio::new(numerator, denominator));
        (points.to_string() == text).then_some(points).ok_or(())
    }
}

/// A whole number is a number, and any other fraction text: `"1/2"`.
impl Serialize for Points {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.whole() {
            Some(number) => to.serialize_i64(number),
            None => to.collect_str(self),
        }
    }
}

/// The points that a goal value stands for, if it is a number of points in the usual digits.
pub fn points(value: &Term) -> Option<Points> {
    match value {
        Term::Constant(name) => name.as_str().parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_terms;

    #[test]
    fn points_are_fractions_in_the_usual_digits() {
        let taken = ["0", "100", "1000000", "-5", "1/2", "-1/18", "7/1000000"];
        for text in taken {
            let term = &parse_terms(text).expect("a term")[0];
            assert_eq!(points(term).map(|it| it.to_string()).as_deref(), Some(text));
        }
        let others = [
            "1000001",
            "050",
            "+5",
            "-0",
            "12.5",
            "2/4",
            "4/1",
            "1/0",
            "1/-2",
            "1/02",
            "-1000001",
            "1/1000001",
            "99999999999999999999",
            "much",
            "(f 1)",
            "/",
            "1/",
            "/2",
        ];
        for text in others {
            let term = &parse_terms(text).expect("a term")[0];
            assert_eq!(points(term), None, "{text}");
        }
    }

    #[test]
    fn points_are_in_the_order_of_numbers() {
        let mut all =
            ["1/2", "-3", "100", "0", "-1/2"].map(|it| it.parse::<Points>().expect("points"));
        all.sort();
        assert_eq!(
            all.map(|it| it.to_string()),
            ["-3", "-1/2", "0", "1/2", "100"]
        );
    }
}
