//! Stops of requests: requests are numbered as they are read, and a `stop` means those before it.
//!
//! The module also keeps the reply to the request at hand for the case that its own answer does not come in time.

use super::protocol::{Id, Reply, ReplyBody};
use limits::{Interrupt, StopReason};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// How much later than asked for an answer may come before bounds are told in its place.
const LATE: Duration = Duration::from_millis(250);

/// Shared by the thread that reads requests, the one that answers them, and the one that ends them.
#[derive(Clone, Debug, Default)]
pub struct Stops(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// Everything is to end.
    is_ended: bool,
    /// Requests with smaller numbers are to be answered with the bounds that are known.
    before: u64,
    /// The request that is being answered.
    current: Option<Current>,
}

#[derive(Debug)]
struct Current {
    number: u64,
    interrupt: Interrupt,
    /// Since when it is to stop, and why.
    stop: Option<(Instant, StopReason)>,
    /// The reply that takes the place of its own answer.
    stand_in: Option<StandIn>,
    /// Whether it has its reply.
    is_told: bool,
}

/// The reply to a request that has no answer of its own.
#[derive(Debug)]
pub(super) struct StandIn {
    pub(super) id: Option<Id>,
    pub(super) told: ReplyBody,
    /// When it was read, and when its time is up.
    pub(super) start: Instant,
    pub(super) deadline: Option<Instant>,
}

impl Current {
    fn stop(&mut self, reason: StopReason) {
        self.stop.get_or_insert((Instant::now(), reason));
        self.interrupt.raise_for(reason);
    }

    /// When its reply should have been there, and why not later.
    fn due(&self) -> Option<(Instant, StopReason)> {
        let deadline = self.stand_in.as_ref()?.deadline;
        let time_up = deadline.map(|deadline| (deadline, StopReason::Time));
        [self.stop, time_up]
            .into_iter()
            .flatten()
            .min_by_key(|(at, _)| *at)
    }
}

impl Stops {
    /// A request is turned to.
    pub(super) fn begin(&self, number: u64) {
        let mut current = Current {
            number,
            interrupt: Interrupt::default(),
            stop: None,
            stand_in: None,
            is_told: false,
        };
        let mut state = self.state();
        if state.is_ended || number < state.before {
            current.stop(StopReason::Interrupted);
        }
        state.current = Some(current);
    }

    /// Registers the reply that is given if this one comes too late.
    pub(super) fn expect(&self, stand_in: StandIn) {
        if let Some(current) = &mut self.state().current {
            current.stand_in = Some(stand_in);
        }
    }

    /// Whether the request at hand has no reply yet. It has one from now on.
    pub(super) fn tell(&self) -> bool {
        let mut state = self.state();
        let current = state.current.as_mut();
        current.is_some_and(|current| !std::mem::replace(&mut current.is_told, true))
    }

    /// Nothing more is to be done about the request at hand.
    pub(super) fn finish(&self) {
        self.state().current = None;
    }

    /// Why the reply to the request at hand is late, if it is.
    pub(super) fn overdue(&self) -> Option<StopReason> {
        let state = self.state();
        let current = state.current.as_ref().filter(|current| !current.is_told)?;
        let (due, reason) = current.due()?;
        (due.elapsed() > LATE).then_some(reason)
    }

    /// Bounds to be told in place of an answer, if the request at hand has none. It is told from now on.
    pub(super) fn stand_in(&self, reason: StopReason) -> Option<Reply> {
        let mut state = self.state();
        let current = state.current.as_mut().filter(|current| !current.is_told)?;
        let StandIn {
            id,
            mut told,
            start,
            ..
        } = current.stand_in.take()?;
        current.is_told = true;
        let seconds_so_far = start.elapsed().as_secs_f64();
        let (stopped_by, seconds) = match &mut told {
            ReplyBody::Solved(reply) | ReplyBody::Bounds(reply) => {
                (&mut reply.stopped_by, &mut reply.seconds)
            }
            ReplyBody::Replies(reply) => (&mut reply.stopped_by, &mut reply.seconds),
            _ => return Some(Reply { id, told }),
        };
        *stopped_by = Some(reason);
        *seconds = seconds_so_far;
        Some(Reply { id, told })
    }

    /// The interrupt that stops the request that is being answered.
    pub(super) fn interrupt(&self) -> Interrupt {
        let state = self.state();
        match &state.current {
            Some(current) => current.interrupt.clone(),
            None => {
                let interrupt = Interrupt::default();
                if state.is_ended {
                    interrupt.raise();
                }
                interrupt
            }
        }
    }

    /// Whether the request at hand was stopped for want of memory.
    pub(super) fn is_short_of_memory(&self) -> bool {
        self.interrupt().raised() == Some(StopReason::Memory)
    }

    /// Stops all requests with smaller numbers.
    pub(super) fn stop_before(&self, number: u64) {
        let mut state = self.state();
        state.before = state.before.max(number);
        if let Some(current) = &mut state.current
            && current.number < number
        {
            current.stop(StopReason::Interrupted);
        }
    }

    /// Stops the request that is being answered, because the process takes too much memory. The engine
    /// forgets its entries.
    pub fn short_of_memory(&self) {
        if let Some(current) = &mut self.state().current {
            current.stop(StopReason::Memory);
        }
    }

    /// For how long the request at hand was asked to stop and has not ended, whether it has its reply or not.
    pub fn stopping_for(&self) -> Duration {
        let state = self.state();
        let current = state.current.as_ref();
        let stop = current.and_then(|current| current.stop);
        stop.map_or(Duration::ZERO, |(since, _)| since.elapsed())
    }

    /// Stops every request, now and from now on.
    pub fn end(&self) {
        let mut state = self.state();
        state.is_ended = true;
        if let Some(current) = &mut state.current {
            current.stop(StopReason::Interrupted);
        }
    }

    /// Whether no request waits for its reply.
    pub fn is_idle(&self) -> bool {
        let state = self.state();
        state.current.as_ref().is_none_or(|current| current.is_told)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no thread panics with the lock")
    }
}
