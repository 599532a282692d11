//! The intermediate language: gates, checks and decisions in an order in which they can be executed.
//!
//! A program is a list of [`Item`]s. Each needs only variables that earlier items define. Executed
//! from the first item to the last, with the values found so far, it has a value:
//!
//! * a *gate* sets its variable to the conjunction of some clauses, or to its negation; the value is
//!   that of the rest;
//! * a *check* is a clause: if it is false, all is lost and the value is 0, else that of the rest;
//! * a *decision* sets its variables. Its value is the maximum (*exists*), minimum (*for all*) or
//!   mean (*chance*) of the values of the rest over all assignments that can be taken;
//! * at the end all is won: the value is 1.
//!
//! A decision itself says which assignments can be taken ([`Decision::listed`]). Of an open decision
//! they are all assignments; for chance its variables are independent, with the probabilities given.
//! Of a listed decision they are those on the list that are *legal*: that make all clauses of its
//! legality true. Chance takes each of them with the same probability. If none is legal, the value is
//! 0. So a clause that is false means either "this assignment cannot be taken" (legality) or "all is
//! lost" (check); for a maximum both come to the same, for a minimum or a mean they do not.
//!
//! For tests, `evaluate` is this definition as a function, and `check` tests what is assumed of programs. [`text`] prints them.

#[cfg(test)]
mod check;
mod definitions;
#[cfg(test)]
pub mod evaluate;
pub mod text;

pub use definitions::Definitions;

use formula::{BigRational, Clauses, Lit, Probability, Quantifier, Var};
use std::ops::Range;

/// A variable that is a function of earlier ones: the conjunction of some clauses, or its
/// negation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gate {
    /// The variable that is defined.
    pub output: Var,
    /// Whether the output is the negation of the conjunction.
    pub inverted: bool,
    conjuncts: Range<usize>,
}

/// Variables that one player decides in one go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    pub quantifier: Quantifier,
    pub variables: Vec<Var>,
    /// For an open decision of chance: how likely each variable is true. Else empty.
    pub probabilities: Vec<Probability>,
    /// The assignments to choose from; nothing for an open decision, which can take all. Decisions
    /// of the maximizer are never open.
    pub listed: Option<AssignmentList>,
}

/// Assignments to choose from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AssignmentList {
    /// The assignments, each as the indices (in the list of variables) that are true, in order.
    pub assignments: Vec<Vec<u16>>,
    /// The numbers of the clauses that a legal assignment makes true. They read the variables of the
    /// decision and what was known before.
    pub legality: Range<usize>,
    /// Where this literal is true, the maximizer chooses after all.
    pub unless: Option<Lit>,
}

/// One thing to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item {
    /// Evaluate the gate of this number.
    Gate(usize),
    /// Test the clause of this number: if it is false, the value is 0 here.
    Check(usize),
    /// Take the decision of this number.
    Decision(usize),
}

/// A program. Its value is [`factor`](Self::factor) times that of its items.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// Variables have smaller numbers than this.
    pub variables: usize,
    /// The factor by which the value of the items is multiplied.
    pub factor: BigRational,
    pub gates: Vec<Gate>,
    /// The conjuncts of all gates.
    conjuncts: Clauses,
    /// The clauses of all checks and of the legality of all decisions.
    pub clauses: Clauses,
    pub decisions: Vec<Decision>,
    /// The items, in the order of execution.
    pub items: Vec<Item>,
}

impl Decision {
    /// A decision among listed assignments, all of which are legal so far.
    pub fn listed(
        quantifier: Quantifier,
        variables: Vec<Var>,
        assignments: Vec<Vec<u16>>,
        unless: Option<Lit>,
    ) -> Self {
        Decision {
            quantifier,
            variables,
            probabilities: Vec::new(),
            listed: Some(AssignmentList {
                assignments,
                legality: 0..0,
                unless,
            }),
        }
    }

