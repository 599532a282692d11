//! From a prefix and clauses to an order of execution: gates are evaluated, checks are tested, and
//! decisions are taken, one after the other.
//!
//! See [`walk`](self::walk()) for the idea, [`Program`] for the result.

mod choices;
mod definability;
#[cfg(test)]
pub mod evaluate;
mod program;
mod propagator;
mod syntactic;
mod walk;

pub use program::{Decision, Gate, Item, Program, Selection};
pub use walk::walk;
