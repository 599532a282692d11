//! The recorder of an answer while the work goes on.

use crate::answer::{Answer, MoveValue};
use crate::observer::Observer;
use formula::{BigRational, Outcome};
use gdl::game::ValueRange;
use limits::{Progress, Publisher, StopReason, lock};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// An answer as far as it is proved, of which an observer hears. It owns the question: what work on others proves is not its value.
#[derive(Clone)]
pub(super) struct AnswerRecorder {
    known: Arc<KnownAnswer>,
    publisher: Publisher,
}

struct KnownAnswer {
    answer: Mutex<Answer>,
    outer: Arc<dyn Observer>,
}

impl KnownAnswer {
    fn change(&self, change: impl FnOnce(&mut Answer)) {
        let mut answer = lock(&self.answer);
        change(&mut answer);
        self.outer.answer(&answer);
    }
}

impl AnswerRecorder {
    pub(super) fn new(answer: Answer, outer: Arc<dyn Observer>) -> Self {
        outer.answer(&answer);
        let (range, period) = (answer.subject.range(), outer.period());
        let known = Arc::new(KnownAnswer {
            answer: Mutex::new(answer),
            outer,
        });
        let listener = Arc::clone(&known);
        let publisher = Publisher::new(range.ends(), period, move |(lower, upper)| {
            let outcome = Outcome::between(lower.clone(), upper.clone(), StopReason::Interrupted);
            listener.change(|answer| answer.outcome = outcome);
        });
        AnswerRecorder { known, publisher }
    }

    /// The answer as far as it is known.
    pub(super) fn answer(&self) -> Answer {
        lock(&self.known.answer).clone()
    }

    /// The range of the values.
    pub(super) fn range(&self) -> ValueRange {
        lock(&self.known.answer).subject.range()
    }

    /// The publisher of bounds of the value.
    pub(super) fn publisher(&self) -> &Publisher {
        &self.publisher
    }

    /// Adds what has become known beside the value.
    pub(super) fn change(&self, change: impl FnOnce(&mut Answer)) {
        self.known.change(change);
    }

    /// Keeps the outcome of the search for the value, and what was published before.
    pub(super) fn settle(&self, outcome: Outcome) {
        // Numbers of steps without a largest one are not published on the way.
        let outcome = match self.range().is_bounded() {
            true => {
                let known = self.publish(&outcome);
                outcome.within(known)
            }
            false => outcome,
        };
        self.change(|answer| answer.outcome = outcome);
    }

    /// Publishes an outcome of the value, and gives all that is known then.
    fn publish(&self, outcome: &Outcome) -> (BigRational, BigRational) {
        if outcome.rounded().is_none() {
            let (lower, upper) = outcome.bounds();
            self.publisher.publish(lower, upper);
        }
        self.publisher.known().expect("the range is known")
    }

    /// An observer for an engine, which keeps values of moves: the value is the largest of them.
    pub(super) fn keeping_moves(&self) -> Arc<dyn Observer> {
        Arc::new(MoveRecorder(self.clone()))
    }
}

struct MoveRecorder(AnswerRecorder);

impl Observer for MoveRecorder {
    fn stage(&self, text: &str) {
        self.0.known.outer.stage(text);
    }

    fn progress(&self, progress: &Progress) {
        self.0.known.outer.progress(progress);
    }

    fn period(&self) -> Duration {
        self.0.known.outer.period()
    }

    fn moves(&self, moves: &[MoveValue]) {
        let outcomes = moves.iter().map(|each| &each.outcome);
        let are_proved = outcomes.clone().all(|outcome| outcome.rounded().is_none());
        if let (true, Some(largest)) = (are_proved, Outcome::largest(outcomes)) {
            self.0.publish(&largest);
        }
        self.0.change(|answer| answer.moves = Some(moves.to_vec()));
        self.0.known.outer.moves(moves);
    }

    fn remark(&self, text: &str) {
        self.0.known.outer.remark(text);
    }
}
