//! The vocabulary of logic programs, as text for clingo. This folder knows no GDL.
//!
//! A [`Program`] is a list of [`Rule`]s and remarks. It prints in clingo's input language:
//!
//! ```text
//! % Play
//! { does(P,A,T) : input(P,A) } = 1 :- not ended(T), step(T).
//! :- does(P,A,T), not legal(P,A,T).
//! ```
//!
//! Reading program text back is left to clingo itself (see [`crate::ground`]), which accepts far
//! more than these types can say. Ground programs have their own type,
//! [`GroundProgram`].

mod program;
mod rule;
mod term;

pub use program::{Program, Statement};
pub use rule::{Atom, Choice, Head, Literal, Rule};
pub use term::Term;

pub use lp2sat::GroundProgram;
