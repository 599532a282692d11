//! Obeying Ctrl-C and the limits even while code runs that cannot be asked to stop.
//!
//! Our own stages look at an [`Interrupt`] and at the clock. clingo's grounder does so only between
//! rules, and an allocation can be too large at any moment. So a thread watches from outside: when a
//! stage has not stopped within a grace period, or the process uses clearly more memory than
//! allowed, it says so and ends the process. What the stage may have found until then is lost.

use super::Exit;
use super::files::tell;
use super::memory;
use super::output::reason_text;
use formula::{Interrupt, StopReason};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a stage may take to notice that it should stop.
const GRACE: Duration = Duration::from_millis(1500);

/// How often the thread looks.
const PERIOD: Duration = Duration::from_millis(50);

/// A running watch. While it lives, it may end the process; dropping it ends the watch.
pub(super) struct Watch {
    /// Set when the main thread answers itself.
    finished: Arc<Mutex<bool>>,
    start: Instant,
}

/// What is watched, and what to say at the end.
pub(super) struct Watched {
    pub(super) interrupt: Interrupt,
    pub(super) deadline: Option<Instant>,
    pub(super) memory: Option<u64>,
    /// Prints what is known when the process is ended after this time.
    pub(super) last_words: Box<dyn Fn(StopReason, Duration) + Send>,
}

impl Watch {
    /// Starts to watch, and makes Ctrl-C and polite requests to end (SIGTERM) raise the interrupt.
    pub(super) fn start(watched: Watched) -> Self {
        let signalled = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // Where this fails the signal ends the process as it always did.
            let _ = signal_hook::flag::register(signal, Arc::clone(&signalled));
        }
        let finished = Arc::new(Mutex::new(false));
        let start = Instant::now();
        let flag = Arc::clone(&finished);
        thread::spawn(move || watched.watch(start, &signalled, &flag));
        Watch { finished, start }
    }

    /// When the watch began.
    pub(super) fn started(&self) -> Instant {
        self.start
    }

    /// Does something that must not be cut in half, such as writing files.
    pub(super) fn undisturbed<T>(&self, run: impl FnOnce() -> T) -> T {
        let _guard = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        run()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        *self.finished.lock().unwrap_or_else(PoisonError::into_inner) = true;
    }
}

impl Watched {
    fn watch(self, start: Instant, signalled: &AtomicBool, finished: &Mutex<bool>) {
        let mut stop_since: Option<(Instant, StopReason)> = None;
        loop {
            thread::sleep(PERIOD);
            let now = Instant::now();
            if signalled.load(Ordering::Relaxed) {
                self.interrupt.raise();
            }
            let due = match stop_since {
                Some((since, reason)) => (now >= since + GRACE).then_some(reason),
                None => {
                    if self.interrupt.is_raised() {
                        stop_since = Some((now, StopReason::Interrupted));
                    } else if self.deadline.is_some_and(|deadline| now >= deadline) {
                        stop_since = Some((now, StopReason::Time));
                    }
                    None
                }
            };
            let due = due.or_else(|| self.far_too_large().then_some(StopReason::Memory));
            let guard = finished.lock().unwrap_or_else(PoisonError::into_inner);
            if *guard {
                return;
            }
            if let Some(reason) = due {
                self.end_process(reason, start.elapsed());
            }
        }
    }

    /// Whether the process uses a quarter and 100 MB more than it was allowed.
    fn far_too_large(&self) -> bool {
        match (self.memory, memory::in_use()) {
            (Some(allowed), Some(used)) => used > allowed.saturating_add(allowed / 4 + 100_000_000),
            _ => false,
        }
    }

    fn end_process(&self, reason: StopReason, elapsed: Duration) -> ! {
        tell(&format!(
            "sqasp: {}, and a stage did not stop by itself: it was cut off, and what it knew is lost",
            reason_text(reason)
        ));
        (self.last_words)(reason, elapsed);
        // At once: the usual way out would destroy what the other thread is still using.
        signal_hook::low_level::exit(Exit::for_stop(reason) as i32)
    }
}
