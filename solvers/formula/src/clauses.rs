//! Many clauses in one block of memory. Formulas of long games have millions of clauses, so one
//! allocation per clause would cost more than reading the file.

use crate::Lit;
use std::fmt;

/// A list of clauses, stored end to end.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Clauses {
    literals: Vec<Lit>,
    ends: Vec<usize>,
}

impl Clauses {
    pub fn new() -> Self {
        Self::default()
    }

    /// No clauses, with room for this many and for all their literals.
    pub fn with_capacity(clauses: usize, literals: usize) -> Self {
        Clauses {
            literals: Vec::with_capacity(literals),
            ends: Vec::with_capacity(clauses),
        }
    }

    /// Adds one clause. The empty clause is allowed and is false.
    pub fn push<I: IntoIterator<Item = Lit>>(&mut self, clause: I) {
        self.literals.extend(clause);
        self.ends.push(self.literals.len());
    }

    /// The literals of all clauses, one clause after the other.
    pub fn into_literals(self) -> Vec<Lit> {
        self.literals
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no clauses.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The number of literals in all clauses together.
    pub fn literal_count(&self) -> usize {
        self.literals.len()
    }

    /// The clause at this position.
    ///
    /// # Panics
    /// If there are not that many clauses.
    #[inline]
    pub fn get(&self, index: usize) -> &[Lit] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.literals[start..self.ends[index]]
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[Lit]> {
        (0..self.len()).map(|index| self.get(index))
    }
}

impl<'a> FromIterator<&'a [Lit]> for Clauses {
    fn from_iter<I: IntoIterator<Item = &'a [Lit]>>(clauses: I) -> Self {
        let mut result = Clauses::new();
        for clause in clauses {
            result.push(clause.iter().copied());
        }
        result
    }
}

impl fmt::Debug for Clauses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
