//! Obeying Ctrl-C and the limits even while code runs that cannot be asked to stop.
//!
//! Our own stages look at an [`Interrupt`] and at the clock. clingo's grounder does so only between
//! rules, and an allocation can be too large at any moment. So a thread watches from outside: when a
//! stage has not stopped within a grace period, or the process uses more memory than allowed by nearly
//! a tenth, it prints the bounds that are known and ends the process. Before that, when all the memory
//! allowed is in use, it asks the stage to stop, which then can tell all it knows.
//!
//! Where the system has no room for that thread there is no watch: stages look at their limits
//! themselves, and signals end the process as they always do.

use super::files::{self, tell};
use super::{Exit, Failure};
use limits::{Limits, OwnThread, StopReason, lock, memory};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, OnceLock, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a stage that is at work all the time may take to notice that it should stop. Where others have
/// the processor it may take longer, and where the system does not tell how long it was at work (macOS).
const GRACE: Duration = Duration::from_millis(190);
const GRACE_WITHOUT_WORK: Duration = Duration::from_secs(1);

/// How often the thread looks: more often where little memory is left.
const PERIOD: Duration = Duration::from_millis(10);
const SHORT_PERIOD: Duration = Duration::from_millis(2);

/// The most bytes that a process can fill in a millisecond.
const FILLED_IN_A_MILLISECOND: u64 = 4_000_000;

/// The process is ended when it uses this much more than it was allowed: a little time passes until
/// it is.
pub(super) const ENDED_AT_PERCENT: u64 = 7;

/// Stack of the thread that watches: enough to print any bounds.
const STACK_BYTES: usize = 1 << 19;

/// Signals to the process. A watchdog handles them; without one they end the process.
struct Signals {
    /// Set by a signal.
    arrived: Arc<AtomicBool>,
    /// Set where no watchdog runs.
    unwatched: Arc<AtomicBool>,
    /// The number of those that watch.
    watchers: AtomicUsize,
}

impl Signals {
    fn begin(&self) {
        self.watchers.fetch_add(1, Ordering::SeqCst);
        self.unwatched.store(false, Ordering::SeqCst);
    }

    fn end(&self) {
        if self.watchers.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.unwatched.store(true, Ordering::SeqCst);
        }
    }
}

/// Set by Ctrl-C and polite requests to end (SIGTERM), which from now on do nothing else.
pub(super) fn signals_from_now_on() -> Arc<AtomicBool> {
    signals().begin();
    Arc::clone(&signals().arrived)
}

/// Signals belong to the process, so there is one value of this type.
fn signals() -> &'static Signals {
    static SIGNALS: OnceLock<Signals> = OnceLock::new();
    SIGNALS.get_or_init(|| {
        let signals = Signals {
            arrived: Arc::default(),
            unwatched: Arc::default(),
            watchers: AtomicUsize::new(0),
        };
        for signal in [SIGINT, SIGTERM] {
            // Where this fails the signal ends the process as it always did.
            let unwatched = Arc::clone(&signals.unwatched);
            let _ = signal_hook::flag::register_conditional_default(signal, unwatched);
            let _ = signal_hook::flag::register(signal, Arc::clone(&signals.arrived));
        }
        signals
    })
}

/// A running watchdog: a thread that may end the process until this is dropped.
pub(super) struct Watchdog {
    /// Set when the main thread answers itself.
    finished: Arc<Mutex<bool>>,
    start: Instant,
    watches: bool,
}

/// The limits of the process, and the message at the end.
struct Watched<F> {
    limits: Limits,
    /// Prints what is known when the process is ended after this time.
    last_words: F,
}

impl Watchdog {
    /// Starts to watch, and makes Ctrl-C and polite requests to end (SIGTERM) raise the interrupt. `last_words` prints what is known
    /// when the process is ended after this time.
    pub(super) fn start(
        limits: &Limits,
        last_words: impl Fn(StopReason, Duration) + Send + 'static,
    ) -> Self {
        let signals = signals();
        signals.begin();
        let finished = Arc::new(Mutex::new(false));
        let start = Instant::now();
        let flag = Arc::clone(&finished);
        let mut limits = limits.clone();
        // So that there is room for some work.
        limits.memory = limits.memory.map(memory::from_now_on);
        let watched = Watched { limits, last_words };
        let thread = thread::Builder::new().stack_size(STACK_BYTES);
        let (begun, begins) = channel();
        let watch = move || {
            // It fails only if the spawner is gone.
            let _ = begun.send(());
            watched.watch(start, &signals.arrived, &flag);
        };
        // A thread needs memory before it does anything, so the work waits for it.
        let watches = thread.spawn(watch).is_ok_and(|_| begins.recv().is_ok());
        if !watches {
            signals.end();
        }
        Watchdog {
            finished,
            start,
            watches,
        }
    }

    /// Starts to watch work at whose end there is a file.
    pub(super) fn of_file(limits: &Limits) -> Self {
        Watchdog::start(limits, |_, _| tell("sqasp: nothing was written"))
    }

    /// Writes to a file, or to standard output without one.
    pub(super) fn write(
        &self,
        output: Option<&Path>,
        limits: &Limits,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        // A file is done in a moment, and in one piece. A reader may be slow; then Ctrl-C must help.
        let _guard = output.map(|_| lock(&self.finished));
        files::write(output, limits, content)
    }

