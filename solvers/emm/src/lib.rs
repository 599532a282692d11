//! Exact expected minimax on the circuit of one step: from a [`Problem`] to the value of a state as a
//! fraction, or to proved bounds if a limit is reached.

mod arena;
mod compile;
mod engine;
mod equal_moves;
mod expand;
mod history;
mod horizon;
mod joint_moves;
mod keys;
mod options;
mod plain;
mod problem;
mod proof;
mod ranking;
mod search;
mod sweep;
mod symmetry;
mod ternary;
mod units;
mod watch;
mod worker;

pub use engine::{Answer, Engine, MoveValue, Outcome, QuestionError, Reply};
pub use horizon::NoHorizon;
pub use options::{Options, SWITCHES, Switch};
pub use problem::{Agent, Payoff, Problem, ProblemError};
