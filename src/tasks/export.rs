//! The reachable game as a file for other programs.

use engines::{Error, ErrorKind, Question, Remedy};
use export::{ExportError, Exported, Fix, Format, MAX_STATES, Scope};
use gdl::game::Game;
use limits::Limits;

/// The form and the extent of an export.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Export {
    /// The form.
    pub format: Format,
    /// A side that chooses no more.
    pub fix: Option<Fix>,
    /// The most states.
    pub states: usize,
}

impl Export {
    /// The whole game in a form.
    pub fn to(format: Format) -> Self {
        Export {
            format,
            fix: None,
            states: MAX_STATES,
        }
    }

    /// The same, with a side that chooses no more.
    #[must_use]
    pub fn fix(self, fix: impl Into<Option<Fix>>) -> Self {
        let fix = fix.into();
        Export { fix, ..self }
    }

    /// The same, for a game of at most this many states.
    #[must_use]
    pub fn states(self, states: impl Into<Option<usize>>) -> Self {
        let states = states.into().unwrap_or(self.states);
        Export { states, ..self }
    }
}

/// Lists the states that can be reached, and prepares the files for other programs: role, objective, depth and start are
/// those of the question. A game of hidden information, or a question whose `mixed` is true, has a tree for Gambit only.
///
/// # Errors
/// If the game is too large or a state has no value, a strategy does not fit, or a limit is reached.
pub fn export(
    game: &Game,
    question: &Question,
    how: &Export,
    limits: &Limits,
) -> Result<Exported, Error> {
    question.check_depth()?;
    let game = &question.game_of_sides(game)?;
    let scope = Scope {
        role: game.role(&question.role)?,
        objective: question.payoff("an export")?,
        depth: question.depth,
        start: question.start.clone(),
        mixed: question.mixed,
        states: how.states,
    };
    export::export(
        game,
        &scope,
        how.format,
        how.fix.as_ref(),
        &limits.for_engine(),
    )
    .map_err(export_error)
}

fn export_error(error: ExportError) -> Error {
    let kind = match &error {
        ExportError::Sets(error) => return error.clone().into(),
        ExportError::Rules(error) => return error.clone().into(),
        ExportError::Hidden(_) | ExportError::Defect { .. } | ExportError::OwnSees => {
            ErrorKind::Game
        }
        ExportError::Strategy(_) | ExportError::Mixed | ExportError::BelowZero => {
            ErrorKind::Question
        }
        ExportError::TooMany(_) => {
            return Error::from_part(ErrorKind::TooLarge, error).with_remedy(Remedy::MoreStates);
        }
        ExportError::Endless => {
            return Error::from_part(ErrorKind::TooLarge, error).with_remedy(Remedy::Depth);
        }
        ExportError::Step(_) | ExportError::Tree(_) => ErrorKind::TooLarge,
        ExportError::Stopped { reason, .. } => ErrorKind::Stopped(*reason),
        ExportError::Io(_) => ErrorKind::Internal,
    };
    Error::from_part(kind, error)
}
