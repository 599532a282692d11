//! Looking at the limits: the clock, the interrupt, and whoever wants to hear of progress.

use crate::solver::{Interrupt, Limits, Progress, StopReason};
use num_rational::BigRational;
use std::time::{Duration, Instant};

/// How often progress is told.
const REPORT_EVERY: Duration = Duration::from_millis(200);

/// The clock and the interrupt of one question, for threads and loops that only need to know when to
/// end.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    deadline: Option<Instant>,
    interrupt: Interrupt,
}

impl Clock {
    /// For limits whose time runs from now on.
    pub fn new(limits: &Limits) -> Self {
        Clock {
            // A time that nobody lives to see is none.
            deadline: limits
                .time
                .and_then(|time| Instant::now().checked_add(time)),
            interrupt: limits.interrupt.clone(),
        }
    }

    /// Looks at both.
    ///
    /// # Errors
    /// The limit that is reached, if any.
    pub fn look(&self) -> Result<(), StopReason> {
        if self.interrupt.is_raised() {
            return Err(StopReason::Interrupted);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(StopReason::Time),
            _ => Ok(()),
        }
    }

    /// What is left of the time, if there is a limit to it.
    pub fn left(&self) -> Option<Duration> {
        self.deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

/// The limits of one question, from when it was put.
pub struct Watch<'a> {
    limits: &'a Limits,
    clock: Clock,
    reported: Instant,
}

impl<'a> Watch<'a> {
    /// Time runs from now on.
    pub fn new(limits: &'a Limits) -> Self {
        Watch {
            limits,
            clock: Clock::new(limits),
            reported: Instant::now(),
        }
    }

    /// The clock and the interrupt alone.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// What is left of the limits.
    pub fn left(&self) -> Limits {
        Limits {
            time: self.clock.left(),
            ..self.limits.clone()
        }
    }

    /// Memory that may be taken, in bytes.
    pub fn memory_limit(&self) -> Option<u64> {
        self.limits.memory
    }

    /// Looks at the limits, and tells of progress when it is time to: what is being done, the states
    /// handled, the memory that tables take, in bytes, and the bounds known so far, asked for only when
    /// somebody is told.
    ///
    /// # Errors
    /// The limit that is reached, if any.
    pub fn look(
        &mut self,
        phase: &'static str,
        states: u64,
        memory: u64,
        bounds: impl FnOnce() -> Option<(BigRational, BigRational)>,
    ) -> Result<(), StopReason> {
        let now = Instant::now();
        if now - self.reported >= REPORT_EVERY {
            self.reported = now;
            if let Some(report) = &self.limits.progress {
                let fill = |allowed: u64| (memory as f64 / allowed.max(1) as f64).min(1.0);
                report(&Progress {
                    phase,
                    states,
                    memory,
                    fill: self.limits.memory.map(fill),
                    bounds: bounds(),
                });
            }
        }
        self.clock.look()
    }
}
