//! Who asked to stop what: requests are numbered as they are read, and a `stop` means those before it.

use formula::Interrupt;
use std::sync::{Arc, Mutex, MutexGuard};

/// Shared by whoever reads requests, whoever answers them, and whoever ends it all.
#[derive(Clone, Debug, Default)]
pub struct Stops(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// Everything is to end.
    is_ended: bool,
    /// Requests with smaller numbers are to be answered with what is known.
    before: u64,
    /// The request that is being answered, and what stops that.
    current: Option<(u64, Interrupt)>,
}

impl Stops {
    /// A request is turned to.
    pub(super) fn begin(&self, number: u64) {
        let mut state = self.state();
        let interrupt = Interrupt::default();
        if state.is_ended || number < state.before {
            interrupt.raise();
        }
        state.current = Some((number, interrupt));
    }

    /// It has its reply.
    pub(super) fn finish(&self) {
        self.state().current = None;
    }

    /// What stops the request that is being answered.
    pub(super) fn interrupt(&self) -> Interrupt {
        let state = self.state();
        match &state.current {
            Some((_, interrupt)) => interrupt.clone(),
            None => {
                let interrupt = Interrupt::default();
                if state.is_ended {
                    interrupt.raise();
                }
                interrupt
            }
        }
    }

    /// Stops all requests with smaller numbers.
    pub(super) fn stop_before(&self, number: u64) {
        let mut state = self.state();
        state.before = state.before.max(number);
        if let Some((current, interrupt)) = &state.current
            && *current < number
        {
            interrupt.raise();
        }
    }

    /// Stops every request, now and from now on.
    pub fn end(&self) {
        let mut state = self.state();
        state.is_ended = true;
        if let Some((_, interrupt)) = &state.current {
            interrupt.raise();
        }
    }

    /// Whether no request is being answered.
    pub fn is_idle(&self) -> bool {
        self.state().current.is_none()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("nobody panics with the lock")
    }
}
