//! Errors, with their kinds, the errors of parts behind them, and ways out.

use crate::opponents::SideError;
use crate::search::{SearchError, TableFailure};
use formula::SolverError;
use gdl::game::{HiddenInformation, NoSuchRole, NoTeam};
use layers::DiskTableError;
use limits::StopReason;
use logic::route::{ProgramError, RouteError};
use rules::ReasonerError;
use std::error::Error as StdError;
use std::fmt;
use std::sync::Arc;

/// The reason why there is no answer. A limit that is reached is no error where bounds are known: then there is an
/// [`Answer`](crate::Answer).
#[derive(Clone, Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    below: Option<Arc<dyn StdError + Send + Sync>>,
    remedy: Option<Remedy>,
}

/// The kinds of errors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The question does not fit the game, or the engine does not answer such questions.
    Question,
    /// It is not known how long plays are, and the question does not say how many steps count.
    Depth,
    /// The position is not one of this game.
    Position,
    /// The game is not valid: it has no value, or its rules cannot be evaluated.
    Game,
    /// The game is too large for the engine.
    TooLarge,
    /// A limit was reached before anything was known.
    Stopped(StopReason),
    /// A table on disk cannot be read, or is of something else.
    Table,
    /// An outside program is missing.
    Missing,
    /// An outside program failed, or this one has a bug.
    Internal,
}

/// A way out of an error, for a caller that names it as its own users know it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Remedy {
    /// Another engine.
    Engine(&'static str),
    /// A number of steps that count, or time to look for bounds.
    DepthOrTime,
    /// A number of steps that count.
    Depth,
    /// More states, or fewer steps that count.
    MoreStates,
    /// To follow play by the rules, and not by the circuit of one step.
    Rules,
}

impl fmt::Display for Remedy {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remedy::Engine(name) => write!(to, "use the engine {name}"),
            Remedy::DepthOrTime => {
                to.write_str("count a number of steps, or give a time to look for bounds")
            }
            Remedy::Depth => to.write_str("count a number of steps"),
            Remedy::MoreStates => to.write_str("allow more states, or count fewer steps"),
            Remedy::Rules => to.write_str("follow play by the rules"),
        }
    }
}

impl Error {
    /// An error with this message.
    #[doc(hidden)]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Error {
            kind,
            message: message.into(),
            below: None,
            remedy: None,
        }
    }

    /// An error of a part, with its message.
    #[doc(hidden)]
    pub fn from_part(kind: ErrorKind, error: impl StdError + Send + Sync + 'static) -> Self {
        Error {
            message: error.to_string(),
            below: Some(Arc::new(error)),
            ..Error::new(kind, "")
        }
    }

    /// The error, with a way out.
    #[doc(hidden)]
    #[must_use]
    pub fn with_remedy(self, remedy: Remedy) -> Self {
        Error {
            remedy: Some(remedy),
            ..self
        }
    }

    /// The kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The way out of it, if one is known that a caller may have to name in its own words.
    pub fn remedy(&self) -> Option<Remedy> {
        self.remedy
    }

    /// The error of the part that failed, if it was of this type.
    pub fn part<E: StdError + 'static>(&self) -> Option<&E> {
        self.below.as_ref()?.downcast_ref()
    }

    /// The limit that ended the work, if it was one.
    pub fn stopped_by(&self) -> Option<StopReason> {
        match self.kind {
            ErrorKind::Stopped(reason) => Some(reason),
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        // The message is that of the part.
        self.below.as_ref()?.source()
    }
}

impl From<TableFailure> for Error {
    fn from(failure: TableFailure) -> Self {
        let kind = match &failure {
            TableFailure::Search(error) => return error.clone().into(),
            TableFailure::Disk(DiskTableError::Stopped(reason)) => {
                return Error::new(ErrorKind::Stopped(*reason), reason.to_string());
            }
            TableFailure::Disk(_) | TableFailure::Endless | TableFailure::Empty => ErrorKind::Table,
            TableFailure::Steps(_) => ErrorKind::Question,
        };
        Error::from_part(kind, failure)
    }
}

