//! A guard thread that watches limits while requests about positions are answered.

use crate::cli::Exit;
use crate::cli::files::tell;
use crate::cli::watchdog::{ENDED_AT_PERCENT, signals_from_now_on};
use limits::{StopReason, lock, memory};
use servers::evaluator::Stops;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// How long after a signal the process may still be there.
const GRACE: Duration = Duration::from_millis(500);

/// How long a request may take to stop where far too much memory is in use.
const LONGEST_STOP: Duration = Duration::from_secs(2);

/// The memory for tables, and the most that the process may take in all, out of the memory it is allowed. The game itself is in memory
/// already; the rest is for tables, and some of it for data that are not counted.
pub(super) fn room(memory: Option<u64>) -> (Option<u64>, Option<u64>) {
    let taken = memory::in_use().unwrap_or(0);
    let left = |all: u64| all.saturating_sub(taken).max(all / 4);
    (
        memory.map(|all| left(all) / 4 * 3),
        memory.map(memory::from_now_on),
    )
}

/// The guards of all evaluators of the process, none of which ends it while another one owes a reply.
#[derive(Clone, Default)]
pub(super) struct Guards {
    all: Arc<Mutex<Vec<Stops>>>,
    /// Set by a signal, once there is a guard that obeys it.
    signalled: Arc<OnceLock<Arc<AtomicBool>>>,
}

/// Watches Ctrl-C and polite requests to end, and the memory of the process, for an evaluator.
pub(super) struct Guard {
    stops: Stops,
    signalled: Arc<AtomicBool>,
    guards: Guards,
    allowed: Option<u64>,
    signalled_since: Option<Instant>,
    was_idle: bool,
}

impl Guards {
    /// The guard of one more evaluator.
    pub(super) fn guard(&self, stops: Stops, allowed: Option<u64>) -> Guard {
        lock(&self.all).push(stops.clone());
        let signalled = self.signalled.get_or_init(signals_from_now_on);
        Guard {
            stops,
            signalled: Arc::clone(signalled),
            guards: self.clone(),
            allowed,
            signalled_since: None,
            was_idle: false,
        }
    }

    /// Whether no evaluator owes a reply.
    fn are_idle(&self) -> bool {
        lock(&self.all).iter().all(Stops::is_idle)
    }
}

impl Guard {
    /// Checks signals, limits and idle evaluators once. A request that is to stop gets its reply before the process ends.
    pub(super) fn check(&mut self, speak: &dyn Fn(StopReason)) {
        if self.signalled.load(Ordering::Relaxed) {
            let since = *self.signalled_since.get_or_insert_with(Instant::now);
            self.stops.end();
            // Twice: the last reply may be on its way.
            if self.guards.are_idle() && std::mem::replace(&mut self.was_idle, true) {
                // At once: the main thread waits for a line that may never come.
                signal_hook::low_level::exit(Exit::Interrupted as i32);
            }
            if since.elapsed() > GRACE {
                speak(StopReason::Interrupted);
            }
            if since.elapsed() > GRACE && self.guards.are_idle() || since.elapsed() > 2 * GRACE {
                let message = "sqasp: interrupted, and the search did not stop by itself";
                end(Exit::Interrupted, message);
            }
        }
        if !memory::exceeds(self.allowed, 0) {
            return;
        }
        self.stops.short_of_memory();
        if memory::exceeds(self.allowed, ENDED_AT_PERCENT) {
            speak(StopReason::Memory);
            if self.stops.stopping_for() > LONGEST_STOP {
                let message =
                    "sqasp: a request took far more memory than --memory allows, and did not stop";
                end(Exit::Limit, message);
            }
        }
    }
}

/// Ends the process while another thread is at work: the usual way out would destroy what it uses.
fn end(exit: Exit, message: &str) -> ! {
    tell(message);
    signal_hook::low_level::exit(exit as i32)
}
