//! A thread that owns a state, runs work on it, and is left alone where the work does not end in time.
//!
//! This is for code that cannot be asked to stop: one rule in a foreign grounder, say. The thread goes on until the work
//! ends, and then ends as well; no thread waits for it.

use crate::interrupt::StopReason;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// How long after a limit work may go on before it is left alone.
const GRACE: Duration = Duration::from_millis(60);

/// How often the limits are checked.
const PERIOD: Duration = Duration::from_millis(2);

/// Set once a thread was left alone.
static IS_ONE_LEFT: AtomicBool = AtomicBool::new(false);

/// Whether some thread was left alone, and may still be at work: then the process should end without tidying up.
pub fn is_thread_left() -> bool {
    IS_ONE_LEFT.load(Ordering::Relaxed)
}

type Work<S> = Box<dyn FnOnce(&mut S) + Send>;

/// A thread and its state, which need not be [`Send`].
pub struct OwnThread<S> {
    /// The way to the thread, and the thread; or why it was left alone.
    thread: Result<(Sender<Work<S>>, JoinHandle<()>), StopReason>,
}

/// A report of work to the thread that waits for it.
enum Event<M, T> {
    Message(M),
    Done(std::thread::Result<T>),
}

impl<S: 'static> OwnThread<S> {
    /// Starts a thread with so many bytes of stack, which makes its state.
    pub fn start(stack: usize, state: impl FnOnce() -> S + Send + 'static) -> io::Result<Self> {
        let (sender, works) = channel::<Work<S>>();
        let run = move || {
            let mut state = state();
            for work in works {
                work(&mut state);
            }
        };
        let thread = Builder::new().stack_size(stack).spawn(run)?;
        Ok(OwnThread {
            thread: Ok((sender, thread)),
        })
    }

    /// Runs work to its end; a panic goes on here. Once `stop` gives a reason, the work is left alone a little later.
    ///
    /// # Errors
    /// If it is left alone, now or before.
    pub fn call<T: Send + 'static>(
        &mut self,
        stop: impl Fn() -> Option<StopReason>,
        work: impl FnOnce(&mut S) -> T + Send + 'static,
    ) -> Result<T, StopReason> {
        self.converse(stop, |state, _| work(state), |()| true)
    }

    /// The same for work that sends messages. It waits while `visit` looks at each, and gets the answer.
    ///
    /// # Errors
    /// If it is left alone, now or before.
    pub fn converse<M: Send + 'static, T: Send + 'static>(
        &mut self,
        stop: impl Fn() -> Option<StopReason>,
        work: impl FnOnce(&mut S, &mut dyn FnMut(M) -> bool) -> T + Send + 'static,
        mut visit: impl FnMut(M) -> bool,
    ) -> Result<T, StopReason> {
        let (sender, _) = self.thread.as_ref().map_err(|&reason| reason)?;
        let (events, told) = channel();
        let (answers, answered) = channel();
        let work: Work<S> = Box::new(move |state| {
            let mut tell = |message| {
                // The receiver is gone: no more results are wanted.
                events.send(Event::Message(message)).is_ok() && answered.recv().unwrap_or(false)
            };
            let done = catch_unwind(AssertUnwindSafe(|| work(state, &mut tell)));
            let _ = events.send(Event::Done(done));
        });
        sender.send(work).expect("the thread waits for work");
        let mut late_since = None;
        loop {
            match told.recv_timeout(PERIOD) {
                Ok(Event::Message(message)) => {
                    let _ = answers.send(visit(message));
                }
                Ok(Event::Done(Ok(result))) => return Ok(result),
                Ok(Event::Done(Err(panic))) => resume_unwind(panic),
                Err(RecvTimeoutError::Disconnected) => panic!("the thread ended by itself"),
                Err(RecvTimeoutError::Timeout) => {
                    let Some(reason) = stop() else { continue };
                    if late_since.get_or_insert_with(Instant::now).elapsed() >= GRACE {
                        IS_ONE_LEFT.store(true, Ordering::Relaxed);
                        self.thread = Err(reason);
                        return Err(reason);
                    }
                }
            }
        }
    }
}

impl<S> Drop for OwnThread<S> {
    /// Waits until the state is gone, unless the thread was left alone.
    fn drop(&mut self) {
        let thread = std::mem::replace(&mut self.thread, Err(StopReason::Interrupted));
        if let Ok((sender, thread)) = thread {
            drop(sender);
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use std::rc::Rc;
    use std::thread::sleep;

    #[test]
    fn a_state_stays_where_it_is() {
        let mut counter = OwnThread::start(1 << 20, || Rc::new(1)).unwrap();
        let add = |state: &mut Rc<i32>| {
            *state = Rc::new(**state + 1);
            **state
        };
        assert_eq!(counter.call(|| None, add), Ok(2));
        let count = |state: &mut Rc<i32>, tell: &mut dyn FnMut(i32) -> bool| {
            (0..).find(|number| !tell(number * **state))
        };
        assert_eq!(
            counter.converse(|| None, count, |told| told < 10),
            Ok(Some(5))
        );
        let panics = catch_unwind(AssertUnwindSafe(|| {
            counter.call(|| None, |_| -> i32 { panic!("on purpose") })
        }));
        assert!(panics.is_err());
        assert_eq!(counter.call(|| None, add), Ok(3));
    }

    #[test]
    fn work_without_end_is_left_alone() {
        let mut slow = OwnThread::start(1 << 20, || ()).unwrap();
        let limits = Limits::until(Instant::now());
        let stop = || limits.reached();
        // There is time for a little.
        assert_eq!(slow.call(stop, |()| 1), Ok(1));
        let start = Instant::now();
        let work = |(): &mut ()| sleep(Duration::from_secs(20));
        assert_eq!(slow.call(stop, work), Err(StopReason::Time));
        assert_eq!(slow.call(|| None, |()| ()), Err(StopReason::Time));
        drop(slow);
        assert!(start.elapsed() < Duration::from_secs(10) && is_thread_left());
    }
}
