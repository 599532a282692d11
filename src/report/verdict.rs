//! The verdict on a strategy, for a game or for a formula, as a part of a JSON object.

use engines::Fraction;
use engines::answer::json::stopped_by;
use formula::BigRational;
use limits::StopReason;
use serde::Serialize;

/// The fields that both kinds of strategies share; `R` says what is wrong with a strategy.
#[derive(Serialize)]
#[serde(tag = "status", rename_all = "lowercase")]
pub(super) enum JsonVerdict<R> {
    /// The strategy proves this value.
    Proved {
        value: Fraction,
        lower: Fraction,
        upper: Fraction,
    },
    /// A limit was reached; these bounds are proved.
    Bounds {
        stopped_by: &'static str,
        lower: Fraction,
        upper: Fraction,
    },
    /// The strategy is wrong.
    Refused { refusal: R },
}

impl<R> JsonVerdict<R> {
    pub(super) fn proved(value: &BigRational) -> Self {
        JsonVerdict::Proved {
            value: Fraction::from(value),
            lower: Fraction::from(value),
            upper: Fraction::from(value),
        }
    }

    pub(super) fn bounds(reason: StopReason, lower: &BigRational, upper: &BigRational) -> Self {
        JsonVerdict::Bounds {
            stopped_by: stopped_by(reason),
            lower: Fraction::from(lower),
            upper: Fraction::from(upper),
        }
    }
}
