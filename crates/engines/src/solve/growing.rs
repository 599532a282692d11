//! Iterative deepening: bounds for the whole game where the length of plays was not found out, for lack of time or for too many states.
//!
//! A role can guarantee within more steps at least the value that it can guarantee within fewer. So values for more and more
//! steps are lower bounds for the whole game; the only known upper bound is the largest value there can be.

use super::validity::{NOT_PROVED, is_proved};
use super::{Session, peak};
use crate::answer::{Answer, MoveValue, counted};
use crate::engine::Engine;
use crate::error::{Error, ErrorKind, Remedy};
use crate::question::MAX_STEPS;
use formula::{BigRational, Outcome};
use limits::StopReason;
use logic::route::StageTimes;
use num_traits::Zero;

impl Session<'_> {
    /// The answer where the search for a number of steps ended with this error: bounds, if a limit was the reason and time is
    /// left for them.
    pub(super) fn without_depth(
        &self,
        engine: &mut dyn Engine,
        error: Error,
        mut times: StageTimes,
    ) -> Result<Answer, Error> {
        let limits = &self.options.limits;
        // Fewer steps are no lower bound where play that is not over is better than some ends.
        if self.known.range().has_negative() {
            return Err(error);
        }
        // Without an end the search for better bounds would have none.
        let has_time = limits.deadline.is_some() && limits.reached().is_none();
        match error.kind() {
            ErrorKind::TooLarge if !has_time => return Err(error.with_remedy(Remedy::DepthOrTime)),
            ErrorKind::Stopped(_) | ErrorKind::TooLarge if has_time => {}
            _ => return Err(error),
        }
        if !engine.sees_defects() && !is_proved(self.game, &self.question.role, limits) {
            self.known
                .change(|answer| answer.exact_if = Some(NOT_PROVED));
        }
        let (steps, reason) = times.measure("solve", || self.grow(engine))?;
        let mut answer = self.known.answer().cut_short(reason);
        if !matches!(answer.outcome, Outcome::Solved(_)) {
            self.options.observer.remark(&format!(
                "{error}; what can be guaranteed within {} is a lower bound",
                counted(steps as usize, "step")
            ));
        }
        answer.times = times;
        answer.statistics.extend(peak());
        Ok(answer)
    }

    /// Asks for more and more steps, until a limit is reached or nothing more can be won. Gives how many steps
    /// these were at last, and the limit.
    fn grow(&self, engine: &mut dyn Engine) -> Result<(u32, StopReason), Error> {
        let largest = self.known.range().largest();
        let mut depth = 1;
        loop {
            let about = format!("searching within {}", counted(depth as usize, "step"));
            self.options.observer.stage(&about);
            let mut query = self.query(Some(depth));
            query.moves = self.options.extras.moves;
            let publisher = self.known.publisher().of_at_most();
            let stopped = match engine.evaluate_publishing(&query, &publisher) {
                Ok(found) => {
                    self.raise(&found.outcome, found.moves, &largest);
                    found.outcome.stopped_by()
                }
                Err(error) => Some(error.stopped_by().ok_or(error)?),
            };
            if let Some(reason) = stopped.or_else(|| self.options.limits.reached()) {
                return Ok((depth, reason));
            }
            let best = self.known.answer().outcome.bounds().0;
            if best == largest || depth >= MAX_STEPS {
                return Ok((depth, StopReason::Time));
            }
            depth += (depth / 4).max(1);
        }
    }

    /// Keeps what is guaranteed within some steps as lower bounds for the whole game.
    fn raise(&self, outcome: &Outcome, moves: Vec<MoveValue>, largest: &BigRational) {
        let whole = |lower: BigRational| Outcome::between(lower, largest.clone(), StopReason::Time);
        self.known.change(|answer| {
            let before = answer.moves.take().unwrap_or_default();
            let lower_before = |action| {
                let earlier = before.iter().find(|each| each.action == action);
                earlier.map_or_else(BigRational::zero, |each| each.outcome.bounds().0)
            };
            let moves = moves.into_iter().map(|MoveValue { action, outcome }| {
                let lower = outcome.bounds().0.max(lower_before(action.clone()));
                MoveValue {
                    action,
                    outcome: whole(lower),
                }
            });
            answer.moves = self.options.extras.moves.then(|| moves.collect());
        });
        self.known.settle(whole(outcome.bounds().0));
    }
}
