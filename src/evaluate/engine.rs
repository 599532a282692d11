//! What stands behind the lines: [`Engine`], and the question and answer it knows.

use crate::game::{Game, Objective, largest_value};
use crate::gdl::Term;
use crate::machine::{ReasonerError, RuleLimits};
use formula::{BigRational, Outcome, Value};
use limits::{Clock, Limits, StopReason};

/// Something that values positions of one game, and keeps what it finds.
pub trait Engine {
    /// Its name, for the greeting.
    fn name(&self) -> &'static str;

    /// The value of a position, and of each legal move if the question asks for them.
    ///
    /// # Errors
    /// When the question makes no sense for the game, or the engine cannot answer such questions.
    fn evaluate(&mut self, question: &Question) -> Result<Evaluation, EngineError>;

    /// No value of the role with this place is larger than this.
    fn largest(&self, role: usize) -> BigRational;

    /// Forgets all it has found.
    fn clear(&mut self);

    /// The number of entries in its tables.
    fn entries(&self) -> u64;

    /// The memory of its tables in bytes, if it counts that.
    fn memory(&self) -> Option<u64> {
        None
    }
}

/// A place in a play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Position {
    /// The facts that hold.
    State(Vec<Term>),
    /// The joint moves that lead there from the initial state: for each step one move of each role,
    /// in the order of the roles.
    History(Vec<Vec<Term>>),
}

/// What is asked of an engine.
#[derive(Clone, Debug)]
pub struct Question {
    /// The place in the play.
    pub position: Position,
    /// The role that wants to win, by its place in the list of roles.
    pub role: usize,
    /// How many steps from the position on count; all if it is not said.
    pub depth: Option<u32>,
    /// Whether each legal move is to be valued.
    pub moves: bool,
    /// What the answer may cost.
    pub limits: Limits,
}

/// What an engine found.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// Whether the play is over.
    pub terminal: bool,
    /// The value, or bounds of it.
    pub outcome: Outcome,
    /// What each legal move of the role is worth, if that was asked and there is a step to make.
    pub moves: Vec<MoveValue>,
    /// Whether plays that were not over after the last step may count in it, as worth nothing.
    pub cut_off: bool,
    /// How many states were searched.
    pub states: u64,
}

/// What a move is worth: what the role can make sure of after it.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveValue {
    /// The move.
    pub action: Term,
    /// Its value, or bounds of it.
    pub outcome: Outcome,
}

/// Why an engine does not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EngineError {
    /// The position is not one of this game.
    #[error("{0}")]
    Position(String),
    /// The engine needs to be told how many steps count, or fewer.
    #[error("{0}")]
    Depth(String),
    /// The game has no value here, or its rules cannot be evaluated.
    #[error("{0}")]
    Game(String),
}

/// For each role the largest value that it can have.
pub(super) fn largest_values(game: &Game, objective: Objective) -> Vec<BigRational> {
    let roles = game.roles().iter();
    roles
        .map(|role| largest_value(game, role, objective))
        .collect()
}

/// What keeps an engine from a value.
pub(super) enum Trouble {
    /// A limit, which is no error.
    Stopped(StopReason),
    /// An error.
    Error(EngineError),
}

impl Trouble {
    /// What to tell of it: that nothing is known but the largest value there can be, or the error.
    pub(super) fn told(self, largest: &BigRational) -> Result<Evaluation, EngineError> {
        match self {
            Trouble::Error(error) => Err(error),
            Trouble::Stopped(reason) => Ok(Evaluation {
                terminal: false,
                outcome: Outcome::unknown(reason).times(largest),
                moves: Vec::new(),
                cut_off: false,
                states: 0,
            }),
        }
    }
}

impl From<ReasonerError> for Trouble {
    fn from(error: ReasonerError) -> Self {
        match error {
            ReasonerError::Stopped(reason) => Trouble::Stopped(reason),
            ReasonerError::TooManyRows { .. } => Trouble::Stopped(StopReason::Memory),
            other => Trouble::Error(EngineError::Game(other.to_string())),
        }
    }
}

/// The bytes of a sentence that the rules derive, roughly.
const BYTES_PER_ROW: u64 = 200;

/// What the rules may cost within the limits of a question, whose time runs from now on.
pub(super) fn rule_limits(limits: &Limits) -> RuleLimits {
    let all = RuleLimits::default();
    let rows = limits
        .memory
        .map_or(u64::MAX, |bytes| bytes / BYTES_PER_ROW);
    RuleLimits {
        derived_rows: all.derived_rows.min(rows),
        clock: Clock::new(limits),
        ..all
    }
}

/// The value is known.
pub(super) fn solved(value: BigRational) -> Outcome {
    Outcome::Solved(Value::Exact(value))
}

/// The limit that kept something of an answer from being solved, if one did.
pub(super) fn stopped(outcome: &Outcome, moves: &[MoveValue]) -> Option<StopReason> {
    let mut outcomes = std::iter::once(outcome).chain(moves.iter().map(|each| &each.outcome));
    outcomes.find_map(Outcome::stopped_by)
}
