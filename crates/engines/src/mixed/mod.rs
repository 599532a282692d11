//! Games in which roles choose at the same time: values, best mixtures, and strategies that prove them.
//!
//! With the order of `emm` the opponents know the role's move. Here they do not, and each role may choose at random: a state is a
//! matrix game of the role's moves against the joint moves of all opponents, who agree on their mixture in secret. random's legal moves are
//! equally likely, as everywhere. The crate [`matrix`] finds the values; this one gives it the states of a game, by the circuit
//! of one step, and gives back names.
//!
//! ```text
//! Game --position--> PositionGame --matrix--> MixedSolution --strategy--> MixedStrategy
//! ```
//!
//! ```
//! use gdl::game::{self, Objective};
//! use sqasp_engines::mixed::{MixedQuestion, solve};
//!
//! // Matching pennies: even wins if both show the same side.
//! let rules = b"(role even) (role odd) (side heads) (side tails)
//!     (<= (legal ?who ?side) (role ?who) (side ?side))
//!     (<= (next (shown ?who ?side)) (does ?who ?side))
//!     (<= same (true (shown even ?side)) (true (shown odd ?side)))
//!     (<= terminal (true (shown even ?side)))
//!     (<= (goal even 100) same) (<= (goal even 0) (not same))
//!     (<= (goal odd 0) same) (<= (goal odd 100) (not same))";
//! let game = game::read("pennies", rules, &gdl::Options::default())?.game;
//! let question = MixedQuestion::new(game.roles()[0].clone(), Objective::Win, Some(1));
//! let mut solution = solve(&game, &question, &limits::Limits::default())?;
//! assert_eq!(solution.bounds().0.to_string(), "1/2");
//! let strategy = solution.strategy(1000, &limits::Limits::default())?;
//! let verified = verify::verify_mixed(&game, &strategy, &limits::Limits::default())?;
//! assert_eq!(verified.verdict, verify::Verdict::Proved("1/2".parse()?));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod greedy;
mod policy;
mod position;
mod solve;
mod strategy;

pub use error::MixedError;
pub use position::PositionError;
pub(crate) use position::PositionGame;
pub use solve::{
    GivenPlay, MixedMove, MixedPlay, MixedQuestion, MixedSolution, respond_on, solve, solve_on,
};
