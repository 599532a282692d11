//! Plays of a few steps as a question: is there one in which this and that holds?
//!
//! Proofs by induction that go beyond the two programs of the paper (many properties at once,
//! several steps, searches for a violation) ask the same plays again and again under other
//! conditions. [`Steps`] is what they need, and there are two kinds that must agree: an answer set
//! program in clingo ([`answer_sets`](super::answer_sets)), and clauses of the circuit of one step
//! in a satisfiability solver ([`clauses`](super::clauses)).
//!
//! The plays have a fixed number of steps n and the times 0 to n. At time 0 there is the initial state
//! or any state; at each later one the state after the one before, which is not terminal, and one
//! legal move of each role.

use super::condition::Condition;
use limits::StopReason;
use std::ops::Not;

/// Something that is true or false in a play.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Literal {
    pub(super) number: u32,
    pub(super) negated: bool,
}

impl Not for Literal {
    type Output = Literal;

    fn not(self) -> Literal {
        Literal {
            negated: !self.negated,
            ..self
        }
    }
}

/// What a search came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Found {
    /// There is such a play; it can be looked at until the next search.
    Play,
    /// There is none.
    None,
    /// It took too long, or what went wrong.
    Stopped(Stop),
}

/// Why something is not known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// A limit was reached.
    Limit(StopReason),
    /// The route cannot be taken for this game, and why.
    Cannot(String),
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Stop::Limit(StopReason::Time) => "out of time",
            Stop::Limit(StopReason::Memory) => "out of memory",
            Stop::Limit(StopReason::Interrupted) => "interrupted",
            Stop::Cannot(why) => why,
        })
    }
}

/// States and joint moves of a play, by number: facts that hold, and one move of each role.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Play {
    pub(super) states: Vec<Vec<usize>>,
    pub(super) moves: Vec<Vec<usize>>,
}

/// Plays of some steps.
pub(super) trait Steps {
    /// A literal that is true in just those plays in which the condition holds at this time.
    fn literal(&mut self, condition: &Condition, time: usize) -> Result<Literal, Stop>;

    /// A literal that is true in just those plays in which a role makes this move in the first step.
    fn made(&mut self, role: usize, action: usize) -> Result<Literal, Stop>;

    /// A literal that is free.
    fn free_literal(&mut self) -> Literal;

    /// From now on one of these is true in every play.
    fn require(&mut self, clause: &[Literal]);

    /// Searches for a play in which these are true.
    fn find(&mut self, assumptions: &[Literal]) -> Found;

    /// Whether a literal is true in the play found last.
    fn holds(&self, literal: Literal) -> bool;

    /// The play found last.
    fn play(&self) -> Play;

    /// After a search without a play: assumptions that are enough for that.
    fn core(&self) -> Vec<Literal>;
}
