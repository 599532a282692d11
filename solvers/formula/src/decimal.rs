//! Fractions as decimal numbers that foreign readers of stochastic formulas take.
//!
//! Those readers know neither fractions nor exponents, and single-precision floats are common
//! among them: a number that rounds to 1 makes one print `-nan`, a number below the smallest
//! normal float makes another stop with an exception. So the text has 17 significant digits, a
//! digit before and after the point, and numbers too close to 0 or 1 are moved a little inwards.
//! The exact fraction stands beside it in a comment.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed};

/// Digits after the leading zeros: enough to tell any two double-precision floats apart.
const DIGITS: u32 = 17;

/// The largest double-precision number below 1, with 17 digits.
const NEARLY_ONE: &str = "0.99999999999999989";

/// The smallest normal single-precision number, rounded up: 37 zeros after the point.
const NEARLY_ZERO: &str = "0.000000000000000000000000000000000000011754943508222876";

/// The decimal text of a number strictly between 0 and 1. It never reads as 0 or as 1.
pub(crate) fn decimal(number: &BigRational) -> String {
    debug_assert!(number.is_positive() && *number < BigRational::one());
    let ten = BigInt::from(10u32);
    if number < &BigRational::new(BigInt::from(11_754_943_508_222_876u64), ten.pow(54)) {
        return NEARLY_ZERO.to_owned();
    }
    let mut places = DIGITS;
    let mut shifted = number.numer() * ten.pow(places);
    while shifted < number.denom() * ten.pow(DIGITS - 1) {
        shifted *= 10u32;
        places += 1;
    }
    // Half a unit up, then cut: the nearest whole number.
    let mut digits = (shifted * 2u32 + number.denom()) / (number.denom() * 2u32);
    if digits == ten.pow(DIGITS) {
        digits = ten.pow(DIGITS - 1);
        places -= 1;
    }
    if places < DIGITS || digits > BigInt::from(99_999_999_999_999_989u64) && places == DIGITS {
        return NEARLY_ONE.to_owned();
    }
    format!("0.{:0>width$}", digits.to_string(), width = places as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(numerator: u64, denominator: u64) -> String {
        decimal(&BigRational::new(numerator.into(), denominator.into()))
    }

    #[test]
    fn numbers_have_17_significant_digits() {
        assert_eq!(text(1, 2), "0.50000000000000000");
        assert_eq!(text(1, 3), "0.33333333333333333");
        assert_eq!(text(2, 3), "0.66666666666666667");
        assert_eq!(text(1, 1024), "0.00097656250000000000");
        assert_eq!(text(99, 1000), "0.099000000000000000");
    }

    #[test]
    fn numbers_near_the_ends_stay_inside() {
        let tiny = BigRational::new(BigInt::one(), BigInt::from(10u32).pow(400));
        assert_eq!(decimal(&tiny), NEARLY_ZERO);
        assert!(NEARLY_ZERO.parse::<f32>().unwrap() >= f32::MIN_POSITIVE);
        assert_eq!(decimal(&(BigRational::one() - tiny)), NEARLY_ONE);
        assert!(NEARLY_ONE.parse::<f64>().unwrap() < 1.0);
        // 0.0999...9 with 20 nines rounds up over a power of ten.
        let carry = BigRational::new(
            BigInt::from(10u32).pow(20) - 1u32,
            BigInt::from(10u32).pow(21),
        );
        assert_eq!(decimal(&carry), "0.10000000000000000");
    }
}
