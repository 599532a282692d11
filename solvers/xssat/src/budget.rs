//! Watching time, memory and interruption, cheaply: the clock is looked at once in a thousand
//! decisions, and progress is reported a few times a second.

use formula::{BigRational, Limits, Progress, StopReason};
use num_traits::One;
use std::time::{Duration, Instant};

const DECISIONS_PER_LOOK: u64 = 1024;
const REPORT_EVERY: Duration = Duration::from_millis(250);

/// What is left of the limits of one run.
pub struct Budget<'a> {
    limits: &'a Limits,
    started: Instant,
    reported: Instant,
    decision_limit: Option<u64>,
    decisions: u64,
    memory: u64,
    factor: BigRational,
}

impl<'a> Budget<'a> {
    /// Starts the clock.
    pub fn new(limits: &'a Limits, decision_limit: Option<u64>) -> Self {
        let now = Instant::now();
        Budget {
            limits,
            started: now,
            reported: now,
            decision_limit,
            decisions: 0,
            memory: 0,
            factor: BigRational::one(),
        }
    }

    /// Memory that may be taken, in bytes.
    pub fn memory_limit(&self) -> Option<u64> {
        self.limits.memory
    }

    /// Tells what the value of the whole formula is, as a multiple of what is searched for.
    pub fn set_factor(&mut self, factor: BigRational) {
        self.factor = factor;
    }

    /// Decisions counted so far.
    pub fn decisions(&self) -> u64 {
        self.decisions
    }

    /// Counts one decision, and now and then looks at the limits.
    ///
    /// # Errors
    /// The limit that is reached, if any.
    #[inline]
    pub fn decide(&mut self, states: u64) -> Result<(), StopReason> {
        self.decisions += 1;
        if self
            .decision_limit
            .is_some_and(|limit| self.decisions > limit)
        {
            return Err(StopReason::Interrupted);
        }
        if self.decisions.is_multiple_of(DECISIONS_PER_LOOK) {
            self.look("searching", states)?;
        }
        Ok(())
    }

    /// Tells that tables take this many bytes more.
    ///
    /// # Errors
    /// If that is more than allowed; then it must not be allocated.
    pub fn take_memory(&mut self, bytes: u64) -> Result<(), StopReason> {
        match self.limits.memory {
            Some(limit) if self.memory + bytes > limit => Err(StopReason::Memory),
            _ => {
                self.memory += bytes;
                Ok(())
            }
        }
    }

    /// Tells that tables take this many bytes less.
    pub fn give_memory_back(&mut self, bytes: u64) {
        self.memory -= bytes;
    }

    /// Tells that all tables are gone.
    pub fn give_all_memory_back(&mut self) {
        self.memory = 0;
    }

    /// Looks at the clock and at the interrupt, and reports progress when it is time to.
    ///
    /// # Errors
    /// The limit that is reached, if any.
    pub fn look(&mut self, phase: &'static str, states: u64) -> Result<(), StopReason> {
        self.look_and_tell(phase, states, self.memory, || None)
    }

    /// The same, with the memory of tables that are not accounted for here, and the bounds that a
    /// search knows so far, asked for only when somebody is told.
    ///
    /// # Errors
    /// The limit that is reached, if any.
    pub fn look_and_tell(
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
                report(&Progress {
                    phase,
                    states,
                    memory,
                    fill: self
                        .limits
                        .memory
                        .map(|allowed| (memory as f64 / allowed.max(1) as f64).min(1.0)),
                    bounds: bounds()
                        .map(|(lower, upper)| (lower * &self.factor, upper * &self.factor)),
                });
            }
        }
        if self.limits.interrupt.is_raised() {
            Err(StopReason::Interrupted)
        } else if self
            .limits
            .time
            .is_some_and(|time| now - self.started >= time)
        {
            Err(StopReason::Time)
        } else {
            Ok(())
        }
    }
}
