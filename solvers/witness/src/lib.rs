//! Strategies for formulas as data, and the proof that they are as good as they claim.
//!
//! A [`Strategy`] says what both players of a formula do: each existential and each universal variable is a function of
//! variables that stand before it. Functions are circuits. With both players' functions at hand the value needs no faith in
//! a solver. Put those of the maximizer into the formula: what is left are universal variables and chance, and its
//! value is what these functions *guarantee*, a lower bound. Put those of the minimizer in: that is what they
//! *allow*, an upper bound. Where both are the same, this is the value.
//!
//! ```text
//! r 1/2 1, e 2, a 3:  (1 or 2) (-1 or -2 or 3) ...      exists: 2 = not 1      forall: 3 = 0
//! Strategy --write_json--> text     text --read--> Strategy --verify--> Verdict
//! ```
//!
//! Invariant: [`verify()`] knows the formula and the strategy, and nothing else. It counts with code of its own
//! (`count`), which is plain and shares nothing with any solver. This crate depends on none of them.
//!
//! Strategies come from anywhere; the crate `ssat` finds them.
//!
//! ```
//! use limits::Limits;
//!
//! // A coin is thrown (1), then a player says how it fell (2).
//! let formula = formula::read(b"p cnf 2 2\nr 0.7 1 0\ne 2 0\n1 -2 0\n-1 2 0\n")?;
//! let text = format!(
//!     r#"{{"format": "sqasp-formula-strategy", "version": 1, "formula": "coin", "formula_sha256": "{}",
//!          "variables": 2, "value": "1", "gates": [], "exists": [[2, 1]], "forall": []}}"#,
//!     sqasp_witness::fingerprint(&formula)
//! );
//! let strategy = sqasp_witness::read(text.as_bytes())?;
//! let verification = sqasp_witness::verify(&formula, &strategy, &Limits::default());
//! assert_eq!(verification.verdict, sqasp_witness::Verdict::Proved("1".parse()?));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod assignment;
mod check;
mod count;
mod fingerprint;
mod json;
mod problem;
mod strategy;
mod verify;

pub use check::{Flaw, check};
pub use fingerprint::fingerprint;
pub use json::{FORMAT, ReadError, read, write_json};
pub use strategy::{Decider, GateList, Strategy};
pub use verify::{Counted, Verdict, verify, worth};
