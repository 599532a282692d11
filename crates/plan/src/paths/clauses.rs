//! Questions about the circuit of a step as clauses, for a satisfiability solver.

use super::{Problem, Watcher};
use circuit::Literal;
use circuit::sat::{BatSat, Cone, Gates};
use std::cell::Cell;

/// Clauses about a step, made as needed.
pub struct Clauses<'a> {
    problem: &'a Problem<'a>,
    pub gates: Gates<'a>,
}

impl<'a> Clauses<'a> {
    /// No clauses. Solving ends after about this number of conflicts, or when the watcher, which gets the
    /// number of layers, says to stop; then `is_stopped` is set.
    pub fn new(
        problem: &'a Problem<'a>,
        conflicts: u64,
        layers: u32,
        watcher: &'a dyn Watcher,
        is_stopped: &'a Cell<bool>,
    ) -> Self {
        let left = Cell::new(conflicts);
        let mut solver = BatSat::new();
        solver.stop_when(Box::new(move || {
            let before = left.get();
            left.set(before.saturating_sub(1));
            if before.is_multiple_of(64) && !watcher.go_on(0, layers) {
                is_stopped.set(true);
            }
            before == 0 || is_stopped.get()
        }));
        Clauses {
            problem,
            gates: Gates::new(solver),
        }
    }

    /// The facts of any state that agrees with the initial one on the facts that never change. The solver
    /// tries the initial values of the others first.
    pub fn any_state(&mut self, constant: &[bool]) -> Vec<Literal> {
        let facts = constant.iter().zip(&self.problem.step.initial);
        let literal = |(&is_constant, &holds): (&bool, &bool)| match is_constant {
            true => self.gates.constant(holds),
            false => self.gates.new_literal_near(holds),
        };
        facts.map(literal).collect()
    }

    /// The literals of signals that depend on facts only, in a state with these facts.
    pub fn signals(&mut self, signals: &[Literal], facts: &[Literal]) -> Vec<Literal> {
        let values = self.values(signals, facts);
        let known = signals.iter().map(|&signal| values.known(signal));
        known
            .map(|literal| literal.expect("it was asked about"))
            .collect()
    }

    /// The literals of all nodes that such signals depend on.
    pub fn values(&mut self, signals: &[Literal], facts: &[Literal]) -> Cone {
        let step = self.problem.step;
        let given = step.facts.iter().copied().zip(facts.iter().copied());
        let mut cone = Cone::given(&self.gates, given);
        cone.extend(&mut self.gates, &step.circuit, signals);
        cone
    }
}