impl From<SearchError> for Error {
    fn from(error: SearchError) -> Self {
        if let Some(reason) = error.stopped_by() {
            return Error::from_part(ErrorKind::Stopped(reason), error);
        }
        let kind = match &error {
            error if error.needs_depth() => ErrorKind::Depth,
            SearchError::Role(_) | SearchError::Sides(_) | SearchError::Question(_) => {
                ErrorKind::Question
            }
            SearchError::UnknownFact(_) => ErrorKind::Position,
            SearchError::Hidden(_) | SearchError::Rules(_) | SearchError::Defect(_) => {
                ErrorKind::Game
            }
            SearchError::Step(_) => ErrorKind::TooLarge,
            SearchError::Problem(_) | SearchError::Disagreement => ErrorKind::Internal,
        };
        Error::from_part(kind, error)
    }
}

impl From<HiddenInformation> for Error {
    fn from(error: HiddenInformation) -> Self {
        Error::from_part(ErrorKind::Game, error)
    }
}

impl From<NoSuchRole> for Error {
    fn from(error: NoSuchRole) -> Self {
        Error::from_part(ErrorKind::Question, error)
    }
}

impl From<SideError> for Error {
    fn from(error: SideError) -> Self {
        let kind = match error {
            SideError::Text(_) | SideError::OtherGame(_) => ErrorKind::Game,
            _ => ErrorKind::Question,
        };
        Error::from_part(kind, error)
    }
}

impl From<NoTeam> for Error {
    fn from(error: NoTeam) -> Self {
        Error::from_part(ErrorKind::Question, error)
    }
}

impl From<RouteError> for Error {
    fn from(error: RouteError) -> Self {
        if let Some(reason) = error.stopped_by() {
            return Error::from_part(ErrorKind::Stopped(reason), error);
        }
        let kind = match &error {
            RouteError::Role(_) => ErrorKind::Question,
            RouteError::Payoffs | RouteError::TooLarge { .. } => ErrorKind::TooLarge,
            RouteError::Program(ProgramError::Outside(error)) => kind_of(error),
            // The programs are ours: a valid game never leads to one that is refused.
            RouteError::Domain(_) | RouteError::Assumption(_) | RouteError::Program(_) => {
                ErrorKind::Internal
            }
        };
        Error::from_part(kind, error)
    }
}

impl From<ProgramError> for Error {
    fn from(error: ProgramError) -> Self {
        if let Some(reason) = error.stopped_by() {
            return Error::from_part(ErrorKind::Stopped(reason), error);
        }
        let kind = match &error {
            ProgramError::Outside(error) => kind_of(error),
            ProgramError::AtomLost(_) => ErrorKind::Internal,
            _ => ErrorKind::Game,
        };
        Error::from_part(kind, error)
    }
}

fn kind_of(error: &SolverError) -> ErrorKind {
    match error {
        SolverError::Missing { .. } => ErrorKind::Missing,
        SolverError::Unsupported { .. } => ErrorKind::Question,
        SolverError::Failed { .. } | SolverError::Io(_) => ErrorKind::Internal,
    }
}

impl From<SolverError> for Error {
    fn from(error: SolverError) -> Self {
        Error::from_part(kind_of(&error), error)
    }
}

impl From<ReasonerError> for Error {
    fn from(error: ReasonerError) -> Self {
        let kind = match &error {
            ReasonerError::Stopped(reason) => ErrorKind::Stopped(*reason),
            ReasonerError::TooManySteps { .. }
            | ReasonerError::TooManyRows { .. }
            | ReasonerError::TermTooDeep { .. }
            | ReasonerError::TooManyTerms
            | ReasonerError::NestedTooDeep { .. } => ErrorKind::TooLarge,
            ReasonerError::NotStratified | ReasonerError::UnsafeRule { .. } => ErrorKind::Game,
            ReasonerError::WrongNumberOfMoves { .. } => ErrorKind::Internal,
        };
        Error::from_part(kind, error)
    }
}
