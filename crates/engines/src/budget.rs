//! The budget of a question: time and memory for all its work, and somebody who may interrupt it.

use limits::memory;
use limits::{Clock, Limits, StopReason};
use std::time::{Duration, Instant};

/// The time and the memory of all the work for a question, from now on. The default is no limit at all.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// The time to end, and the interrupt that may ask for an end before.
    pub clock: Clock,
    /// The most memory that the process may use, in bytes.
    pub memory: Option<u64>,
}

impl Budget {
    /// This much memory in bytes, or four fifths of the machine's; never more than the system allows.
    pub fn with_memory(bytes: Option<u64>) -> Self {
        let memory = bytes.or_else(memory::default_limit);
        Budget {
            clock: Clock::default(),
            memory: memory.into_iter().chain(memory::address_space()).min(),
        }
    }

    /// The same, but at most this much time from now.
    #[must_use]
    pub fn within(mut self, time: Option<Duration>) -> Self {
        if let Some(time) = time {
            self.clock = self.clock.within(time);
        }
        self
    }

    /// The limit that is reached, if one is.
    pub fn reached(&self) -> Option<StopReason> {
        self.clock.look().err()
    }

    /// The same if time is not up before this moment.
    pub fn reached_after(&self, earliest: Instant) -> Option<StopReason> {
        self.reached()
            .filter(|&reason| reason != StopReason::Time || Instant::now() >= earliest)
    }

    /// The rest of the budget, for an engine. Some of the memory stays free for data that engines do not count.
    pub fn left(&self) -> Limits {
        let used = memory::in_use().unwrap_or(0);
        Limits {
            time: self.clock.left(),
            memory: self
                .memory
                .map(|memory| (memory.saturating_sub(used) / 10 * 9).max(memory / 20)),
            interrupt: self.clock.interrupt.clone(),
            progress: None,
        }
    }

    /// A time, or a quarter of the time that is left if that is less.
    pub fn share(&self, time: Duration) -> Duration {
        let left = self.clock.left();
        left.map_or(time, |left| time.min(left / 4))
    }
}
