//! Levels that no state has, reachable or not.
//!
//! What a level asks of a state may contradict itself, or what never changes: two different counts of the
//! same row, say. Then no path leads there, and to see that needs no path: the facts that may change are left
//! open, and a satisfiability solver is asked for a terminal state of that level.

use crate::clauses::{Clauses, Patience};
use crate::constant::constant_facts;
use crate::{Problem, Watcher};
use batsat::lbool;
use circuit::ClauseSink;
use std::cell::Cell;

/// How many conflicts the question about a level may take.
const PATIENCE: u64 = 5_000;

/// Rules out the lowest level that no state has, and with it those above.
pub fn rule_out(problem: &Problem<'_>, watcher: &dyn Watcher) {
    let step = problem.step;
    let constant = constant_facts(step);
    let is_stopped = Cell::new(false);
    for (number, &level) in problem.levels.iter().enumerate() {
        let patience = Patience::new(PATIENCE, 0, watcher, &is_stopped);
        let mut clauses = Clauses::new(problem, patience);
        let facts = clauses.any_state(&constant);
        for lit in clauses.signals(&[step.terminal, level], &facts) {
            clauses.require(&[lit]);
        }
        if clauses.solve() == lbool::FALSE {
            watcher.rule_out(number, None);
            return;
        }
        if is_stopped.get() {
            return;
        }
    }
}
