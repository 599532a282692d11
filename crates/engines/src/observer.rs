//! Hearing how work goes on.

use crate::answer::{Answer, MoveValue};
use limits::Progress;

/// Somebody who hears how work goes on. Each method may do nothing, and none may take long: the work waits.
pub trait Observer: Send + Sync {
    /// The stage that begins, in a few words.
    fn stage(&self, _text: &str) {}

    /// How far a search is, a few times a second. Its bounds are those of the position it values.
    fn progress(&self, _progress: &Progress) {}

    /// The value of each legal move, as far as that is known.
    fn moves(&self, _moves: &[MoveValue]) {}

    /// The answer as far as it is proved. An observer that cannot wait for the end may give this one.
    fn answer(&self, _answer: &Answer) {}

    /// Something that the user should know.
    fn remark(&self, _text: &str) {}
}

/// Nobody listens.
pub struct Silent;

impl Observer for Silent {}
