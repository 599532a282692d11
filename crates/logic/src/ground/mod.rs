//! Programs with variables to ground programs, by clingo. The only folder that knows clingo
//! exists.
//!
//! [`ground`] hands the text to clingo's grounder and listens: a *ground program observer* receives
//! every rule the moment it is made and puts it into a
//! [`GroundProgram`](lp2sat::GroundProgram); clingo's solver sees nothing and so uses no memory. At the end
//! `simplify` drops the atoms that are not asked for.
//!
//! ```text
//! p(1..2). {q(X)} :- p(X).          {q(1)}. {q(2)}.       with the facts p(1), p(2)
//! ```
//!
//! Grounding can explode, so it is watched ([`GroundLimits`]) and its size is predicted from a
//! few steps before a long horizon is tried ([`predict`]).
//!
//! Where a question *is* an answer set program, clingo solves it: [`MultiShot`] is a program that grows,
//! by a step at a time for plans, and is asked in between; [`AspSolver`] is built on it for proofs, which
//! look at single atoms of an answer set.

mod context;
mod domains;
mod grounder;
mod heads;
mod listener;
mod multishot;
mod predict;
mod scan;
mod simplify;
mod solve;
mod symbols;

pub use domains::{DomainError, find_moves, undeclared_moves};
pub use grounder::{
    GroundError, GroundLimits, GroundProgress, Grounded, clingo_version, ground, measure,
};
pub use multishot::{MultiShot, Searched};
pub use predict::{BYTES_PER_RULE, Prediction, predict};
pub use scan::ShownPredicates;
pub use solve::{AspAnswer, AspSolver, SolverAtom};
