//! Values as people read them: `53.125 % (17/32)` for a probability, `4.5 (9/2)` for a mean; and as decimals for the numbers of JSON.
//!
//! `164832/390625` becomes `0.42196992`, exact because it ends soon enough; `2/3` is rounded to
//! `0.6666666666666667`. No floating point is used on the way. Decimals are for reading and plotting:
//! the value is the fraction, which always stands beside them.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

/// Significant digits of a decimal that does not end.
const DIGITS: usize = 16;

/// Significant digits of values for people.
const FEW_DIGITS: usize = 6;

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
        let value = self.scaled(value);
        let few = decimal(&value, FEW_DIGITS);
        self.named(if few.ends_with(".0") {
            decimal(&value, DIGITS)
        } else {
            few
        })
    }

    /// A value with sixteen digits.
    pub fn precise(self, value: &BigRational) -> String {
        self.named(decimal(&self.scaled(value), DIGITS))
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
    decimal(value, DIGITS)
}

fn decimal(value: &BigRational, digits: usize) -> String {
    if value.is_integer() {
        return value.to_string();
    }
    if value.is_negative() {
        return format!("-{}", decimal(&-value, digits));
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
    let twice = value.numer() * num_traits::pow(ten, places) * 2 + value.denom();
    let rounded: BigInt = twice / (value.denom() * 2);
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
        assert_eq!(Unit::Percent.precise(&ratio(2, 3)), "66.66666666666667 %");
    }
}
