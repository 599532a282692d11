//! Requests to stop, and their reasons.

use serde::Serialize;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The reason why work stopped before its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum StopReason {
    /// [`Limits::deadline`](crate::Limits::deadline) has come.
    Time,
    /// [`Limits::memory`](crate::Limits::memory) was used up.
    Memory,
    /// [`Limits::interrupt`](crate::Limits::interrupt) was raised.
    #[serde(rename = "interrupt")]
    Interrupted,
    /// No limit: the fraction would be too long, or no method finds it. Bounds are all there is.
    #[serde(rename = "digits")]
    Precision,
    /// No limit: there are several equilibria, and the bounds are those of their values.
    Ties,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StopReason::Time => "the time limit was reached",
            StopReason::Memory => "the memory limit was reached",
            StopReason::Interrupted => "interrupted",
            StopReason::Precision => "no exact value was found",
            StopReason::Ties => "ties leave several values",
        })
    }
}

/// A flag that asks running work to stop, with the reason; clones share it.
#[derive(Clone, Default, Debug)]
pub struct Interrupt {
    reason: Arc<OnceLock<StopReason>>,
    /// Another flag that counts as well.
    outer: Option<Arc<Interrupt>>,
    /// How often work may still check it before it raises itself.
    checks_left: Option<Arc<AtomicU64>>,
}

impl Interrupt {
    /// A flag that raises itself when work has checked it so often: a limit of work, which is the same on a slow machine. It is for tests, which
    /// stop work at places chosen at random.
    #[doc(hidden)]
    pub fn after_checks(checks: u64) -> Self {
        Interrupt {
            checks_left: Some(Arc::new(checks.into())),
            ..Interrupt::default()
        }
    }

    /// How often work may still check a flag of [`Interrupt::after_checks`].
    #[doc(hidden)]
    pub fn checks_left(&self) -> Option<u64> {
        let left = self.checks_left.as_ref();
        left.map(|left| left.load(Ordering::Relaxed))
    }

    /// Asks all work that holds a clone to stop soon.
    pub fn raise(&self) {
        self.raise_for(StopReason::Interrupted);
    }

    /// The same for a reason found outside of the work, as by a watchdog. The first reason counts.
    #[doc(hidden)]
    pub fn raise_for(&self, reason: StopReason) {
        let _ = self.reason.set(reason);
    }

    /// The reason why work is to stop, if it was raised.
    pub fn raised(&self) -> Option<StopReason> {
        if let Some(left) = &self.checks_left {
            let one_less = |left: u64| left.checked_sub(1);
            if left
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less)
                .is_err()
            {
                self.raise();
            }
        }
        let outer = || self.outer.as_ref()?.raised();
        self.reason.get().copied().or_else(outer)
    }

    /// Whether it was raised.
    pub fn is_raised(&self) -> bool {
        self.raised().is_some()
    }

    /// This flag, which counts as raised too when `outer` is.
    #[must_use]
    pub(crate) fn or(&self, outer: &Interrupt) -> Self {
        Interrupt {
            reason: Arc::clone(&self.reason),
            outer: Some(Arc::new(outer.clone())),
            checks_left: self.checks_left.clone(),
        }
    }
}
