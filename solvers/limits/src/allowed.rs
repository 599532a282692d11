//! The limits that a caller sets, and the progress that work reports.

use num_rational::BigRational;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The limits of a question. The default is no limit at all.
#[derive(Clone, Default)]
pub struct Limits {
    /// Wall-clock time from the call.
    pub time: Option<Duration>,
    /// Memory for the solver's own data, in bytes.
    pub memory: Option<u64>,
    /// Raised from outside to stop early, as by Ctrl-C.
    pub interrupt: Interrupt,
    /// Called a few times a second while solving.
    pub progress: Option<ProgressListener>,
}

impl fmt::Debug for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limits")
            .field("time", &self.time)
            .field("memory", &self.memory)
            .finish_non_exhaustive()
    }
}

/// The reason why work stopped before its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// [`Limits::time`] was used up.
    Time,
    /// [`Limits::memory`] was used up.
    Memory,
    /// [`Limits::interrupt`] was raised.
    Interrupted,
    /// No limit: the fraction would be too long, so bounds that are close enough are all there is.
    Precision,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StopReason::Time => "the time limit was reached",
            StopReason::Memory => "the memory limit was reached",
            StopReason::Interrupted => "interrupted",
            StopReason::Precision => "the fraction of the exact value is too long",
        })
    }
}

/// A flag that asks running work to stop, with the reason; clones share it.
#[derive(Clone, Default, Debug)]
pub struct Interrupt(Arc<OnceLock<StopReason>>);

impl Interrupt {
    /// Asks everyone who holds a clone to stop soon.
    pub fn raise(&self) {
        self.raise_for(StopReason::Interrupted);
    }

    /// The same for a reason that somebody found who watches the work from outside. The first reason counts.
    pub fn raise_for(&self, reason: StopReason) {
        let _ = self.0.set(reason);
    }

    /// The reason why work is to stop, if it was raised.
    pub fn raised(&self) -> Option<StopReason> {
        self.0.get().copied()
    }

    /// Whether it was raised.
    pub fn is_raised(&self) -> bool {
        self.raised().is_some()
    }
}

/// The progress that running work reports now and then. [`Progress::default`] knows nothing, so a solver fills
/// in the fields that it knows.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Progress {
    /// The phase of the work, in a few words.
    pub phase: &'static str,
    /// States (table entries, decisions) handled so far.
    pub states: u64,
    /// Memory held by tables, in bytes.
    pub memory: u64,
    /// How full the tables are, from 0 to 1: the part of the memory allowed for them that is used.
    /// For people to look at, not a promise.
    pub fill: Option<f64>,
    /// Proved bounds of the whole value at this moment, both included.
    pub bounds: Option<(BigRational, BigRational)>,
}

/// A receiver of progress reports.
pub type ProgressListener = Arc<dyn Fn(&Progress) + Send + Sync>;
