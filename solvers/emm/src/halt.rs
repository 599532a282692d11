//! When to end in the middle of work that takes long: one state can have millions of joint moves.

use crate::expand::Refusal;
use formula::{Clock, Limits};
use std::sync::atomic::{AtomicBool, Ordering};

/// The limits of a question, and a flag by which other threads say that it is answered.
#[derive(Clone, Default)]
pub struct Halt<'a> {
    clock: Clock,
    stop: Option<&'a AtomicBool>,
}

impl<'a> Halt<'a> {
    /// At these limits.
    pub fn new(clock: &Clock, stop: Option<&'a AtomicBool>) -> Self {
        let clock = clock.clone();
        Halt { clock, stop }
    }

    /// At these limits, whose time runs from now on.
    pub fn at(limits: &Limits) -> Self {
        Halt::new(&Clock::new(limits), None)
    }

    /// Looks whether it is time to end.
    ///
    /// # Errors
    /// If it is.
    pub fn look(&self) -> Result<(), Refusal> {
        if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(Refusal::Stopped(None));
        }
        let looked = self.clock.look();
        looked.map_err(|reason| Refusal::Stopped(Some(reason)))
    }

    /// Whether it is not yet time to end.
    pub fn go_on(&self) -> bool {
        self.look().is_ok()
    }
}
