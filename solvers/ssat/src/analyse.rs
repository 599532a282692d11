//! Clause learning: a clause that states the cause of a conflict in general.
//!
//! Starting with the false clause, a literal is replaced by the rest of its reason (resolution) as
//! long as the clause has more than one literal of the last decision level ("first unique
//! implication point"). The result is implied by the formula, and after going back to an earlier
//! level it asserts the opposite of that one literal.
//!
//! Literals of level 0 are false for good and are left out. So are those whose reason is covered by
//! the rest of the clause (one step of "minimization"). While a trace is written, both stay, so that a clause follows from the
//! clauses that were resolved, in turn.
//!
//! With universal reduction, a reason may hold universal literals that were still open when it was
//! used. They stay in the learned clause, so that it is implied by the formula in the plain sense.
//! If such a literal has become true in the meantime, or occurs with both signs, the result would
//! be satisfied and say nothing: then nothing is learned.

use super::deduction::{Deduction, NO_REASON};
use super::store::ClauseId;
use formula::Lit;

/// The result of the analysis of a conflict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lesson {
    /// This clause, new or old. It is false now; of the highest level it has one literal.
    Clause(ClauseId),
    /// The clauses contradict one another.
    Contradiction,
    /// Nothing that could be put into a clause.
    Nothing,
}

impl Deduction {
    /// Learns from a clause that is false.
    pub fn analyse(&mut self, conflict: ClauseId) -> Lesson {
        self.counts.conflicts += 1;
        self.heap.decay();
        let level_of = |d: &Self, literal: Lit| d.assignment.levels[literal.var().index()];
        let clause = self.store.get(conflict).iter();
        let falsified = clause.filter(|&&literal| self.is_false(literal));
        let top = falsified.map(|&literal| level_of(self, literal)).max();
        let top = top.unwrap_or(0);
        if top == 0 && !self.has_universals {
            return Lesson::Contradiction;
        }
        // The literals of the new clause below the top level, and open universal ones.
        let mut lower: Vec<Lit> = Vec::new();
        let mut on_top = 0;
        let mut reason = conflict;
        let mut position = self.assignment.trail.len();
        let mut resolved = None;
        let mut touched: Vec<Lit> = Vec::new();
        let mut steps = 0;
        // The clauses that were resolved, for a trace.
        let mut used: Vec<ClauseId> = Vec::new();
        let asserted = loop {
            self.store.use_clause(reason);
            if self.derivations.is_some() {
                used.push(reason);
            }
            self.work += self.store.get(reason).len() as u64;
            for index in 0..self.store.get(reason).len() {
                let literal = self.store.get(reason)[index];
                if Some(literal) == resolved {
                    continue;
                }
                let variable = literal.var().index();
                if self.is_true(literal) {
                    self.unsee(&touched);
                    return Lesson::Nothing;
                }
                if self.seen[variable] {
                    if self.is_open(literal) && lower.contains(&!literal) {
                        self.unsee(&touched);
                        return Lesson::Nothing;
                    }
                    continue;
                }
                if self.is_false(literal) && self.is_false_for_good(literal) {
                    continue;
                }
                self.seen[variable] = true;
                touched.push(literal);
                self.heap.bump(variable);
                if self.is_false(literal) && self.assignment.levels[variable] == top {
                    on_top += 1;
                } else {
                    lower.push(literal);
                }
            }
            if on_top == 0 {
                // Only open universal literals, or none, are left.
                break None;
            }
            // The latest literal of the top level.
            let latest = loop {
                position -= 1;
                let literal = self.assignment.trail[position];
                if self.seen[literal.var().index()]
                    && self.assignment.levels[literal.var().index()] == top
                {
                    break literal;
                }
            };
            on_top -= 1;
            reason = self.assignment.reasons[latest.var().index()];
            if on_top == 0 || reason == NO_REASON {
                debug_assert_eq!(on_top, 0, "a level begins with its only decision");
                break Some(!latest);
            }
            steps += 1;
            resolved = Some(latest);
        };
        if steps == 0 && asserted.is_some() {
            // The conflict has this form already.
            self.unsee(&touched);
            return Lesson::Clause(conflict);
        }
        let mut clause: Vec<Lit> = asserted.into_iter().collect();
        clause.extend(
            lower
                .iter()
                .copied()
                .filter(|&literal| self.derivations.is_some() || !self.is_covered(literal)),
        );
        self.unsee(&touched);
        if clause.is_empty() {
            return Lesson::Contradiction;
        }
        // The literal that becomes open next after the asserted one is to be watched.
        let from = usize::from(asserted.is_some()).min(clause.len() - 1);
        let next = (from..clause.len()).max_by_key(|&index| {
            let literal = clause[index];
            (!self.is_open(literal)).then(|| level_of(self, literal))
        });
        clause.swap(from, next.unwrap_or(from));
        let mut levels: Vec<u32> = clause.iter().map(|&l| level_of(self, l)).collect();
        levels.sort_unstable();
        levels.dedup();
        let id = self.learn(&clause, levels.len() as u32);
        if let Some(derivations) = &mut self.derivations {
            derivations.learned(id, &used, &self.store);
        }
        Lesson::Clause(id)
    }

    /// Whether a false literal follows from the falsity of others in the clause at hand.
    fn is_covered(&self, literal: Lit) -> bool {
        let reason = self.assignment.reasons[literal.var().index()];
        self.is_false(literal)
            && reason != NO_REASON
            && self.store.get(reason).iter().all(|&other| {
                let variable = other.var().index();
                other == !literal
                    || self.is_false(other)
                        && (self.seen[variable] || self.is_false_for_good(other))
            })
    }

    fn unsee(&mut self, touched: &[Lit]) {
        for literal in touched {
            self.seen[literal.var().index()] = false;
        }
    }
}
