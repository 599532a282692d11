//! The value for every number of steps in a range.

use super::validity::{Checked, check_by_steps, try_playing};
use super::{Session, started};
use crate::answer::unknown_in;
use crate::answer::{Curve, CurvePoint};
use crate::engine::Engine;
use crate::engine::Options;
use crate::error::Error;
use crate::question::Question;
use gdl::game::Game;
use limits::StopReason;
use logic::route::StageTimes;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

/// The value that a role can guarantee within each number of steps of a range. `visit` sees the curve before the first
/// point and after each, and says whether to go on. The curve ends where a limit comes: its last point has
/// proved bounds then.
///
/// # Errors
/// See [`solve`](super::solve()).
pub fn curve(
    game: &Game,
    question: &Question,
    depths: RangeInclusive<u32>,
    options: &Options,
    mut visit: impl FnMut(&Curve) -> bool,
) -> Result<Curve, Error> {
    // The range of values is that of the last point.
    let question = &question.clone().depth(*depths.end());
    let game = &question.game_of_sides(game)?;
    let started = started(game, question, options)?;
    let session = Session::new(game, &started, question, options)?;
    let (first, last) = (*depths.start(), *depths.end());
    let tried = try_playing(&started, last, &options.limits)?;
    tried
        .slips()
        .for_each(|text| options.observer.remark(&text));
    let mut curve = Curve::new(session.known.answer(), first, last);
    visit(&curve);
    let mut engine = match session.engine(&mut StageTimes::default()) {
        Ok(engine) => engine,
        Err(error) => {
            let reason = error.stopped_by().ok_or_else(|| error.clone())?;
            options.observer.remark(&error.to_string());
            curve.stop(reason);
            visit(&curve);
            return Ok(curve);
        }
    };
    curve.set_subject(session.known.answer());
    let checked = if engine.sees_defects() {
        None
    } else {
        Some(check_by_steps(
            &started, question, last, options, false, true,
        )?)
    };
    let range = session.known.range();
    let (mut proved, largest) = range.ends();
    for depth in depths {
        let about = format!("{depth} of {last} steps");
        options.observer.stage(&about);
        let start = Instant::now();
        let point = session.point(engine.as_mut(), depth, checked.as_ref())?;
        // With more steps a role can guarantee no less, unless play that is not over is better than some goals.
        let outcome = point.outcome.within((proved.clone(), largest.clone()));
        if !range.has_negative() {
            proved = proved.max(outcome.bounds().0);
        }
        curve.points.push(CurvePoint {
            outcome,
            time: start.elapsed(),
            ..point
        });
        if !visit(&curve) || curve.stopped_by().is_some() {
            break;
        }
    }
    Ok(curve)
}

impl Session<'_> {
    /// The value for a number of steps.
    fn point(
        &self,
        engine: &mut dyn Engine,
        depth: u32,
        checked: Option<&Checked>,
    ) -> Result<CurvePoint, Error> {
        let mut point = CurvePoint {
            depth,
            outcome: unknown_in(&self.known.range(), StopReason::Time),
            cut_off: checked.is_some_and(|checked| checked.cuts_off(depth)),
            time: Duration::ZERO,
        };
        let query = self.query(Some(depth));
        if query.limits.time_left() == Some(Duration::ZERO) {
            return Ok(point);
        }
        match engine.evaluate(&query) {
            Ok(found) => {
                point.outcome = found.outcome;
                if checked.is_none() {
                    point.cut_off = found.cut_off;
                }
            }
            Err(error) => {
                let reason = error.stopped_by().ok_or_else(|| error.clone())?;
                self.options.observer.remark(&error.to_string());
                point.outcome = unknown_in(&self.known.range(), reason);
            }
        }
        Ok(point)
    }
}
