//! Fractions as JSON.

use super::decimal_text;
use num_rational::BigRational;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// A fraction as JSON: `{"num":"2","den":"3","decimal":0.6666666666666667}`.
///
/// Numerator and denominator are text, since they do not fit the numbers of JSON, and have no common
/// divisor. The decimal is for reading and plotting.
#[derive(Clone, Debug, Serialize)]
pub struct Fraction {
    num: String,
    den: String,
    /// A number of JSON with as many digits as the text for people; no floating point here.
    decimal: Box<RawValue>,
    #[serde(skip)]
    value: BigRational,
}

impl Fraction {
    /// The fraction.
    pub fn value(&self) -> &BigRational {
        &self.value
    }
}

impl PartialEq for Fraction {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl From<&BigRational> for Fraction {
    fn from(value: &BigRational) -> Self {
        Fraction {
            num: value.numer().to_string(),
            den: value.denom().to_string(),
            decimal: RawValue::from_string(decimal_text(value)).expect("decimals are numbers"),
            value: value.clone(),
        }
    }
}

/// Writes a number as a [`Fraction`], for fields of what is told as JSON.
pub fn fraction<S: Serializer>(value: &BigRational, to: S) -> Result<S::Ok, S::Error> {
    Fraction::from(value).serialize(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_length_are_text() {
        let value = BigRational::new(4.into(), 6.into());
        assert_eq!(
            serde_json::to_string(&Fraction::from(&value)).unwrap(),
            r#"{"num":"2","den":"3","decimal":0.6666666666666667}"#
        );
    }
}
