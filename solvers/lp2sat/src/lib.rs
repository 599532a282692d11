//! Ground answer set programs, and clauses whose models are their answer sets.

mod clausified;
mod clausify;
mod excluded;
mod gates;
mod graph;
mod program;
mod ranking;
mod recursion;
mod supports;
mod unfolding;
mod weights;

pub use clausified::{Clausified, Helper};
pub use clausify::{ClausifyError, Options, RecursionMethod, clausify};
pub use program::{Atom, Body, GroundProgram, Head, Literal, Rule};
