//! Outside solvers of quantified formulas as child processes: from a
//! [`Formula`](formula::Formula) to an [`Answer`](formula::Answer) by way of a file and of the output
//! of a program.
//!
//! - [`SharpSsat`]: stochastic SAT with universals, in floating point: a cross-check, labelled so.
//! - [`Qbf`]: DepQBF and CAQE, for formulas without chance; their values 0 and 1 are exact.
//! - [`Asptools`]: lp2normal2, lp2acyc and lp2sat, which turn a ground program into clauses, for
//!   comparison with the crate of this project that does the same.
//! - [`doctor`]: which of the outside programs of the whole project are there.
//!
//! None of these programs is needed: a missing one is an error that says how to get it. Each run
//! has a directory of its own, which goes afterwards; a limit that is reached kills the program
//! and everything it started. A program that is missing, one that was killed and one that said
//! nothing of use give three different messages.
//!
//! Unix only: process groups are how all descendants of a child are killed.

mod asptools;
mod child;
mod doctor;
mod program;
mod qbf;
mod sharpssat;

pub use asptools::{Asptools, NamedClauses, Translation};
pub use doctor::{ProgramState, doctor};
pub use program::{ExternalProgram, PROGRAMS};
pub use qbf::Qbf;
pub use sharpssat::SharpSsat;
