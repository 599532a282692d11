//! The vocabulary of logic programs, as text for clingo. This folder knows no GDL.
//!
//! A [`Program`] is a list of [`Rule`]s, which are made for one game, and [`Encoding`]s, which are files of rules
//! for all games. It prints in clingo's input language:
//!
//! ```text
//! % The rules of the game
//! legal(oplayer,watch,T) :- step(T).
//! ```
//!
//! Reading program text back is left to clingo itself (see [`crate::ground`]), which accepts far
//! more than these types can say. Ground programs have their own type,
//! [`GroundProgram`].

mod encoding;
mod program;
mod rule;
mod term;

pub use encoding::Encoding;
pub use program::{Explained, Program, Statement};
pub use rule::{Atom, Head, Literal, Rule};
pub use term::Term;

pub use lp2sat::{GroundProgram, Symbol, SymbolKind};
