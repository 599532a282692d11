//! Questions about the circuit of a step as clauses, for a satisfiability solver (the crate `batsat`).
//!
//! Each gate becomes clauses in both directions. Whatever is constant stays out of them.

use crate::{Problem, Watcher};
use batsat::{Callbacks, Lit, Solver, SolverInterface, SolverOpts, lbool};
use circuit::{ClauseSink, Signal};
use rustc_hash::FxHashMap;
use std::cell::Cell;

/// Ends a search when patience does, or the watcher says so.
pub struct Patience<'a> {
    left: Cell<u64>,
    layers: u32,
    watcher: &'a dyn Watcher,
    is_stopped: &'a Cell<bool>,
}

impl<'a> Patience<'a> {
    /// For about so many conflicts. The watcher is told so many layers; `is_stopped` is set when it
    /// says to stop.
    pub fn new(
        conflicts: u64,
        layers: u32,
        watcher: &'a dyn Watcher,
        is_stopped: &'a Cell<bool>,
    ) -> Self {
        Patience {
            left: Cell::new(conflicts),
            layers,
            watcher,
            is_stopped,
        }
    }
}

impl Callbacks for Patience<'_> {
    fn stop(&self) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        if left.is_multiple_of(64) && !self.watcher.go_on(0, self.layers) {
            self.is_stopped.set(true);
        }
        left == 0 || self.is_stopped.get()
    }
}

/// Clauses about a step, made as needed.
pub struct Clauses<'a> {
    problem: &'a Problem<'a>,
    solver: Solver<Patience<'a>>,
    truth: Lit,
}

impl<'a> Clauses<'a> {
    /// No clauses.
    pub fn new(problem: &'a Problem<'a>, patience: Patience<'a>) -> Self {
        let mut solver = Solver::new(SolverOpts::default(), patience);
        let truth = Lit::new(solver.new_var_default(), true);
        solver.add_clause_reuse(&mut vec![truth]);
        Clauses {
            problem,
            solver,
            truth,
        }
    }

    /// The facts of any state that is as the initial one in the facts that never change. What is found has
    /// the others as in the initial state too, where nothing speaks against it.
    pub fn any_state(&mut self, constant: &[bool]) -> Vec<Lit> {
        let facts = constant.iter().zip(&self.problem.step.initial);
        let lit = |(&is_constant, &holds): (&bool, &bool)| match is_constant {
            true => self.constant(holds),
            false => {
                let usual = if holds { lbool::TRUE } else { lbool::FALSE };
                Lit::new(self.solver.new_var(usual, true), true)
            }
        };
        facts.map(lit).collect()
    }

    /// The literal that holds, or fails.
    pub fn constant(&self, holds: bool) -> Lit {
        if holds { self.truth } else { !self.truth }
    }

    /// Whether everything can be satisfied; undefined when patience ends.
    pub fn solve(&mut self) -> lbool {
        self.solve_with(&[])
    }

    /// The same, with these literals.
    pub fn solve_with(&mut self, assumptions: &[Lit]) -> lbool {
        self.solver.solve_limited(assumptions)
    }

    /// Whether a literal holds in what was found.
    pub fn holds(&self, lit: Lit) -> bool {
        self.solver.value_lit(lit) == lbool::TRUE
    }

    /// The literals of signals that depend on facts only, in a state with these facts.
    pub fn signals(&mut self, signals: &[Signal], facts: &[Lit]) -> Vec<Lit> {
        let values = self.values(signals, facts);
        let of = |&signal: &Signal| of(&values, signal);
        signals.iter().map(of).collect()
    }

