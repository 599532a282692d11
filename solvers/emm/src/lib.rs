//! Exact expected minimax on the circuit of one step: from a [`Problem`] to the value of a state as a
//! fraction, or to proved bounds if a limit is reached.
//!
//! ```text
//! Problem --compile--> a step as a stochastic game --search--> value
//! ```
//!
//! 1. **Compile** (`compile`). Facts that nothing depends on go. Outcomes of chance that lead to the same are one, and so are the states and moves
//!    that leave the same to chance (`chance`). Symmetries are found and checked (`symmetry`) once gates are
//!    sums of products (`flattening`), and give keys that are the same for all images of a state (`keys`).
//!    States that differ only in facts that no longer matter get one key too (`dead_facts`).
//! 2. **Expand** (`expand`, `joint_moves`). A word holds the successors of several states, one per
//!    bit; whether they are terminal is computed with them, so terminal states are never stored.
//! 3. **Search**. States, their successors and their keys are a stochastic game whose layers are the steps
//!    left. The crate [`arena`] finds its values.
//! 4. **Horizon** (`horizon`). After how many steps every play is over, proved. This and the two before rely on
//!    facts proved by induction ([`circuit::invariants`]).
//! 5. **All steps** (`reached`). Where plays may go on for ever, or all states are few: what they are worth if all steps
//!    count.
//!
//! The order of work, and all thresholds, stand in `policy`.
//!
//! An engine keeps its tables from one question to the next, and answers from them
//! first. No step recurses, and every loop that can take long checks the limits: one state can
//! have more joint moves than fit into any memory.
//!
//! The crate shares no idea of a formula with `xssat`: they share circuits, and the solver of stochastic
//! games. Both are guarded by oracles that share nothing with them: valuation by definition, and proofs of
//! strategies by the rules alone.

mod abstraction;
mod answer;
mod chance;
mod claims;
mod compile;
mod dead_facts;
mod engine;
mod expand;
mod flattening;
mod horizon;
mod joint_moves;
mod keys;
mod legal_moves;
mod options;
mod plain;
mod policy;
mod problem;
mod reached;
mod samples;
mod symmetry;

pub use answer::{Answer, Flaw, MoveValue, QuestionError, Reply};
pub use engine::{Engine, LayeredGame, Layering};
pub use horizon::NoHorizon;
pub use options::Options;
pub use problem::{Agent, Payoff, Problem, ProblemError};
