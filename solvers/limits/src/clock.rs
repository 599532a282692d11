//! Deadlines: the moment or the flag that ends work.

use crate::allowed::{Interrupt, Limits, StopReason};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A deadline and an interrupt, for loops that only need to know when to end. The default never ends
/// anything.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    /// When to end, if ever.
    pub deadline: Option<Instant>,
    /// Raised from outside to end at once.
    pub interrupt: Interrupt,
}

impl Clock {
    /// For limits whose time runs from now on.
    pub fn new(limits: &Limits) -> Self {
        Clock {
            // A time too long for the clock is no limit.
            deadline: limits
                .time
                .and_then(|time| Instant::now().checked_add(time)),
            interrupt: limits.interrupt.clone(),
        }
    }

    /// A clock that ends at this moment and has an interrupt of its own.
    pub fn until(deadline: Instant) -> Self {
        Clock {
            deadline: Some(deadline),
            interrupt: Interrupt::default(),
        }
    }

    /// The same clock, which ends after at most this time from now on.
    #[must_use]
    pub fn within(&self, time: Duration) -> Self {
        let end = Instant::now().checked_add(time);
        Clock {
            deadline: [self.deadline, end].into_iter().flatten().min(),
            interrupt: self.interrupt.clone(),
        }
    }

    /// Looks at the clock and the interrupt.
    ///
    /// # Errors
    /// The limit that is reached, if any.
    pub fn look(&self) -> Result<(), StopReason> {
        if let Some(reason) = self.interrupt.raised() {
            return Err(reason);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(StopReason::Time),
            _ => Ok(()),
        }
    }

    /// Whether it is time to end.
    pub fn is_over(&self) -> bool {
        self.look().is_err()
    }

    /// The time that is left, if it is limited.
    pub fn left(&self) -> Option<Duration> {
        self.deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

/// A clock, and a flag by which other threads say that the question is answered.
#[derive(Clone, Default)]
pub struct Halt<'a> {
    clock: Clock,
    stop: Option<&'a AtomicBool>,
}

impl<'a> Halt<'a> {
    /// By this clock, and by this flag if there is one.
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
    /// If it is: with the limit that is reached, or with none if another thread has the answer.
    pub fn look(&self) -> Result<(), Option<StopReason>> {
        if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(None);
        }
        self.clock.look().map_err(Some)
    }

    /// Whether it is not yet time to end.
    pub fn go_on(&self) -> bool {
        self.look().is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interrupt_comes_before_the_deadline() {
        let clock = Clock::until(Instant::now());
        assert_eq!(clock.look(), Err(StopReason::Time));
        clock.interrupt.raise_for(StopReason::Memory);
        assert_eq!(clock.look(), Err(StopReason::Memory));
        // The first reason counts.
        clock.interrupt.raise();
        assert_eq!(clock.look(), Err(StopReason::Memory));
    }

    #[test]
    fn the_earlier_deadline_holds_and_the_interrupt_is_shared() {
        let long = Duration::from_secs(3600);
        assert!(Clock::until(Instant::now()).within(long).is_over());
        let free = Clock::default();
        assert!(free.within(Duration::ZERO).is_over());
        let later = free.within(long);
        assert!(!later.is_over() && later.left().is_some_and(|left| left <= long));
        // A time that does not fit into the clock is no limit.
        assert!(free.within(Duration::MAX).deadline.is_none());
        free.interrupt.raise();
        assert_eq!(later.look(), Err(StopReason::Interrupted));
    }

    #[test]
    fn another_thread_has_the_answer() {
        let stop = AtomicBool::new(false);
        let halt = Halt::new(&Clock::default(), Some(&stop));
        assert!(halt.go_on());
        stop.store(true, Ordering::Relaxed);
        assert_eq!(halt.look(), Err(None));
    }
}
