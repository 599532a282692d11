//! Reports: the results of questions beside values, as text and as JSON.

mod check;
mod findings;
mod formula_verification;
mod model;
mod plan;
mod verdict;
mod verification;

pub use check::CheckReport;
pub use findings::ProofReport;
pub use formula_verification::FormulaVerification;
pub use model::ModelReport;
pub use plan::{PlanReport, Several};
pub use verification::{StrategyKind, VerificationReport};

use engines::Answer;
use limits::StopReason;

/// The result of a question, as everybody prints it.
pub trait Report {
    /// The report for people.
    fn text(&self) -> String;

    /// The report for programs, as one JSON value.
    fn json(&self) -> String;

    /// The end of the work.
    fn ending(&self) -> ReportEnd;
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

impl Report for Answer {
    fn text(&self) -> String {
        Answer::text(self)
    }

    fn json(&self) -> String {
        Answer::json(self)
    }

    fn ending(&self) -> ReportEnd {
        ReportEnd::of(self.stopped_by())
    }
}
