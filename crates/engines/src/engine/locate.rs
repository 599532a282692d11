//! Positions as people name them, on a state machine.

use super::{Position, Query, rule_limits};
use crate::error::{Error, ErrorKind};
use crate::search::SearchError;
use gdl::Term;
use step::{FollowError, Position as Located, StateMachine, follow};

/// The position that a question is about, on a machine.
///
/// # Errors
/// If a fact is none of this game, or a move cannot be made.
pub fn locate(machine: &mut StateMachine, position: &Position) -> Result<Located, Error> {
    let steps = match position {
        Position::State(facts) => {
            // Before the machine sees them, which would remember their names for ever.
            if let Ok(ground) = machine.circuit()
                && let Err(fact) = ground.state(facts)
            {
                return Err(SearchError::UnknownFact(fact).into());
            }
            return Ok(machine.position(facts)?);
        }
        Position::History(steps) => steps,
        Position::Information(_) => return Err(Position::no_state_error()),
    };
    let start = machine.initial()?;
    position_after(machine, start, steps)
}

/// The facts of the position that a query is about, on a machine, and whether play is over there.
pub(super) fn locate_facts(
    machine: &mut StateMachine,
    query: &Query,
) -> Result<(Vec<Term>, bool), Error> {
    machine.reasoner().set_limits(rule_limits(&query.limits));
    let position = locate(machine, &query.position)?;
    let terminal = machine.terminal(&position)?;
    Ok((machine.facts(&position), terminal))
}

/// A machine of its own for a position whose facts a machine without a circuit would remember for ever.
pub fn own_machine(machine: &StateMachine, position: &Position) -> Option<StateMachine> {
    let remembers = machine.circuit().is_err() && matches!(position, Position::State(_));
    remembers.then(|| machine.clone())
}

/// The position after these joint moves from a position.
///
/// # Errors
/// If a move cannot be made.
pub fn position_after(
    machine: &mut StateMachine,
    start: Located,
    steps: &[Vec<Term>],
) -> Result<Located, Error> {
    let roles = machine.roles().len();
    let wrong = steps
        .iter()
        .position(|joint_move| joint_move.len() != roles);
    if let Some(index) = wrong {
        return Err(Error::new(
            ErrorKind::Position,
            format!(
                "joint move {} has {} moves; it needs one for each of the {roles} roles",
                index + 1,
                steps[index].len()
            ),
        ));
    }
    Ok(follow(machine, start, steps)?)
}

impl From<FollowError> for Error {
    fn from(error: FollowError) -> Self {
        match error {
            FollowError::Rules(error) => error.into(),
            other => Error::new(ErrorKind::Position, other.to_string()),
        }
    }
}
