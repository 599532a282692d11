//! The verdict on a strategy, for a game or for a formula, as a part of a JSON object.

use engines::answer::json::{JsonOutcome, stopped_by};
use formula::BigRational;
use limits::StopReason;
use serde::Serialize;

/// The fields that both kinds of strategies share; `R` says what is wrong with a strategy.
#[derive(Serialize)]
#[serde(tag = "status", rename_all = "lowercase")]
pub(super) enum JsonVerdict<R> {
    /// The strategy proves this value.
    Proved(JsonOutcome),
    /// A limit was reached; these bounds are proved.
    Bounds {
        stopped_by: &'static str,
        #[serde(flatten)]
        bounds: JsonOutcome,
    },
    /// The strategy is wrong.
    Refused { refusal: R },
}

impl<R> JsonVerdict<R> {
    pub(super) fn proved(value: &BigRational) -> Self {
        JsonVerdict::Proved(JsonOutcome::from(&(value.clone(), value.clone())))
    }

    pub(super) fn bounds(reason: StopReason, lower: &BigRational, upper: &BigRational) -> Self {
        JsonVerdict::Bounds {
            stopped_by: stopped_by(reason),
            bounds: JsonOutcome::from(&(lower.clone(), upper.clone())),
        }
    }
}
