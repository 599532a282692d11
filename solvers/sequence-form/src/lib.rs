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
//! # The input
//!
//! - For each player the information sets ([`Builder::set`]): the sequence that leads there, and the number of moves. Sequence 0 is the
//!   empty one; a set gives its moves the next free numbers.
//! - The payoffs ([`Builder::payoff`]): for each end of play the pair of sequences, and what player 1 pays to player 0, times the
//!   chance of the throws on the way, as a whole number over a denominator that all share ([`Builder::finish`]). Ends with the same
//!   pair are added up, so a million ends may be a thousand entries.
//!
//! ```
//! use sqasp_sequence_form::{Builder, GameError};
//!
//! // Matching pennies, where heads are worth 3. Each player has one information set with two moves.
//! let mut builder = Builder::default();
//! let [row, column] = [builder.set(0, 0, 2)?, builder.set(1, 0, 2)?];
//! for (sequences, payoff) in [([0, 0], 3), ([0, 1], -1), ([1, 0], -1), ([1, 1], 1)] {
//!     builder.payoff([row + sequences[0], column + sequences[1]], payoff);
//! }
//! let game = builder.finish(1u32)?;
//! assert_eq!((game.tree(0).sequences(), game.entries()), (3, 4));
//! # Ok::<(), GameError>(())
//! ```

mod basis;
mod bounds;
mod game;
mod oracle;
mod plan;
mod regret;
mod response;
mod simplex;
mod solution;
mod solve;
mod support;

pub use game::{Builder, GameError, SequenceGame, Tree, Weight};
pub use plan::Plan;
pub use solution::{Solution, Statistics};
pub use solve::{Options, solve};
