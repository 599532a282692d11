//! Satisfiability of a component, as if one player decided all variables: a search for a model with conflict-driven clause
//! learning (CDCL).
//!
//! The main search enters no component without a model of it. This settles components without
//! chance and universal variables at once, it finds dead ends with all the power of
//! non-chronological backtracking and restarts, and it is what makes learned clauses safe to use
//! inside of components (see [`super`]). As long as the search follows the model at hand, no new
//! one is needed; after that, the old one says which value to try first, so the new one is found
//! fast.

use super::analyse::Lesson;
use super::deduction::{Deduction, Mark, Reading};
use super::policy::{MAX_CANDIDATES, RESTART};
use super::propagate::Status;
use super::store::ClauseId;
use formula::{Lit, Var};
use limits::{StopReason, Watch};

impl Deduction {
    /// Finds a model of the open variables of this list, which are those of the component at work,
    /// or else gives a clause that is false under the present assignment. Literals that follow
    /// from the present assignment may be added to it.
    pub fn find_model(
        &mut self,
        variables: &[u32],
        watch: &mut Watch<'_>,
    ) -> Result<Result<(), ClauseId>, StopReason> {
        self.counts.models += 1;
        self.heap.clear();
        for &variable in variables {
            if self.is_open(Var::new(variable as usize).positive()) {
                self.heap.insert(variable as usize);
            }
        }
        let base = self.level();
        let start = self.mark();
        let result = self.search_model(base, watch);
        if let Ok(Ok(())) = result {
            for &variable in variables {
                let literal = Var::new(variable as usize).positive();
                if self.model[variable as usize] != self.is_true(literal) {
                    self.flip(variable as usize);
                }
            }
        }
        self.heap.clear();
        self.backtrack(self.end_of_level(base));
        if self.has_universals
            && let Some(clause) = self.forced_universal(start)
        {
            return result.map(|_| Err(clause));
        }
        result
    }

    /// Changes the known model of the component at work so that it has the values assigned since
    /// a mark. Says whether it is a model then; if not, it is left as it was.
    ///
    /// Clauses that become false are mended by turning round one literal each, if that makes no
    /// other clause false.
    pub fn repair_model(&mut self, start: Mark) -> bool {
        let mut changed = Vec::new();
        for position in start.trail..self.assignment.trail.len() {
            let literal = self.assignment.trail[position];
            let variable = literal.var().index();
            if self.component(literal) == self.here && !literal.holds(self.model[variable]) {
                self.flip(variable);
                changed.push(variable);
            }
        }
        self.mend_all(changed)
    }

    /// Mends the model, of which these variables were turned round; if that fails, turns them back.
    pub fn mend_all(&mut self, mut changed: Vec<usize>) -> bool {
        for index in 0..changed.len() {
            let literal = Var::new(changed[index]).literal(!self.model[changed[index]]);
            for position in 0..self.occurrences.of(literal).len() {
                let clause = self.occurrences.of(literal)[position];
                if !self.holds_in_model(clause, None) && !self.mend(clause, &mut changed) {
                    for variable in changed {
                        self.flip(variable);
                    }
                    return false;
                }
            }
        }
        true
    }

    /// Makes a clause true in the model by turning round one open literal.
    fn mend(&mut self, clause: ClauseId, changed: &mut Vec<usize>) -> bool {
        let open = self.store.get(clause).iter().copied();
        let mut open = open.filter(|&l| self.is_open(l)).take(MAX_CANDIDATES);
        let candidate = open.find(|&literal| {
            let mut clauses = self.occurrences.of(!literal).iter();
            clauses.all(|&clause| self.holds_in_model(clause, Some(!literal)))
        });
        if let Some(literal) = candidate {
            self.flip(literal.var().index());
            changed.push(literal.var().index());
        }
        candidate.is_some()
    }

    /// Whether the known model makes all these clauses true.
    pub fn is_model(&self, clauses: &[ClauseId]) -> bool {
        clauses
            .iter()
            .all(|&clause| self.holds_in_model(clause, None))
    }

