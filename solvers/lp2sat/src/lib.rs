//! Ground answer set programs, and clauses whose models are their answer sets.

mod program;

pub use program::{Atom, Body, GroundProgram, Head, Literal, Rule};
