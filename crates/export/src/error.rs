//! Why there is no export.

use gdl::Term;
use gdl::game::HiddenInformation;
use hidden::HiddenError;
use limits::StopReason;
use rules::{PlayDefect, ReasonerError, listed};
use std::io;
use step::StepError;

/// Why there is no export.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The game has no circuit of one step.
    #[error("{0}: an export needs the circuit of one step")]
    Step(StepError),
    /// Roles do not see everything.
    #[error(transparent)]
    Hidden(#[from] HiddenInformation),
    /// A game of hidden information has no tree with information sets.
    #[error(transparent)]
    Sets(#[from] HiddenError),
    /// A form that has no information sets.
    #[error(
        "only the form efg with both sides has information sets, so only it takes simultaneous moves"
    )]
    Mixed,
    /// The game has a relation with the name that GDL-II has for what roles see.
    #[error("the game has a relation `sees` of its own, and information sets need one: rename it")]
    OwnSees,
    /// The rules cannot be evaluated.
    #[error(transparent)]
    Rules(#[from] ReasonerError),
    /// A state has no value.
    #[error("{defect}; the state is {{{}}}", listed(state))]
    Defect {
        /// The defect of the state.
        defect: PlayDefect,
        state: Vec<Term>,
    },
    /// Rewards below 0.
    #[error(
        "goals are below 0, and a UMB file has rewards from 0: add the same number to all goals"
    )]
    BelowZero,
    /// There are more states than allowed.
    #[error("the game has more than {0} states")]
    TooMany(usize),
    /// The tree of a game has no end.
    #[error("play can come back to a state, so the tree of the game has no end")]
    Endless,
    /// The tree of a game would be too large.
    #[error("{0}")]
    Tree(String),
    #[error("{reason} after {states} states were listed: nothing was written")]
    Stopped {
        reason: StopReason,
        /// How many states were listed by then.
        states: usize,
    },
    /// A strategy does not fit.
    #[error("{0}")]
    Strategy(String),
    /// A file cannot be written.
    #[error("a temporary file cannot be written: {0}")]
    Io(#[from] io::Error),
}
