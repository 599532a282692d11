//! Strategies from solvers: written down as lists, or followed by the circuit of one step.
//!
//! [`extract`] asks an [`Advisor`], some solver, for the move in every position that can come up, and
//! gives a [`Strategy`](verify::Strategy), which [`verify`](verify::verify()) proves by the rules. Where the list would be too long,
//! [`certify`](certify()) follows a [`Policy`] by the circuit instead.
//!
//! Invariant: nothing here knows which solver gives advice.

mod best_play;
mod certify;
mod extract;

pub use best_play::{Continuation, GREEDY_STEPS, Losses, Unfolded, best_play};
pub use certify::{
    Certified, Certifier, CertifyError, Effort, ListedPolicy, NO_ENTRY, Policy, PolicyQuestion,
    SAMPLE, by_circuit, certify,
};
pub use extract::{Advisor, ExtractLimits, Extracted, Reply, best_moves, extract};
