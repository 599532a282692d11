//! A fraction as a decimal for people, and for the numbers of JSON.
//!
//! `164832/390625` becomes `0.42196992`, exact because it ends soon enough; `2/3` is rounded to
//! `0.6666666666666667`. No floating point is used on the way. The text is for reading and plotting:
//! the value is the fraction, which always stands beside it.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed};

/// Significant digits of a decimal that does not end.
const DIGITS: usize = 16;

/// A fraction between 0 and 1 as a decimal: exact if it has few enough digits, else rounded to 16
/// significant ones.
pub fn decimal_text(value: &BigRational) -> String {
    if value.is_integer() {
        return value.to_string();
    }
    debug_assert!(!value.is_negative() && *value < BigRational::one());
    let ten = BigInt::from(10);
    // The number of zeros behind the point.
    let mut scaled = value.numer() * &ten;
    let mut zeros = 0;
    while &scaled < value.denom() {
        scaled *= &ten;
        zeros += 1;
    }
    let shift = num_traits::pow(ten.clone(), zeros + DIGITS);
    let twice = value.numer() * &shift * 2 + value.denom();
    let rounded: BigInt = twice / (value.denom() * 2);
    let digits = format!("{:0>width$}", rounded.to_string(), width = zeros + DIGITS);
    if digits.len() > zeros + DIGITS {
        // Rounded up to 1.
        return "1.0".to_owned();
    }
    let digits = digits.trim_end_matches('0');
    format!("0.{digits}")
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
        ];
        for (value, text) in rows {
            assert_eq!(decimal_text(&value), text, "{value}");
        }
    }
}