    /// Whether a clause has a literal, other than this one, that is true or, if open, true in the
    /// model.
    fn holds_in_model(&self, clause: ClauseId, except: Option<Lit>) -> bool {
        self.store.get(clause).iter().any(|&literal| {
            Some(literal) != except
                && if self.is_open(literal) {
                    literal.holds(self.model[literal.var().index()])
                } else {
                    self.is_true(literal)
                }
        })
    }

    /// If a universal literal was found to follow, takes it back. If it belongs to the component at
    /// work, its reason is returned: it will be false when the minimizer has moved.
    fn forced_universal(&mut self, start: Mark) -> Option<ClauseId> {
        let literals = &self.assignment.trail[start.trail..];
        let position = literals
            .iter()
            .position(|&literal| self.is_universal(literal))?;
        let literal = literals[position];
        let reason = self.assignment.reasons[literal.var().index()];
        self.backtrack(Mark {
            trail: start.trail + position,
            ..start
        });
        (self.component(literal) == self.here).then_some(reason)
    }

    fn search_model(
        &mut self,
        base: u32,
        watch: &mut Watch<'_>,
    ) -> Result<Result<(), ClauseId>, StopReason> {
        let mut restarts = 1;
        let mut left = RESTART;
        loop {
            watch.decide()?;
            if self.is_time_to_check() {
                watch.check_limits()?;
            }
            if let Some(conflict) = self.propagate(Reading::Plain) {
                if self.highest_level(conflict) <= base {
                    return Ok(Err(conflict));
                }
                let Lesson::Clause(clause) = self.analyse(conflict) else {
                    unreachable!("reasons above the base are false but for one literal")
                };
                left = left.saturating_sub(1);
                self.go_back(self.second_level(clause).max(base));
                let Status::Unit(literal) = self.status(clause, Reading::Plain) else {
                    unreachable!("a learned clause asserts a literal")
                };
                self.assign(literal, clause);
            } else if left == 0 {
                self.pay(watch)?;
                restarts += 1;
                left = RESTART * luby(restarts);
                self.go_back(base);
            } else {
                let Some(variable) = self.heap.pop() else {
                    return Ok(Ok(()));
                };
                let literal = Var::new(variable).literal(self.model[variable]);
                if self.is_open(literal) {
                    self.decide(literal);
                }
            }
        }
    }

    /// Goes back to the end of a level; what becomes open may be decided again.
    fn go_back(&mut self, level: u32) {
        let mark = self.end_of_level(level);
        for position in mark.trail..self.assignment.trail.len() {
            let variable = self.assignment.trail[position].var().index();
            if self.component_of[variable] == self.here {
                self.heap.insert(variable);
            }
        }
        self.backtrack(mark);
    }

    /// The highest level of the false literals of a clause.
    pub fn highest_level(&self, clause: ClauseId) -> u32 {
        let falsified = self.store.get(clause).iter().filter(|&&l| self.is_false(l));
        let levels = falsified.map(|literal| self.assignment.levels[literal.var().index()]);
        levels.max().unwrap_or(0)
    }

    /// The highest level but one of the false literals of a clause.
    fn second_level(&self, clause: ClauseId) -> u32 {
        let highest = self.highest_level(clause);
        let levels = self.store.get(clause).iter();
        let levels = levels.map(|literal| self.assignment.levels[literal.var().index()]);
        levels.filter(|&level| level < highest).max().unwrap_or(0)
    }
}

/// The n-th number (n = 1, 2, ...) of the sequence 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ... of Luby,
/// Sinclair and Zuckerman: restart often, but sometimes go on for long.
fn luby(mut n: u64) -> u64 {
    loop {
        let bits = u64::BITS - n.leading_zeros();
        if n == (1 << bits) - 1 {
            return 1 << (bits - 1);
        }
        n -= (1 << (bits - 1)) - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::luby;

    #[test]
    fn restarts_follow_the_sequence() {
        let sequence: Vec<u64> = (1..=15).map(luby).collect();
        assert_eq!(sequence, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
