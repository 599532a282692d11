//! Bounds for the whole game where there was no time to find out how long plays are.
//!
//! What a role can make sure of within some steps it can make sure of within more. So values for more
//! and more steps are lower bounds for the whole game; nothing better than the best there is is known from above.

use super::run::failed;
use super::solve::Solving;
use super::validity::{NOT_PROVED, is_proved};
use crate::cli::files::tell;
use crate::cli::moves::{MoveValue, overall};
use crate::cli::output::counted;
use crate::cli::report::Subject;
use crate::cli::request::{route_options, solver};
use crate::cli::{Exit, Failure};
use crate::route::{StageTimes, route_game};
use crate::search::{Search, SearchError};
use formula::{Answer, BigRational, Outcome, Value};
use limits::{Limits, ProgressListener, StopReason};
use num_traits::Zero;

/// The part of the time in which to find out how long plays are.
pub(super) const DEPTH_SHARE: u32 = 3;

/// No more steps than these are tried.
const MAX_STEPS: u32 = 1_000_000;

/// What was found within some steps.
enum Within {
    /// The lower bound is final for these steps.
    Done(BigRational),
    /// A limit came first.
    Stopped(BigRational, StopReason),
}

impl Solving<'_> {
    /// The answer where the search for a number of steps ended with this error: bounds, if time is
    /// left for them.
    pub(super) fn without_depth(
        self,
        search: Option<&mut Search>,
        error: &SearchError,
        mut times: StageTimes,
    ) -> Result<Exit, Failure> {
        let budget = &self.run.budget;
        // Without an end the search for better bounds would have none.
        let has_time = budget.clock.deadline.is_some() && budget.reached().is_none();
        if error.stopped_by().is_none() || !has_time {
            return self.without_answer(error);
        }
        let found = times.measure("solve", || match search {
            Some(search) => self.by_growing_search(search),
            None => self.by_growing_formulas(),
        });
        let (steps, found) = found?;
        let lower = match &found {
            Within::Done(lower) | Within::Stopped(lower, _) => lower.clone(),
        };
        let reason = match found {
            Within::Stopped(_, reason) => reason,
            Within::Done(_) => StopReason::Time,
        };
        let moves = self
            .run
            .known()
            .moves
            .clone()
            .filter(|moves| !moves.is_empty());
        let outcome = match moves {
            Some(moves) => overall(&moves),
            None => self.whole(lower, reason),
        };
        if !self.arguments.output.quiet && !matches!(outcome, Outcome::Solved(_)) {
            tell(&format!(
                "sqasp: {error}; what can be made sure of within {} is a lower bound",
                counted(steps as usize, "step")
            ));
        }
        let answer = Answer {
            outcome,
            statistics: Vec::new(),
        };
        let report = self.run.report(answer, Vec::new(), times);
        self.run.end(&report)?;
        Ok(report.exit())
    }

    /// Somebody who remembers lower bounds, which hold for the whole game.
    fn lower_bounds(&self) -> ProgressListener {
        self.run.listener("", |known, (lower, _)| {
            if known.moves.is_none() && lower > known.bounds.0 {
                known.bounds.0 = lower;
            }
        })
    }

    /// Searches within more and more steps; gives how many these were at last.
    fn by_growing_search(&self, search: &mut Search) -> Result<(u32, Within), Failure> {
        let start = search.initial();
        self.growing(|depth| {
            let limits = Limits {
                progress: Some(self.lower_bounds()),
                ..self.run.budget.for_solver()
            };
            if !self.arguments.moves {
                let answer = search.solve(&start, Some(depth), &limits);
                return Ok(within(
                    &answer.map_err(|error| failed_search(&error))?.outcome,
                ));
            }
            let found = search.moves(&start, Some(depth), &limits);
            let found = found.map_err(|error| failed_search(&error))?;
            let stopped = found.iter().find_map(|(_, outcome)| outcome.stopped_by());
            let mut known = self.run.known();
            let before = known.moves.take().unwrap_or_default();
            let values = found.into_iter().map(|(action, outcome)| {
                let action = action.to_string();
                let earlier = before.iter().find(|each| each.action == action);
                let earlier =
                    earlier.map_or_else(BigRational::zero, |each| each.outcome.bounds().0);
                let lower = outcome.bounds().0.max(earlier);
                let outcome = self.whole(lower, stopped.unwrap_or(StopReason::Time));
                MoveValue { action, outcome }
            });
            let values: Vec<MoveValue> = values.collect();
            let lower = values.iter().map(|each| each.outcome.bounds().0).max();
            let lower = lower.unwrap_or_else(BigRational::zero);
            known.moves = Some(values);
            Ok(match stopped {
                None => Within::Done(lower),
                Some(reason) => Within::Stopped(lower, reason),
            })
        })
    }

    /// The same by way of formulas; the moves are not told apart.
    fn by_growing_formulas(&self) -> Result<(u32, Within), Failure> {
        self.run.ask(Subject::Game {
            name: self.game.name().to_owned(),
            asked: self.asked.clone(),
            depth_found: false,
            prefix: Some(self.arguments.formula.prefix()),
        });
        if !is_proved(self.game, &self.asked.role, &self.run.budget) {
            self.run.known().engine.exact_if = Some(NOT_PROVED);
        }
        let mut solver = solver(&self.arguments.engine)?;
        self.growing(|depth| {
            let options = route_options(&self.arguments.formula, &self.run.budget);
            let route = match route_game(self.game, &self.asked.within(depth), &options) {
                Ok(route) => route,
                Err(error) => {
                    let reason = error.stopped_by();
                    let failure = || Failure::new(Exit::Internal, &error);
                    let reason = reason.ok_or_else(failure)?;
                    return Ok(Within::Stopped(BigRational::zero(), reason));
                }
            };
            let limits = Limits {
                progress: Some(self.lower_bounds()),
                ..self.run.budget.for_solver()
            };
            let answer = solver.solve(&route.stages.formula, &limits);
            let outcome = answer.map_err(|error| failed(&error))?.outcome;
            Ok(within(&outcome.times(&self.asked.largest)))
        })
    }

    /// Asks for more and more steps, until a limit is reached or nothing more can be won; gives how many
    /// steps these were at last.
    fn growing(
        &self,
        mut ask: impl FnMut(u32) -> Result<Within, Failure>,
    ) -> Result<(u32, Within), Failure> {
        let mut best = BigRational::zero();
        let mut depth = 1;
        loop {
            self.run.say(&format!(
                "searching within {}",
                counted(depth as usize, "step")
            ));
            let found = match ask(depth)? {
                Within::Done(lower) => (best.clone().max(lower), None),
                Within::Stopped(lower, reason) => (best.clone().max(lower), Some(reason)),
            };
            best = found.0;
            self.run.known().bounds.0 = best.clone();
            let reached = found.1.or_else(|| self.run.budget.reached());
            if let Some(reason) = reached {
                return Ok((depth, Within::Stopped(best, reason)));
            }
            if best == self.asked.largest || depth >= MAX_STEPS {
                return Ok((depth, Within::Done(best)));
            }
            depth += (depth / 4).max(1);
        }
    }

    /// What a lower bound says of the whole game.
    fn whole(&self, lower: BigRational, reason: StopReason) -> Outcome {
        let largest = &self.asked.largest;
        match lower == *largest {
            true => Outcome::Solved(Value::Exact(lower)),
            false => Outcome::between(lower, largest.clone(), reason),
        }
    }
}

fn within(outcome: &Outcome) -> Within {
    let (lower, _) = outcome.bounds();
    match outcome {
        Outcome::Solved(_) => Within::Done(lower),
        Outcome::Stopped { reason, .. } => Within::Stopped(lower, *reason),
    }
}

fn failed_search(error: &SearchError) -> Failure {
    super::choose::search_failure(error)
}
