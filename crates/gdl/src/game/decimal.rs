//! Values as people read them: `53.125 % (17/32)` for a probability, `4.5 (9/2)` for a mean; and as decimals for the numbers of JSON.
//!
//! `164832/390625` becomes `0.42196992`, exact because it ends soon enough; `2/3` is rounded to
//! `0.6666666666666667`. No floating point is used on the way. Decimals are for reading and plotting:
//! the value is the fraction, which always stands beside them. A value is rounded to the nearest decimal, and
//! bounds away from each other, so that the interval that is printed holds whatever the proved one holds.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

/// Significant digits of a decimal that does not end.
const DIGITS: usize = 16;

/// Significant digits of values for people.
const FEW_DIGITS: usize = 6;

/// The direction in which a decimal leaves its number.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rounding {
    Nearest,
    Down,
    Up,
}

/// The unit that values are told in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Percent, for probabilities.
    Percent,
    /// The number itself, for means of points.
    Number,
}

impl Unit {
    /// A value, rounded to six digits, or to more where six would make it a whole number.
    pub fn rounded(self, value: &BigRational) -> String {
        self.directed(value, Rounding::Nearest)
    }

    /// A lower bound, rounded down.
    pub fn lower(self, bound: &BigRational) -> String {
        self.directed(bound, Rounding::Down)
    }

    /// A lower bound, rounded down, and an upper bound, rounded up, with as many digits as tell them apart.
    pub fn interval(self, lower: &BigRational, upper: &BigRational) -> [String; 2] {
        let ends = [(lower, Rounding::Down), (upper, Rounding::Up)];
        let [low, high] = ends.map(|(bound, rounding)| self.directed(bound, rounding));
        let nearest =
            [lower, upper].map(|bound| decimal(&self.scaled(bound), FEW_DIGITS, Rounding::Nearest));
        if nearest[0] != nearest[1] {
            return [low, high];
        }
        ends.map(|(bound, rounding)| self.named(decimal(&self.scaled(bound), DIGITS, rounding)))
    }

    fn directed(self, value: &BigRational, rounding: Rounding) -> String {
        let value = self.scaled(value);
        let few = decimal(&value, FEW_DIGITS, rounding);
        self.named(if few.ends_with(".0") {
            decimal(&value, DIGITS, rounding)
        } else {
            few
        })
    }

    /// A value, rounded, and as a fraction unless it is a whole number: `53.125 % (17/32)`.
    pub fn text(self, value: &BigRational) -> String {
        let rounded = self.rounded(value);
        match value.is_integer() {
            true => rounded,
            false => format!("{rounded} ({value})"),
        }
    }

    fn scaled(self, value: &BigRational) -> BigRational {
        match self {
            Unit::Percent => value * BigInt::from(100),
            Unit::Number => value.clone(),
        }
    }

    fn named(self, number: String) -> String {
        match self {
            Unit::Percent => format!("{number} %"),
            Unit::Number => number,
        }
    }
}

/// A fraction as a decimal: exact if it has few enough digits, else rounded to 16
/// significant ones, at least one of them behind the point.
pub fn decimal_text(value: &BigRational) -> String {
    decimal(value, DIGITS, Rounding::Nearest)
}

