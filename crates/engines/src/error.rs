//! Why there is no answer.

use crate::search::{SearchError, TableFailure};
use formula::SolverError;
use gdl::game::NoSuchRole;
use layers::DiskTableError;
use limits::StopReason;
use logic::route::{ProgramError, RouteError};
use rules::ReasonerError;
use std::convert::Infallible;
use step::StepError;
use strategy::CertifyError;
use verify::VerifyError;

/// Why there is no answer. A limit that is reached is no error where bounds are known: then there is an
/// [`Answer`](crate::Answer).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The question does not fit the game, or the engine does not answer such questions.
    #[error("{0}")]
    Question(String),
    /// It is not known how long plays are, and the question does not say how many steps count.
    #[error("{0}")]
    Depth(String),
    /// The position is not one of this game.
    #[error("{0}")]
    Position(String),
    /// The game is not valid: it has no value, or its rules cannot be evaluated.
    #[error("{0}")]
    Game(String),
    /// The game is too large for the engine.
    #[error("{0}")]
    TooLarge(String),
    /// A limit was reached before anything was known.
    #[error("{message}")]
    Stopped {
        /// The limit.
        reason: StopReason,
        /// The work that was being done.
        message: String,
    },
    /// A table on disk cannot be read, or is of something else.
    #[error("{0}")]
    Table(String),
    /// An outside program is missing.
    #[error("{0}")]
    Missing(String),
    /// An outside program failed, or this one has a bug.
    #[error("{0}")]
    Internal(String),
}

impl Error {
    /// The limit that ended the work, if it was one.
    pub fn stopped_by(&self) -> Option<StopReason> {
        match self {
            Error::Stopped { reason, .. } => Some(*reason),
            _ => None,
        }
    }

    /// The limit that ended work, with the message of an error.
    pub fn stopped(reason: StopReason, error: &impl ToString) -> Self {
        Error::Stopped {
            reason,
            message: error.to_string(),
        }
    }
}

impl From<TableFailure> for Error {
    fn from(failure: TableFailure) -> Self {
        match failure {
            TableFailure::Search(error) => error.into(),
            TableFailure::Disk(DiskTableError::Stopped(reason)) => Error::stopped(reason, &reason),
            TableFailure::Disk(_) | TableFailure::Empty => Error::Table(failure.to_string()),
        }
    }
}

impl From<&SearchError> for Error {
    fn from(error: &SearchError) -> Self {
        if let Some(reason) = error.stopped_by() {
            return Error::stopped(reason, error);
        }
        let text = error.to_string();
        match error {
            _ if error.needs_depth() => Error::Depth(text),
            SearchError::Role(_) | SearchError::Question(_) => Error::Question(text),
            SearchError::UnknownFact(_) => Error::Position(text),
            SearchError::Rules(_) | SearchError::Defect(_) => Error::Game(text),
            SearchError::Step(_) => Error::TooLarge(text),
            SearchError::Problem(_) | SearchError::Disagreement => Error::Internal(text),
        }
    }
}

impl From<NoSuchRole> for Error {
    fn from(error: NoSuchRole) -> Self {
        Error::Question(error.to_string())
    }
}

impl From<SearchError> for Error {
    fn from(error: SearchError) -> Self {
        Error::from(&error)
    }
}

impl From<CertifyError<Infallible>> for Error {
    fn from(error: CertifyError<Infallible>) -> Self {
        let text = error.to_string();
        match error {
            CertifyError::Step(StepError::Stopped(reason))
            | CertifyError::Rules(VerifyError::Rules(ReasonerError::Stopped(reason))) => {
                Error::stopped(reason, &text)
            }
            CertifyError::Step(_) => Error::TooLarge(format!(
                "{text}; with `--engine rules` the rules are evaluated"
            )),
            CertifyError::Rules(_) => Error::Game(text),
            CertifyError::UnknownFact(_) => Error::Position(text),
            CertifyError::Disagreement(_) => Error::Internal(text),
            CertifyError::Policy(never) => match never {},
        }
    }
}

impl From<RouteError> for Error {
    fn from(error: RouteError) -> Self {
        if let Some(reason) = error.stopped_by() {
            return Error::stopped(reason, &error);
        }
        let text = error.to_string();
        match error {
            RouteError::Role(_) => Error::Question(text),
            RouteError::TooLarge { .. } => Error::TooLarge(text),
            RouteError::Program(ProgramError::Outside(error)) => error.into(),
            // The programs are ours: a valid game never leads to one that is refused.
            RouteError::Domain(_) | RouteError::Assumption(_) | RouteError::Program(_) => {
                Error::Internal(text)
            }
        }
    }
}

impl From<ProgramError> for Error {
    fn from(error: ProgramError) -> Self {
        if let Some(reason) = error.stopped_by() {
            return Error::stopped(reason, &error);
        }
        match error {
            ProgramError::Outside(error) => error.into(),
            ProgramError::AtomLost(_) => Error::Internal(error.to_string()),
            error => Error::Game(error.to_string()),
        }
    }
}

impl From<SolverError> for Error {
    fn from(error: SolverError) -> Self {
        let text = error.to_string();
        match error {
            SolverError::Missing { .. } => Error::Missing(text),
            SolverError::Unsupported { .. } => Error::Question(text),
            SolverError::Failed { .. } | SolverError::Io(_) => Error::Internal(text),
        }
    }
}

impl From<ReasonerError> for Error {
    fn from(error: ReasonerError) -> Self {
        let text = error.to_string();
        match error {
            ReasonerError::Stopped(reason) => Error::stopped(reason, &text),
            ReasonerError::TooManySteps { .. }
            | ReasonerError::TooManyRows { .. }
            | ReasonerError::TermTooDeep { .. }
            | ReasonerError::TooManyTerms
            | ReasonerError::NestedTooDeep { .. } => Error::TooLarge(text),
            ReasonerError::NotStratified | ReasonerError::UnsafeRule { .. } => Error::Game(text),
            ReasonerError::WrongNumberOfMoves { .. } => Error::Internal(text),
        }
    }
}
