//! What a terminal state is worth to a role, by the rules as written.

use super::simulate::goal_number;
use super::{Reasoner, ReasonerError, State};
use crate::game::Objective;
use crate::gdl::Term;
use num_rational::BigRational;
use num_traits::{One, Zero};

/// What a terminal state is worth under an objective: 1 or 0, or part of 100 points. None for a
/// score that is not defined, since the role has not exactly one goal value from 0 to 100.
///
/// # Errors
/// When the rules cannot be evaluated.
pub fn payoff(
    reasoner: &mut Reasoner,
    state: &State,
    role: usize,
    objective: Objective,
) -> Result<Option<BigRational>, ReasonerError> {
    Ok(worth(&reasoner.goals(state, role)?, objective))
}

/// What goal values are worth under an objective that a role has in a terminal state, as [`payoff`].
pub fn worth(values: &[Term], objective: Objective) -> Option<BigRational> {
    let mut numbers = values.iter().filter_map(goal_number);
    let reached = match objective {
        Objective::Win => numbers.any(|number| number == 100),
        Objective::GoalAtLeast(least) => numbers.any(|number| number >= least),
        Objective::Score => {
            let score = match (numbers.next(), values.len()) {
                (Some(number), 1) => Some(BigRational::new(number.into(), 100.into())),
                _ => None,
            };
            return score;
        }
    };
    Some(if reached {
        BigRational::one()
    } else {
        BigRational::zero()
    })
}
