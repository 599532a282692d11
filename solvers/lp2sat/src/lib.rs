//! Ground answer set programs, and clauses whose models are their answer sets.
//!
//! A [`GroundProgram`] is what a grounder such as clingo's leaves of a logic program: rules over
//! numbered atoms. [`clausify()`] writes it in conjunctive normal form, the job that the tools
//! lp2normal2, lp2acyc and lp2sat do in a row. [`propagate_levels`] gives for each atom the last
//! decision it depends on, which is what quantifying the clauses needs. Programs are written in two
//! text formats: [`write_aspif`], [`write_smodels`].
//!
//! The crate knows nothing of games, quantifiers or probabilities.
//!
//! ```
//! use sqasp_lp2sat::{Body, GroundProgram, Head, Literal, Options, clausify};
//! // {a}. b :- not a. c :- a, b.
//! let mut program = GroundProgram::new();
//! let [a, b, c] = ["a", "b", "c"].map(|name| {
//!     let atom = program.new_atom();
//!     program.set_name(atom, name);
//!     atom
//! });
//! program.add_rule(Head::Choice(&[a]), Body::All(&[]));
//! program.add_rule(Head::Atom(b), Body::All(&[Literal::negative(a)]));
//! let both = [Literal::positive(a), Literal::positive(b)];
//! program.add_rule(Head::Atom(c), Body::All(&both));
//! let clausified = clausify(&program, &Options::default())?;
//! // c <-> a & b, then b <-> -a.
//! assert_eq!(
//!     format!("{:?}", clausified.clauses()),
//!     "[[-1, -2, 3], [1, -3], [2, -3], [-1, -2], [1, 2]]"
//! );
//! # Ok::<(), sqasp_lp2sat::ClausifyError>(())
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
#[cfg(test)]
mod read_statements;
mod recursion;
mod smodels;
mod supports;
mod symbol;
mod unfolding;
mod weights;

pub use aspif::write_aspif;
pub use clausified::{Clausified, Helper};
pub use clausify::{ClausifyError, Options, clausify};
pub use dependencies::{
    AssumptionError, check_decided, check_stratified, propagate_levels, unstratified_atoms,
};
pub use program::{Atom, Body, GroundProgram, Head, Literal, Rule};
pub use smodels::write_smodels;
pub use symbol::{Symbol, SymbolKind};
