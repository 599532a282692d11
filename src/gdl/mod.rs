//! Text of game descriptions: reading, checking, printing. This folder knows no time and no ASP.

mod syntax;

pub use syntax::{Literal, Name, Rule, Sentence, Term};
