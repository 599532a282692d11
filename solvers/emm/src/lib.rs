//! Exact expected minimax on the circuit of one step: from a [`Problem`] to the value of a state as a
//! fraction, or to proved bounds if a limit is reached.
//!
//! ```text
//! Problem --compile--> code for many states at once --search, or sweep--> value
//! ```
//!
//! 1. **Compile** (`compile`). Facts that nothing depends on go; moves with equal effects become one
//!    (`equal_moves`); symmetries are found and checked (`symmetry`), and give keys that are the same
//!    for all images of a state (`keys`).
//!    States that differ only in facts that no longer matter get one key too (`lasting`, `dead_facts`),
//!    and facts that exclude each other become one digit of a long key (`packing`).
//! 2. **Expand** (`expand`, `joint_moves`). A word holds the successors of several states, one per
//!    bit; whether they are terminal is computed with them, so terminal states are never stored.
//! 3. **Search** (`worker`, `arena`, `history`). Depth first with alpha-beta and Star1 windows, a
//!    table per number of steps left from exact keys to bounds (crate [`table`]), on all threads. A
//!    first pass only asks whether the value is 1.
//! 4. **Sweep** (`sweep`). Where the search takes long and the states are not too many, all of them
//!    are listed step by step, and values computed backwards.
//! 5. **Horizon** (`horizon`, `ranking`, `proof`). After how many steps every play is over,
//!    proved.
//!
//! Values are whole numbers over a common denominator that is learned (`units`), and become fractions
//! at the very end. An engine keeps its tables from one question to the next, and answers from them
//! first. No step recurses, and every loop that can take long looks at the limits (`halt`): one state can
//! have more joint moves than fit into any memory.
//!
//! The crate shares no idea of a formula with `xssat`, only tables and circuits below both: two routes
//! to one number.

mod arena;
mod claims;
mod compile;
mod dead_facts;
mod engine;
mod equal_moves;
mod expand;
mod history;
mod horizon;
mod joint_moves;
mod keys;
mod options;
mod packing;
mod plain;
mod problem;
mod projection;
mod samples;
mod search;
mod sight;
mod sweep;
mod symmetry;
mod trail;
mod units;
mod worker;

pub use engine::{Answer, Engine, Flaw, MoveValue, Outcome, QuestionError, Reply};
pub use horizon::NoHorizon;
pub use options::{Options, SWITCHES};
pub use problem::{Agent, Payoff, Problem, ProblemError};
