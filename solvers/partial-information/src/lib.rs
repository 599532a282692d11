//! Exact values of games and decision processes with hidden information.
//!
//! - [`sequence_form`]: two sides that remember what they did and saw, by realization plans.
//! - [`pomdp`]: one agent that does not see the state, by beliefs.

mod policy;
pub mod pomdp;
pub mod sequence_form;
