//! The report of checking a strategy for a formula.

use super::verdict::{BOTH_SIDES, ExplainedFlaw, StrategyVerdict};
use super::{Report, ReportEnd};
use engines::answer::Statistics;
use formula::BigRational;
use gdl::game::{Fraction, Unit, fraction};
use gdl::visible;
use limits::StopReason;
use num_traits::{One, Zero};
use serde::Serialize;
use ssat::trace::check::{Flaw, Side, Verdict, Verification};
use std::time::Duration;

/// A strategy for a formula that was checked.
#[derive(Clone, Serialize)]
#[non_exhaustive]
pub struct FormulaVerification {
    /// The name of the formula that was used.
    pub formula: String,
    /// The value that the strategy promises.
    #[serde(serialize_with = "fraction")]
    pub promised: BigRational,
    /// The verdict.
    #[serde(flatten)]
    pub verdict: StrategyVerdict<ExplainedFlaw<TraceFlaw>>,
    /// Nodes of both diagrams, and time by stage.
    pub(crate) stats: Statistics,
}

/// What is wrong with a trace.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TraceFlaw {
    flaw: &'static str,
    /// The diagram that is wrong, if only one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    side: Option<&'static str>,
    /// The value that it shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<Fraction>,
}

impl From<&Flaw> for TraceFlaw {
    fn from(flaw: &Flaw) -> Self {
        let (flaw, side, found) = match flaw {
            Flaw::OtherFormula { .. } => ("other-formula", None, None),
            Flaw::Variables { .. } => ("variables", None, None),
            Flaw::Name { .. } => ("name", None, None),
            Flaw::Clause { .. } => ("clause", None, None),
            Flaw::Definition { .. } => ("definition", None, None),
            Flaw::Node { side, .. } => ("node", Some(side), None),
            Flaw::NotTrue { .. } => ("not-true", Some(&Side::Lower), None),
            Flaw::NotFalse { .. } => ("not-false", Some(&Side::Upper), None),
            Flaw::BrokenPromise { side, found, .. } => ("broken-promise", Some(side), Some(found)),
        };
        TraceFlaw {
            flaw,
            side: side.map(|side| side.name()),
            found: found.map(|found| Fraction::from(&**found)),
        }
    }
}

impl FormulaVerification {
    /// The report of a verification that took this time.
    pub(crate) fn new(
        name: &str,
        promised: &BigRational,
        verification: Verification,
        time: Duration,
    ) -> Self {
        let [lower, upper] = verification.nodes;
        let numbers = [("lower_nodes", lower), ("upper_nodes", upper)];
        FormulaVerification {
            formula: name.to_owned(),
            promised: promised.clone(),
            verdict: match verification.verdict {
                Verdict::Proved(value) => StrategyVerdict::Proved(value),
                Verdict::Stopped {
                    reason,
                    lower,
                    upper,
                } => StrategyVerdict::Bounds {
                    stopped_by: reason,
                    bounds: (lower, Some(upper)),
                },
                Verdict::Refused(flaw) => StrategyVerdict::Refused {
                    refusal: ExplainedFlaw::new(&flaw, (&flaw).into()),
                },
            },
            stats: Statistics::of_stage(numbers, "verify", time),
        }
    }

    /// The report if a limit comes before anything is proved, after this time.
    #[cfg_attr(
        not(feature = "cli"),
        expect(dead_code, reason = "only the command asks")
    )]
    pub(crate) fn cut_short(
        name: &str,
        promised: &BigRational,
        reason: StopReason,
        time: Duration,
    ) -> Self {
        let verdict = Verdict::Stopped {
            reason,
            lower: BigRational::zero(),
            upper: BigRational::one(),
        };
        let nothing = Verification {
            verdict,
            nodes: [0; 2],
        };
        FormulaVerification::new(name, promised, nothing, time)
    }
}

impl Report for FormulaVerification {
    fn text(&self) -> String {
        let numbers = &self.stats.numbers;
        let work = format!(
            "{} nodes for the lower bound, {} for the upper one, {:.2} s",
            numbers["lower_nodes"],
            numbers["upper_nodes"],
            self.stats.total()
        );
        let refusal = |flaw: &ExplainedFlaw<_>| vec![format!("refused: {}", flaw.message)];
        let lines =
            (self.verdict).lines(Unit::Percent, BOTH_SIDES, |_| String::new(), &work, refusal);
        visible(&lines.join("\n")).into_owned()
    }

    fn ending(&self) -> ReportEnd {
        self.verdict.ending()
    }
}
