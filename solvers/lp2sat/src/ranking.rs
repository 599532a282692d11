//! Recursion bounded by ranks: atoms must not derive each other in cycles.
//!
//! Each atom of the cycle gets a rank, a binary number of its own, and may be derived only by a
//! rule whose atoms from the cycle have lower ranks; within one rank the cycle's order (see
//! [`recursion`](crate::recursion)) decides, so that there need not be more ranks than atoms in
//! the cut and one. The rank stands for the round in which the atom is derived.
//!
//! ```text
//! a :- b.  b :- a.  b :- c.     order b, cut {a}:    a -> b & rank(b) <= rank(a)
//!                                                    b -> c | a & rank(a) < rank(b)
//! ```
//!
//! Ranks are not functions of atoms: many ranks go with one answer set. That is harmless inside an
//! innermost existential block and useless elsewhere.
//!
//! Janhunen, *Representing normal programs with clauses*, ECAI 2004.

use crate::clausified::variable;
use crate::clausify::{Clausifier, lit};
use crate::gates::{Gates, Signal};
use crate::{Atom, Body, Head, Literal};

impl Clausifier<'_> {
    /// Bounds all atoms of the cycle: completion, with ranks where an atom needs a reason.
    pub(crate) fn rank(&mut self, component: usize) {
        let program = self.program;
        let found = &self.recursion.components[component];
        let bits = usize::BITS - found.cut.len().leading_zeros();
        let atoms: Vec<Atom> = found.ordered.iter().chain(&found.cut).copied().collect();
        let ranks: Vec<Vec<Signal>> = atoms
            .iter()
            .map(|&atom| (0..bits).map(|_| self.rank_bit(atom)).collect())
            .collect();
        for &atom in &atoms {
            let head = variable(atom);
            let mut reasons = vec![Signal::Lit(head.negative())];
            for position in 0..self.supports.of(atom).len() {
                let rule = program.rule(self.supports.of(atom)[position] as usize);
                if let Head::Atom(_) = rule.head {
                    let body = self.body(rule.body);
                    self.gates.clause([head.positive().into(), !body]);
                }
                reasons.push(self.reason(component, atom, rule.body, &ranks));
            }
            self.gates.clause(reasons);
        }
    }

    fn rank_bit(&mut self, atom: Atom) -> Signal {
        let lit = self.gates.free_helper();
        // Atoms that do not hold have rank zero: fewer models to tell apart.
        self.gates
            .clause([variable(atom).positive().into(), (!lit).into()]);
        lit.into()
    }

    /// The literal that says that the body holds and its atoms in the cycle come before this one.
    fn reason(
        &mut self,
        component: usize,
        head: Atom,
        body: Body<'_>,
        ranks: &[Vec<Signal>],
    ) -> Signal {
        let before = |gates: &mut Gates, recursion: &crate::recursion::Recursion, l: Literal| {
            let Some(atom) = recursion.inner_atom(component, l) else {
                return Signal::True;
            };
            let (position, head_position) = (recursion.position(atom), recursion.position(head));
            if position < head_position {
                !less(gates, &ranks[head_position], &ranks[position])
            } else {
                less(gates, &ranks[position], &ranks[head_position])
            }
        };
        match body {
            Body::All(literals) => {
                let mut conjuncts: Vec<Signal> = Vec::with_capacity(2 * literals.len());
                for &literal in literals {
                    conjuncts.push(lit(literal).into());
                    conjuncts.push(before(&mut self.gates, &self.recursion, literal));
                }
                self.gates.and(conjuncts)
            }
            Body::Weighted { bound, literals } => {
                let mut weighted = Vec::with_capacity(literals.len());
                for &(literal, weight) in literals {
                    let earlier = before(&mut self.gates, &self.recursion, literal);
                    let signal = self.gates.and([lit(literal).into(), earlier]);
                    weighted.push((signal, weight));
                }
                self.sum(bound, weighted)
            }
        }
    }
}

/// Whether one binary number, lowest digit first, is less than another.
fn less(gates: &mut Gates, left: &[Signal], right: &[Signal]) -> Signal {
    let mut result = Signal::False;
    for (&l, &r) in left.iter().zip(right) {
        let below = gates.and([!l, r]);
        let above = gates.and([l, !r]);
        let still = gates.and([!above, result]);
        result = gates.or([below, still]);
    }
    result
}
