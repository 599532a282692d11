//! A play, step by step, until it is over.

use gdl::Term;
use limits::Limits;
use rules::ReasonerError;
use serde::Serialize;
use step::{Position, StateMachine};

/// How a play ended.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum PlayEnd {
    /// In a terminal state.
    Terminal,
    /// It was long enough.
    MaxPlies,
    /// A role cannot move.
    NoLegalMove,
    /// Time ran out.
    OutOfTime,
}

/// A position of a play, and the moves that were made there.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PlayStep<'a> {
    /// The step, from 0.
    pub number: u32,
    /// Where play is.
    pub position: &'a Position,
    /// A move of each role; none at the end.
    pub joint_move: Option<&'a [Term]>,
}

/// Plays from a position on, for at most `depth` steps, within limits. `choose` gives a joint move for a position and the
/// number of its step, or nothing where a role has no move; `show` sees every position with the moves made there. Gives
/// how many steps were made, and how play ended.
///
/// ```
/// use rules::{ReasonerError, RuleLimits};
/// use step::{StateMachine, StepLimits};
///
/// let rules = b"
///     (role robot) (init (at 1)) (succ 1 2) (succ 2 3)
///     (<= (legal robot go) (true (at ?n))) (<= (next (at ?m)) (true (at ?n)) (succ ?n ?m))
///     (<= terminal (true (at 3))) (<= (goal robot 100) (true (at 3))) (<= (goal robot 0) (not (true (at 3))))";
/// let game = sqasp_engines::read("walk", rules)?;
/// let mut machine = StateMachine::new(&game, &StepLimits::modest(), RuleLimits::default())?;
/// let start = machine.initial()?;
/// let (mut random, mut seen) = (fastrand::Rng::with_seed(1), Vec::new());
/// let played = sqasp_engines::play::<ReasonerError>(
///     &mut machine,
///     &start,
///     100,
///     &limits::Limits::default(),
///     |machine, position, _| machine.random_move(position, &mut random),
///     |machine, step| Ok(seen.push(machine.facts(step.position)[0].to_string())),
/// )?;
/// assert_eq!(played, (2, sqasp_engines::PlayEnd::Terminal));
/// assert_eq!(seen, ["(at 1)", "(at 2)", "(at 3)"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When the rules cannot be evaluated, or `choose` or `show` cannot go on.
pub fn play<E: From<ReasonerError>>(
    machine: &mut StateMachine,
    start: &Position,
    depth: u32,
    limits: &Limits,
    mut choose: impl FnMut(&mut StateMachine, &Position, u32) -> Result<Option<Vec<Term>>, E>,
    mut show: impl FnMut(&mut StateMachine, PlayStep<'_>) -> Result<(), E>,
) -> Result<(u32, PlayEnd), E> {
    let mut position = start.clone();
    for number in 0.. {
        let end = if machine.terminal(&position)? {
            Some(PlayEnd::Terminal)
        } else if number == depth {
            Some(PlayEnd::MaxPlies)
        } else if limits.is_over() {
            Some(PlayEnd::OutOfTime)
        } else {
            None
        };
        let joint_move = match end {
            Some(_) => None,
            None => choose(machine, &position, number)?,
        };
        let step = PlayStep {
            number,
            position: &position,
            joint_move: joint_move.as_deref(),
        };
        show(machine, step)?;
        match joint_move {
            None => return Ok((number, end.unwrap_or(PlayEnd::NoLegalMove))),
            Some(joint_move) => position = machine.next(&position, &joint_move)?,
        }
    }
    unreachable!("the depth is reached")
}
