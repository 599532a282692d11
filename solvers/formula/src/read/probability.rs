//! Probabilities and other numbers as words: `0.25`, `.5`, `1`, `2.5e-1`, `1/3`.

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// Longer words are refused: reading them takes time that grows with the square of the length.
const MAX_LENGTH: usize = 1000;

/// Larger exponents are refused: the fraction would have more digits than the text is long.
const MAX_EXPONENT: i64 = 1000;

/// The reason why a word is not a probability.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wrong {
    NotANumber,
    OutsideRange,
    TooLong,
}

impl Wrong {
    pub(super) fn message(self) -> &'static str {
        match self {
            Wrong::NotANumber => "this is not a probability",
            Wrong::OutsideRange => "a probability must be between 0 and 1",
            Wrong::TooLong => "this probability has too many digits",
        }
    }

    pub(super) fn hint(self) -> &'static str {
        match self {
            Wrong::TooLong => "use at most 1000 digits and exponents up to 1000",
            _ => "write `r PROBABILITY VARIABLE 0` with a probability such as 0.25 or 1/3",
        }
    }
}

/// A probability as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Reading {
    pub(super) value: BigRational,
    /// By how much the number that was meant may differ: by a unit in the last place of a decimal
    /// (it may be cut or rounded) plus the distance of double-precision numbers below 1 (our
    /// writer keeps off 0 and 1), and by nothing from a fraction.
    tolerance: BigRational,
}

impl Reading {
    /// Whether this may be another spelling of an exact number.
    pub(super) fn agrees_with(&self, exact: &BigRational) -> bool {
        (exact - &self.value).abs() <= self.tolerance
    }
}

/// Reads a probability.
pub(super) fn parse(word: &[u8]) -> Result<Reading, Wrong> {
    let reading = read(word)?;
    if reading.value.is_negative() || reading.value > BigRational::one() {
        return Err(Wrong::OutsideRange);
    }
    Ok(reading)
}

pub(super) fn number(word: &[u8]) -> Result<BigRational, Wrong> {
    Ok(read(word)?.value)
}

fn read(word: &[u8]) -> Result<Reading, Wrong> {
    let word = std::str::from_utf8(word).map_err(|_| Wrong::NotANumber)?;
    if word.len() > MAX_LENGTH {
        return Err(Wrong::TooLong);
    }
    let Some((numerator, denominator)) = word.split_once('/') else {
        return decimal(word);
    };
    let denominator = whole(denominator)?;
    if denominator.is_zero() {
        return Err(Wrong::NotANumber);
    }
    Ok(Reading {
        value: BigRational::new(signed(numerator)?, denominator),
        tolerance: BigRational::zero(),
    })
}

fn decimal(word: &str) -> Result<Reading, Wrong> {
    let (mantissa, exponent) = match word.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse().map_err(|_| Wrong::NotANumber)?),
        None => (word, 0i64),
    };
    if exponent.abs() > MAX_EXPONENT {
        return Err(Wrong::TooLong);
    }
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if !after.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Wrong::NotANumber);
    }
    let digits = signed(&format!("{before}{after}"))?;
    let places = after.len() as i64 - exponent;
    let power = BigInt::from(10u32).pow(places.unsigned_abs() as u32);
    let unit = if places >= 0 {
        BigRational::new(BigInt::one(), power)
    } else {
        BigRational::from_integer(power)
    };
    let double = BigRational::new(BigInt::one(), BigInt::one() << 52u32);
    Ok(Reading {
        value: &unit * digits,
        tolerance: unit + double,
    })
}

fn signed(word: &str) -> Result<BigInt, Wrong> {
    match word.strip_prefix('-') {
        Some(rest) => Ok(-whole(rest)?),
        None => whole(word.strip_prefix('+').unwrap_or(word)),
    }
}

fn whole(word: &str) -> Result<BigInt, Wrong> {
    if word.is_empty() || !word.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Wrong::NotANumber);
    }
    word.parse().map_err(|_| Wrong::NotANumber)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(numerator: i64, denominator: i64) -> BigRational {
        BigRational::new(numerator.into(), denominator.into())
    }

    #[test]
    fn all_spellings_are_read_exactly() {
        for (word, numerator, denominator) in [
            ("0.25", 1, 4),
            (".5", 1, 2),
            ("1", 1, 1),
            ("1.", 1, 1),
            ("0", 0, 1),
            ("-0", 0, 1),
            ("+0.5", 1, 2),
            ("2.5e-1", 1, 4),
            ("0.0025E+2", 1, 4),
            ("1/3", 1, 3),
            ("0.333", 333, 1000),
        ] {
            let reading = parse(word.as_bytes()).unwrap();
            assert_eq!(reading.value, fraction(numerator, denominator), "{word}");
        }
    }

    #[test]
    fn other_words_are_refused() {
        for word in [
            "", ".", "e", "1e", "/", "1/0", "1/", "nan", "inf", "0x1", "1_0", "0.-5", "-",
        ] {
            assert_eq!(parse(word.as_bytes()), Err(Wrong::NotANumber), "{word}");
        }
        for word in ["1.5", "-0.1", "4/3", "-1/3", "3", "1e3"] {
            assert_eq!(parse(word.as_bytes()), Err(Wrong::OutsideRange), "{word}");
        }
        let long = "0.".to_owned() + &"3".repeat(2000);
        for word in ["1e-999999999", "1e99999", long.as_str()] {
            assert_eq!(parse(word.as_bytes()), Err(Wrong::TooLong), "{word}");
        }
    }
}