    /// The literals of all nodes that such signals depend on, by node.
    pub fn values(&mut self, signals: &[Signal], facts: &[Lit]) -> Vec<Option<Lit>> {
        let step = self.problem.step;
        let mut values = vec![None; step.circuit.node_count()];
        values[0] = Some(!self.truth);
        for (fact, &lit) in step.facts.iter().zip(facts) {
            values[fact.node()] = Some(lit);
        }
        for node in step.circuit.cone(signals) {
            if values[node].is_none() {
                let gate = step.circuit.gate(node).iter();
                let inputs = gate.map(|&input| of(&values, input)).collect();
                values[node] = Some(self.all_of(inputs));
            }
        }
        values
    }

    /// The literal of a signal in a state in which all is as in `values`, but for some nodes; and on how
    /// many nodes that depends.
    pub fn signal_but_for(
        &mut self,
        signal: Signal,
        values: &[Option<Lit>],
        others: impl Iterator<Item = (usize, Lit)>,
    ) -> (Lit, usize) {
        let circuit = &self.problem.step.circuit;
        let mut images: FxHashMap<usize, Lit> = others.collect();
        // Inputs of gates come first, and nothing recurses.
        let mut open = vec![signal.node()];
        while let Some(&node) = open.last() {
            let gate = circuit.gate(node);
            let missing = gate.iter().map(|input| input.node());
            let missing: Vec<usize> = missing.filter(|node| !images.contains_key(node)).collect();
            if images.contains_key(&node) {
                open.pop();
            } else if !missing.is_empty() {
                open.extend(missing);
            } else {
                let known = values[node].expect("all that the signal depends on is there");
                let is_same =
                    |input: &Signal| values[input.node()] == images.get(&input.node()).copied();
                let image = match gate.iter().all(is_same) {
                    true => known,
                    false => {
                        let inputs = gate.iter();
                        let inputs = inputs.map(|input| negated_if(images[&input.node()], *input));
                        self.all_of(inputs.collect())
                    }
                };
                images.insert(node, image);
            }
        }
        (negated_if(images[&signal.node()], signal), images.len())
    }

    /// A literal that says that all of these hold.
    fn all_of(&mut self, mut lits: Vec<Lit>) -> Lit {
        let truth = self.truth;
        lits.retain(|&lit| lit != truth);
        match lits.as_slice() {
            lits if lits.contains(&!truth) => !truth,
            [] => truth,
            &[single] => single,
            lits => self.conjunction(lits),
        }
    }

    /// Requires that so many hold: counts from the first to the last (Sinz, *Towards an optimal CNF
    /// encoding of Boolean cardinality constraints*, 2005).
    pub fn exactly(&mut self, lits: &[Lit], count: usize) {
        // Whether at least 0, 1, ... so far hold.
        let mut so_far = vec![!self.truth; count + 2];
        so_far[0] = self.truth;
        for &lit in lits {
            let mut now = so_far.clone();
            for number in 1..count + 2 {
                let (least, fewer) = (so_far[number], so_far[number - 1]);
                if least == !self.truth && fewer == !self.truth {
                    break;
                }
                let next = self.new_literal();
                self.require(&[!least, next]);
                self.require(&[!fewer, !lit, next]);
                self.require(&[least, fewer, !next]);
                self.require(&[least, lit, !next]);
                now[number] = next;
            }
            so_far = now;
        }
        self.require(&[so_far[count]]);
        self.require(&[!so_far[count + 1]]);
    }
}

/// The literal of a signal whose node has one.
fn of(values: &[Option<Lit>], signal: Signal) -> Lit {
    negated_if(
        values[signal.node()].expect("inputs of gates come first"),
        signal,
    )
}

/// The literal of a signal, given that of its node.
fn negated_if(lit: Lit, signal: Signal) -> Lit {
    if signal.is_negated() { !lit } else { lit }
}

impl ClauseSink for Clauses<'_> {
    type Literal = Lit;

    fn new_literal(&mut self) -> Lit {
        Lit::new(self.solver.new_var_default(), true)
    }

    fn require(&mut self, clause: &[Lit]) {
        self.solver.add_clause_reuse(&mut clause.to_vec());
    }
}
