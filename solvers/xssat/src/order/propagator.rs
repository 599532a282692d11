//! Assumptions and unit propagation over all clauses, to be undone at once. Used to see which
//! choices exclude each other.

use crate::policy::MAX_CONSEQUENCES;
use formula::preprocess::Occurrences;
use formula::{Clauses, Lit};

/// A partial assignment closed under unit propagation (up to a limit).
pub struct Propagator<'a> {
    clauses: &'a Clauses,
    occurrences: &'a Occurrences,
    values: Vec<Option<bool>>,
    trail: Vec<Lit>,
}

impl<'a> Propagator<'a> {
    /// Nothing is assumed yet.
    pub fn new(variables: usize, clauses: &'a Clauses, occurrences: &'a Occurrences) -> Self {
        Propagator {
            clauses,
            occurrences,
            values: vec![None; variables],
            trail: Vec::new(),
        }
    }

    /// The value of a literal, if it is known.
    pub fn value(&self, literal: Lit) -> Option<bool> {
        self.values[literal.var().index()].map(|value| literal.holds(value))
    }

    /// How much is known now; to be given to [`Propagator::undo_to`].
    pub fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Assumes a literal and propagates. Says `false` if that leads to a contradiction; undoing is
    /// left to the caller in any case.
    pub fn assume(&mut self, literal: Lit) -> bool {
        match self.value(literal) {
            Some(value) => return value,
            None => self.set(literal),
        }
        let start = self.trail.len() - 1;
        let mut done = start;
        while let Some(&literal) = self.trail.get(done) {
            done += 1;
            if done - start > MAX_CONSEQUENCES {
                break;
            }
            for &index in self.occurrences.of(!literal) {
                match self.unit(self.clauses.get(index as usize)) {
                    ClauseState::None => return false,
                    ClauseState::One(unit) => self.set(unit),
                    ClauseState::Satisfied | ClauseState::Several => {}
                }
            }
        }
        true
    }

    /// Forgets everything since the mark.
    pub fn undo_to(&mut self, mark: usize) {
        for literal in self.trail.drain(mark..) {
            self.values[literal.var().index()] = None;
        }
    }

    fn set(&mut self, literal: Lit) {
        self.values[literal.var().index()] = Some(!literal.is_negative());
        self.trail.push(literal);
    }

    fn unit(&self, clause: &[Lit]) -> ClauseState {
        let mut open = ClauseState::None;
        for &literal in clause {
            match (self.value(literal), &open) {
                (Some(true), _) => return ClauseState::Satisfied,
                (Some(false), _) => {}
                (None, ClauseState::None) => open = ClauseState::One(literal),
                (None, _) => return ClauseState::Several,
            }
        }
        open
    }
}

/// The state of a clause: satisfied, or the number of its open literals.
enum ClauseState {
    Satisfied,
    None,
    One(Lit),
    Several,
}
