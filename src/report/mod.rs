//! Reports: the results of checks, proofs and plans, as text and as JSON.

mod check;
mod findings;
mod formula_verification;
mod model;
mod plan;
mod verdict;
mod verification;

pub use check::CheckReport;
pub use findings::{finding_json, finding_text};
pub use formula_verification::FormulaVerification;
pub use model::ModelReport;
pub use plan::{PlanReport, Several};
pub use verification::VerificationReport;
