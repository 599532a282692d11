//! Payoffs: the worth of a terminal state to a role, by the rules as written.

use super::{PlayDefect, Reasoner, ReasonerError, State};
use gdl::game::{Objective, points};
use gdl::{Name, Term};
use num_rational::BigRational;

/// The payoff of a terminal state under an objective; none where that has no meaning, since the role
/// has not exactly one goal value that is a number of points.
pub fn payoff(
    reasoner: &mut Reasoner,
    state: &State,
    role: usize,
    objective: Objective,
) -> Result<Option<BigRational>, ReasonerError> {
    Ok(worth(&reasoner.goals(state, role)?, objective))
}

/// The payoff of the goal values that a role has in a terminal state, as [`payoff`].
pub fn worth(values: &[Term], objective: Objective) -> Option<BigRational> {
    match values {
        [value] => points(value).map(|points| objective.worth(points)),
        _ => None,
    }
}

/// The defect of a state for a role: the state is terminal and the role has not one number of points, or it is
/// not and some role cannot move. None where all is well.
pub fn defect(
    reasoner: &mut Reasoner,
    state: &State,
    role: usize,
) -> Result<Option<PlayDefect>, ReasonerError> {
    let roles = reasoner.roles().to_vec();
    if reasoner.terminal(state)? {
        return Ok(goal_defect(&roles[role], &reasoner.goals(state, role)?));
    }
    for (index, name) in roles.into_iter().enumerate() {
        if reasoner.legal(state, index)?.is_empty() {
            return Ok(Some(PlayDefect::NoLegalMove(name)));
        }
    }
    Ok(None)
}

/// The defect of the goal values that a role has in a terminal state; none if they are one
/// number of points.
pub fn goal_defect(role: &Name, values: &[Term]) -> Option<PlayDefect> {
    match values {
        [] => Some(PlayDefect::NoGoal(role.clone())),
        [value] => match points(value) {
            Some(_) => None,
            None => Some(PlayDefect::NoPoints(role.clone(), value.clone())),
        },
        _ => Some(PlayDefect::SeveralGoals(role.clone(), values.to_vec())),
    }
}
