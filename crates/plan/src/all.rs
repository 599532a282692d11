//! All plans, not only one.

use super::growing::{Growing, Lengths, Planning};
use super::{Options, Plan, PlanError, Question, replay};
use gdl::game::{Game, Points};
use limits::{StopReason, thread_count};
use logic::ground::Searched;
use std::ops::RangeInclusive;

/// All plans with at least `points` points, of lengths up to `moves`, in the order of their length, given to
/// `visit` until that says `false`. Tells the limit that came first.
pub fn all_plans(
    game: &Game,
    question: &Question,
    points: Points,
    lengths: RangeInclusive<u32>,
    options: &Options,
    mut visit: impl FnMut(Plan) -> bool,
) -> Result<Option<StopReason>, PlanError> {
    let limits = &options.limits;
    let last = *lengths.end();
    let planning = Planning::new(game, question, Some(last), limits)?;
    let mut growing = Growing::new(&planning, thread_count(options.threads))?;
    for horizon in lengths {
        let mut refuted = None;
        let reason = || limits.reached();
        let searched =
            growing.search(
                points,
                Lengths::Exactly(horizon),
                reason,
                |moves| match replay(game, &question.role, &moves) {
                    Ok(points) => visit(Plan { moves, points }),
                    Err(error) => {
                        refuted = Some(error);
                        false
                    }
                },
            )?;
        if let Some(error) = refuted {
            return Err(error.into());
        }
        match searched {
            Searched::Stopped(reason) => return Ok(Some(reason)),
            Searched::Enough => break,
            Searched::NoMore => {}
        }
    }
    Ok(None)
}
