//! Looking at the limits: the clock, the interrupt, and whoever wants to hear of progress.

use crate::solver::{Limits, Progress, StopReason};
use num_rational::BigRational;
use std::time::{Duration, Instant};

/// How often progress is told.
const REPORT_EVERY: Duration = Duration::from_millis(200);

/// The limits of one question, from when it was put.
pub struct Watch<'a> {
    limits: &'a Limits,
    started: Instant,
    reported: Instant,
}

impl<'a> Watch<'a> {
    /// Time runs from now on.
    pub fn new(limits: &'a Limits) -> Self {
        let now = Instant::now();
        Watch {
            limits,
            started: now,
            reported: now,
        }
    }

    /// What is left of the limits.
    pub fn left(&self) -> Limits {
        let spent = self.started.elapsed();
        Limits {
            time: self.limits.time.map(|time| time.saturating_sub(spent)),
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
        let out_of_time = |time: Duration| now - self.started >= time;
        if self.limits.interrupt.is_raised() {
            Err(StopReason::Interrupted)
        } else if self.limits.time.is_some_and(out_of_time) {
            Err(StopReason::Time)
        } else {
            Ok(())
        }
    }
}