    /// An open decision; `probabilities` are those of chance.
    pub fn open(
        quantifier: Quantifier,
        variables: Vec<Var>,
        probabilities: Vec<Probability>,
    ) -> Self {
        Decision {
            quantifier,
            variables,
            probabilities,
            listed: None,
        }
    }

    /// The literal under which the maximizer takes a listed decision of another agent.
    pub fn unless(&self) -> Option<Lit> {
        self.listed.as_ref()?.unless
    }

    /// The numbers of the clauses that say which assignments are legal.
    pub fn legality(&self) -> Range<usize> {
        let listed = self.listed.as_ref();
        listed.map_or(0..0, |listed| listed.legality.clone())
    }
}

impl Program {
    /// A program that does nothing, and has the value of its factor.
    pub fn new(variables: usize, factor: BigRational) -> Self {
        Program {
            variables,
            factor,
            gates: Vec::new(),
            conjuncts: Clauses::new(),
            clauses: Clauses::new(),
            decisions: Vec::new(),
            items: Vec::new(),
        }
    }

    /// A program over the same variables, with the same factor, that does nothing.
    pub fn emptied(&self) -> Self {
        Program::new(self.variables, self.factor.clone())
    }

    pub fn push_gate<C>(&mut self, output: Var, inverted: bool, conjuncts: C)
    where
        C: IntoIterator,
        C::Item: IntoIterator<Item = Lit>,
    {
        let first = self.conjuncts.len();
        for clause in conjuncts {
            self.conjuncts.push(clause);
        }
        self.items.push(Item::Gate(self.gates.len()));
        self.gates.push(Gate {
            output,
            inverted,
            conjuncts: first..self.conjuncts.len(),
        });
    }

    pub fn push_check(&mut self, clause: &[Lit]) {
        self.items.push(Item::Check(self.clauses.len()));
        self.clauses.push(clause.iter().copied());
    }

    /// Appends a decision. Its legality is said by calls of [`push_legal`](Self::push_legal) that
    /// follow.
    pub fn push_decision(&mut self, mut decision: Decision) {
        if let Some(listed) = &mut decision.listed {
            listed.legality = self.clauses.len()..self.clauses.len();
        }
        self.items.push(Item::Decision(self.decisions.len()));
        self.decisions.push(decision);
    }

    /// Adds a clause to the legality of the decision that was appended last.
    ///
    /// # Panics
    /// If the last item is not a listed decision.
    pub fn push_legal(&mut self, clause: &[Lit]) {
        assert!(matches!(self.items.last(), Some(Item::Decision(_))));
        let decision = self.decisions.last_mut();
        let listed = decision.and_then(|decision| decision.listed.as_mut());
        self.clauses.push(clause.iter().copied());
        listed.expect("the decision is listed").legality.end = self.clauses.len();
    }

    /// The clauses whose conjunction (inverted or not) is the gate's output.
    pub fn conjuncts(&self, gate: &Gate) -> impl ExactSizeIterator<Item = &[Lit]> {
        gate.conjuncts
            .clone()
            .map(|index| self.conjuncts.get(index))
    }

    /// The literals a gate reads.
    pub fn inputs(&self, gate: &Gate) -> impl Iterator<Item = Lit> {
        self.conjuncts(gate).flatten().copied()
    }

    /// The clauses that an assignment of a decision must make true to be legal.
    pub fn legality(&self, decision: &Decision) -> impl ExactSizeIterator<Item = &[Lit]> {
        decision.legality().map(|number| self.clauses.get(number))
    }

    /// The probabilities of *true* that open decisions of chance give, by variable.
    pub fn chances(&self) -> Vec<Option<Probability>> {
        let mut chances = vec![None; self.variables];
        for decision in &self.decisions {
            for (variable, chance) in decision.variables.iter().zip(&decision.probabilities) {
                chances[variable.index()] = Some(chance.clone());
            }
        }
        chances
    }
}
