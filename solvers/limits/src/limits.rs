//! The limits that a caller sets, and that all work for a question obeys.

use crate::interrupt::{Interrupt, StopReason};
use crate::memory;
use crate::progress::ProgressListener;
use std::fmt;
use std::time::{Duration, Instant};

/// The limits of work: a deadline, an amount of memory, and an interrupt. The default is no limit at all. Clones are cheap, and
/// share the interrupt.
#[derive(Clone, Default)]
pub struct Limits {
    /// The moment to end, if there is one.
    pub deadline: Option<Instant>,
    /// Memory in bytes: of the process where a question begins, of a solver's own data where it works.
    pub memory: Option<u64>,
    /// Raised from outside to stop early, as by Ctrl-C.
    pub interrupt: Interrupt,
    /// Called a few times a second by work that reports ([`Watch`](crate::Watch)).
    pub progress: Option<ProgressListener>,
}

impl fmt::Debug for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limits")
            .field("deadline", &self.deadline)
            .field("memory", &self.memory)
            .finish_non_exhaustive()
    }
}

impl Limits {
    /// This much memory of the process in bytes, or four fifths of the machine's; never more than the system allows.
    pub fn with_memory(bytes: Option<u64>) -> Self {
        let memory = bytes.or_else(memory::default_limit);
        Limits {
            memory: memory.into_iter().chain(memory::address_space()).min(),
            ..Limits::default()
        }
    }

    /// The end of work when it has checked its limits so often ([`Interrupt::after_checks`]).
    #[doc(hidden)]
    pub fn after_checks(checks: u64) -> Self {
        Limits {
            interrupt: Interrupt::after_checks(checks),
            ..Limits::default()
        }
    }

    /// No limit but this moment.
    pub fn until(deadline: Instant) -> Self {
        Limits {
            deadline: Some(deadline),
            ..Limits::default()
        }
    }

    /// The same limits, but at most this much time from now on.
    #[must_use]
    pub fn within(&self, time: impl Into<Option<Duration>>) -> Self {
        // A time too long for the clock of the system is no limit.
        let end = time
            .into()
            .and_then(|time| Instant::now().checked_add(time));
        Limits {
            deadline: [self.deadline, end].into_iter().flatten().min(),
            ..self.clone()
        }
    }

    /// The same limits; this interrupt ends the work as well.
    #[doc(hidden)]
    #[must_use]
    pub fn or_when(&self, raised: &Interrupt) -> Self {
        Limits {
            interrupt: raised.or(&self.interrupt),
            ..self.clone()
        }
    }

    /// The rest of the memory of the process, for an engine. Some of it stays free for data that engines do not count. Its
    /// progress is not reported.
    #[doc(hidden)]
    #[must_use]
    pub fn for_engine(&self) -> Self {
        let used = memory::in_use().unwrap_or(0);
        let rest = |all: u64| (all.saturating_sub(used) / 10 * 9).max(all / 20);
        Limits {
            memory: self.memory.map(rest),
            progress: None,
            ..self.clone()
        }
    }

    /// Checks the interrupt and the deadline.
    #[doc(hidden)]
    pub fn check(&self) -> Result<(), StopReason> {
        if let Some(reason) = self.interrupt.raised() {
            return Err(reason);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(StopReason::Time),
            _ => Ok(()),
        }
    }

    /// The same, and whether this many bytes are allowed.
    #[doc(hidden)]
    pub fn check_memory(&self, bytes: u64) -> Result<(), StopReason> {
        self.check()?;
        match self.memory {
            Some(limit) if bytes > limit => Err(StopReason::Memory),
            _ => Ok(()),
        }
    }

    /// The limit that is reached, if one is.
    pub fn reached(&self) -> Option<StopReason> {
        self.check().err()
    }

    /// Whether it is time to end.
    #[doc(hidden)]
    pub fn is_over(&self) -> bool {
        self.check().is_err()
    }

    /// The time that is left, if it is limited.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// This time, or a quarter of the time that is left if that is less.
    #[doc(hidden)]
    pub fn share(&self, time: Duration) -> Duration {
        self.time_left().map_or(time, |left| time.min(left / 4))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interrupt_comes_before_the_deadline() {
        let limits = Limits::until(Instant::now());
        assert_eq!(limits.check(), Err(StopReason::Time));
        limits.interrupt.raise_for(StopReason::Memory);
        assert_eq!(limits.check(), Err(StopReason::Memory));
        // The first reason counts.
        limits.interrupt.raise();
        assert_eq!(limits.reached(), Some(StopReason::Memory));
    }

    #[test]
    fn checks_by_all_clones_are_counted_together() {
        let limits = Limits::after_checks(3);
        let part = limits.or_when(&Interrupt::default());
        let ended = [&limits, &part, &part, &limits].map(|limits| limits.is_over());
        assert_eq!(ended, [false, false, false, true]);
        assert_eq!(limits.interrupt.checks_left(), Some(0));
    }

    #[test]
    fn the_earlier_deadline_holds_and_the_interrupt_is_shared() {
        let long = Duration::from_secs(3600);
        assert!(Limits::until(Instant::now()).within(long).is_over());
        let free = Limits::default();
        assert!(free.within(Duration::ZERO).is_over());
        let later = free.within(long);
        assert!(!later.is_over() && later.time_left().is_some_and(|left| left <= long));
        // A time that does not fit into the clock is no limit.
        assert!(free.within(Duration::MAX).deadline.is_none());
        free.interrupt.raise();
        assert_eq!(later.check(), Err(StopReason::Interrupted));
    }

    #[test]
    fn so_many_bytes_are_allowed() {
        let limits = Limits::with_memory(Some(100));
        assert_eq!(limits.check_memory(100), Ok(()));
        assert_eq!(limits.check_memory(101), Err(StopReason::Memory));
    }

    #[test]
    fn a_second_interrupt_ends_its_part_of_the_work() {
        let all = Limits::default();
        let stop = Interrupt::default();
        let part = all.or_when(&stop);
        assert_eq!(part.check(), Ok(()));
        stop.raise();
        assert_eq!(part.check(), Err(StopReason::Interrupted));
        assert_eq!(all.check(), Ok(()));
        let stop = Interrupt::default();
        all.interrupt.raise_for(StopReason::Memory);
        assert_eq!(all.or_when(&stop).check(), Err(StopReason::Memory));
        assert!(!stop.is_raised());
    }
}
