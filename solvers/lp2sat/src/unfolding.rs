//! Unfolding of positive recursion: the rounds in which the least model of a cycle is built.
//!
//! An answer set, restricted to the atoms of a cycle, is the least set closed under the cycle's
//! rules, given the atoms outside and the negative literals. It is reached in rounds from nothing:
//!
//! ```text
//! a :- b.  b :- a.  b :- c.        cut {a}:    a0 = false    b1 = a0 | c = c    a <-> b1 = c
//!                                              and by completion               b <-> a | c
//! ```
//!
//! In each round the ordered atoms come first, each using those before it, then the cut. An atom
//! of the cut on a shortest derivation uses other atoms of the cut, each at most once, so as many
//! rounds as the cut has atoms are enough; the others then follow by completion. A choice rule
//! derives its heads only if they are chosen, so the chosen atom joins its body (the reduct).
//! Weight bodies are monotone in the derived atoms and are unfolded as well.
//!
//! All helpers are functions of the atoms outside and of chosen atoms.

use crate::clausified::variable;
use crate::clausify::{Clausifier, Derivations, lit};
use crate::gates::Signal;
use crate::{Atom, Body, Head, Literal};

impl Clausifier<'_> {
    /// Defines the atoms of the cycle's cut; completion must define the others.
    pub(crate) fn unfold(&mut self, component: usize) {
        let ordered = self.recursion.components[component].ordered.clone();
        let cut = self.recursion.components[component].cut.clone();
        let mut values = vec![Signal::False; ordered.len() + cut.len()];
        let mut derivations = Derivations::default();
        for _ in 1..cut.len() {
            self.derive(component, &ordered, 0, &mut values, &mut derivations);
            let before = values[ordered.len()..].to_vec();
            self.derive(
                component,
                &cut,
                ordered.len(),
                &mut values,
                &mut derivations,
            );
            if before == values[ordered.len()..] {
                break;
            }
        }
        self.derive(component, &ordered, 0, &mut values, &mut derivations);
        for atom in cut {
            self.find_derivations(component, atom, &values, &mut derivations);
            derivations.complete(&mut self.gates, atom);
        }
    }

    /// One round for these atoms, whose values start at this place.
    fn derive(
        &mut self,
        component: usize,
        atoms: &[Atom],
        start: usize,
        values: &mut [Signal],
        derivations: &mut Derivations,
    ) {
        for (position, &atom) in atoms.iter().enumerate() {
            self.find_derivations(component, atom, values, derivations);
            let allowing = derivations.allowing.drain(..);
            let allowed = self.gates.or(allowing);
            let chosen = variable(atom).positive().into();
            let chosen = self.gates.and([chosen, allowed]);
            derivations.forcing.push(chosen);
            let forcing = derivations.forcing.iter().copied();
            values[start + position] = self.gates.or(forcing);
        }
    }

    /// The bodies for an atom, with the values of the cycle's atoms so far.
    fn find_derivations(
        &mut self,
        component: usize,
        atom: Atom,
        values: &[Signal],
        derivations: &mut Derivations,
    ) {
        derivations.clear();
        let program = self.program;
        for position in 0..self.supports.of(atom).len() {
            let rule = program.rule(self.supports.of(atom)[position] as usize);
            let signal = self.body_so_far(component, rule.body, values);
            match rule.head {
                Head::Choice(_) => derivations.allowing.push(signal),
                _ => derivations.forcing.push(signal),
            }
        }
    }

    fn body_so_far(&mut self, component: usize, body: Body<'_>, values: &[Signal]) -> Signal {
        let recursion = &self.recursion;
        let inner = |literal: Literal| {
            recursion
                .inner_atom(component, literal)
                .map(|atom| values[recursion.position(atom)])
        };
        match body {
            Body::All(literals) => {
                // Literals from outside the cycle are the same in every round and share one helper.
                let outside = literals.iter().filter(|&&literal| inner(literal).is_none());
                let outside = outside.map(|&literal| lit(literal).into());
                let outside = self.gates.and(outside);
                let inside = literals.iter().filter_map(|&literal| inner(literal));
                self.gates.and(inside.chain([outside]))
            }
            Body::Weighted { bound, literals } => {
                let weighted: Vec<(Signal, u64)> = literals
                    .iter()
                    .map(|&(literal, w)| (inner(literal).unwrap_or(lit(literal).into()), w))
                    .collect();
                self.sum(bound, weighted)
            }
        }
    }
}
