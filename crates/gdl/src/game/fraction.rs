//! Fractions as JSON.

use super::decimal_text;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Signed;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

/// A fraction as JSON: `{"num":"2","den":"3","decimal":0.6666666666666667}`.
///
/// Numerator and denominator are text, since they do not fit the numbers of JSON, and have no common
/// divisor. The decimal is for reading and plotting; it is ignored when a fraction is read back.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Parts")]
pub struct Fraction {
    num: String,
    den: String,
    /// A number of JSON with as many digits as the text for people; no floating point here.
    decimal: Box<RawValue>,
    #[serde(skip)]
    value: BigRational,
}

/// The fields of a fraction that are read.
#[derive(Deserialize)]
struct Parts {
    num: String,
    den: String,
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

impl TryFrom<Parts> for Fraction {
    type Error = String;

    fn try_from(parts: Parts) -> Result<Self, String> {
        let number = |text: &str| {
            text.parse::<BigInt>()
                .map_err(|_| format!("{text:?} is not a whole number"))
        };
        let (numerator, denominator) = (number(&parts.num)?, number(&parts.den)?);
        if !denominator.is_positive() {
            return Err(format!("{denominator} is no denominator"));
        }
        let value = BigRational::new(numerator, denominator);
        Ok(Fraction::from(&value))
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
    fn fractions_are_read_as_they_are_written() {
        let text = r#"{"num":"2","den":"3","decimal":0.6666666666666667}"#;
        let fraction: Fraction = serde_json::from_str(text).unwrap();
        assert_eq!(fraction.value().to_string(), "2/3");
        assert_eq!(serde_json::to_string(&fraction).unwrap(), text);
        // The decimal is not needed, and not believed.
        let same: Fraction = serde_json::from_str(r#"{"num":"4","den":"6","decimal":1}"#).unwrap();
        assert_eq!(same, fraction);
        for wrong in [
            r#"{"num":"1","den":"0"}"#,
            r#"{"num":"1","den":"-2"}"#,
            r#"{"num":"1.5","den":"2"}"#,
            r#"{"num":1,"den":2}"#,
            r#"{"num":"1"}"#,
        ] {
            assert!(serde_json::from_str::<Fraction>(wrong).is_err(), "{wrong}");
        }
    }
}
