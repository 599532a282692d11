//! The board, on which methods write down their results, for each other and for the caller.

use super::{FoundBy, Plan, PlanBounds, Question, Refuted, replay};
use gdl::Term;
use gdl::game::{Game, GoalValues, Points};
use limits::lock;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::Duration;

/// The progress of planning, for people.
#[derive(Clone, Copy, Default, Debug)]
pub struct PlanProgress {
    /// How many moves plans may have that the logic program is asked for.
    pub horizon: u32,
    /// How often clingo had to take back decisions.
    pub conflicts: u64,
    /// How many states were seen breadth first, and after how many moves.
    pub breadth: (u64, u32),
    /// How many states were seen depth first.
    pub depth: u64,
    /// Into how many layers moves are put side by side.
    pub layers: u32,
}

/// The board: the knowledge that all methods share.
///
/// Clones are the same board.
#[derive(Clone)]
pub struct Blackboard {
    shared: Arc<Mutex<(PlanBounds, PlanProgress)>>,
}

impl Blackboard {
    /// An empty board about a question.
    pub fn new(game: &Game, question: &Question) -> Self {
        let points: Vec<Points> = GoalValues::of(game, &question.role)
            .points
            .into_iter()
            .collect();
        let known = PlanBounds::nothing(question, &points);
        Blackboard {
            shared: Arc::new(Mutex::new((known, PlanProgress::default()))),
        }
    }

    pub fn known(&self) -> PlanBounds {
        self.lock().0.clone()
    }

    /// The bounds known now; none if the lock stays taken: with no memory left, that can be for
    /// ever.
    pub fn known_if_free(&self) -> Option<PlanBounds> {
        for _ in 0..50 {
            match self.shared.try_lock() {
                Ok(shared) => return Some(shared.0.clone()),
                Err(TryLockError::Poisoned(shared)) => return Some(shared.into_inner().0.clone()),
                Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(2)),
            }
        }
        None
    }

    pub fn progress(&self) -> PlanProgress {
        self.lock().1
    }

    pub(super) fn report(&self, change: impl FnOnce(&mut PlanProgress)) {
        change(&mut self.lock().1);
    }

    /// Reads the bounds that are known.
    pub(super) fn read<T>(&self, read: impl FnOnce(&PlanBounds) -> T) -> T {
        read(&self.lock().0)
    }

    /// Takes note of something that was proved.
    pub(super) fn note(&self, note: impl FnOnce(&mut PlanBounds)) {
        note(&mut self.lock().0);
    }

    /// Takes note of a plan, if the rules confirm it.
    pub(super) fn found(
        &self,
        game: &Game,
        question: &Question,
        moves: Vec<Term>,
        by: FoundBy,
    ) -> Result<(), Refuted> {
        let points = replay(game, &question.role, &moves)?;
        self.lock().0.found(Plan { moves, points }, by);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, (PlanBounds, PlanProgress)> {
        lock(&self.shared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Goal;
    use gdl::{Name, Options};

    #[test]
    fn nobody_waits_for_ever_to_see_the_board() {
        let rules = b"(role p) (legal p go) (<= (next over) (does p go)) (<= terminal (true over))
            (<= (goal p 100) (true over))";
        let game = gdl::game::read("test", rules, &Options::default())
            .expect("a valid game")
            .game;
        let question = Question {
            role: Name::new("p"),
            goal: Goal::Best,
            depth: None,
        };
        let board = Blackboard::new(&game, &question);
        assert!(board.known_if_free().is_some());
        let held = board.lock();
        let seen = thread::scope(|scope| scope.spawn(|| board.known_if_free()).join());
        assert!(seen.expect("no panic").is_none());
        drop(held);
        assert!(board.known_if_free().is_some());
    }
}
