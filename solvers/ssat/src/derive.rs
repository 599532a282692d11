//! The derivations of learned clauses, written down while a trace is: for each clause of the search its number in the trace.

use crate::store::{ClauseId, Store};
use crate::trace::Derivation;
use formula::{Lit, Var};

const UNNAMED: u32 = u32::MAX;

/// Clauses of a trace, and their numbers by those of the search.
#[derive(Clone, Default)]
pub struct Derivations {
    /// All clauses so far, in literals of the formula.
    pub clauses: Derivation,
    /// By clause of the search.
    numbers: Vec<u32>,
    /// The variables of the formula that those of the search stand for.
    names: Vec<Var>,
}

impl Derivations {
    /// Goes on with another part of the formula, whose variables stand for these.
    pub fn begin(&mut self, names: Vec<Var>) {
        self.names = names;
        self.numbers.clear();
    }

    /// A literal of the formula for one of the search.
    pub fn name(&self, literal: Lit) -> Lit {
        self.names[literal.var().index()].literal(!literal.is_negative())
    }

    /// Adds a clause that follows from clauses of the trace.
    pub fn derive(&mut self, clause: &[Lit], hints: Vec<u32>) -> u32 {
        let names = &self.names;
        let name = |lit: &Lit| names[lit.var().index()].literal(!lit.is_negative());
        self.clauses.push(clause.iter().map(name), hints)
    }

    /// The number of a clause of the search. Those of the formula are written down when they are needed first.
    pub fn number(&mut self, id: ClauseId, store: &Store) -> u32 {
        if self.numbers.len() <= id as usize {
            self.numbers.resize(store.len(), UNNAMED);
        }
        if self.numbers[id as usize] == UNNAMED {
            debug_assert!(
                (id as usize) < store.given(),
                "learned clauses have numbers"
            );
            self.numbers[id as usize] = self.derive(store.get(id), Vec::new());
        }
        self.numbers[id as usize]
    }

    /// Writes down a learned clause. `used` are the clauses of its analysis, the false one first.
    pub fn learned(&mut self, id: ClauseId, used: &[ClauseId], store: &Store) {
        let hints = used.iter().rev().map(|&one| self.number(one, store));
        let hints: Vec<u32> = hints.collect();
        let number = self.derive(store.get(id), hints);
        self.numbers.resize(store.len(), UNNAMED);
        self.numbers[id as usize] = number;
    }

    /// Clauses of the search have new numbers.
    pub fn renumber(&mut self, new: &[Option<ClauseId>]) {
        let old = std::mem::take(&mut self.numbers);
        for (number, new) in old.into_iter().zip(new) {
            if new.is_some() {
                self.numbers.push(number);
            }
        }
    }

    /// About how many bytes it takes while it grows.
    pub fn bytes(&self) -> u64 {
        self.clauses.bytes() + 8 * (self.numbers.len() + self.names.len()) as u64
    }
}
