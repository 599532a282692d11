//! A value, or bounds of it, as fields of JSON; fractions are text, since they do not fit the numbers of JSON.

use formula::{BigRational, Bound, Outcome};
use gdl::game::Fraction;
use limits::StopReason;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::time::Duration;

/// A value or a bound: a fraction, or the word `infinite` for a number of steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Amount(pub Bound);

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Bound::Finite(number) => Fraction::from(number).serialize(to),
            Bound::Infinite => to.collect_str(&Bound::Infinite),
        }
    }
}

/// A value, or bounds of it. Its fields stand among those of the object that has it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Worth {
    /// The exact value, if it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Amount>,
    /// From solvers that compute in floating point, in place of `value`.
    #[serde(skip_serializing_if = "Option::is_none")]
    float: Option<f64>,
    /// A proved lower bound, itself included.
    pub lower: Amount,
    /// A proved upper bound, itself included.
    pub upper: Amount,
    /// Between the bounds, rounded; nothing is proved of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<f64>,
}

impl From<&Outcome> for Worth {
    fn from(outcome: &Outcome) -> Self {
        let is_float = outcome.rounded().is_some();
        let worth = Worth::from(&outcome.extent());
        Worth {
            float: outcome.rounded(),
            value: worth.value.filter(|_| !is_float),
            estimate: outcome.estimate(),
            ..worth
        }
    }
}

impl From<&(Bound, Bound)> for Worth {
    /// A value between two bounds, or the exact one if they are equal.
    fn from((lower, upper): &(Bound, Bound)) -> Self {
        Worth {
            value: (lower == upper).then(|| Amount(lower.clone())),
            float: None,
            lower: Amount(lower.clone()),
            upper: Amount(upper.clone()),
            estimate: None,
        }
    }
}

impl From<&(BigRational, BigRational)> for Worth {
    fn from((lower, upper): &(BigRational, BigRational)) -> Self {
        let bound = |number: &BigRational| Bound::Finite(number.clone());
        Worth::from(&(bound(lower), bound(upper)))
    }
}

/// Writes an outcome as the fields of [`Worth`].
///
/// # Errors
/// When writing fails, as for the other functions.
pub fn worth<S: Serializer>(outcome: &Outcome, to: S) -> Result<S::Ok, S::Error> {
    Worth::from(outcome).serialize(to)
}

/// How the work for an answer ended, as fields of JSON.
#[derive(Clone, Copy, Serialize)]
pub struct AnswerStatus {
    /// `solved` or `bounds`.
    pub status: &'static str,
    /// The limit that came first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<StopReason>,
}

impl From<Option<StopReason>> for AnswerStatus {
    fn from(stopped_by: Option<StopReason>) -> Self {
        let status = match stopped_by {
            None => "solved",
            Some(_) => "bounds",
        };
        AnswerStatus { status, stopped_by }
    }
}

/// An outcome with the end of the work for it, as fields of JSON.
#[derive(Serialize)]
struct Ended {
    #[serde(flatten)]
    status: AnswerStatus,
    #[serde(flatten)]
    worth: Worth,
}

/// Writes an outcome as the fields of [`AnswerStatus`] and [`Worth`].
///
/// # Errors
/// When writing fails.
pub fn ended<S: Serializer>(outcome: &Outcome, to: S) -> Result<S::Ok, S::Error> {
    Ended {
        status: outcome.stopped_by().into(),
        worth: outcome.into(),
    }
    .serialize(to)
}

/// Numbers about the work, and the time of each stage.
#[derive(Clone, Default, Debug, Serialize)]
pub struct Statistics {
    /// Numbers by name.
    #[serde(flatten)]
    pub numbers: BTreeMap<&'static str, u64>,
    /// Seconds by stage.
    pub seconds: BTreeMap<&'static str, f64>,
}

impl Statistics {
    /// Numbers by name, and the time of one stage.
    pub fn of_stage(
        numbers: impl IntoIterator<Item = (&'static str, u64)>,
        stage: &'static str,
        time: Duration,
    ) -> Self {
        Statistics {
            numbers: numbers.into_iter().collect(),
            seconds: BTreeMap::from([(stage, time.as_secs_f64())]),
        }
    }

    /// All seconds.
    pub fn total(&self) -> f64 {
        self.seconds.values().sum()
    }
}

/// Writes a time in seconds.
pub(super) fn seconds<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64(time.as_secs_f64())
}

/// Writes something as its text.
pub(super) fn text<T: Display, S: Serializer>(what: &T, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(what)
}

/// Whether a field is left out.
pub(super) fn is_false(field: &bool) -> bool {
    !field
}
