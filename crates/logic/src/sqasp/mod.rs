//! Stochastic quantified answer set programs ("SQASP", He and Thielscher 2026, section 3.1): a logic program
//! whose atoms are decided in turn by a maximizing player, a minimizing player, and chance.
//!
//! The format is clingo's input language with four reserved predicates, which the grounder must be
//! able to decide (they are facts, or follow from facts):
//!
//! | fact | meaning |
//! |---|---|
//! | `_exists(i,a)` | the maximizing player decides atom `a` at level `i` |
//! | `_forall(i,a)` | the minimizing player does |
//! | `_chance(i,p,q,a)` | `a` is true with probability p/q |
//! | `_quantify(i,a)` | as `_exists` for odd i, as `_forall` for even i |
//!
//! Levels are whole numbers from 1; lower levels come first; a level has one kind of quantifier. The
//! value of the program is the maximum, minimum or mean over the truth values of the atoms in this
//! order of "is there an answer set that agrees?". The smallest interesting program is
//!
//! ```text
//! {a}. {b}. :- a, not b. :- b, not a.      a and b are equal
//! _chance(1,1,3,b). _exists(2,a).          value 1: a is chosen after b is known
//! ```
//!
//! With the levels exchanged the value is 2/3: `a` must be guessed, and `not a` is right more often.
//!
//! A quantified atom that the grounder removed is still quantified: if it can never hold,
//! deciding it true leaves no answer set, so a universal one makes the value 0 and a chance one
//! multiplies it by 1 - p/q; for an atom that always holds it is the other way round.
//!
//! [`Quantifiers::read`] finds the quantifiers in a ground program, [`build_formula`] puts
//! them and the clauses of [`lp2sat`] together to a [`Formula`](::formula::Formula). Atoms without
//! quantifier, and helper variables, go where [`PrefixMethod`] says.

mod formula;
mod prefix;
mod quantifiers;

pub use self::formula::build_formula;
pub use prefix::PrefixMethod;
pub use quantifiers::{Presence, QuantifiedAtom, QuantifierError, Quantifiers};
