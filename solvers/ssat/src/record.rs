//! The recorder of the [trace](super::trace) of a search.
//!
//! All functions do nothing if it is not asked for.

use super::deduction::{Deduction, NO_REASON};
use super::frame::{Bounds, Combine, Frame};
use super::search::Search;
use super::store::ClauseId;
use super::trace::{Entry, NOTHING, Proof, Trace};
use base::value::Numerator;
use formula::{Lit, Quantifier, Var};
use std::ops::Range;

impl<N: Numerator> Search<'_, '_, N> {
    /// A component has the value 1 because of the existential variables of its model.
    pub fn record_model(&mut self, variables: Range<usize>) -> Proof {
        let Some(trace) = &mut self.trace else {
            return Proof::default();
        };
        for &variable in &self.splitter.elements[variables] {
            let variable = Var::new(variable as usize);
            let set = variable.literal(self.deduction.model[variable.index()]);
            if self.deduction.is_open(set)
                && self.deduction.instance.quantifier(set) == Quantifier::Exists
            {
                trace.buffer.push(Entry { when: None, set });
            }
        }
        let lower = trace.branch(&[]);
        Proof {
            lower,
            upper: NOTHING,
        }
    }

    /// A component has its value because one clause is made true, or false.
    pub fn record_clause(&mut self, clause: ClauseId) -> Proof {
        let Some(trace) = &mut self.trace else {
            return Proof::default();
        };
        let deduction = &self.deduction;
        let open = deduction.store.get(clause).iter().copied();
        let mut open = open.filter(|&literal| deduction.is_open(literal));
        let mut existential = open
            .clone()
            .filter(|&literal| deduction.instance.quantifier(literal) == Quantifier::Exists);
        if let Some(set) = existential.next() {
            trace.buffer.push(Entry { when: None, set });
            let (lower, upper) = (trace.branch(&[]), NOTHING);
            return Proof { lower, upper };
        }
        let universal = |literal: Lit| deduction.is_universal(literal);
        let entries = open.by_ref().filter(|&literal| universal(literal));
        let entries = entries.map(|literal| Entry {
            when: None,
            set: !literal,
        });
        trace.buffer.extend(entries);
        let (lower, upper) = (NOTHING, trace.branch(&[]));
        Proof { lower, upper }
    }

    /// The branch at work has given these bounds. Its assignments are still on the trail.
    pub fn record_branch(&mut self, bounds: &mut Bounds<N>, conflict: Option<ClauseId>) {
        let Some(trace) = &mut self.trace else {
            return;
        };
        let frame = self.stack.frames.last().expect("a branch has a node");
        bounds.proof = Proof::default();
        if bounds.lower > N::zero() {
            let assigned = self.deduction.assignment.trail[frame.mark.trail..]
                .iter()
                .copied();
            let existential = assigned.filter(|&literal| {
                self.deduction.component(literal) == frame.component.id
                    && self.deduction.instance.quantifier(literal) == Quantifier::Exists
            });
            let entries = existential.map(|set| Entry { when: None, set });
            trace.buffer.extend(entries);
            bounds.proof.lower = trace.branch(&frame.proofs[0]);
        }
        if self.deduction.has_universals && bounds.upper < frame.results[frame.branch].upper {
            refute(trace, &self.deduction, frame, conflict);
            bounds.proof.upper = trace.branch(&frame.proofs[1]);
        }
    }

    /// The node at work has the value 0, because what was learned is false.
    pub fn record_conflict(&mut self, conflict: ClauseId) -> Proof {
        let mut proof = Proof::default();
        if let (Some(trace), true) = (&mut self.trace, self.deduction.has_universals) {
            let frame = self.stack.frames.last().expect("a branch has a node");
            refute(trace, &self.deduction, frame, Some(conflict));
            proof.upper = trace.branch(&[]);
        }
        proof
    }

    /// The proof of the bounds of the last node, from the proofs of its branches.
    pub fn record_node(&mut self) -> Proof {
        let (Some(trace), Some(frame)) = (&mut self.trace, self.stack.frames.last()) else {
            return Proof::default();
        };
        let results = &frame.results;
        if frame.combine == Combine::Alone {
            return results[0].proof;
        }
        let lowers = [results[0].proof.lower, results[1].proof.lower];
        let uppers = [results[0].proof.upper, results[1].proof.upper];
        let decision = frame.decisions[0];
        match frame.combine {
            Combine::Maximum => Proof {
                lower: lowers[usize::from(results[1].lower > results[0].lower)],
                upper: trace.test(decision, uppers),
            },
            Combine::Minimum => Proof {
                lower: trace.test(decision, lowers),
                upper: uppers[usize::from(results[1].upper < results[0].upper)],
            },
            _ => Proof {
                lower: trace.test(decision, lowers),
                upper: trace.test(decision, uppers),
            },
        }
    }
}

/// Puts into the buffer what the minimizer does along the path of a branch, and about a clause that is false, in
/// the order of the path.
fn refute<N>(
    trace: &mut Trace,
    deduction: &Deduction,
    frame: &Frame<N>,
    conflict: Option<ClauseId>,
) {
    let here = frame.component.id;
    let path = &deduction.assignment.trail[frame.mark.trail..];
    for (index, &literal) in path.iter().enumerate() {
        if deduction.component(literal) != here {
            continue;
        }
        if deduction.is_universal(literal) {
            // It was decided, or is pure.
            trace.buffer.push(Entry {
                when: None,
                set: literal,
            });
        }
        let reason = deduction.assignment.reasons[literal.var().index()];
        if reason != NO_REASON {
            falsify(
                trace,
                deduction,
                here,
                reason,
                Some(literal),
                &path[index + 1..],
            );
        }
    }
    if let Some(conflict) = conflict {
        falsify(trace, deduction, here, conflict, None, &[]);
    }
}

/// The open universal literals of a clause are made false, if the one literal that follows from it is. `later` is what was
/// assigned after that.
fn falsify(
    trace: &mut Trace,
    deduction: &Deduction,
    here: u64,
    clause: ClauseId,
    follows: Option<Lit>,
    later: &[Lit],
) {
    let literals = deduction.store.get(clause).iter().copied();
    let universal = literals.filter(|&literal| {
        let was_open =
            || deduction.is_open(literal) || later.iter().any(|other| other.var() == literal.var());
        deduction.is_universal(literal) && deduction.component(literal) == here && was_open()
    });
    let entries = universal.map(|literal| Entry {
        when: follows.map(|literal| !literal),
        set: !literal,
    });
    trace.buffer.extend(entries);
}
