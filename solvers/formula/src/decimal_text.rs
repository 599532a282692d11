//! A fraction as a decimal for people, and for the numbers of JSON.
//!
//! `164832/390625` becomes `0.42196992`, exact because it ends soon enough; `2/3` is rounded to
//! `0.6666666666666667`. No floating point is used on the way. The text is for reading and plotting:
//! the value is the fraction, which always stands beside it.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{Signed, Zero};

/// Significant digits of a decimal that does not end.
const DIGITS: usize = 16;

/// A fraction that is not negative as a decimal: exact if it has few enough digits, else rounded to 16
/// significant ones, at least one of them behind the point.
pub fn decimal_text(value: &BigRational) -> String {
    if value.is_integer() {
        return value.to_string();
    }
    debug_assert!(!value.is_negative());
    let ten = BigInt::from(10);
    let whole = value.to_integer();
    let mut places = match whole.is_zero() {
        true => DIGITS,
        false => DIGITS.saturating_sub(whole.to_string().len()).max(1),
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
        ];
        for (value, text) in rows {
            assert_eq!(decimal_text(&value), text, "{value}");
        }
    }
}
