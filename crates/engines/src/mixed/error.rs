//! Why a game has no value.

use super::position::PositionError;
use gdl::Term;
use gdl::game::NoSuchRole;
use limits::StopReason;
use rules::{PlayDefect, ReasonerError, listed};
use step::StepError;

/// Why there is no value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MixedError {
    /// The role is not one of those that choose.
    #[error(transparent)]
    Role(#[from] NoSuchRole),
    /// One step of the game is no circuit.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The rules could not be evaluated.
    #[error(transparent)]
    Rules(#[from] ReasonerError),
    /// A state holds a fact that no play leads to.
    #[error("the fact {0} cannot come true in this game")]
    UnknownFact(Term),
    /// Play leads to a state without a value.
    #[error("the game has no value: {defect}; the state is {{{}}}", listed(state))]
    Defect {
        /// The defect of the state.
        defect: PlayDefect,
        /// Its facts.
        state: Vec<Term>,
    },
    /// Goals may be below 0, and play may go on for ever.
    #[error(
        "goals may be below 0, and play may go on for ever, which counts 0 points: say how many steps count"
    )]
    BelowZero,
    /// A state has too many joint moves.
    #[error(
        "a state has more joint moves, or probabilities of a longer denominator, than a matrix can hold"
    )]
    JointMoves,
    /// The strategy that an opponent follows is none.
    #[error("the strategy of the opponent cannot be followed: {0}")]
    Followed(String),
    /// A strategy would have more positions than allowed.
    #[error("the strategy has more than {0} positions")]
    TooLarge(usize),
    /// A limit was reached.
    #[error("{0}")]
    Stopped(StopReason),
}

impl From<StopReason> for MixedError {
    fn from(reason: StopReason) -> Self {
        MixedError::Stopped(reason)
    }
}

impl From<PositionError> for MixedError {
    fn from(error: PositionError) -> Self {
        match error {
            PositionError::Defect(defect, state) => MixedError::Defect { defect, state },
            PositionError::JointMoves => MixedError::JointMoves,
            PositionError::Illegal(action, state) => {
                MixedError::Followed(format!("{action} is not legal in {{{}}}", listed(&state)))
            }
        }
    }
}