fn decimal(value: &BigRational, digits: usize, rounding: Rounding) -> String {
    if value.is_integer() {
        return value.to_string();
    }
    if value.is_negative() {
        let rounding = match rounding {
            Rounding::Nearest => Rounding::Nearest,
            Rounding::Down => Rounding::Up,
            Rounding::Up => Rounding::Down,
        };
        return format!("-{}", decimal(&-value, digits, rounding));
    }
    let ten = BigInt::from(10);
    let whole = value.to_integer();
    let mut places = match whole.is_zero() {
        true => digits,
        false => digits.saturating_sub(whole.to_string().len()).max(1),
    };
    // Zeros behind the point are no significant digits.
    let mut scaled = value.numer() * &ten;
    while &scaled < value.denom() {
        scaled *= &ten;
        places += 1;
    }
    let moved = value * num_traits::pow(ten, places);
    let rounded = match rounding {
        Rounding::Nearest => moved.round(),
        Rounding::Down => moved.floor(),
        Rounding::Up => moved.ceil(),
    };
    let rounded = rounded.to_integer();
    let digits = format!("{:0>width$}", rounded.to_string(), width = places + 1);
    let (whole, behind) = digits.split_at(digits.len() - places);
    match behind.trim_end_matches('0') {
        // Rounded up: the point says so.
        "" => format!("{whole}.0"),
        behind => format!("{whole}.{behind}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact_or_rounded() {
        let ratio = |numerator: i64, denominator: i64| {
            BigRational::new(numerator.into(), denominator.into())
        };
        let rows = [
            (ratio(0, 1), "0"),
            (ratio(1, 1), "1"),
            (ratio(1, 2), "0.5"),
            (ratio(164_832, 390_625), "0.42196992"),
            (ratio(2, 3), "0.6666666666666667"),
            (ratio(1, 3000), "0.0003333333333333333"),
            (ratio(191, 192), "0.9947916666666667"),
            (ratio(i64::MAX - 1, i64::MAX), "1.0"),
            (ratio(250, 3), "83.33333333333333"),
            (ratio(12_729, 50), "254.58"),
            (ratio(200_001, 2), "100000.5"),
            (ratio(i64::MAX, 2), "4611686018427387903.5"),
            (ratio(i64::MAX, i64::MAX - 1), "1.0"),
            (ratio(2_000_000_000_000_001, 2), "1000000000000000.5"),
            (ratio(-1, 18), "-0.05555555555555556"),
            (ratio(-3, 1), "-3"),
        ];
        for (value, text) in rows {
            assert_eq!(decimal_text(&value), text, "{value}");
        }
    }

    #[test]
    fn values_are_told_in_few_digits_first() {
        let ratio = |numerator: i64, denominator: i64| {
            BigRational::new(numerator.into(), denominator.into())
        };
        for (value, percent, number) in [
            (ratio(0, 1), "0 %", "0"),
            (ratio(1, 1), "100 %", "1"),
            (ratio(1, 2), "50 % (1/2)", "0.5 (1/2)"),
            (ratio(17, 32), "53.125 % (17/32)", "0.53125 (17/32)"),
            (ratio(2, 3), "66.6667 % (2/3)", "0.666667 (2/3)"),
            (ratio(14, 3), "466.667 % (14/3)", "4.66667 (14/3)"),
            (
                ratio(1, 30_000),
                "0.00333333 % (1/30000)",
                "0.0000333333 (1/30000)",
            ),
            // Not rounded to certainty.
            (
                ratio(99_999_999, 100_000_000),
                "99.999999 % (99999999/100000000)",
                "0.99999999 (99999999/100000000)",
            ),
        ] {
            assert_eq!(Unit::Percent.text(&value), percent);
            assert_eq!(Unit::Number.text(&value), number);
        }
        let certain = BigRational::new(i64::MAX.into(), BigInt::from(i64::MAX) + 1);
        assert_eq!(Unit::Percent.rounded(&certain), "100.0 %");
    }

    #[test]
    fn printed_intervals_hold_the_proved_ones() {
        let ratio = |numerator: i64, denominator: i64| {
            BigRational::new(numerator.into(), denominator.into())
        };
        for (lower, upper, low, high) in [
            (ratio(2, 3), ratio(5, 6), "0.666666", "0.833334"),
            (ratio(-5, 6), ratio(-2, 3), "-0.833334", "-0.666666"),
            (ratio(0, 1), ratio(1, 1), "0", "1"),
            // Six digits would make these equal, or certain.
            (
                ratio(2_000_001, 3_000_000),
                ratio(2_000_002, 3_000_000),
                "0.666667",
                "0.6666673333333334",
            ),
            (
                ratio(2_000_000_001, 3_000_000_000),
                ratio(2_000_000_002, 3_000_000_000),
                "0.666666667",
                "0.6666666673333334",
            ),
            (
                ratio(1, 2),
                ratio(99_999_999_999, 100_000_000_000),
                "0.5",
                "0.99999999999",
            ),
        ] {
            assert_eq!(Unit::Number.interval(&lower, &upper), [low, high]);
        }
        let (third, long) = (ratio(1, 3), ratio(i64::MAX - 1, i64::MAX));
        for (lower, upper) in [(&third, &long), (&long, &ratio(1, 1)), (&-&long, &-&third)] {
            let [low, high] = Unit::Number
                .interval(lower, upper)
                .map(|text| parsed(&text));
            assert!(low <= *lower && *upper <= high, "{lower} {upper}");
        }
    }

    /// The number that a decimal says.
    fn parsed(decimal: &str) -> BigRational {
        let (whole, behind) = decimal.split_once('.').unwrap_or((decimal, ""));
        let digits: BigInt = format!("{whole}{behind}").parse().expect("digits");
        BigRational::new(digits, num_traits::pow(BigInt::from(10), behind.len()))
    }
}
