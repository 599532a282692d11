//! Numbers of files: fractions, and decimal numbers with the fractions that they stand for.

use num_bigint::{BigInt, BigUint, Sign};
use num_rational::BigRational;
use num_traits::{FromPrimitive, One, Zero};

/// A fraction of two numbers with the same length: a signed numerator and a denominator, lowest byte first.
pub(crate) fn rational(bytes: &[u8]) -> Option<BigRational> {
    let (numerator, denominator) = bytes.split_at(bytes.len() / 2);
    let denominator = BigUint::from_bytes_le(denominator);
    if denominator.is_zero() {
        return None;
    }
    let denominator = BigInt::from_biguint(Sign::Plus, denominator);
    Some(BigRational::new(
        BigInt::from_signed_bytes_le(numerator),
        denominator,
    ))
}

/// The simplest fraction that a number may stand for: the one with the smallest denominator between the numbers next to it.
/// (Storm cuts fractions off where others round them.)
pub(crate) fn simplest(number: f64) -> Option<BigRational> {
    if !number.is_finite() || number < 0.0 {
        return None;
    }
    let exact = BigRational::from_f64(number)?;
    if exact.is_integer() {
        return Some(exact);
    }
    let [low, high] = [number.next_down(), number.next_up()].map(BigRational::from_f64);
    between(&low?, &high?)
}

/// The fraction with the smallest denominator between two positive ones: by their continued fractions.
fn between(low: &BigRational, high: &BigRational) -> Option<BigRational> {
    let mut terms = Vec::new();
    let (mut low, mut high) = (low.clone(), high.clone());
    // Each step halves denominators at least, so 2200 bits take fewer steps than this.
    for _ in 0..5000 {
        let whole = low.floor();
        if low.is_integer() || whole < high.floor() {
            let last = if low.is_integer() {
                whole
            } else {
                whole + BigRational::one()
            };
            let rest = terms.into_iter().rev();
            return Some(rest.fold(last, |value, term: BigRational| term + value.recip()));
        }
        (low, high) = ((&high - &whole).recip(), (&low - &whole).recip());
        terms.push(whole);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_stand_for_simple_fractions() {
        for (number, expected) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.5, "1/2"),
            (0.1, "1/10"),
            (1.0 / 3.0, "1/3"),
            (2.0 / 3.0, "2/3"),
            (0.85, "17/20"),
            (1.0 / 7.0, "1/7"),
            (1e-3, "1/1000"),
            (355.0 / 113.0, "355/113"),
        ] {
            assert_eq!(simplest(number).unwrap().to_string(), expected, "{number}");
        }
        assert_eq!(simplest(f64::NAN), None);
        // Cut off instead of rounded.
        for (numerator, denominator) in (1..30).flat_map(|n| (n..30).map(move |d| (n, d))) {
            let fraction = BigRational::new(numerator.into(), denominator.into());
            let rounded = f64::from(numerator) / f64::from(denominator);
            let cut = match BigRational::from_f64(rounded).unwrap() > fraction {
                true => rounded.next_down(),
                false => rounded,
            };
            assert_eq!(simplest(cut), Some(fraction));
        }
    }

    #[test]
    fn fractions_have_signs_and_any_length() {
        let bytes = [&(-3i64).to_le_bytes()[..], &4u64.to_le_bytes()].concat();
        assert_eq!(rational(&bytes).unwrap().to_string(), "-3/4");
        let bytes = [&7i128.to_le_bytes()[..], &14u128.to_le_bytes()].concat();
        assert_eq!(rational(&bytes).unwrap().to_string(), "1/2");
        assert_eq!(rational(&[0; 16]), None);
    }
}
