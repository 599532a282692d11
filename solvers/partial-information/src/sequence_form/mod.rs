//! Two-player zero-sum games with hidden information and perfect recall, in sequence form (von Stengel: *Efficient computation of behavior
//! strategies*, 1996; Koller, Megiddo, von Stengel: *Efficient computation of equilibria for extensive two-person games*, 1996): exact
//! values, or proved bounds at any time.
//!
//! A player does not know where play is, only the *information set*: all positions that look alike. The player
//! recalls all own moves, so one *sequence* of own moves leads to each set, and the sequences of a player are a tree. A
//! *realization plan* gives each sequence the chance that the player's throws of the dice allow it: the empty one has 1, and the moves of
//! a set share the chance of the sequence that leads to it. Payoffs are linear in the plan of each player, so the value is that of a
//! linear program as large as the tree; the pure strategies would be exponentially many.
//!
//! ```text
//! SequenceGame --regret--> plans --support--> restricted game --simplex--> basis --basis--> exact plans --response--> value
//!                            |                      ^---- better responses ----|
//!                            '--rounding--> plans in whole numbers --response--> bounds, at any time
//! ```
//!
//! - `tree`, `game`: the input. `response`: best responses, the proof of all results. `plan`: plans in whole numbers, and the bounds
//!   that they prove; `bounds`: the best of them.
//! - `regret`: regret minimization, for bounds that close in and for the sequences that best plans use.
//! - `support`, `oracle`: double oracle: few sequences first, and others when they answer better.
//! - `simplex`: the linear program of the restricted game in floating-point numbers. `basis`: the exact plans of its last basis, by a
//!   linear system with whole numbers.
//!
//! - `play`, `knowledge`, `walk`, `form`: the other input, a graph of states ([`Play`]). From it comes a table of payoffs, or none: where plays are too many
//!   they are walked through in each round. `symmetry`: choices that are images of each other count once then.
//!
//! No value and no bound depends on a floating-point number: these only choose what is then solved, and proved, in whole numbers.
//!
//! # The input
//!
//! - For each player the information sets ([`SequenceBuilder::set`]): the sequence that leads there, and the number of moves. Sequence 0 is the
//!   empty one; a set gives its moves the next free numbers.
//! - The payoffs ([`SequenceBuilder::payoff`]): for each end of play the pair of sequences, and what player 1 pays to player 0, times the
//!   chance of the throws on the way, as a whole number over a denominator that all share ([`SequenceBuilder::finish`]). Ends with the same
//!   pair are added up, so a million ends may be a thousand entries.
//!
//! ```
//! use limits::Limits;
//! use sqasp_partial_information::sequence_form::{SequenceBuilder, GameError, Options, solve};
//!
//! // Matching pennies, where heads are worth 3. Each player has one information set with two moves.
//! let mut builder = SequenceBuilder::default();
//! let [row, column] = [builder.set(0, 0, 2)?, builder.set(1, 0, 2)?];
//! for (sequences, payoff) in [([0, 0], 3), ([0, 1], -1), ([1, 0], -1), ([1, 1], 1)] {
//!     builder.payoff([row + sequences[0], column + sequences[1]], payoff);
//! }
//! let game = builder.finish(1u32)?;
//! let solution = solve(&game, &Options::default(), &Limits::default());
//! assert_eq!(solution.value().unwrap().to_string(), "1/3");
//! let mixture = solution.plans[0].mixture(game.tree(0), 0).unwrap();
//! assert_eq!(mixture[1].to_string(), "2/3");
//! assert!(solution.is_proved(&game));
//! # Ok::<(), GameError>(())
//! ```

mod basis;
mod bounds;
mod form;
mod game;
mod knowledge;
mod oracle;
mod plan;
mod play;
mod regret;
mod response;
mod shares;
mod simplex;
mod solution;
mod solve;
mod support;
mod symmetry;
mod tree;
mod walk;

pub use game::{SequenceBuilder, SequenceGame};
pub use knowledge::{Knowledge, PlayError};
pub use plan::RealizationPlan;
pub use play::{PlayOutcome, PlayState};
pub use solution::{SequenceSolution, Statistics};
pub use solve::{Options, solve, solve_publishing};
pub use tree::{GameError, SequenceTree};
pub use walk::Play;
