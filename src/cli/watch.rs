//! Obeying Ctrl-C and the limits even while code runs that cannot be asked to stop.
//!
//! Our own stages look at an [`Interrupt`] and at the clock. clingo's grounder does so only between
//! rules, and an allocation can be too large at any moment. So a thread watches from outside: when a
//! stage has not stopped within a grace period, or the process uses far more memory than allowed, it
//! prints the bounds that are known and ends the process. Before that, at a little more memory than
//! allowed, it asks the stage to stop, which then can tell all it knows. It also speaks where the
//! system refuses memory ([`allocation`]).

use super::allocation;
use super::files::tell;
use super::memory;
use super::output::reason_text;
use super::{Exit, Failure};
use formula::{Interrupt, StopReason};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a stage may take to notice that it should stop.
const GRACE: Duration = Duration::from_millis(1500);

/// How often the thread looks. At the speed at which memory can be filled this is some 20 MB.
const PERIOD: Duration = Duration::from_millis(10);

/// A running watch. While it lives, it may end the process; dropping it ends the watch.
pub(super) struct Watch {
    /// Set when the main thread answers itself.
    finished: Arc<Mutex<bool>>,
    /// Set before the interrupt is raised for want of memory.
    short_of_memory: Arc<AtomicBool>,
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
        let short_of_memory = Arc::new(AtomicBool::new(false));
        let (flag, short) = (Arc::clone(&finished), Arc::clone(&short_of_memory));
        thread::spawn(move || watched.watch(start, &signalled, &short, &flag));
        Watch {
            finished,
            short_of_memory,
            start,
        }
    }

    /// Why a stage stopped that gives this reason: it cannot tell who raised the interrupt.
    pub(super) fn reason(&self, told: StopReason) -> StopReason {
        if told == StopReason::Interrupted && self.short_of_memory.load(Ordering::SeqCst) {
            StopReason::Memory
        } else {
            told
        }
    }

    /// When the watch began.
    pub(super) fn started(&self) -> Instant {
        self.start
    }

    /// Gives the answer and ends the process at once. This is for commands whose threads may still be at
    /// work: the usual way out would destroy what they use, or wait for them. Until the answer is
    /// begun, the process is watched.
    pub(super) fn end_process(self, answer: impl FnOnce() -> Result<Exit, Failure>) -> ! {
        let _guard = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        let exit = answer().unwrap_or_else(|failure| failure.tell());
        signal_hook::low_level::exit(exit as i32)
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
    fn watch(
        self,
        start: Instant,
        signalled: &AtomicBool,
        short_of_memory: &AtomicBool,
        finished: &Mutex<bool>,
    ) {
        allocation::watch_from_here();
        let mut stop_since: Option<(Instant, StopReason)> = None;
        loop {
            thread::sleep(PERIOD);
            if allocation::has_failed() {
                // Whoever holds the lock may be the one that waits for memory.
                if finished.try_lock().is_ok_and(|finished| *finished) {
                    return allocation::unwatched();
                }
                self.end_process(StopReason::Memory, start.elapsed());
            }
            let now = Instant::now();
            if signalled.load(Ordering::Relaxed) {
                self.interrupt.raise();
            }
            let due = match stop_since {
                Some((since, reason)) => (now >= since + GRACE).then_some(reason),
                None => {
                    if !self.interrupt.is_raised() && self.is_too_large(10, 30_000_000) {
                        short_of_memory.store(true, Ordering::SeqCst);
                        self.interrupt.raise();
                        stop_since = Some((now, StopReason::Memory));
                    } else if self.interrupt.is_raised() {
                        stop_since = Some((now, StopReason::Interrupted));
                    } else if self.deadline.is_some_and(|deadline| now >= deadline) {
                        stop_since = Some((now, StopReason::Time));
                    }
                    None
                }
            };
            let far_too_large = self.is_too_large(4, 100_000_000);
            let due = due.or_else(|| far_too_large.then_some(StopReason::Memory));
            let guard = finished.lock().unwrap_or_else(PoisonError::into_inner);
            if *guard {
                return allocation::unwatched();
            }
            if let Some(reason) = due {
                self.end_process(reason, start.elapsed());
            }
        }
    }

    /// Whether the process uses more than it was allowed by this part of it and these bytes.
    fn is_too_large(&self, part: u64, bytes: u64) -> bool {
        memory::exceeds(self.memory, part, bytes)
    }

    fn end_process(&self, reason: StopReason, elapsed: Duration) -> ! {
        tell(&format!(
            "sqasp: {}, and a stage did not stop by itself: it was cut off, and some of what it knew \
             may be lost",
            reason_text(reason)
        ));
        (self.last_words)(reason, elapsed);
        // At once: the usual way out would destroy what the other thread is still using.
        signal_hook::low_level::exit(Exit::for_stop(reason) as i32)
    }
}
