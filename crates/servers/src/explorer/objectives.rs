//! An evaluator for each objective, started when the page asks about it first.

use super::Explored;
use crate::evaluator::Shared;
use engines::{Error, ErrorKind};
use gdl::game::{Aim, GoalValues, Objective, Points};
use limits::lock;
use std::io;
use std::sync::Mutex;

/// The evaluators of a game.
pub(super) struct Objectives {
    /// The objectives that the page offers, that of the command first.
    offered: Vec<Aim>,
    start: Box<dyn Fn(Aim) -> io::Result<Shared> + Send + Sync>,
    /// As many as `offered`; none before the first request.
    running: Mutex<Vec<Option<Shared>>>,
}

impl Objectives {
    /// No evaluator yet, and the way to start one.
    pub(super) fn new(
        offered: Vec<Aim>,
        start: impl Fn(Aim) -> io::Result<Shared> + Send + Sync + 'static,
    ) -> Self {
        Objectives {
            running: Mutex::new(vec![None; offered.len()]),
            start: Box::new(start),
            offered,
        }
    }

    /// The objective with this number.
    pub(super) fn get(&self, number: usize) -> Option<Aim> {
        self.offered.get(number).copied()
    }

    /// The evaluator for the objective with this number.
    pub(super) fn evaluator(&self, number: usize) -> Result<Shared, Error> {
        let objective = self
            .get(number)
            .ok_or_else(|| Error::new(ErrorKind::Question, "there is no such objective"))?;
        let mut running = lock(&self.running);
        if running[number].is_none() {
            running[number] = Some((self.start)(objective).map_err(missing)?);
        }
        Ok(running[number].clone().expect("it was just started"))
    }

    /// Ends the work of an asker, whatever it is about.
    pub(super) fn stop(&self, asker: &str) {
        for shared in lock(&self.running).iter().flatten() {
            shared.stop(asker);
        }
    }
}

/// The system has no thread or no random number.
pub(super) fn missing(error: io::Error) -> Error {
    Error::new(
        ErrorKind::Internal,
        format!("the explorer cannot start: {error}"),
    )
}

/// The objectives that differ in this game: that of the command, winning, and the mean of points. A table has values for one, and steps are
/// counted alone.
pub(super) fn offered(explored: &Explored) -> Vec<Aim> {
    let game = &explored.game;
    let mut offered = vec![explored.objective];
    let Some(own) = explored.objective.payoff() else {
        return offered;
    };
    let has_others = game.players().any(|role| {
        let values = GoalValues::of(game, role).points;
        values
            .iter()
            .any(|&points| !points.is_zero() && points != Points::WIN)
    });
    if explored.table.is_none() && has_others {
        let is_new = |other: &Objective| *other != own && !(own.is_mean() && other.is_mean());
        offered.extend(
            [Objective::Win, Objective::Points]
                .into_iter()
                .filter(is_new)
                .map(Aim::from),
        );
    }
    offered
}
