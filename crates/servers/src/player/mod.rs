//! A player of the general game playing protocol, and a referee for matches between such players.
//!
//! A manager of matches sends rules, then in every step the moves of all roles, and wants a move before a clock
//! ends ([`Message`]). The player is the server ([`Player`]).
//!
//! - `message`: the messages of managers, as text.
//! - `server`: messages in, answers out, one match at a time.
//! - `play`: a match: the position, and the choice of the move to answer.
//! - `exact`: engines that find the best move or mixture of moves exactly, in a thread of its own, as far as the clock allows.
//! - `sampling`: UCT on the state machine, in another thread, for games that are too large.
//! - `informed`: a match of a game that hides something: its solution, or random plays from states that are possible.
//! - `mixture`: moves drawn with their probabilities.
//! - `referee`: the other side: asks players for their moves and keeps the moves that were played.
//!
//! Invariants. An answer to `PLAY` is a legal move, and leaves before the clock ends: the thread that answers
//! waits for neither of the two. A message that cannot be read gets an answer and changes nothing.

mod exact;
mod informed;
mod message;
mod mixture;
mod play;
mod referee;
mod sampling;
mod server;

pub use message::{Message, ToldStep};
pub use referee::{Fault, MatchSettings, Played, referee};
pub use server::Player;
