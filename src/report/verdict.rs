//! The verdict on a strategy, for a game or for a formula, as a part of a JSON object.

use engines::Fraction;
use engines::answer::json::stopped_by;
use formula::BigRational;
use limits::StopReason;
use serde::Serialize;

/// The fields that both kinds of strategies share; `R` says what is wrong with a strategy.
#[derive(Serialize)]
pub(super) struct JsonVerdict<R> {
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_by: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Fraction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower: Option<Fraction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper: Option<Fraction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refusal: Option<R>,
}

impl<R> JsonVerdict<R> {
    /// The strategy proves this value.
    pub(super) fn proved(value: &BigRational) -> Self {
        let value = || Some(Fraction::from(value));
        JsonVerdict {
            value: value(),
            lower: value(),
            upper: value(),
            ..JsonVerdict::with_status("proved")
        }
    }

    /// A limit was reached; these bounds are proved.
    pub(super) fn stopped(reason: StopReason, lower: &BigRational, upper: &BigRational) -> Self {
        JsonVerdict {
            stopped_by: Some(stopped_by(reason)),
            lower: Some(Fraction::from(lower)),
            upper: Some(Fraction::from(upper)),
            ..JsonVerdict::with_status("bounds")
        }
    }

    /// The strategy is wrong.
    pub(super) fn refused(refusal: R) -> Self {
        JsonVerdict {
            refusal: Some(refusal),
            ..JsonVerdict::with_status("refused")
        }
    }

    fn with_status(status: &'static str) -> Self {
        JsonVerdict {
            status,
            stopped_by: None,
            value: None,
            lower: None,
            upper: None,
            refusal: None,
        }
    }
}
