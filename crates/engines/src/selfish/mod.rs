//! Subgame perfect equilibria: every role wants its own goal, and expects the others to do so.
//!
//! In each state at most one role has a choice. Where play has a last step, backward induction finds the values (Kuhn 1953): the role
//! that moves takes a move that is best for itself. Where two are equally good for it, others may care which one it takes, so one state
//! has several equilibria: `values` finds those of all of them. Where play may go on for ever `stationary` finds one equilibrium, in which moves
//! depend on the state only.
//!
//! ```text
//! Game --listing--> Listing of states --values | stationary--> SelfishSolution --strategy--> Equilibrium
//! ```

mod error;
mod listing;
mod solution;
mod stationary;
mod strategy;
mod values;

pub use error::SelfishError;
pub use solution::SelfishSolution;
