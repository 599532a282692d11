//! Obeying Ctrl-C and the limits even while code runs that cannot be asked to stop.
//!
//! Our own stages look at an [`Interrupt`] and at the clock. clingo's grounder does so only between
//! rules, and an allocation can be too large at any moment. So a thread watches from outside: when a
//! stage has not stopped within a grace period, or the process uses clearly more memory than
//! allowed, it prints the bounds that always hold and ends the process.

use super::Exit;
use super::args::{Format, OutputArguments};
use super::memory;
use super::report::{Report, Subject};
use crate::route::StageTimes;
use formula::{Interrupt, StopReason};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// How long a stage may take to notice that it should stop.
const GRACE: Duration = Duration::from_millis(1500);

/// A running watch. While it lives, it may end the process; [`Watch::finish`] ends it first.
pub(super) struct Watch {
    /// Set when the main thread prints its own answer.
    finished: Arc<Mutex<bool>>,
    start: Instant,
}

/// What is watched and what to print at the end.
pub(super) struct Watched {
    pub(super) interrupt: Interrupt,
    pub(super) deadline: Option<Instant>,
    pub(super) memory: Option<u64>,
    pub(super) subject: Subject,
    pub(super) engine: &'static str,
    pub(super) json: bool,
    pub(super) format: Format,
}

impl Watch {
    /// Starts to watch, and makes Ctrl-C raise the interrupt.
    pub(super) fn start(watched: Watched) -> Self {
        let interrupt = watched.interrupt.clone();
        // Fails only if a handler is set already, and then that one does the same.
        let _ = ctrlc::set_handler(move || interrupt.raise());
        let finished = Arc::new(Mutex::new(false));
        let start = Instant::now();
        let flag = Arc::clone(&finished);
        thread::spawn(move || watched.watch(start, &flag));
        Watch { finished, start }
    }

    /// When the watch began.
    pub(super) fn started(&self) -> Instant {
        self.start
    }

    /// Ends the watch: from now on the caller answers.
    pub(super) fn finish(self) {
        *self
            .finished
            .lock()
            .expect("the watching thread does not panic") = true;
    }
}

impl Watched {
    fn watch(self, start: Instant, finished: &Mutex<bool>) {
        let mut stop_since: Option<(Instant, StopReason)> = None;
        loop {
            thread::sleep(Duration::from_millis(50));
            let now = Instant::now();
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
            let guard = finished
                .lock()
                .expect("the main thread does not panic while it locks");
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
            (Some(allowed), Some(used)) => used > allowed + allowed / 4 + 100_000_000,
            _ => false,
        }
    }

    fn end_process(&self, reason: StopReason, elapsed: Duration) -> ! {
        let times = StageTimes(vec![("total", elapsed)]);
        let report = Report::nothing_known(self.subject.clone(), self.engine, reason, times);
        let output = OutputArguments {
            json: self.json,
            format: None,
            quiet: true,
        };
        report.print(&output, self.format);
        let exit = if reason == StopReason::Interrupted {
            Exit::Interrupted
        } else {
            Exit::Limit
        };
        std::process::exit(exit as i32)
    }
}
