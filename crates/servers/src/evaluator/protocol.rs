//! The lines that an evaluator and its user exchange, as types. `docs/evaluate-protocol.md` is the
//! same for authors of clients in another language.
//!
//! Every line is one JSON object. The first line out is a [`Greeting`]. Then each line in is a
//! [`Request`] and gets one [`Reply`] line out, in order. Facts and moves are canonical KIF text,
//! such as `(mark 1 2)`, as everywhere in the JSON of this project.
//!
//! Requests with a field that is not known are refused: a misspelt `depth` would otherwise change
//! the question silently. Readers of replies should ignore fields they do not know, because later
//! versions may add some; [`VERSION`] changes only when older readers would misunderstand.

use engines::answer::{RankedMove, Worth};
use engines::{EquilibriumValues, Fraction};
use gdl::{Name, Term};
use limits::StopReason;
use serde::{Deserialize, Serialize};

/// The name of the protocol, in the greeting.
pub const PROTOCOL: &str = "sqasp-evaluate";

/// The version of the protocol, in the greeting.
pub const VERSION: u32 = 1;

/// The largest length of a line, in bytes, without its end.
pub const LONGEST_LINE: usize = 1 << 20;

/// The largest number of steps that a request may ask about, as on the command line.
pub const MAX_STEPS: u32 = 1_000_000;

/// The first line, about the program and its game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Greeting {
    /// Always [`PROTOCOL`].
    pub protocol: String,
    /// The version of the protocol.
    pub version: u32,
    /// The program and its version, such as `sqasp 0.1.0`.
    pub program: String,
    /// The name of the game.
    pub game: String,
    /// All roles, in the order in which joint moves list their moves.
    pub roles: Vec<Name>,
    /// The role that requests are about when they name none.
    pub role: Name,
    /// The meaning of success: `win`, `goal>=N` or `score`.
    pub objective: String,
    /// The engine that searches.
    pub engine: String,
}

/// The identifier of a request: a whole number or text. It comes back in the reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Id {
    /// A whole number.
    Number(i64),
    /// Text.
    Text(String),
}

/// The kind of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Command {
    /// The value of a position. A request without `command` asks for it.
    #[default]
    Evaluate,
    /// The opponents' replies to a move, and the outcomes of each.
    Replies,
    /// Numbers about the work so far.
    Stats,
    /// Forget everything that was found.
    Clear,
    /// Answer all earlier requests at once, with the bounds that are known.
    Stop,
    /// End.
    Quit,
}

/// One line in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Comes back in the reply.
    pub id: Option<Id>,
    /// The kind of the request; all fields below are for `evaluate` and `replies` only.
    pub command: Option<Command>,
    /// The position as the facts that hold in it.
    pub state: Option<Vec<String>>,
    /// The position as the joint moves that led to it from the initial state: for each step one move
    /// of every role, in the order of the roles. Not together with `state`; without both the
    /// position is the initial state.
    pub history: Option<Vec<Vec<String>>>,
    /// The position as the role knows it, in a game of hidden information: its steps from the initial state on. In place of `state` and `history`.
    pub information: Option<Vec<StepOfRole>>,
    /// The role that wants to win.
    pub role: Option<String>,
    /// How many steps from the position on count.
    pub depth: Option<u32>,
    /// How many seconds the answer may take.
    pub time: Option<f64>,
    /// Whether every legal move is to be valued; true if it is not said. Without the moves a
    /// value may be found sooner.
    pub moves: Option<bool>,
    /// The role's move, for `replies`; if it has only one, that need not be said.
    #[serde(rename = "move")]
    pub action: Option<String>,
}

/// A step as a role knows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepOfRole {
    /// Its move.
    #[serde(rename = "move")]
    pub action: String,
    /// The things that it saw then, in any order.
    #[serde(default)]
    pub sees: Vec<String>,
}

impl Request {
    /// Whether there is nothing in it but `id` and `command`.
    pub(super) fn is_bare(&self) -> bool {
        let bare = Request {
            id: self.id.clone(),
            command: self.command,
            ..Request::default()
        };
        *self == bare
    }
}

/// One line out, after the greeting.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reply {
    /// The `id` of the request; null if it had none, or none that could be read.
    pub id: Option<Id>,
    /// The content of the reply.
    #[serde(flatten)]
    pub told: ReplyBody,
}

