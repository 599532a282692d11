//! Games of hidden information (GDL-II, Thielscher 2010): values, best moves, and strategies that prove them.
//!
//! The rules say with `(sees ROLE PERCEPT)` what a role sees of a state and a joint move. A role knows the rules, its own moves and what it
//! saw, remembers all of it, and knows nothing else. Moves of one step are simultaneous; a role knows those of others only if it sees them afterwards. Opponents
//! that choose are one side against the role; they have to see the same.
//!
//! - `listing`: all states that play leads to, by the rules as they are written, with what each side sees.
//! - `belief`: a role alone against chance is a decision process whose states are not seen ([`partial_information::pomdp`]).
//! - `tree`: two sides in sequence form ([`partial_information::sequence_form`]).
//! - `knowledge`: the states that a role holds possible in the middle of a play, and its moves there.
//! - `extensive`: the tree of all plays, for other programs.
//! - `strategy`: what a side does, by its own moves and what it sees.
//! - `percepts`: the percepts of each role in random plays, and rules without effect in them.
//!
//! ```text
//! Game --listing--> states --belief--> pomdp         --strategy--> HiddenStrategy, which `verify` proves
//!                          --tree----> sequence_form
//! ```
//!
//! ```
//! use gdl::game::{self, Objective};
//! use sqasp_hidden::{HiddenQuestion, solve};
//!
//! // A coin lies under a cup. A guest that peeks guesses right.
//! let rules = b"(role guest) (role random) (side heads) (side tails) (init (step 1))
//!     (<= (legal random (put ?side)) (side ?side) (true (step 1))) (<= (legal random wait) (not (true (step 1))))
//!     (<= (legal guest wait) (true (step 1))) (<= (legal guest peek) (true (step 2)))
//!     (<= (legal guest (guess ?side)) (side ?side) (true (step 3)))
//!     (<= (next (coin ?side)) (does random (put ?side))) (<= (next (coin ?side)) (true (coin ?side)))
//!     (<= (next (step 2)) (true (step 1))) (<= (next (step 3)) (true (step 2))) (<= (next over) (true (step 3)))
//!     (<= (sees guest (coin ?side)) (does guest peek) (true (coin ?side)))
//!     (<= (next won) (does guest (guess ?side)) (true (coin ?side)))
//!     (<= terminal (true over)) (<= (goal guest 100) (true won)) (<= (goal guest 0) (not (true won)))";
//! let game = game::read("cup", rules, &gdl::Options::default())?.game;
//! let question = HiddenQuestion::new(game.roles()[0].clone(), Objective::Win, None);
//! let limits = limits::Limits::default();
//! let solution = solve(&game, &question, &limits)?;
//! assert_eq!(solution.bounds().0.to_string(), "1");
//! let strategy = solution.strategy(1000, &limits)?;
//! let verified = verify::verify_hidden(&game, &strategy, &limits)?;
//! assert_eq!(verified.verdict, verify::Verdict::Proved("1".parse()?));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod belief;
mod error;
mod extensive;
mod knowledge;
mod listing;
mod percepts;
mod solve;
mod strategy;
mod tree;

pub use error::{HiddenError, InTheDark};
pub use extensive::{ExtensiveNode, extensive_form};
pub use knowledge::{KnownMove, KnownStep, RoleKnowledge};
pub use percepts::{DistinguishedMoves, IdlePercept, PerceptStatistics, View, observe_percepts};
pub use solve::{HiddenQuestion, HiddenSolution, solve, solve_publishing};
