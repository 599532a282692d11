//! Decision processes whose states are not seen (partially observable Markov decision processes, POMDPs): exact values within a
//! number of steps, by backward induction on beliefs; values or bounds without a last step, on a graph of beliefs.
//!
//! An agent makes an action, chance decides on the next state, and the agent gets an observation. What it knows then is a *belief*: how
//! likely each state is (Astrom 1965). A belief is a multiset of states with whole weights, divided by their greatest common
//! divisor, so that equal beliefs are found by a hash table. Beliefs are listed step by step, all actions and observations of
//! each; then values are computed from the last step to the first. With a first state and a number of steps there are
//! finitely many, and all values are fractions.
//!
//! Without a last step the question whether the value is above a number is undecidable (Madani, Hanks, Condon 1999). So [`solve_endless`] grows a
//! graph of beliefs, with bounds that are exact if few beliefs matter; where they are many, those in the graph bound all others.
//!
//! ```text
//! Pomdp --solve or solve_endless--> PomdpSolution: bounds of the start, and for each belief the worth of each action
//! ```
//!
//! ```
//! use sqasp_partial_information::pomdp::{Pomdp, PomdpOutcome, PomdpState, solve};
//!
//! // A coin is thrown behind a screen; the agent wins by guessing its side.
//! let outcome = |next, observation| PomdpOutcome { next, observation };
//! let guess = |left, right| PomdpState::Inner {
//!     menu: 1,
//!     actions: vec![vec![outcome(left, 0)], vec![outcome(right, 0)]],
//! };
//! let end = |payoff: i64| PomdpState::End(num_rational::BigRational::from_integer(payoff.into()));
//! let throw = PomdpState::Inner { menu: 0, actions: vec![vec![outcome(1, 0), outcome(2, 0)]] };
//! let model = Pomdp { states: vec![throw, guess(3, 4), guess(4, 3), end(1), end(0)] };
//! let solution = solve(&model, None, &limits::Limits::default())?;
//! assert_eq!(solution.bounds().0.to_string(), "1/2");
//! # Ok::<(), sqasp_partial_information::pomdp::Ambiguous>(())
//! ```
//!
//! Invariant: a limit widens bounds, and never makes a wrong one.

mod belief;
mod endless;
mod graph;
mod lower;
mod model;
mod process;
mod solution;
mod solve;
mod upper;

pub use endless::solve_endless;
pub use model::{Ambiguous, Pomdp, PomdpOutcome, PomdpState};
pub use solution::{ActionValue, PomdpSolution};
pub use solve::solve;
