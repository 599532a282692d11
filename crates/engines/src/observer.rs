//! Hearing how work goes on.

use crate::answer::{Answer, MoveValue};
use limits::Progress;
use std::time::Duration;

/// A listener to the progress of work. Each method may do nothing, and none may take long: the work waits.
pub trait Observer: Send + Sync {
    /// The stage that begins, in a few words.
    fn stage(&self, _text: &str) {}

    /// How far a search is, about as often as [`Observer::period`] says.
    fn progress(&self, _progress: &Progress) {}

    /// How often progress and closer bounds are wanted.
    fn period(&self) -> Duration {
        Duration::from_millis(200)
    }

    /// The value of each legal move, as far as that is known.
    fn moves(&self, _moves: &[MoveValue]) {}

    /// The answer as far as it is proved. An observer that cannot wait for the end may give this one.
    fn answer(&self, _answer: &Answer) {}

    /// Something that the user should know.
    fn remark(&self, _text: &str) {}
}

/// Ignores all progress.
pub struct Silent;

impl Observer for Silent {}
