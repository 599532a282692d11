//! Ground answer set programs, and clauses whose models are their answer sets.

mod aspif;
mod clausified;
mod clausify;
mod dependencies;
mod display;
mod excluded;
mod gates;
mod graph;
mod program;
mod ranking;
mod recursion;
mod smodels;
mod supports;
mod unfolding;
mod weights;

pub use aspif::{AspifError, ReadProgram, read_aspif, write_aspif};
pub use clausified::{Clausified, Helper};
pub use clausify::{ClausifyError, Options, RecursionMethod, clausify};
pub use dependencies::{AssumptionError, check_decided, check_stratified, propagate_levels};
pub use program::{Atom, Body, GroundProgram, Head, Literal, Rule};
pub use smodels::write_smodels;
