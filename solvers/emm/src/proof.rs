//! What holds in every step, by a satisfiability solver (the crate `batsat`) on the circuit.
//!
//! The question is always whether some state that is not terminal, with one legal move of each agent,
//! and some condition beside exists. "No" is a proof. States are arbitrary here, reachable or not, so
//! a "yes" proves nothing. Effort is bounded: a query that takes too long is answered "perhaps".

use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, lbool};
use circuit::{Circuit, ClauseSink, Signal};
use limits::{Interrupt, Limits};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// The solver may ask so many times whether to go on.
const MOST_EFFORT: u64 = 200_000;

/// Tells the solver when to stop.
struct Effort {
    interrupt: Interrupt,
    deadline: Option<Instant>,
    left: Cell<u64>,
}

impl Callbacks for Effort {
    fn stop(&self) -> bool {
        self.left.set(self.left.get().saturating_sub(1));
        self.is_spent()
    }
}

impl Effort {
    fn is_spent(&self) -> bool {
        self.left.get() == 0
            || self.interrupt.is_raised()
            || self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// A claim about states, told to a [`Prover`].
pub struct Claim<T> {
    /// What is claimed.
    pub what: T,
    /// Implies that it is so in the state.
    pub guard: Lit,
    /// Implies that it is not so in the next one.
    pub broken: Lit,
}

/// One step as clauses.
pub struct Prover {
    solver: Solver<Effort>,
    /// For each node of the circuit that matters, its literal.
    literals: Vec<Option<Lit>>,
}

impl Prover {
    /// A circuit as clauses, nothing assumed. `roots` are the signals that will be spoken of. All
    /// queries together take at most `most` time.
    pub fn new(circuit: &Circuit, roots: &[Signal], limits: &Limits, most: Duration) -> Self {
        let effort = Effort {
            interrupt: limits.interrupt.clone(),
            deadline: Some(Instant::now() + limits.time.unwrap_or(most).min(most)),
            left: Cell::new(MOST_EFFORT),
        };
        let mut prover = Prover {
            solver: Solver::new(SolverOpts::default(), effort),
            literals: vec![None; circuit.node_count()],
        };
        let constant = prover.new_literal();
        prover.require(&[!constant]);
        prover.literals[0] = Some(constant);
        for node in circuit.cone(roots) {
            if prover.literals[node].is_some() {
                continue;
            }
            let inputs = circuit.gate(node).iter();
            let inputs: Vec<Lit> = inputs.map(|&input| prover.literal(input)).collect();
            prover.literals[node] = Some(match inputs.as_slice() {
                [] => prover.new_literal(),
                inputs => prover.conjunction(inputs),
            });
        }
        prover
    }

    /// Assumes that a state is not terminal, and that each agent makes one of its legal moves; all
    /// these signals must be roots.
    pub fn assume_step(&mut self, terminal: Signal, moves: &[Vec<Signal>], legal: &[Vec<Signal>]) {
        self.require(&[!self.literal(terminal)]);
        for (moves, legal) in moves.iter().zip(legal) {
            let moves: Vec<Lit> = moves.iter().map(|&input| self.literal(input)).collect();
            self.require(&moves);
            for (&made, &legal) in moves.iter().zip(legal) {
                self.require(&[!made, self.literal(legal)]);
            }
            self.at_most_one(&moves);
        }
    }

    /// The literal of a signal, which must be a root or something that one depends on.
    pub fn literal(&self, signal: Signal) -> Lit {
        let literal = self.literals[signal.node()].expect("it is a root");
        if signal.is_negated() {
            !literal
        } else {
            literal
        }
    }

    /// Whether these literals can be true together: `Some(false)` is a proof that they cannot,
    /// `None` means that it took too long.
    pub fn can_hold(&mut self, literals: &[Lit]) -> Option<bool> {
        if self.solver.cb().is_spent() {
            return None;
        }
        let answer = self.solver.solve_limited(literals);
        if answer == lbool::TRUE {
            Some(true)
        } else if answer == lbool::FALSE {
            Some(false)
        } else {
            None
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
    pub fn is_true(&self, literal: Lit) -> bool {
        self.solver.value_lit(literal) == lbool::TRUE
    }
}

impl ClauseSink for Prover {
    type Literal = Lit;

    fn new_literal(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    fn require(&mut self, clause: &[Lit]) {
        self.solver.add_clause_reuse(&mut clause.to_vec());
    }
}
