//! Concurrent stochastic games (Shapley 1953): exact values, or certified bounds where play may go on for ever.
//!
//! In each state one side chooses a row and the other a column, neither knowing the choice of the other, and both may choose at
//! random. Then chance decides, and play is in another state, or over with a payoff from 0 to 1. The value of a state is
//! that of a matrix game ([`solve_matrix`]) whose entries are the mean values of the states that follow.
//!
//! ```text
//! ConcurrentGame --explore--> Stages of all states --backwards | component--> ConcurrentSolution
//! ```
//!
//! - `explore`: all states within the steps that count, breadth first, as any list of [`Nodes`]. `stages`: their graph in flat tables.
//! - `backwards`: backward induction. Where play cannot come back to a state, or too late to matter, a state has one value;
//!   else one for each number of steps left.
//! - `component`: states that lead to each other, where all steps count. Play that never ends pays nothing, so values are
//!   the least solution of the equations (de Alfaro and Majumdar 2004), and may be irrational. Strategy iteration
//!   (Chatterjee, de Alfaro, Henzinger 2006) gives mixtures that depend on the state only. With one side's mixtures fixed the game is one of a single player
//!   (crate `endless`), whose value is a proved bound: lower bounds by rows, upper bounds by columns. Where they
//!   meet the value is exact.
//! - `sure`: states of value 1, for which there may be no best mixtures either (de Alfaro, Henzinger, Kupferman 2007).
//! - `mixture`: mixtures with short fractions. `bounds`: a value, or bounds of it.
//!
//! Invariant: a limit widens bounds, and never makes a wrong one. States without a stage are worth anything from 0 to 1.

mod backwards;
mod bounds;
mod component;
mod explore;
mod game;
mod matrix_game;
mod mixture;
mod options;
mod solution;
mod solve;
mod stages;
mod sure;

pub use explore::{Listed, Nodes, StateList, StateSet, explore};
pub use game::{ConcurrentGame, Stage, StageError};
pub use matrix_game::{Matrix, MatrixSolution, solve_matrix};
pub use options::Options;
pub use solution::{ConcurrentSolution, StagePlay};
pub use solve::solve;
