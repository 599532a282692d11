//! Answers, and questions that have none.

use crate::horizon::NoHorizon;
use arena::Unexplored;
use limits::{Bounds, StopReason};

/// The reason why a question has no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum QuestionError {
    /// The state has another number of facts.
    #[error("the state says of {given} facts whether they hold, but there are {facts}")]
    State {
        /// Facts given.
        given: usize,
        /// Facts of the step.
        facts: usize,
    },
    /// There is no such move of the maximizer, or it is not legal.
    #[error("the maximizer has no legal move with number {0} in this state")]
    Move(usize),
    /// It is not known when plays end.
    #[error(transparent)]
    NoHorizon(#[from] NoHorizon),
    /// Plays may go on for ever, and their states cannot be listed.
    #[error("{0}: say how many steps to look ahead")]
    Unlisted(Unexplored),
    /// A limit was reached before all answers of the adversaries were listed.
    #[error("there are more joint moves than could be tried within the limits")]
    Stopped(StopReason),
    /// A state that was met has no value.
    #[error("a state has no value: its worth has no meaning, or an agent cannot move")]
    Flaw(Flaw),
}

/// A state that has no value, and how play gets there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flaw {
    /// The joint moves from the state asked about: for each agent the number of its move.
    pub moves: Vec<Vec<usize>>,
    /// For each fact, whether it holds there.
    pub state: Vec<bool>,
}

/// The answer to a question, and numbers about the run.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The value, or bounds of it.
    pub outcome: Bounds,
    /// Whether it may count plays that were not over after the last step, as lost. If not, it is the
    /// value for any larger number of steps too.
    pub cuts_off: bool,
    /// Numbers about the run, by name: `states` (in the tables), `expanded` (states expanded for
    /// this question), `facts` (that matter), `dead_facts` (that may stop to), `key_bits`, `images` (of a state under symmetry), `value_bits`, `steps`, `table_bytes`.
    pub statistics: Vec<(&'static str, u64)>,
}

/// One answer of the adversaries to a move, with its consequences.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reply {
    /// A move of each agent of the step; those of the maximizer and of chance have no meaning and
    /// are `None`.
    pub moves: Vec<Option<usize>>,
    /// Its value for the maximizer.
    pub outcome: Bounds,
}

/// A legal move of the maximizer, with its consequences.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveValue {
    /// The number of the move.
    pub number: usize,
    /// Its value.
    pub outcome: Bounds,
    /// Whether no other move is known to be better, by lower bounds; if all values are known,
    /// whether it is a best move.
    pub may_be_best: bool,
}

impl Flaw {
    /// The state asked about.
    pub(crate) fn here(state: &[bool]) -> Self {
        Flaw {
            moves: Vec::new(),
            state: state.to_vec(),
        }
    }
}

impl QuestionError {
    /// The same error, of a question about the state before a joint move.
    pub(crate) fn after(mut self, joint_move: &[usize]) -> Self {
        if let QuestionError::Flaw(flaw) = &mut self {
            flaw.moves.insert(0, joint_move.to_vec());
        }
        self
    }
}
