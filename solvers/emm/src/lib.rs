//! Exact expected minimax on the circuit of one step: from a [`Problem`] to the value of a state as a
//! fraction, or to proved bounds if a limit is reached.
//!
//! ```text
//! Problem --compile--> a step as a stochastic game --search--> value
//! ```
//!
//! 1. **Compile** (`compile`). Facts that nothing depends on go; moves with equal effects become one
//!    (`equal_moves`), and outcomes of chance that make no difference once a move is made (`equal_outcomes`), or in a state (`live_signals`); states and moves that
//!    leave the same to chance are found out (`afterstates`); symmetries are found and checked (`symmetry`) once gates are
//!    sums of products (`flattening`), give keys that are the same for all images of a state (`keys`), and merge outcomes before they are made (`symmetry_group`). Where chance has many moves,
//!    code takes the few signals in which they differ (`chance_signals`).
//!    States that differ only in facts that no longer matter get one key too (`dead_facts`),
//!    and facts that exclude each other become one digit of a long key (`packing`).
//! 2. **Expand** (`expand`, `joint_moves`). A word holds the successors of several states, one per
//!    bit; whether they are terminal is computed with them, so terminal states are never stored.
//! 3. **Search**. States, their successors and their keys are a stochastic game whose layers are the steps
//!    left. The crate [`arena`] finds its values.
//! 4. **Horizon** (`horizon`). After how many steps every play is over, proved. This and the two before rely on
//!    facts proved by induction (crate [`invariants`]).
//! 5. **All steps** (`reached`). Where plays may go on for ever, or all states are few: what they are worth if all steps
//!    count.
//!
//! An engine keeps its tables from one question to the next, and answers from them
//! first. No step recurses, and every loop that can take long looks at the limits: one state can
//! have more joint moves than fit into any memory.
//!
//! The crate shares no idea of a formula with `xssat`: they share circuits, and the solver of stochastic
//! games. Both are guarded by oracles that share nothing with them: valuation by definition, and proofs of
//! strategies by the rules alone.

mod abstraction;
mod afterstates;
mod answer;
mod bounds;
mod chance_signals;
mod claims;
mod compile;
mod dead_facts;
mod engine;
mod equal_moves;
mod equal_outcomes;
mod expand;
mod flattening;
mod horizon;
mod joint_moves;
mod keys;
mod legal_moves;
mod live_signals;
mod options;
mod packing;
mod plain;
mod problem;
mod reached;
mod samples;
mod symmetry;
mod symmetry_group;

pub use answer::{Answer, Flaw, MoveValue, Outcome, QuestionError, Reply};
pub use engine::{Engine, LayeredGame, Layering};
pub use horizon::NoHorizon;
pub use options::{Options, SWITCHES};
pub use problem::{Agent, Payoff, Problem, ProblemError};
