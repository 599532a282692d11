//! Mean numbers of steps until play is over, by a graph of all states, which [`endless::lengths`] solves.
//!
//! The role knows no move of its opponents, who know its move; random's legal moves are equally likely. Where the rules say which steps
//! count (`step_counts`), a step counts if that holds in the state in which it is made.
//!
//! ```text
//! Game --mixed::PositionGame--> rows of states --listing--> Arena, steps that count --endless::lengths | backward--> StepSolution
//! ```
//!
//! - `listing`: the states, breadth first, as an [`Arena`](endless::Arena).
//! - `backward`: values for a number of steps left, by backward induction.
//! - `solution`: values of states and moves, and the strategies of both sides.

mod backward;
mod listing;
mod solution;

pub(crate) use solution::{NoNumber, StepQuestion, StepSolution, solve};
