//! Unit propagation with two watched literals per clause.
//!
//! Each clause watches two of its literals, and is visited only when one of them becomes false.
//! Then another literal that is not false is watched instead; if there is none, the clause is unit
//! (the other watched literal must be true) or false (a *conflict*). Going back needs no work: a
//! literal watched because it was not false is not false after going back either.
//!
//! Read with universal reduction, a clause is also unit if besides the one open literal there are
//! only universal ones decided after it: were it false, the minimizer would make them
//! false too. And it is a conflict if there are only universal ones. This is applied only if all
//! these literals lie in the component at work, see [`super`]. Universal literals are watched only
//! if there is nothing else to watch. Some units are missed in this way after going back, which
//! costs time but is never wrong.

use super::deduction::{Deduction, Reading};
use super::store::{ClauseId, Watcher};
use formula::Lit;

/// The status of a clause under the present assignment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// It cannot become true.
    Conflict,
    /// This open literal must be true.
    Unit(Lit),
    /// Nothing.
    Silent,
}

impl Deduction {
    /// Assigns what follows from the trail; gives a clause that is false, if there is one.
    pub fn propagate(&mut self, reading: Reading) -> Option<ClauseId> {
        while self.assignment.head < self.assignment.trail.len() {
            let falsified = !self.assignment.trail[self.assignment.head];
            self.assignment.head += 1;
            let mut watches = std::mem::take(&mut self.watches[falsified.code()]);
            self.work += 1 + watches.len() as u64;
            let conflict = self.visit(falsified, &mut watches, reading);
            debug_assert!(self.watches[falsified.code()].is_empty());
            self.watches[falsified.code()] = watches;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// Visits the clauses that watch a literal that became false.
    fn visit(
        &mut self,
        falsified: Lit,
        watches: &mut Vec<Watcher>,
        reading: Reading,
    ) -> Option<ClauseId> {
        let mut kept = 0;
        let mut next = 0;
        let mut conflict = None;
        while next < watches.len() {
            let watch = watches[next];
            next += 1;
            watches[kept] = watch;
            kept += 1;
            if self.is_true(watch.blocker) {
                continue;
            }
            let clause = self.store.get_mut(watch.clause);
            if clause[0] == falsified {
                clause.swap(0, 1);
            }
            let other = clause[0];
            if self.is_true(other) {
                watches[kept - 1].blocker = other;
                continue;
            }
            if let Some(index) = self.replacement(watch.clause) {
                self.store.set_start(watch.clause, index);
                let clause = self.store.get_mut(watch.clause);
                clause.swap(1, index);
                let replacement = clause[1];
                self.watches[replacement.code()].push(Watcher {
                    clause: watch.clause,
                    blocker: other,
                });
                kept -= 1;
                // A universal literal alone does not keep the rest from being decided.
                if !self.is_universal(replacement) || reading == Reading::Plain {
                    continue;
                }
            } else if !self.has_universals && self.derivations.is_none() {
                if self.is_open(other) {
                    self.assign(other, watch.clause);
                    continue;
                }
                conflict = Some(watch.clause);
                break;
            }
            match self.status(watch.clause, reading) {
                Status::Silent => {}
                Status::Unit(literal) => self.assign(literal, watch.clause),
                Status::Conflict => {
                    conflict = Some(watch.clause);
                    break;
                }
            }
        }
        watches.copy_within(next.., kept);
        watches.truncate(kept + watches.len() - next);
        conflict
    }

    /// The index of a literal that can be watched, not counting the first two; a universal one
    /// only if there is no other.
    fn replacement(&self, id: ClauseId) -> Option<usize> {
        let clause = self.store.get(id);
        let start = self.store.start(id).min(clause.len());
        let mut universal = None;
        for index in (start..clause.len()).chain(2..start) {
            let literal = clause[index];
            if self.is_false(literal) {
                continue;
            }
            if !self.is_universal(literal) || self.is_true(literal) {
                return Some(index);
            }
            universal = universal.or(Some(index));
        }
        universal
    }

    /// The status of a clause now.
    pub fn status(&self, id: ClauseId, reading: Reading) -> Status {
        if self.derivations.is_some() && self.rests_on_pure(id) {
            return Status::Silent;
        }
        let quantified = self.has_universals && reading == Reading::Quantified;
        let mut unit: Option<Lit> = None;
        let mut universals = false;
        for &literal in self.store.get(id) {
            if self.is_true(literal) {
                return Status::Silent;
            }
            if self.is_open(literal) {
                if quantified && self.is_universal(literal) {
                    universals = true;
                } else if unit.replace(literal).is_some() {
                    return Status::Silent;
                }
            }
        }
        if universals {
            let reducible = |literal: Lit| {
                self.component(literal) == self.here
                    && unit.is_none_or(|u| self.instance.level(u) < self.instance.level(literal))
            };
            if unit.is_some_and(|unit| self.component(unit) != self.here) {
                return Status::Silent;
            }
            let clause = self.store.get(id).iter().copied();
            let mut open = clause.filter(|&literal| self.is_open(literal) && Some(literal) != unit);
            if !open.all(reducible) {
                return Status::Silent;
            }
        }
        match unit {
            Some(literal) => Status::Unit(literal),
            None => Status::Conflict,
        }
    }

    /// Whether a learned clause has the negation of a pure literal, so that a trace cannot use it.
    fn rests_on_pure(&self, id: ClauseId) -> bool {
        let is_pure = |lit: &Lit| self.is_pure[lit.var().index()] && self.is_false(*lit);
        id as usize >= self.store.given() && self.store.get(id).iter().any(is_pure)
    }

    /// Assigns what clauses of one literal say; gives one that is false, if there is one.
    pub fn assign_units(&mut self, reading: Reading) -> Option<ClauseId> {
        for index in 0..self.units.len() {
            let id = self.units[index];
            match self.status(id, reading) {
                Status::Silent => {}
                Status::Unit(literal) => self.assign(literal, id),
                Status::Conflict => return Some(id),
            }
        }
        None
    }
}
