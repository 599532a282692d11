//! Ground answer set programs, and clauses whose models are their answer sets.
//!
//! A [`GroundProgram`] is what a grounder such as clingo's leaves of a logic program: rules over
//! numbered atoms. [`clausify()`] writes it in conjunctive normal form, the job that the tools
//! lp2normal2, lp2acyc and lp2sat do in a row. [`propagate_levels`] tells for each atom the last
//! decision it depends on, which is what quantifying the clauses needs. Programs are read and
//! written in two text formats: [`read_aspif`], [`write_aspif`], [`write_smodels`].
//!
//! The crate knows nothing of games, quantifiers or probabilities.
//!
//! ```
//! use sqasp_lp2sat::{Options, clausify, read_aspif};
//! // {a}. b :- not a. c :- a, b.
//! let text = "asp 1 0 0\n1 1 1 1 0 0\n1 0 1 2 0 1 -1\n1 0 1 3 0 2 1 2\n\
//!             4 1 a 1 1\n4 1 b 1 2\n4 1 c 1 3\n0\n";
//! let program = read_aspif(text.as_bytes())?.program;
//! let clausified = clausify(&program, &Options::default())?;
//! // c <-> a & b, then b <-> -a.
//! assert_eq!(
//!     format!("{:?}", clausified.clauses()),
//!     "[[-1, -2, 3], [1, -3], [2, -3], [-1, -2], [1, 2]]"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod aspif;
mod clausified;
mod clausify;
mod dependencies;
mod display;
mod excluded;
mod gates;
mod program;
mod ranking;
mod recursion;
mod smodels;
mod supports;
mod symbol;
mod unfolding;
mod weights;

pub use aspif::{AspifError, ReadProgram, read_aspif, write_aspif};
pub use clausified::{Clausified, Helper};
pub use clausify::{ClausifyError, Options, RecursionMethod, clausify};
pub use dependencies::{
    AssumptionError, check_decided, check_stratified, propagate_levels, unstratified_atoms,
};
pub use program::{Atom, Body, GroundProgram, Head, Literal, Rule};
pub use smodels::write_smodels;
pub use symbol::{Symbol, SymbolKind};
