//! Reports: the results of questions beside values. Each is a struct that is serialised, and has a text for people.

mod check;
mod findings;
mod formula_verification;
mod model;
mod plan;
#[cfg(feature = "cli")]
mod program_functions;
mod verdict;
mod verification;

pub use check::CheckReport;
pub use findings::ProofReport;
pub use formula_verification::{FormulaVerification, TraceFlaw};
pub use model::ModelReport;
pub use plan::{BestPlan, PlanReport, Several};
#[cfg(feature = "cli")]
pub(crate) use program_functions::function_lines;
pub use verdict::{ExplainedFlaw, StrategyVerdict};
pub use verification::VerificationReport;

use engines::Answer;
use limits::StopReason;
use serde::Serialize;

/// The result of a question, as the command and Python print it.
pub trait Report: Serialize + Sized {
    /// The report for people.
    fn text(&self) -> String;

    /// The end of the work.
    fn ending(&self) -> ReportEnd;

    /// The report for programs, as one JSON value.
    fn json(&self) -> String {
        json(self)
    }
}

/// The end of the work for a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ReportEnd {
    /// The question is answered.
    Complete,
    /// The input is wrong, and the report says where.
    Refused,
    /// The question is open: more work may answer it.
    Open,
    /// The question is open, because of a limit.
    Stopped(StopReason),
}

impl ReportEnd {
    fn of(stopped: Option<StopReason>) -> Self {
        stopped.map_or(ReportEnd::Complete, ReportEnd::Stopped)
    }
}

/// A report as one line of JSON.
pub(crate) fn json(report: &impl Serialize) -> String {
    serde_json::to_string(report).expect("all keys are text")
}

impl Report for Answer {
    fn text(&self) -> String {
        Answer::text(self)
    }

    fn ending(&self) -> ReportEnd {
        ReportEnd::of(self.stopped_by())
    }
}
