//! The bounds and sizes of all proofs, in one table.
//!
//! None of them changes the truth about a game, only the results that are found in a given time. They were last measured
//! on 341 public games (`docs/speed.md`). The options of a caller are in
//! [`Settings`](super::Settings).

use limits::Limits;
use std::time::Duration;
use step::StepLimits;

/// The limits of grounding the circuit of one step.
pub(super) fn step_limits(limits: &Limits) -> StepLimits {
    StepLimits {
        overall: limits.clone(),
        atoms: 4_000_000,
        instances: 8_000_000,
        gates: 4_000_000,
        join_steps: 500_000_000,
        ..StepLimits::default()
    }
}

/// The most facts, and the most moves, that are listed by the domains of single arguments.
pub(super) const MAX_TERMS: u128 = 200_000;
/// The most parts that the instances of a property may have.
pub(super) const MAX_PARTS: usize = 2_000_000;

/// The most instances that a program is predicted to have where clingo is given it although there is another way.
pub(super) const MAX_PREDICTED: u128 = 300_000;
/// The most questions that the instances of a property are split into.
pub(super) const MAX_QUESTIONS: usize = 128;
/// The most nodes of the unrolled circuit (some gigabytes with their clauses).
pub(super) const MAX_NODES: usize = 8_000_000;

/// The longest time for random play.
pub(super) const PLAY_TIME: Duration = Duration::from_secs(3);
/// The most steps of a random play.
pub(super) const PLAY_STEPS: usize = 500;
/// Plays on the circuit for each play by the rules that would be made.
pub(super) const PLAYS_BY_CIRCUIT: usize = 5;

/// Sets of moves: the fewest moves of a set.
pub(super) const MIN_SET: usize = 4;
/// Sets of moves: the most sets of a role that are compared in pairs.
pub(super) const MAX_SETS: usize = 2_000;
/// Sets of moves: the most conditions of a move that are looked at.
pub(super) const MAX_NEEDED: usize = 100;
/// Sets of moves: one in this number of moves may be an exception.
pub(super) const EXCEPTIONS: usize = 4;

/// Lengths of plays: the most gates that are evaluated with unknown moves.
pub(super) const MAX_SIMULATED_GATES: usize = 300_000_000;
/// Lengths of plays: the most pairs of values of a group, summed over groups.
pub(super) const MAX_PAIRS: usize = 300_000;
/// Sums over facts: the most moves.
pub(super) const MAX_WEIGHED_MOVES: usize = 4_000;
/// Sums over facts: the most facts.
pub(super) const MAX_WEIGHED_FACTS: usize = 4_000;
/// Sums over facts: the largest measure that is of use.
pub(super) const MAX_MEASURE: i64 = 1 << 31;
