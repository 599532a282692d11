//! Watching time, memory and interruption, cheaply: the clock is looked at once in a thousand
//! decisions, and progress is reported a few times a second.

use formula::{BigRational, Limits, StopReason, Watch};
use num_traits::One;

const DECISIONS_PER_LOOK: u64 = 1024;

/// What is left of the limits of one run.
pub struct Budget<'a> {
    watch: Watch<'a>,
    decision_limit: Option<u64>,
    decisions: u64,
    memory: u64,
    factor: BigRational,
}

impl<'a> Budget<'a> {
    /// Starts the clock.
    pub fn new(limits: &'a Limits, decision_limit: Option<u64>) -> Self {
        Budget {
            watch: Watch::new(limits),
            decision_limit,
            decisions: 0,
            memory: 0,
            factor: BigRational::one(),
        }
    }

    /// Memory that may be taken, in bytes.
    pub fn memory_limit(&self) -> Option<u64> {
        self.watch.memory_limit()
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
        match self.watch.memory_limit() {
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
        let factor = &self.factor;
        let whole = |(lower, upper): (BigRational, BigRational)| (lower * factor, upper * factor);
        self.watch
            .look(phase, states, memory, || bounds().map(whole))
    }
}
