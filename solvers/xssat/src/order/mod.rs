//! The order of execution, from a prefix and clauses: gates are evaluated, checks are tested, and
//! decisions are taken, one after the other.
//!
//! See [`walk`](self::walk()) for the idea, [`program`](crate::program) for the result.

mod choices;
mod propagator;
mod walk;

pub use walk::walk;
