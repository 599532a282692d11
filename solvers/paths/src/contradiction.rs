//! Levels that no state has, reachable or not.
//!
//! What a level asks of a state may contradict itself, or what never changes: two different counts of the
//! same row, say. Then no path leads there, and to see that needs no path: the facts that may change are left
//! open, and a satisfiability solver is asked for a terminal state of that level.

use crate::clauses::Clauses;
use crate::constant::constant_facts;
use crate::{Problem, Watcher};
use std::cell::Cell;

/// How many conflicts the question about a level may take.
const PATIENCE: u64 = 5_000;

/// Rules out the lowest level that no state has, and with it those above.
pub fn rule_out(problem: &Problem<'_>, watcher: &dyn Watcher) {
    let step = problem.step;
    let constant = constant_facts(step);
    let is_stopped = Cell::new(false);
    for (number, &level) in problem.levels.iter().enumerate() {
        let mut clauses = Clauses::new(problem, PATIENCE, 0, watcher, &is_stopped);
        let facts = clauses.any_state(&constant);
        for lit in clauses.signals(&[step.terminal, level], &facts) {
            clauses.gates.require(&[lit]);
        }
        if clauses.gates.solve(&[]) == Some(false) {
            watcher.rule_out(number, None);
            return;
        }
        if is_stopped.get() {
            return;
        }
    }
}
