//! The verdict on a strategy, for a game or for a formula.

use super::ReportEnd;
use engines::answer::{Shown, Worth, value_text};
use formula::{BigRational, Bound, Outcome};
use gdl::game::Unit;
use limits::StopReason;
use serde::{Serialize, Serializer};
use std::fmt::Display;

/// The verdict on a strategy; `R` says what is wrong with it.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "status", rename_all = "lowercase")]
pub enum StrategyVerdict<R> {
    /// The strategy proves this value.
    Proved(#[serde(serialize_with = "exactly")] BigRational),
    /// A limit was reached.
    Bounds {
        /// The limit.
        stopped_by: StopReason,
        /// The lower and the upper bound that are proved; a number of steps may have no upper one.
        #[serde(flatten, serialize_with = "between")]
        bounds: (BigRational, Option<BigRational>),
    },
    /// The strategy is wrong.
    Refused {
        /// The flaw, and where it is.
        refusal: R,
    },
}

fn exactly<S: Serializer>(value: &BigRational, to: S) -> Result<S::Ok, S::Error> {
    Worth::from(&(value.clone(), value.clone())).serialize(to)
}

fn between<S: Serializer>(
    (lower, upper): &(BigRational, Option<BigRational>),
    to: S,
) -> Result<S::Ok, S::Error> {
    let upper = upper.clone().map_or(Bound::Infinite, Bound::Finite);
    Worth::from(&(Bound::Finite(lower.clone()), upper)).serialize(to)
}

/// The proof of a value by the two sides of a strategy.
pub(super) const BOTH_SIDES: &str = "proved from both sides";

impl<R> StrategyVerdict<R> {
    /// What is proved, in two lines: a number, and its meaning with how it was proved and the work behind it; or what is wrong.
    pub(super) fn lines(
        &self,
        unit: Unit,
        proved: &str,
        meaning: impl Fn(Shown) -> String,
        work: &str,
        refusal: impl Fn(&R) -> Vec<String>,
    ) -> Vec<String> {
        let ((lower, upper), how, reason) = match self {
            StrategyVerdict::Refused { refusal: wrong } => return refusal(wrong),
            StrategyVerdict::Proved(value) => (
                (value, Some(value)),
                proved.to_owned(),
                StopReason::Precision,
            ),
            StrategyVerdict::Bounds {
                stopped_by: StopReason::Precision,
                bounds,
            } => {
                let how = "bounds: the strategy promises no more".to_owned();
                ((&bounds.0, bounds.1.as_ref()), how, StopReason::Precision)
            }
            StrategyVerdict::Bounds { stopped_by, bounds } => {
                let how = format!("bounds: {stopped_by}");
                ((&bounds.0, bounds.1.as_ref()), how, *stopped_by)
            }
        };
        let lower = lower.clone();
        let known = match upper {
            Some(upper) => Outcome::between(lower, upper.clone(), reason),
            None => Outcome::AtLeast { reason, lower },
        };
        let meaning = meaning(Shown::of(&known));
        vec![
            value_text(&known, unit),
            format!("{meaning}({how}; {work})"),
        ]
    }

    pub(super) fn ending(&self) -> ReportEnd {
        match self {
            StrategyVerdict::Proved(_) => ReportEnd::Complete,
            StrategyVerdict::Refused { .. } => ReportEnd::Refused,
            StrategyVerdict::Bounds { stopped_by, .. } => ReportEnd::Stopped(*stopped_by),
        }
    }
}

/// What is wrong with a strategy, and the sentence that says so.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExplainedFlaw<R> {
    /// The sentence.
    pub message: String,
    /// The flaw.
    #[serde(flatten)]
    pub flaw: R,
}

impl<R> ExplainedFlaw<R> {
    pub(super) fn new(message: impl Display, flaw: R) -> Self {
        let message = message.to_string();
        ExplainedFlaw { message, flaw }
    }
}
