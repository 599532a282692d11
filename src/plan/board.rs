//! Where methods write down what they find out, for each other and for whoever is watching.

use super::{FoundBy, Known, Plan, Question, replay};
use crate::game::Game;
use crate::translate::possible_points;
use formula::{Interrupt, Limits, StopReason};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// What is being done, for people.
#[derive(Clone, Copy, Default, Debug)]
pub struct Progress {
    /// How many moves plans may have that are being looked for.
    pub horizon: u32,
    /// How often clingo had to take back decisions.
    pub conflicts: u64,
    /// How many states were searched.
    pub states: u64,
}

/// What all methods know together.
///
/// Clones are the same board.
#[derive(Clone)]
pub struct Board {
    shared: Arc<Mutex<(Known, Progress)>>,
}

impl Board {
    /// An empty board about a question.
    pub fn new(game: &Game, question: &Question) -> Self {
        let points: Vec<u32> = possible_points(game, &question.role).into_iter().collect();
        let known = Known::nothing(question, &points);
        Board {
            shared: Arc::new(Mutex::new((known, Progress::default()))),
        }
    }

    /// What is known now.
    pub fn known(&self) -> Known {
        self.lock().0.clone()
    }

    /// What is being done now.
    pub fn progress(&self) -> Progress {
        self.lock().1
    }

    /// Changes what is being done.
    pub(super) fn report(&self, change: impl FnOnce(&mut Progress)) {
        change(&mut self.lock().1);
    }

    /// Looks at what is known.
    pub(super) fn look<T>(&self, look: impl FnOnce(&Known) -> T) -> T {
        look(&self.lock().0)
    }

    /// Takes note that no plan of at most so many moves reaches a level.
    pub(super) fn rule_out(&self, level: usize, moves: Option<u32>) {
        self.lock().0.rule_out(level, moves);
    }

    /// Takes note of a plan, if the rules confirm it.
    pub(super) fn found(
        &self,
        game: &Game,
        question: &Question,
        moves: Vec<crate::gdl::Term>,
        by: FoundBy,
    ) -> Result<bool, super::Refuted> {
        let points = replay(game, &question.role, &moves)?;
        Ok(self.lock().0.found(Plan { moves, points }, by))
    }

    fn lock(&self) -> MutexGuard<'_, (Known, Progress)> {
        // No holder can leave it broken.
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Limits with a clock that has started.
#[derive(Clone, Debug)]
pub(super) struct Budget {
    pub(super) deadline: Option<Instant>,
    pub(super) interrupt: Interrupt,
    pub(super) memory: Option<u64>,
}

impl Budget {
    pub(super) fn new(limits: &Limits) -> Self {
        Budget {
            deadline: limits
                .time
                .and_then(|time| Instant::now().checked_add(time)),
            interrupt: limits.interrupt.clone(),
            memory: limits.memory,
        }
    }

    /// Why to stop now, if so.
    pub(super) fn reached(&self) -> Option<StopReason> {
        if self.interrupt.is_raised() {
            Some(StopReason::Interrupted)
        } else if self.deadline.is_some_and(|end| Instant::now() >= end) {
            Some(StopReason::Time)
        } else {
            None
        }
    }
}
