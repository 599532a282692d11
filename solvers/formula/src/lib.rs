//! Boolean formulas in conjunctive normal form under a prefix of three quantifiers: *exists*
//! (maximum), *for all* (minimum) and *chance* (weighted mean). Extended Stochastic SAT, "XSSAT",
//! is the problem of evaluating them; quantified boolean formulas (QBF) are the case without
//! chance, propositional satisfiability the case with *exists* only.
//!
//! This crate is the vocabulary of all solvers. It knows nothing of games or logic programs.
//!
//! ```text
//! p cnf 2 1
//! e 1 0            the maximum over variable 1
//! r 0.5 2 0        of the mean over variable 2, true with probability 1/2
//! 1 2 0            of "1 or 2":                                   value 1
//! ```
//!
//! [`preprocess`] makes formulas smaller, and [`engine`] is what a solver does around that.
//!
//! Text comes in through [`read()`], or [`read_question`] where it asks for a count, and goes out through [`sdimacs::write`] and
//! [`qdimacs::write`].

mod clauses;
mod decimal;
pub mod dimacs;
pub mod engine;
mod formula;
mod literal;
mod prefix;
pub mod preprocess;
pub mod qdimacs;
mod question;
mod read;
mod restrict;
pub mod sdimacs;
mod solver;
mod strict;

pub use clauses::Clauses;
pub use formula::{Formula, Names};
pub use literal::{Lit, Var};
pub use prefix::{Block, Prefix, Probability, ProbabilityError, Quantifier};
pub use question::{Count, FormulaQuestion, Quantity};
pub use read::{
    Diagnostic, FormulaReading, MAX_DIAGNOSTICS, ReadError, read, read_question, read_with_slips,
};
pub use solver::{Answer, Bound, Outcome, Solver, SolverError, Value};

pub use num_rational::BigRational;
