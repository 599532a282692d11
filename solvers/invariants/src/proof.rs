//! What holds in every step, by a satisfiability solver on the circuit.
//!
//! The question is always whether some state that is not terminal, with one legal move of each agent,
//! and some condition beside exists. "No" is a proof. States are arbitrary here, reachable or not, so
//! a "yes" proves nothing. Effort is bounded: a query that takes too long is answered "perhaps".

use circuit::{Circuit, Signal, Step};
use circuit_sat::{BatSat, Cone, Gates, SatLiteral, SatSolver};
use limits::{Clock, Limits};
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

/// How often the solver may ask whether to go on.
const MAX_EFFORT: u64 = 200_000;

/// When to stop.
struct Effort {
    clock: Clock,
    left: Cell<u64>,
}

impl Effort {
    fn is_spent(&self) -> bool {
        self.left.get() == 0 || self.clock.is_over()
    }

    /// The solver asks whether to stop.
    fn spend(&self) -> bool {
        self.left.set(self.left.get().saturating_sub(1));
        self.is_spent()
    }
}

/// A claim about states, told to a [`StepProver`].
pub struct Claim<T> {
    /// What is claimed.
    pub what: T,
    /// Implies that it is so in the state.
    pub guard: SatLiteral,
    /// Implies that it is not so in the next one.
    pub broken: SatLiteral,
}

/// One step as clauses.
pub struct StepProver {
    gates: Gates<'static, BatSat<'static>>,
    cone: Cone,
    effort: Rc<Effort>,
}

impl StepProver {
    /// A circuit as clauses, nothing assumed. `roots` are the signals that will be spoken of. All
    /// queries together take at most `most` time.
    pub fn new(circuit: &Circuit, roots: &[Signal], limits: &Limits, most: Duration) -> Self {
        let effort = Rc::new(Effort {
            clock: Clock::new(limits).within(most),
            left: Cell::new(MAX_EFFORT),
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

    /// A step from a state that is not terminal, by one legal move of each agent. These signals will be
    /// spoken of, beside those of the step's facts, moves, legality and end that matter for that.
    pub fn of_step(
        step: &Step,
        spoken_of: impl IntoIterator<Item = Signal>,
        limits: &Limits,
        most: Duration,
    ) -> Self {
        let mut roots = vec![step.terminal];
        roots.extend(step.legal.iter().chain(&step.moves).flatten());
        roots.extend(spoken_of);
        let mut prover = StepProver::new(&step.circuit, &roots, limits, most);
        prover.assume_step(step.terminal, &step.moves, &step.legal);
        prover
    }

    /// Assumes that a state is not terminal, and that each agent makes one of its legal moves; all
    /// these signals must be roots.
    pub fn assume_step(&mut self, terminal: Signal, moves: &[Vec<Signal>], legal: &[Vec<Signal>]) {
        self.require(&[!self.literal(terminal)]);
        for (moves, legal) in moves.iter().zip(legal) {
            let moves: Vec<SatLiteral> = moves.iter().map(|&input| self.literal(input)).collect();
            self.require(&moves);
            for (&made, &legal) in moves.iter().zip(legal) {
                self.require(&[!made, self.literal(legal)]);
            }
            self.gates.at_most_one(&moves);
        }
    }

    /// The literal of a signal, which must be a root or something that one depends on.
    pub fn literal(&self, signal: Signal) -> SatLiteral {
        self.cone.known(signal).expect("it is a root")
    }

    /// A literal that is free.
    pub fn new_literal(&mut self) -> SatLiteral {
        self.gates.new_literal()
    }

    /// From now on one of these is true.
    pub fn require(&mut self, clause: &[SatLiteral]) {
        self.gates.require(clause);
    }

    /// Whether these literals can be true together: `Some(false)` is a proof that they cannot,
    /// `None` means that it took too long.
    pub fn can_hold(&mut self, literals: &[SatLiteral]) -> Option<bool> {
        match self.effort.is_spent() {
            true => None,
            false => self.gates.solve(literals),
        }
    }

    /// The largest part of some claims that passes together from a state to the next one: claims that a step
    /// breaks are dropped until no step breaks any (simultaneous induction). `is_kept` says whether a
    /// claim is so after the step just found. Nothing if it took too long.
    pub fn inductive<T>(
        &mut self,
        mut claims: Vec<Claim<T>>,
        is_kept: impl Fn(&Self, &T) -> bool,
    ) -> Option<Vec<T>> {
        while !claims.is_empty() {
            let round = self.new_literal();
            let mut some_broken = vec![!round];
            some_broken.extend(claims.iter().map(|claim| claim.broken));
            self.require(&some_broken);
            let mut assumed = vec![round];
            assumed.extend(claims.iter().map(|claim| claim.guard));
            if !self.can_hold(&assumed)? {
                break;
            }
            claims.retain(|claim| is_kept(self, &claim.what));
        }
        Some(claims.into_iter().map(|claim| claim.what).collect())
    }

    /// Whether a literal is true in the state and moves just found.
    pub fn is_true(&self, literal: SatLiteral) -> bool {
        self.gates.holds(literal)
    }
}
