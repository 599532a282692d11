//! The recorder of an answer while the work goes on.

use crate::answer::{Answer, MoveValue};
use crate::observer::Observer;
use formula::{BigRational, Outcome};
use limits::{Progress, StopReason, lock};
use std::sync::{Arc, Mutex, MutexGuard};

/// An answer as far as it is proved, and the observer that hears of it.
pub(super) struct AnswerRecorder {
    answer: Mutex<Answer>,
    outer: Arc<dyn Observer>,
}

/// The use of the bounds that a search tells.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BoundsUse {
    /// They are bounds of the value.
    Bounds,
    /// The lower one is a lower bound of the value, if it is higher than the known one.
    Lower,
    /// Only the values of moves are kept.
    Moves,
}

impl AnswerRecorder {
    pub(super) fn new(answer: Answer, outer: Arc<dyn Observer>) -> Self {
        outer.answer(&answer);
        AnswerRecorder {
            answer: Mutex::new(answer),
            outer,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Answer> {
        lock(&self.answer)
    }

    /// The answer as far as it is known.
    pub(super) fn answer(&self) -> Answer {
        self.lock().clone()
    }

    /// No value is larger than this.
    pub(super) fn largest(&self) -> BigRational {
        self.lock().subject.largest()
    }

    /// Adds what has become known.
    pub(super) fn change(&self, change: impl FnOnce(&mut Answer)) {
        let mut answer = self.lock();
        change(&mut answer);
        self.outer.answer(&answer);
    }

    /// An observer for an engine, which keeps the proved values and bounds.
    pub(super) fn listener(self: &Arc<Self>, keep: BoundsUse) -> Arc<dyn Observer> {
        Arc::new(Listener {
            known: Arc::clone(self),
            keep,
        })
    }
}

struct Listener {
    known: Arc<AnswerRecorder>,
    keep: BoundsUse,
}

impl Observer for Listener {
    fn stage(&self, text: &str) {
        self.known.outer.stage(text);
    }

    fn progress(&self, progress: &Progress) {
        if let Some((lower, upper)) = progress.bounds.clone() {
            let outcome = |lower, upper| Outcome::Stopped {
                reason: StopReason::Interrupted,
                lower,
                upper,
                estimate: None,
            };
            self.known.change(|answer| match self.keep {
                BoundsUse::Bounds => answer.outcome = outcome(lower, upper),
                BoundsUse::Lower if answer.moves.is_none() => {
                    let known = answer.outcome.bounds();
                    answer.outcome = outcome(lower.max(known.0), known.1);
                }
                BoundsUse::Lower | BoundsUse::Moves => {}
            });
        }
        self.known.outer.progress(progress);
    }

    fn moves(&self, moves: &[MoveValue]) {
        if self.keep == BoundsUse::Moves {
            self.known
                .change(|answer| answer.moves = Some(moves.to_vec()));
        }
        self.known.outer.moves(moves);
    }

    fn remark(&self, text: &str) {
        self.known.outer.remark(text);
    }
}
