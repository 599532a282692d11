//! What unit clauses force: a clause whose literals are all false but one makes that one true.
//!
//! Where the value is above 0 this holds for variables of every quantifier. For an existential one the
//! other value would be worth 0; a chance variable only scales all that is to be compared; and a
//! universal one would bring the value down to 0.

use crate::{Formula, Lit, Var};

/// Values of variables, and those that follow from them.
pub(super) struct Units<'a> {
    formula: &'a Formula,
    values: Vec<Option<bool>>,
    /// For each literal the clauses that it occurs in, all lists end to end.
    clauses: Vec<u32>,
    ends: Vec<u32>,
    /// For each clause how many of its literals are not false, and whether one is true.
    open: Vec<u32>,
    satisfied: Vec<bool>,
    queue: Vec<Lit>,
}

impl<'a> Units<'a> {
    /// Without any values but those that follow from the clauses alone.
    pub(super) fn of(formula: &'a Formula) -> Self {
        let mut ends = vec![0; 2 * formula.variables() + 1];
        for lit in formula.matrix().iter().flatten() {
            ends[lit.code() + 1] += 1;
        }
        for code in 1..ends.len() {
            ends[code] += ends[code - 1];
        }
        let mut next = ends.clone();
        let mut clauses = vec![0; formula.matrix().literal_count()];
        for (index, clause) in formula.matrix().iter().enumerate() {
            for lit in clause {
                clauses[next[lit.code()] as usize] = index as u32;
                next[lit.code()] += 1;
            }
        }
        let open = formula.matrix().iter().map(|clause| clause.len() as u32);
        let mut units = Units {
            formula,
            values: vec![None; formula.variables()],
            clauses,
            ends,
            open: open.collect(),
            satisfied: vec![false; formula.matrix().len()],
            queue: Vec::new(),
        };
        for clause in formula.matrix().iter() {
            if let &[lit] = clause {
                units.assume(lit);
            }
        }
        units
    }

    /// The value of a variable, as far as it is known.
    pub(super) fn value(&self, variable: Var) -> Option<bool> {
        self.values[variable.index()]
    }

    /// Makes a literal true, with all that follows. A literal that is false already stays false.
    pub(super) fn assume(&mut self, lit: Lit) {
        self.queue.push(lit);
        while let Some(lit) = self.queue.pop() {
            let value = &mut self.values[lit.var().index()];
            if value.is_some() {
                continue;
            }
            *value = Some(!lit.is_negative());
            for place in self.occurrences(lit) {
                self.satisfied[self.clauses[place] as usize] = true;
            }
            for place in self.occurrences(!lit) {
                let clause = self.clauses[place] as usize;
                self.open[clause] -= 1;
                if self.open[clause] == 1 && !self.satisfied[clause] {
                    let literals = self.formula.matrix().get(clause).iter();
                    let mut unknown = literals.filter(|lit| self.value(lit.var()).is_none());
                    self.queue.extend(unknown.next());
                }
            }
        }
    }

    /// Where the clauses of a literal stand.
    fn occurrences(&self, lit: Lit) -> std::ops::Range<usize> {
        self.ends[lit.code()] as usize..self.ends[lit.code() + 1] as usize
    }
}
