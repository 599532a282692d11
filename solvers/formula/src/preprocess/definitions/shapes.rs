//! And/or gates by the shape of their clauses. The clauses
//!
//! ```text
//! (g or not a or not b)   (not g or a)   (not g or b)
//! ```
//!
//! say that g is the conjunction of a and b; with g negated, the negation of one (an "or" is a
//! negated conjunction of negations). So a clause C with a literal g is the long clause of a gate
//! exactly if for every other literal l of C there is the clause (not g or not l).

use crate::{Clauses, Lit};
use rustc_hash::FxHashMap;

/// All clauses of two literals, to be found by their literals.
pub struct BinaryClauses(FxHashMap<(Lit, Lit), u32>);

impl BinaryClauses {
    /// Collects the binary clauses.
    pub fn new(clauses: &Clauses) -> Self {
        let mut binary = FxHashMap::default();
        for (index, clause) in clauses.iter().enumerate() {
            if let &[first, second] = clause {
                binary.insert((first.min(second), first.max(second)), index as u32);
            }
        }
        BinaryClauses(binary)
    }

    /// The number of the clause with these two literals.
    pub fn find(&self, first: Lit, second: Lit) -> Option<u32> {
        let pair = (first.min(second), first.max(second));
        self.0.get(&pair).copied()
    }

    /// Whether this clause is the long clause of a gate with this output literal.
    pub fn defines(&self, output: Lit, clause: &[Lit]) -> bool {
        clause
            .iter()
            .all(|&literal| literal == output || self.find(!output, !literal).is_some())
    }
}
