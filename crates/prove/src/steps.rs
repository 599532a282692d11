//! Plays of a few steps as a question: is there one in which this and that holds?
//!
//! Proofs by induction that go beyond the two programs of the paper (many properties at once,
//! several steps, searches for a violation) ask the same plays again and again under other
//! conditions. [`Steps`] is their interface, and there are two kinds that must agree: an answer set
//! program in clingo ([`answer_sets`](super::answer_sets)), and clauses of the circuit of one step
//! in a satisfiability solver ([`clauses`](super::clauses)).
//!
//! The plays have a fixed number of steps n and the times 0 to n. At time 0 there is the initial state
//! or any state; at each later one the state after the one before, which is not terminal, and one
//! legal move of each role.

use super::condition::Condition;
use circuit::Literal;
use circuit::invariants::Oracle;
use limits::StopReason;

/// Why something is not known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    Limit(StopReason),
    /// The route cannot be taken for this game, and why.
    Cannot(String),
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Stop::Limit(StopReason::Time) => "out of time",
            Stop::Limit(StopReason::Memory) => "out of memory",
            Stop::Limit(StopReason::Interrupted | StopReason::Precision | StopReason::Ties) => {
                "interrupted"
            }
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

/// Plays of some steps. As an [`Oracle`] they answer whether there is a play in which some literals are
/// true.
pub(super) trait Steps: Oracle<Stop = Stop> {
    /// A literal that is true in just those plays in which the condition holds at this time.
    fn literal(&mut self, condition: &Condition, time: usize) -> Result<Literal, Stop>;

    /// A literal that is true in just those plays in which a role makes this move in the first step.
    fn made(&mut self, role: usize, action: usize) -> Result<Literal, Stop>;

    /// The play found last.
    fn play(&self) -> Play;

    /// After a search without a play: assumptions that are enough for that.
    fn core(&self) -> Vec<Literal>;
}
