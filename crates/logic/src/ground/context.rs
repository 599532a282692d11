//! Callbacks of clingo while it runs: an observer of the ground program and a log.

use clingo::defaults::Non;
use clingo::{ControlCtx, GroundProgramObserver, Logger, Warning};
use std::cell::RefCell;
use std::rc::Rc;

/// Something that clingo holds while it runs and that we want back afterwards.
pub(super) struct Shared<T>(Rc<RefCell<T>>);

impl<T> Shared<T> {
    pub(super) fn new(inner: T) -> Self {
        Shared(Rc::new(RefCell::new(inner)))
    }

    pub(super) fn clone(&self) -> Self {
        Shared(Rc::clone(&self.0))
    }

    pub(super) fn with<R>(&self, look: impl FnOnce(&T) -> R) -> R {
        look(&self.0.borrow())
    }

    pub(super) fn with_mut<R>(&self, change: impl FnOnce(&mut T) -> R) -> R {
        change(&mut self.0.borrow_mut())
    }
}

impl<T: Default> Shared<T> {
    pub(super) fn take(self) -> T {
        self.0.take()
    }
}

/// The objects that clingo talks to. It keeps pointers to the first two, so they live on the heap.
pub(super) struct Context<T> {
    observer: Box<Shared<T>>,
    log: Box<Shared<Log>>,
    none: Non,
    functions: Non,
    /// Whether the observer gets the program instead of clingo's own solver.
    replaces_solver: bool,
}

impl<T> Context<T> {
    pub(super) fn new(observer: &Shared<T>, log: &Shared<Log>, replaces_solver: bool) -> Self {
        Context {
            observer: Box::new(observer.clone()),
            log: Box::new(log.clone()),
            none: Non,
            functions: Non,
            replaces_solver,
        }
    }
}

impl<T> ControlCtx for Context<T>
where
    Shared<T>: GroundProgramObserver,
{
    type L = Shared<Log>;
    type P = Non;
    type O = Shared<T>;
    type F = Non;

    fn logger(&mut self) -> (&mut Self::L, u32) {
        (&mut self.log, 20)
    }

    fn propagator(&mut self) -> (&mut Self::P, bool) {
        (&mut self.none, true)
    }

    fn observer(&mut self) -> (&mut Self::O, bool) {
        (&mut self.observer, self.replaces_solver)
    }

    fn function_handler(&mut self) -> &mut Self::F {
        &mut self.functions
    }
}

/// A context that listens to nothing.
pub(super) struct Quiet([Non; 4]);

impl Default for Quiet {
    fn default() -> Self {
        Quiet([Non; 4])
    }
}

impl ControlCtx for Quiet {
    type L = Non;
    type P = Non;
    type O = Non;
    type F = Non;

    fn logger(&mut self) -> (&mut Non, u32) {
        (&mut self.0[0], 0)
    }

    fn propagator(&mut self) -> (&mut Non, bool) {
        (&mut self.0[1], true)
    }

    fn observer(&mut self) -> (&mut Non, bool) {
        (&mut self.0[2], true)
    }

    fn function_handler(&mut self) -> &mut Non {
        &mut self.0[3]
    }
}

/// clingo's messages.
#[derive(Default)]
pub(super) struct Log {
    pub(super) messages: Vec<String>,
}

impl Logger for Shared<Log> {
    fn log(&mut self, _code: Warning, message: &str) {
        let message = message.trim().replace("<block>:", "line ");
        self.with_mut(|log| log.messages.push(message));
    }
}
