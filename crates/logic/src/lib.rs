//! The logical route: from a game to a stochastic quantified answer set program, a ground program, a formula.
//!
//! ```text
//! Game --translate--> Program --ground--> GroundProgram --lp2sat--> clauses
//! GroundProgram, clauses --sqasp--> Formula
//! ```
//!
//! [`route`] takes all steps in a row. Invariant: nothing here plays games, so that values computed by play are
//! evidence about this route.

pub mod asp;
pub mod ground;
pub mod route;
pub mod sqasp;
pub mod translate;
