//! Questions about a game.

use crate::error::Error;
use gdl::game::{Game, Objective};
use gdl::{Name, Term};

/// The most steps that can count. More would need more variables of formulas than there are numbers.
pub const MAX_STEPS: u32 = 1_000_000;

/// A question about a game: the value that a role can guarantee, and other answers.
#[derive(Clone, PartialEq, Debug)]
pub struct Question {
    /// The role that wants to win.
    pub role: Name,
    /// The meaning of success.
    pub objective: Objective,
    /// How many steps count: plays that are not over by then are worth nothing. Without a number all do.
    pub depth: Option<u32>,
    /// The facts of the state that play starts from, if it is not the initial state.
    pub start: Option<Vec<Term>>,
    /// Whether nobody knows the moves of others of the same step, so that all may choose at random; else the opponents know the role's
    /// move.
    pub mixed: bool,
    /// Whether each legal first move is to be valued.
    pub moves: bool,
    /// Whether a first move is to be named where the value is 1 and nothing is left to chance.
    pub winning_move: bool,
    /// Whether the strategies of both sides are to be written down, in at most this many positions.
    pub strategy: Option<usize>,
    /// Whether it is to be told how long best play takes, and how many points it gives.
    pub statistics: bool,
    /// Whether the value is to be proved from both sides, by following play on the circuit of one step.
    pub certify: bool,
}

impl Question {
    /// The probability with which a role can guarantee to win, and nothing else.
    pub fn new(role: Name) -> Self {
        Question {
            role,
            objective: Objective::Win,
            depth: None,
            start: None,
            mixed: false,
            moves: false,
            winning_move: false,
            strategy: None,
            statistics: false,
            certify: false,
        }
    }

    /// The same for the first role of a game that is not `random`.
    ///
    /// # Errors
    /// If there is no such role.
    pub fn about(game: &Game) -> Result<Self, Error> {
        let role = game.players().next().cloned().ok_or_else(|| {
            Error::Game("this game has no role but `random`: nobody to win it".to_owned())
        })?;
        Ok(Question::new(role))
    }

    /// Refuses more steps than can count.
    pub fn check_depth(&self) -> Result<(), Error> {
        match self.depth {
            Some(depth) if depth > MAX_STEPS => Err(Error::Question(format!(
                "{depth} is no number of steps: use 0 to {MAX_STEPS}"
            ))),
            _ => Ok(()),
        }
    }

    /// The question for a number of steps, as the translation takes it.
    pub fn within(&self, depth: u32) -> logic::translate::Question {
        logic::translate::Question {
            role: self.role.clone(),
            depth,
            objective: self.objective,
        }
    }
}
