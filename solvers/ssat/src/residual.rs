//! Counters of the residual formula, kept up to date as the assignment grows and shrinks: the clauses with a true literal, the
//! number of false literals of a clause, and the number of open clauses of each literal.
//!
//! The work depends on the number of clauses that change, not on the size of the component. Without this, a search with
//! large components spends most of its time on going over their clauses (compare the counters of relsat,
//! Bayardo and Pehoushek 2000, and of Cachet, Sang and others 2004).

use super::deduction::Deduction;
use super::store::ClauseId;
use formula::{Clauses, Lit, Var};

/// The clauses of the formula under an assignment. An *open* clause has no true literal.
#[derive(Clone)]
pub struct Residual {
    /// By clause.
    is_satisfied: Vec<bool>,
    falsified: Vec<u32>,
    /// In how many open clauses a literal is, by code.
    counts: Vec<u32>,
    /// The part of the trail that is taken into account.
    literals: Vec<Lit>,
    /// The satisfied clauses, in the order in which they became so.
    satisfied: Vec<ClauseId>,
    /// How many clauses had been satisfied before each literal of the trail.
    marks: Vec<u32>,
}

impl Residual {
    /// Nothing is assigned.
    pub fn new(variables: usize, clauses: &Clauses) -> Self {
        let mut counts = vec![0; 2 * variables];
        for literal in clauses.iter().flatten() {
            counts[literal.code()] += 1;
        }
        Residual {
            is_satisfied: vec![false; clauses.len()],
            falsified: vec![0; clauses.len()],
            counts,
            literals: Vec::new(),
            satisfied: Vec::new(),
            marks: Vec::new(),
        }
    }

    /// Takes into account what was assigned since the last time.
    pub fn advance(&mut self, deduction: &Deduction) {
        for index in self.literals.len()..deduction.assignment.trail.len() {
            let literal = deduction.assignment.trail[index];
            self.literals.push(literal);
            self.marks.push(self.satisfied.len() as u32);
            for &clause in deduction.occurrences.of(literal) {
                if !std::mem::replace(&mut self.is_satisfied[clause as usize], true) {
                    self.satisfied.push(clause);
                    for &literal in deduction.store.get(clause) {
                        self.counts[literal.code()] -= 1;
                    }
                }
            }
            for &clause in deduction.occurrences.of(!literal) {
                self.falsified[clause as usize] += 1;
            }
        }
    }

    /// Goes back to an earlier length of the trail.
    pub fn retreat(&mut self, trail: usize, deduction: &Deduction) {
        if trail >= self.literals.len() {
            return;
        }
        for literal in self.literals.drain(trail..) {
            for &clause in deduction.occurrences.of(!literal) {
                self.falsified[clause as usize] -= 1;
            }
        }
        let satisfied = self.marks[trail] as usize;
        self.marks.truncate(trail);
        for clause in self.satisfied.drain(satisfied..) {
            self.is_satisfied[clause as usize] = false;
            for &literal in deduction.store.get(clause) {
                self.counts[literal.code()] += 1;
            }
        }
    }

    /// Whether no literal of a clause is true.
    #[inline]
    pub fn is_open(&self, clause: ClauseId) -> bool {
        !self.is_satisfied[clause as usize]
    }

    /// Whether a literal of the clause is false.
    #[inline]
    pub fn is_shortened(&self, clause: ClauseId) -> bool {
        self.falsified[clause as usize] > 0
    }

    /// In how many open clauses a literal is.
    #[inline]
    pub fn count(&self, literal: Lit) -> u32 {
        self.counts[literal.code()]
    }

    /// Whether an open clause has the variable.
    #[inline]
    pub fn occurs(&self, variable: u32) -> bool {
        let variable = Var::new(variable as usize);
        self.count(variable.positive()) + self.count(variable.negative()) > 0
    }

    /// The clauses satisfied since the trail had this length.
    pub fn satisfied_since(&self, trail: usize) -> &[ClauseId] {
        let start = self.marks.get(trail).map(|&mark| mark as usize);
        &self.satisfied[start.unwrap_or(self.satisfied.len())..]
    }
}
