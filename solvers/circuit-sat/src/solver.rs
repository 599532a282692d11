//! The trait of incremental satisfiability solvers.

use std::ops::Not;

/// A variable of a satisfiability solver, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SatLiteral(u32);

impl SatLiteral {
    /// The variable with this number itself, not its negation.
    pub fn new(variable: u32) -> Self {
        SatLiteral(variable << 1)
    }

    /// The number of the variable.
    pub fn variable(self) -> u32 {
        self.0 >> 1
    }

    /// Whether it is the negation of its variable.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Its negation, or itself.
    #[must_use]
    pub fn negated_if(self, is_negated: bool) -> Self {
        SatLiteral(self.0 ^ u32::from(is_negated))
    }
}

impl Not for SatLiteral {
    type Output = SatLiteral;

    fn not(self) -> SatLiteral {
        self.negated_if(true)
    }
}

/// An incremental satisfiability solver. The data that it borrows for its callback lives for `'a`.
pub trait SatSolver<'a> {
    /// A new variable.
    fn new_literal(&mut self) -> SatLiteral;

    /// A new variable that the solver tries with this value first.
    fn new_literal_near(&mut self, usual: bool) -> SatLiteral;

    /// From now on one of these is true.
    fn require(&mut self, clause: &[SatLiteral]);

    /// Whether all clauses and these literals can be true together; `None` if it was stopped.
    fn solve(&mut self, assumptions: &[SatLiteral]) -> Option<bool>;

    /// Whether a literal is true in the model that was found last.
    fn is_true(&self, literal: SatLiteral) -> bool;

    /// Whether this assumption was needed to show, by the last call, that there is no model.
    fn has_failed(&self, assumption: SatLiteral) -> bool;

    /// Stops solving when this says so; it is asked often.
    fn stop_when(&mut self, stop: Box<dyn Fn() -> bool + 'a>);
}
