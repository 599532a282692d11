//! The trait of incremental satisfiability solvers.

use crate::Literal;

/// An incremental satisfiability solver. The data that it borrows for its callback lives for `'a`.
pub trait SatSolver<'a> {
    fn new_literal(&mut self) -> Literal;

    /// A new variable that the solver tries with this value first.
    fn new_literal_near(&mut self, usual: bool) -> Literal;

    /// From now on one of these is true.
    fn require(&mut self, clause: &[Literal]);

    /// Whether all clauses and these literals can be true together; `None` if it was stopped.
    fn solve(&mut self, assumptions: &[Literal]) -> Option<bool>;

    /// Whether a literal is true in the model that was found last.
    fn is_true(&self, literal: Literal) -> bool;

    /// Whether this assumption was needed to show, by the last call, that there is no model.
    fn has_failed(&self, assumption: Literal) -> bool;

    /// Stops solving when this says so; it is asked often.
    fn stop_when(&mut self, stop: Box<dyn Fn() -> bool + 'a>);
}
