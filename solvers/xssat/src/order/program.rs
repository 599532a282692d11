//! The order of execution: what [`walk`](super::walk()) makes of a problem.

use formula::{Clauses, Lit, Quantifier, Var};

/// A variable that is a function of earlier ones: the conjunction of some clauses, or its
/// negation.
#[derive(Clone, Debug)]
pub struct Gate {
    /// The variable that is defined.
    pub output: Var,
    /// Whether the output is the negation of the conjunction.
    pub inverted: bool,
    first: u32,
    end: u32,
}

/// Variables that one player decides in one go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// Who decides.
    pub quantifier: Quantifier,
    /// The variables.
    pub variables: Vec<Var>,
    /// For existential variables and for selections: all assignments worth trying, each as the
    /// places (in `variables`) that are true. Empty for others: all assignments are possible.
    pub patterns: Vec<Vec<u16>>,
    /// Set if the listed assignments are not for the maximising player to choose from.
    pub selection: Option<Selection>,
}

/// A choice by the minimising player or by chance among the listed assignments of a decision.
///
/// An assignment is *allowed* in a state if it satisfies the checks that come after the decision
/// and read, besides its variables, only what was known before. The value is the minimum over the
/// allowed assignments (*for all*), or their mean with equal weights (*chance*); it is 0 if none is
/// allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Selection {
    /// Where this literal is true, it is the maximising player who chooses after all.
    pub unless: Option<Lit>,
}

/// One thing to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item {
    /// Evaluate the gate of this number.
    Gate(usize),
    /// Test the check of this number: if it is false, the value is 0 here.
    Check(usize),
    /// Take the decision of this number.
    Decision(usize),
}

/// Gates, checks and decisions in an order in which they can be executed: each item needs only
/// variables of earlier items. Executing it by brute force gives the value of the problem.
#[derive(Default, Debug)]
pub struct Program {
    /// The gates.
    pub gates: Vec<Gate>,
    /// The conjuncts of all gates.
    conjuncts: Clauses,
    /// The checks.
    pub checks: Clauses,
    /// The decisions.
    pub decisions: Vec<Decision>,
    /// What to do, in order.
    pub items: Vec<Item>,
}

impl Program {
    /// Appends a gate.
    pub fn push_gate<C>(&mut self, output: Var, inverted: bool, conjuncts: C)
    where
        C: IntoIterator,
        C::Item: IntoIterator<Item = Lit>,
    {
        let first = self.conjuncts.len() as u32;
        for clause in conjuncts {
            self.conjuncts.push(clause);
        }
        self.items.push(Item::Gate(self.gates.len()));
        self.gates.push(Gate {
            output,
            inverted,
            first,
            end: self.conjuncts.len() as u32,
        });
    }

    /// Appends a check.
    pub fn push_check(&mut self, clause: &[Lit]) {
        self.items.push(Item::Check(self.checks.len()));
        self.checks.push(clause.iter().copied());
    }

    /// Appends a decision.
    pub fn push_decision(&mut self, decision: Decision) {
        self.items.push(Item::Decision(self.decisions.len()));
        self.decisions.push(decision);
    }

    /// The clauses whose conjunction (inverted or not) is the gate's output.
    pub fn conjuncts(&self, gate: &Gate) -> impl ExactSizeIterator<Item = &[Lit]> {
        (gate.first..gate.end).map(|index| self.conjuncts.get(index as usize))
    }

    /// The literals a gate reads.
    pub fn inputs(&self, gate: &Gate) -> impl Iterator<Item = Lit> {
        self.conjuncts(gate).flatten().copied()
    }
}
