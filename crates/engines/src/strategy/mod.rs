//! Strategies from solvers, written down as lists.
//!
//! [`extract`] asks an [`Advisor`], some solver, for the move in every position that can come up, and
//! gives a [`Strategy`](verify::Strategy), which [`verify`](verify::verify()) proves by the rules.
//!
//! Invariant: nothing here knows which solver gives advice.

mod best_play;
mod extract;

pub use best_play::{Continuation, GREEDY_STEPS, Losses, best_play};
pub use extract::{Advisor, ExtractLimits, Extracted, Reply, best_moves, extract};
