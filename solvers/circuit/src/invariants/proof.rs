//! Queries about one step to a satisfiability solver on the circuit.
//!
//! Each query asks for a state that is not terminal, one legal move of each agent, and some more
//! conditions. "There is none" is a proof. States may be unreachable here, so "there is one" proves nothing.
//!
//! Effort is bounded: a query that takes too much is not answered. It is counted in decisions of the solver, not in
//! seconds, so the same is proved on every machine, however busy. Only a limit that the user has set can end it sooner; a caller that needs the same
//! answers each time checks then whether that limit is reached.

use super::houdini::{Claim, Oracle, Unanswered, guard};
use crate::sat::{BatSat, Cone, Gates};
use crate::{Circuit, Literal, Step};
use limits::Limits;
use std::cell::Cell;
use std::rc::Rc;

/// The most times that the solver may ask whether to go on, in all queries of one prover: after each decision.
const MAX_EFFORT: u64 = 200_000;
/// The most times again, in large circuits: times the number of gates, which all may have to be visited after a decision.
const MAX_VISITS: u64 = 2_000_000_000;

struct Effort {
    limits: Limits,
    left: Cell<u64>,
}

impl Effort {
    fn is_spent(&self) -> bool {
        self.left.get() == 0 || self.limits.is_over()
    }

    /// The solver asks whether to stop.
    fn spend(&self) -> bool {
        self.left.set(self.left.get().saturating_sub(1));
        self.is_spent()
    }
}

/// One step as clauses.
pub struct StepProver {
    gates: Gates<'static>,
    cone: Cone,
    effort: Rc<Effort>,
}

impl StepProver {
    /// A circuit as clauses, nothing assumed. `roots` are the signals that queries will name.
    pub fn new(circuit: &Circuit, roots: &[Literal], limits: &Limits) -> Self {
        let gate_count = circuit.cone(roots).len().max(1) as u64;
        let effort = Rc::new(Effort {
            limits: limits.clone(),
            left: Cell::new(MAX_EFFORT.min(MAX_VISITS / gate_count)),
        });
        let mut solver = BatSat::new();
        let asked = Rc::clone(&effort);
        solver.stop_when(Box::new(move || asked.spend()));
        let mut gates = Gates::new(solver);
        let mut cone = Cone::new(&gates);
        cone.extend(&mut gates, circuit, roots);
        StepProver {
            gates,
            cone,
            effort,
        }
    }

    /// A step from a state that is not terminal, by one legal move of each agent. Queries will name these
    /// signals, and what they depend on.
    pub fn of_step(step: &Step, named: impl IntoIterator<Item = Literal>, limits: &Limits) -> Self {
        let mut roots = vec![step.terminal];
        roots.extend(step.legal.iter().chain(&step.moves).flatten());
        roots.extend(named);
        let mut prover = StepProver::new(&step.circuit, &roots, limits);
        prover.assume_step(step.terminal, &step.moves, &step.legal);
        prover
    }

    /// Assumes that a state is not terminal, and that each agent makes one of its legal moves; all
    /// these signals must be roots.
    pub fn assume_step(
        &mut self,
        terminal: Literal,
        moves: &[Vec<Literal>],
        legal: &[Vec<Literal>],
    ) {
        self.require(&[!self.literal(terminal)]);
        for (moves, legal) in moves.iter().zip(legal) {
            let moves: Vec<Literal> = moves.iter().map(|&input| self.literal(input)).collect();
            self.require(&moves);
            for (&made, &legal) in moves.iter().zip(legal) {
                self.require(&[!made, self.literal(legal)]);
            }
            self.gates.at_most_one(&moves);
        }
    }

    /// The literal of a signal, which must be a root or something that one depends on.
    pub fn literal(&self, signal: Literal) -> Literal {
        self.cone.known(signal).expect("it is a root")
    }

    /// The claim that one of some signals is true, which are `before` in the state and `after` in the next one.
    pub fn claim(
        &mut self,
        before: impl IntoIterator<Item = Literal>,
        after: impl IntoIterator<Item = Literal>,
    ) -> Claim {
        let before = before.into_iter().map(|signal| self.literal(signal));
        let before: Vec<Literal> = before.collect();
        let after = after.into_iter().map(|signal| self.literal(signal));
        Claim {
            after: after.collect(),
            before: vec![guard(self, before)],
        }
    }

    /// Assumes of some pairs of facts of a step that not both hold.
    pub fn assume_exclusive(&mut self, step: &Step, pairs: &[(usize, usize)]) {
        for &(one, other) in pairs {
            let clause = [one, other].map(|fact| !self.literal(step.facts[fact]));
            self.require(&clause);
        }
    }
}

impl Oracle for StepProver {
    type Stop = Unanswered;

    fn new_literal(&mut self) -> Literal {
        self.gates.new_literal()
    }

    fn require(&mut self, clause: &[Literal]) {
        self.gates.require(clause);
    }

    fn can_hold(&mut self, literals: &[Literal]) -> Result<bool, Unanswered> {
        if self.effort.is_spent() {
            Err(Unanswered)
        } else {
            self.gates.can_hold(literals)
        }
    }

    fn is_true(&self, literal: Literal) -> bool {
        self.gates.is_true(literal)
    }
}