/// The content of a reply; its kind is the field `status`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "status", rename_all = "lowercase")]
pub enum ReplyBody {
    /// The exact value, and, if they were asked for, those of all moves.
    Solved(EvaluationReply),
    /// A limit came first: bounds.
    Bounds(EvaluationReply),
    /// The answer to `replies`.
    Replies(RepliesReply),
    /// The request has no answer; the evaluator goes on.
    Error(ErrorReply),
    /// The answer to `stats`.
    Stats(Statistics),
    /// The answer to `clear`.
    Cleared,
    /// The answer to `stop`.
    Stopped,
    /// The answer to `quit`, and the last line.
    Bye,
}

/// The value of a position, or bounds of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EvaluationReply {
    /// The role that wants to win.
    pub role: Name,
    /// Whether the play is over in the position.
    pub terminal: bool,
    /// The steps that counted; missing when all did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// The value. It can be exact although some move has only bounds.
    #[serde(flatten)]
    pub worth: Worth,
    /// Whether plays that are not over after the last step may count in the value, as worth nothing; missing
    /// if not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut_off: bool,
    /// Whether the strategy that is known gets less than the value, though some come as near as wanted; missing if not.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unreached: bool,
    /// The values of all roles, where each plays for itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equilibrium: Option<EquilibriumValues>,
    /// The limit that came first, with `bounds`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<StopReason>,
    /// The move to play as far as is known: one with the highest lower bound, and among those one
    /// with the highest upper bound; of a mixture the one that is made most often. Missing where there is no move, or moves were not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<Term>,
    /// Every legal move of the role, best first; missing if they were not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<Vec<RankedMove>>,
    /// How many states were searched for this answer; 0 if all was in the table.
    pub states: u64,
    /// Wall-clock seconds from reading the request to writing the reply.
    pub seconds: f64,
}

/// The opponents' replies to a move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RepliesReply {
    /// The role that wants to win.
    pub role: Name,
    /// Its move.
    #[serde(rename = "move")]
    pub action: String,
    /// The steps that counted, that of the move included; missing when all did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// The limit that came first, if some values are not exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<StopReason>,
    /// Every reply of the opponents, the worst for the role first; where each role plays for itself, the best for the opponent that chooses.
    pub replies: Vec<OpponentReply>,
    /// How many states were searched for this answer.
    pub states: u64,
    /// Wall-clock seconds from reading the request to writing the reply.
    pub seconds: f64,
}

/// A reply of the opponents to a move, and its value for the role.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OpponentReply {
    /// The moves of all roles, in their order; null for that of `random`.
    pub joint_move: Vec<Option<String>>,
    /// The value for the role after this reply, or bounds of it.
    #[serde(flatten)]
    pub worth: Worth,
    /// The outcomes of chance after this reply; one outcome where there is no chance.
    pub outcomes: Vec<ChanceOutcome>,
}

/// An outcome of chance, and its value for the role.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChanceOutcome {
    /// The move of `random`; missing if there is no such role.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// How probable it is.
    pub probability: Fraction,
    /// Whether the play is over then.
    pub terminal: bool,
    /// The value of the next position, or bounds of it.
    #[serde(flatten)]
    pub worth: Worth,
}

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorReply {
    /// The kind, for programs: `json`, `request`, `position`, `depth` or `game`.
    pub code: &'static str,
    /// A sentence for people: where the error is, the error, and the way out.
    pub message: String,
}

impl ErrorReply {
    pub(super) fn new(code: &'static str, message: impl ToString) -> Self {
        let message = message.to_string();
        ErrorReply { code, message }
    }

    /// The request makes no sense.
    pub(super) fn request(message: impl ToString) -> Self {
        ErrorReply::new("request", message)
    }

    /// The position is none of the game.
    pub(super) fn position(message: impl ToString) -> Self {
        ErrorReply::new("position", message)
    }
}

/// Numbers about the work so far.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Statistics {
    /// Lines answered, this one included.
    pub requests: u64,
    /// Lines that got an error.
    pub errors: u64,
    /// States searched for all answers.
    pub states: u64,
    /// Entries in the tables.
    pub entries: u64,
    /// Memory of the tables in bytes, as far as the engine counts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// Seconds since the start.
    pub seconds: f64,
}
