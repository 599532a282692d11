//! A guard thread that watches limits while requests about positions are answered.

use crate::cli::Exit;
use crate::cli::files::tell;
use crate::cli::watchdog::ENDED_AT_PERCENT;
use evaluator::Stops;
use limits::StopReason;
use limits::memory;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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

/// Watches Ctrl-C and polite requests to end, and the
/// memory of the process.
pub(super) struct Guard {
    stops: Stops,
    allowed: Option<u64>,
    signalled: Arc<AtomicBool>,
    signalled_since: Option<Instant>,
}

impl Guard {
    pub(super) fn new(stops: Stops, allowed: Option<u64>) -> Self {
        let signalled = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // Where this fails the signal ends the process as it always did.
            let _ = signal_hook::flag::register(signal, Arc::clone(&signalled));
        }
        Guard {
            stops,
            allowed,
            signalled,
            signalled_since: None,
        }
    }

    /// Looks at everything once. A request that is to stop gets its reply before the process ends.
    pub(super) fn look(&mut self, speak: &dyn Fn(StopReason)) {
        if self.signalled.load(Ordering::Relaxed) {
            let since = *self.signalled_since.get_or_insert_with(Instant::now);
            self.stops.end();
            if self.stops.is_idle() {
                // At once: the main thread waits for a line that may never come.
                signal_hook::low_level::exit(Exit::Interrupted as i32);
            }
            if since.elapsed() > GRACE {
                speak(StopReason::Interrupted);
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
