//! The endgame evaluator: exact values of positions, for general game players that ask while they
//! play.
//!
//! A player starts `sqasp evaluate GAME` once and writes a question on a line whenever it wants the
//! value of a position; the answer comes back on a line. Values stay in a table, so a
//! position that was met before, in whatever question, costs only the way through the pipe.
//!
//! ```text
//! {"protocol":"sqasp-evaluate","version":1,"game":"figure_1","roles":["xplayer","oplayer","random"],...}
//! > {"id":1,"history":[],"depth":1}
//! {"id":1,"status":"solved","value":{"num":"2","den":"3",...},"best":"(bet left)",...}
//! ```
//!
//! One idea in each part; an [`Engine`](engines::Engine) finds the answers to the lines:
//!
//! - `protocol`: the lines as types; `docs/evaluate-protocol.md` describes them to other programs.
//! - `server`: [`Evaluator`] turns a line into a reply, and [`serve`] does so for all lines of a
//!   reader, which are read ahead (`lines`), so that a `stop` is heard while a search goes on (`stops`).
//!   A thread beside it sees to it that no reply is late.
//! - `replies`: the opponents' replies to a move, and their values.
//! - `shared`: one evaluator for many clients at once, each of which has bounds first and better ones later.
//!
//! Invariants. Every line gets exactly one reply, in order, whatever the line is: a line that cannot be
//! answered gets a reply that says why, and the next line is read. No line makes the process panic,
//! and none can make it use much memory: lines have a largest length, and nothing is kept of a
//! request that is refused. Values are fractions;
//! a limit leads to proved bounds.
//!
//! This folder does not know the command line: the caller gives it a reader and a writer, so
//! that a test needs no process. It does not search either; that is done by engines.

mod lines;
mod protocol;
mod replies;
mod server;
mod shared;
mod stops;

pub use protocol::{
    ChanceOutcome, Command, ErrorReply, EvaluationReply, Greeting, Id, LONGEST_LINE, MAX_STEPS,
    OpponentReply, PROTOCOL, RepliesReply, Reply, ReplyBody, Request, Statistics, StepOfRole,
    VERSION,
};
pub use server::{Defaults, Evaluator, read, serve};
pub use shared::{PartialReply, Shared};
pub use stops::Stops;

#[cfg(test)]
mod tests;
