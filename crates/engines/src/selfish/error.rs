//! Why there are no values of roles that play for themselves.

use crate::mixed::MixedError;
use gdl::{Name, Term};
use limits::StopReason;
use rules::listed;

/// Why there are no values.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SelfishError {
    /// The states cannot be listed.
    #[error(transparent)]
    Game(#[from] MixedError),
    /// Two roles have a choice in a state with these facts.
    #[error(
        "{role} and {other} choose at the same time in the state {{{}}}; roles that play for themselves have to move one after the other",
        listed(state)
    )]
    Together {
        /// One of them.
        role: Name,
        /// The other.
        other: Name,
        /// The facts.
        state: Vec<Term>,
    },
    /// Play may go on for ever, and iteration finds no stationary equilibrium.
    #[error(
        "play may go on for ever, and no equilibrium was found in which moves depend on the state only: say how many steps count"
    )]
    NotFound,
}

impl From<StopReason> for SelfishError {
    fn from(reason: StopReason) -> Self {
        SelfishError::Game(reason.into())
    }
}
