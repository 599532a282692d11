//! An observer of a solver at work, for tests that check its proofs.
//!
//! MiniSat writes no proof. But each clause that it learns follows from those before by unit propagation alone (E. Goldberg
//! and Y. Novikov, *Verification of proofs of unsatisfiability for CNF formulas*, DATE 2003), so an observer of all clauses can check each
//! refutation.

use crate::Literal;
use std::cell::RefCell;
use std::rc::Rc;

/// An observer of the work of one solver.
pub trait Observer {
    fn require(&mut self, clause: &[Literal]);

    fn learn(&mut self, clause: &[Literal]);

    /// All clauses and these literals cannot be true together.
    fn refute(&mut self, assumptions: &[Literal]);

    /// The solver asks whether to stop.
    fn wait(&self) {}
}

type Make = Rc<dyn Fn() -> Box<dyn Observer>>;

thread_local! {
    static MAKE: RefCell<Option<Make>> = const { RefCell::new(None) };
}

/// Does some work with an observer, which is made by `make`, for each solver that this thread makes meanwhile.
pub fn observed<T>(make: impl Fn() -> Box<dyn Observer> + 'static, work: impl FnOnce() -> T) -> T {
    MAKE.set(Some(Rc::new(make)));
    let done = work();
    MAKE.set(None);
    done
}

/// An observer for a new solver, if a test observes.
pub(crate) fn observer() -> Option<Box<dyn Observer>> {
    MAKE.with_borrow(|make| make.as_ref().map(|make| make()))
}
