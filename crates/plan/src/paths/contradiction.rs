//! Levels that no state has, reachable or not.
//!
//! The conditions of a level may contradict each other, or the facts that never change: two different counts of
//! the same row, say. Then no path leads there. A satisfiability solver is asked for any terminal state of the
//! level, where only the constant facts are as in the initial state.

use super::bounds::CONTRADICTION_CONFLICTS;
use super::clauses::Clauses;
use super::{Problem, Watcher};
use circuit::invariants::constant_facts;
use std::cell::Cell;

/// Rules out the lowest level that no state has, and with it those above.
pub fn rule_out(problem: &Problem<'_>, watcher: &dyn Watcher) {
    let step = problem.step;
    let constant = constant_facts(step);
    let is_stopped = Cell::new(false);
    for (number, &level) in problem.levels.iter().enumerate() {
        let mut clauses = Clauses::new(problem, CONTRADICTION_CONFLICTS, 0, watcher, &is_stopped);
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
