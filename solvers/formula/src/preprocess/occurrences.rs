//! Occurrence lists: for each literal the numbers of its clauses, end to end in one block of memory.

use crate::{Clauses, Lit, Var};

/// Lists of clause numbers by literal.
#[derive(Clone)]
pub struct Occurrences {
    starts: Vec<u32>,
    clauses: Vec<u32>,
}

impl Occurrences {
    /// Collects the occurrences of all literals of this many variables.
    pub fn new(variables: usize, clauses: &Clauses) -> Self {
        let mut starts = vec![0u32; 2 * variables + 1];
        for literal in clauses.iter().flatten() {
            starts[literal.code() + 1] += 1;
        }
        for code in 0..2 * variables {
            starts[code + 1] += starts[code];
        }
        let mut next = starts.clone();
        let mut lists = vec![0; clauses.literal_count()];
        for (index, clause) in clauses.iter().enumerate() {
            for literal in clause {
                let end = &mut next[literal.code()];
                lists[*end as usize] = index as u32;
                *end += 1;
            }
        }
        Occurrences {
            starts,
            clauses: lists,
        }
    }

    /// The numbers of the clauses with this literal.
    #[inline]
    pub fn of(&self, literal: Lit) -> &[u32] {
        let code = literal.code();
        &self.clauses[self.starts[code] as usize..self.starts[code + 1] as usize]
    }

    /// The numbers of the clauses with this variable.
    #[inline]
    pub fn of_variable(&self, variable: Var) -> &[u32] {
        let code = variable.positive().code();
        &self.clauses[self.starts[code] as usize..self.starts[code + 2] as usize]
    }
}
