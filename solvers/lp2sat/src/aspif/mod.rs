//! The `aspif` format: ground programs as text, one statement per line, as clingo's grounder
//! writes them and clasp reads them (Kaminski, Schaub and Wanko, *A tutorial on hybrid answer set
//! solving with clingo*, 2017, appendix).
//!
//! ```text
//! asp 1 0 0
//! 1 0 1 1 0 1 -2      atom 1 holds if atom 2 does not
//! 4 1 a 1 1           atom 1 is called "a"
//! 4 4 c(2) 0          "c(2)" is a fact
//! 0
//! ```
//!
//! A [`GroundProgram`](crate::GroundProgram) has rules, names and facts only, so the reader turns
//! other statements into these: a free external becomes a choice, an assumption a constraint, a
//! name under a condition a new atom with a rule. What cannot be said that way is refused.

mod read;
mod scan;
mod write;

pub use read::{ReadProgram, read_aspif};
pub use scan::AspifError;
pub use write::write_aspif;
