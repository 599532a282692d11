//! Simple stochastic games (Condon 1992): exact values of games on graphs, in which play may go on for ever.
//!
//! A game is a graph ([`Arena`]) with payoffs at its ends. Play moves from state to state, with no limit; play that never
//! ends pays nothing. The value of a state is the largest mean that the maximizer can guarantee. The values are
//! the least solution of
//!
//! ```text
//! v(s) = max over alternatives of min over replies of the mean of v at the outcomes
//! ```
//!
//! (Shapley 1953; Condon: *The complexity of stochastic games*, 1992). Both players have best strategies that depend on
//! the state only. Solutions that are not the least one exist where both would wait: a state that leads to
//! itself has any value.
//!
//! ```text
//! GameGraph --attractor--> states of value 0 and 1 --components--> one after the other: strategies and bounds,
//!                                                             then exact values, if fractions stay short
//! ```
//!
//! - `attractor`: states of value 0 and 1, and strategies that get somewhere, without numbers.
//! - `interval`: bounds at any time, by iteration of values from both sides.
//! - `component`: strategy iteration (Hoffman, Karp: *On nonterminating stochastic games*, 1966) in a strongly
//!   connected component, with bounds that prove themselves; `iteration`: strategies to begin with; `process`: the same
//!   for one player, with linear systems by elimination ([`linear_system`]) or `projection`.
//! - `single`: states that do not lead to themselves, as all of a game in which play does not come back to any state.
//! - `exact`: from strategies to exact values; `forecast`: whether that will be too much work.
//! - `certificate`: proofs of bounds, and their check in whole numbers after each solve.
//! - `lengths`: mean numbers of steps until play is over, which one side wants small (stochastic shortest path games).
//! - `absorption`: where play ends, and after how many steps, where no player has a choice any more.
//!
//! Values are given exactly as long as their fractions take no more work than [`Options::exact_work`], and are not seen to take more; all
//! others by bounds. Whatever the limits are: all bounds are proved, and strategies are there that guarantee them.
//!
//! ```
//! use limits::Limits;
//! use sqasp_endless::{Builder, GameGraph, Options, Target, solve};
//!
//! // Throw a die until it shows 1, which wins, or 2, which loses.
//! let mut builder = Builder::default();
//! let throw = builder.state();
//! builder.alternative();
//! builder.reply();
//! builder.outcome(Target::End(0), 1);
//! builder.outcome(Target::End(1), 1);
//! builder.outcome(Target::State(throw), 4);
//! let payoffs = [1, 0].map(|payoff: i64| num_rational::BigRational::from_integer(payoff.into()));
//! let game = GameGraph::new(builder.finish(2).unwrap(), payoffs.to_vec()).unwrap();
//! let solution = solve(&game, &Options::default(), &Limits::default());
//! assert_eq!(solution.value(0).unwrap().to_string(), "1/2");
//! ```

mod absorption;
mod attractor;
mod certificate;
mod component;
mod exact;
mod forecast;
mod interval;
mod iteration;
mod lengths;
pub mod linear_system;
mod listing;
mod options;
mod process;
mod projection;
mod single;
mod solution;
mod solve;

pub use absorption::{Absorption, absorption, quantiles};
pub use arena::{Arena, ArenaError, Builder, GameGraph, MAX_TOTAL, PayoffError, Target};
pub use lengths::{Length, Lengths, QuickSide, lengths};
pub use listing::solve_listing;
pub use options::Options;
pub use solution::{Solution, Statistics};
pub use solve::{solve, solve_publishing};

#[cfg(test)]
extern crate self as sqasp_endless;
#[cfg(test)]
#[path = "../tests/all/lists.rs"]
mod lists;
#[cfg(test)]
#[path = "../tests/all/proof.rs"]
mod proof;
