//! Questions beside values: plans, proofs of properties and of strategies, exports, and models and formulas of others.

mod export;
mod formula;
mod model;
mod plan;
mod prove;
mod verify;

pub use export::{Export, export};
pub use formula::verify_formula;
pub use model::solve_model;
#[cfg(feature = "cli")]
pub(crate) use plan::PlanSearch;
pub use plan::{Planning, plan};
pub use prove::{Claims, prove};
pub use verify::verify;