    /// When it began.
    pub(super) fn started(&self) -> Instant {
        self.start
    }

    /// Gives the answer and ends the process at once. This is for commands whose threads may still be at
    /// work: the usual way out would destroy what they use, or wait for them. Until the answer is
    /// begun, the process is watched.
    pub(super) fn end_process(self, answer: impl FnOnce() -> Result<Exit, Failure>) -> ! {
        let _guard = lock(&self.finished);
        let exit = answer().unwrap_or_else(|failure| failure.tell());
        signal_hook::low_level::exit(exit as i32)
    }
}

/// Does something that comes before there is anything to tell, such as reading, under a watchdog of its
/// own.
pub(super) fn guarded<T>(limits: &Limits, run: impl FnOnce() -> T) -> T {
    let _watch = Watchdog::start(limits, |_, _| ());
    run()
}

/// Does something that need not look at the limits, in a thread of its own, which is left alone a while after a limit and
/// ends with the process. `aim` is missing then.
pub(super) fn left_alone<T: Send + 'static>(
    limits: &Limits,
    aim: &str,
    run: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    const STACK: usize = 8 << 20;
    let thread = memory::has_room_for_threads().then(|| OwnThread::start(STACK, || ()));
    let Some(Ok(mut thread)) = thread else {
        return Ok(run());
    };
    let done = thread.call(|| limits.reached(), move |()| run());
    done.map_err(|reason| Failure::new(Exit::for_stop(reason), format!("{reason} before {aim}")))
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        if self.watches {
            signals().end();
        }
        *lock(&self.finished) = true;
    }
}

/// Waiting for a stage to stop.
struct Waiting {
    since: Instant,
    /// The processor time of the process before that.
    worked: Duration,
}

impl Waiting {
    fn new() -> Self {
        Waiting {
            since: Instant::now(),
            worked: processor_time(),
        }
    }

    /// Whether the stage does not stop by itself within this time, or this longer one if it cannot work.
    fn is_over(&self, grace: Duration, without_work: Duration) -> bool {
        let waited = self.since.elapsed();
        let works = || processor_time().saturating_sub(self.worked) >= grace * 3 / 4;
        waited >= without_work || (waited >= grace && works())
    }
}

/// How long this process has worked, in steps of some milliseconds; nothing where the system has no `/proc`.
fn processor_time() -> Duration {
    // `utime` and `stime`, in hundredths of a second, behind the name in brackets.
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks = fields.split_whitespace().skip(11).take(2);
    let hundredths: u64 = ticks.filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    Duration::from_millis(10 * hundredths)
}

impl<F: Fn(StopReason, Duration)> Watched<F> {
    fn watch(self, start: Instant, signalled: &AtomicBool, finished: &Mutex<bool>) {
        let mut stop_since: Option<(Waiting, StopReason)> = None;
        loop {
            thread::sleep(self.pause());
            let interrupt = &self.limits.interrupt;
            if signalled.load(Ordering::Relaxed) {
                interrupt.raise();
            }
            let due = match stop_since {
                Some((ref since, reason)) => {
                    since.is_over(GRACE, GRACE_WITHOUT_WORK).then_some(reason)
                }
                None => {
                    if !interrupt.is_raised() && self.is_too_large(0) {
                        interrupt.raise_for(StopReason::Memory);
                    }
                    stop_since = self.limits.reached().map(|why| (Waiting::new(), why));
                    None
                }
            };
            let far_too_large = self.is_too_large(ENDED_AT_PERCENT);
            let due = due.or_else(|| far_too_large.then_some(StopReason::Memory));
            let guard = match finished.try_lock() {
                Ok(guard) => guard,
                Err(TryLockError::Poisoned(guard)) => guard.into_inner(),
                // Something must not be disturbed, but it may look at the interrupt.
                Err(TryLockError::WouldBlock) => continue,
            };
            if *guard {
                return;
            }
            if let Some(reason) = due {
                self.end_process(reason, start.elapsed());
            }
        }
    }

    /// Whether the process uses more than its limit, by at least a given percentage.
    fn is_too_large(&self, percent: u64) -> bool {
        memory::exceeds(self.limits.memory, percent)
    }

    /// How long the memory that is left lasts for sure, within bounds.
    fn pause(&self) -> Duration {
        match (self.limits.memory, memory::in_use()) {
            (Some(allowed), Some(used)) => {
                let lasts = allowed.saturating_sub(used) / FILLED_IN_A_MILLISECOND;
                Duration::from_millis(lasts).clamp(SHORT_PERIOD, PERIOD)
            }
            _ => PERIOD,
        }
    }

    fn end_process(&self, reason: StopReason, elapsed: Duration) -> ! {
        tell(&format!(
            "sqasp: {}, and a stage did not stop by itself: it was cut off, and some of what it knew \
             may be lost",
            reason
        ));
        (self.last_words)(reason, elapsed);
        // At once: the usual way out would destroy what the other thread is still using.
        signal_hook::low_level::exit(Exit::for_stop(reason) as i32)
    }
}
