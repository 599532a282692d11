//! The report of checking a strategy for a formula, as text and as JSON.

use super::verdict::JsonVerdict;
use super::{Report, ReportEnd};
use engines::answer::json::JsonStatistics;
use engines::answer::{Fraction, value_text};
use formula::{BigRational, Outcome};
use gdl::game::Unit;
use gdl::visible;
use limits::StopReason;
use num_traits::{One, Zero};
use serde::Serialize;
use ssat::trace::check::{Flaw, Side, Verdict, Verification};
use std::collections::BTreeMap;
use std::time::Duration;

/// A strategy for a formula that was checked.
#[derive(Clone)]
#[non_exhaustive]
pub struct FormulaVerification {
    /// The name of the formula that was used.
    pub formula: String,
    /// The value that the strategy promises.
    pub promised: BigRational,
    /// The result of the verification.
    pub verification: Verification,
    /// Time by stage.
    pub seconds: BTreeMap<&'static str, f64>,
}

impl FormulaVerification {
    /// The report if a limit comes before anything is proved, after this time.
    #[cfg_attr(
        not(feature = "cli"),
        expect(dead_code, reason = "only the command asks")
    )]
    pub(crate) fn cut_short(
        name: &str,
        promised: &BigRational,
        reason: StopReason,
        elapsed: Duration,
    ) -> Self {
        FormulaVerification {
            formula: name.to_owned(),
            promised: promised.clone(),
            verification: Verification {
                verdict: Verdict::Stopped {
                    reason,
                    lower: BigRational::zero(),
                    upper: BigRational::one(),
                },
                nodes: [0; 2],
            },
            seconds: BTreeMap::from([("verify", elapsed.as_secs_f64())]),
        }
    }
}

impl Report for FormulaVerification {
    fn text(&self) -> String {
        let seconds: f64 = self.seconds.values().sum();
        let [lower, upper] = self.verification.nodes;
        let work =
            format!("{lower} nodes for the lower bound, {upper} for the upper one, {seconds:.2} s");
        let text = match &self.verification.verdict {
            Verdict::Proved(value) => {
                let value = Unit::Percent.text(value);
                format!("{value}\n(proved from both sides; {work})")
            }
            Verdict::Stopped {
                reason,
                lower,
                upper,
            } => {
                let bounds = Outcome::between(lower.clone(), upper.clone(), *reason);
                format!(
                    "{}\n(bounds: {reason}; {work})",
                    value_text(&bounds, Unit::Percent)
                )
            }
            Verdict::Refused(flaw) => format!("refused: {flaw}"),
        };
        visible(&text).into_owned()
    }

    fn json(&self) -> String {
        let verdict = match &self.verification.verdict {
            Verdict::Proved(value) => JsonVerdict::proved(value),
            Verdict::Refused(refusal) => JsonVerdict::Refused {
                refusal: JsonRefusal::new(refusal),
            },
            Verdict::Stopped {
                reason,
                lower,
                upper,
            } => JsonVerdict::bounds(*reason, lower, upper),
        };
        let [lower, upper] = self.verification.nodes;
        let object = JsonVerification {
            formula: &self.formula,
            promised: Fraction::from(&self.promised),
            verdict,
            stats: JsonStatistics {
                numbers: BTreeMap::from([("lower_nodes", lower), ("upper_nodes", upper)]),
                seconds: self.seconds.clone(),
            },
        };
        serde_json::to_string(&object).expect("the shape has text keys only")
    }

    fn ending(&self) -> ReportEnd {
        match &self.verification.verdict {
            Verdict::Proved(_) => ReportEnd::Complete,
            Verdict::Refused(_) => ReportEnd::Refused,
            Verdict::Stopped { reason, .. } => ReportEnd::Stopped(*reason),
        }
    }
}

#[derive(Serialize)]
struct JsonVerification<'a> {
    formula: &'a str,
    promised: Fraction,
    #[serde(flatten)]
    verdict: JsonVerdict<JsonRefusal>,
    stats: JsonStatistics,
}

#[derive(Serialize)]
struct JsonRefusal {
    flaw: &'static str,
    message: String,
    /// The diagram that is wrong, if only one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    side: Option<&'static str>,
    /// The value that it shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<Fraction>,
}

impl JsonRefusal {
    fn new(flaw: &Flaw) -> Self {
        let (name, side, found) = match flaw {
            Flaw::OtherFormula { .. } => ("other-formula", None, None),
            Flaw::Variables { .. } => ("variables", None, None),
            Flaw::Clause { .. } => ("clause", None, None),
            Flaw::Definition { .. } => ("definition", None, None),
            Flaw::Node { side, .. } => ("node", Some(side), None),
            Flaw::NotTrue { .. } => ("not-true", Some(&Side::Lower), None),
            Flaw::NotFalse { .. } => ("not-false", Some(&Side::Upper), None),
            Flaw::BrokenPromise { side, found, .. } => ("broken-promise", Some(side), Some(found)),
        };
        JsonRefusal {
            flaw: name,
            message: flaw.to_string(),
            side: side.map(|side| side.name()),
            found: found.map(|found| Fraction::from(&**found)),
        }
    }
}
