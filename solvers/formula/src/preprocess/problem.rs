//! A formula in the form the solver works on: for each variable the player and the level, clauses
//! without repetitions, and a factor for the part that simplification has already settled.
//!
//! Invariants: a clause has sorted, distinct literals and is no tautology; no clause occurs twice;
//! the value of the formula is `factor` times the value of the problem.

use crate::{BigRational, Clauses, Formula, Lit, Probability, Quantifier, Var};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// The value of the problem is 0: some clause cannot be satisfied whatever happens.
#[derive(Debug, PartialEq, Eq)]
pub struct Falsified;

/// A formula on its way through the simplifier.
#[derive(Debug)]
pub struct Problem {
    /// The player who decides, by variable.
    pub quantifiers: Vec<Quantifier>,
    /// The number of the block, by variable; outermost is 0.
    pub levels: Vec<u32>,
    /// The probability of *true*, by variable; only for chance variables.
    pub chances: Vec<Option<Probability>>,
    pub clauses: Clauses,
    /// The factor by which the value is multiplied.
    pub factor: BigRational,
}

impl Problem {
    pub fn new(formula: &Formula) -> Self {
        let variables = formula.variables();
        let mut quantifiers = vec![Quantifier::Exists; variables];
        let mut levels = vec![0; variables];
        let mut chances = vec![None; variables];
        for (level, block) in formula.prefix().blocks().iter().enumerate() {
            for &variable in &block.variables {
                quantifiers[variable.index()] = block.quantifier;
                levels[variable.index()] = level as u32;
                chances[variable.index()] = formula.prefix().probability(variable).cloned();
            }
        }
        Problem {
            quantifiers,
            levels,
            chances,
            clauses: rewritten(formula.matrix(), |clause, kept| {
                kept.extend_from_slice(clause);
                true
            }),
            factor: BigRational::from_integer(1.into()),
        }
    }

    /// The number of variables, those that no longer occur included.
    pub fn variables(&self) -> usize {
        self.quantifiers.len()
    }

    /// The player who decides this variable.
    pub fn quantifier(&self, variable: Var) -> Quantifier {
        self.quantifiers[variable.index()]
    }

    /// Where this variable stands: earlier variables have smaller positions, and the order within
    /// a block is that of the numbers.
    pub fn position(&self, variable: Var) -> (u32, Var) {
        (self.levels[variable.index()], variable)
    }

    /// For each variable, whether it occurs in clauses.
    pub fn occurring(&self) -> Vec<bool> {
        let mut occurring = vec![false; self.variables()];
        for literal in self.clauses.iter().flatten() {
            occurring[literal.var().index()] = true;
        }
        occurring
    }

    /// Rebuilds the clauses. `rewrite` gets a clause and fills a buffer with the literals that
    /// take its place, or returns `false` to drop the clause. Repetitions and tautologies go.
    pub fn rewrite_clauses(&mut self, rewrite: impl FnMut(&[Lit], &mut Vec<Lit>) -> bool) {
        self.clauses = rewritten(&self.clauses, rewrite);
    }

    /// The same problem with these clauses in place of its own.
    pub(crate) fn with_clauses(&self, clauses: Clauses) -> Self {
        let mut problem = Problem {
            quantifiers: self.quantifiers.clone(),
            levels: self.levels.clone(),
            chances: self.chances.clone(),
            clauses,
            factor: self.factor.clone(),
        };
        // Repetitions go.
        problem.rewrite_clauses(|clause, kept| {
            kept.extend_from_slice(clause);
            true
        });
        problem.merge_blocks();
        problem
    }

    /// Merges neighbouring blocks of one quantifier after blocks between them became empty.
    pub fn merge_blocks(&mut self) {
        let occurring = self.occurring();
        let mut order: Vec<Var> = (0..self.variables()).map(Var::new).collect();
        order.sort_by_key(|&variable| self.position(variable));
        let mut merged = 0;
        let mut last: Option<(u32, Quantifier)> = None;
        for variable in order
            .into_iter()
            .filter(|variable| occurring[variable.index()])
        {
            let block = (self.levels[variable.index()], self.quantifier(variable));
            if last.is_some_and(|last| last.1 != block.1) {
                merged += 1;
            }
            last = Some(block);
            self.levels[variable.index()] = merged;
        }
    }
}

/// Clauses as [`Problem::rewrite_clauses`] leaves them.
fn rewritten(clauses: &Clauses, mut rewrite: impl FnMut(&[Lit], &mut Vec<Lit>) -> bool) -> Clauses {
    let hash = |clause: &[Lit]| {
        let mut hasher = FxHasher::default();
        clause.hash(&mut hasher);
        hasher.finish()
    };
    let mut kept = Clauses::with_capacity(clauses.len(), clauses.literal_count());
    // Numbers of clauses only: in long formulas each access to a table waits for memory, the longer the larger it is.
    let mut seen: HashTable<u32> = HashTable::with_capacity(clauses.len());
    let mut buffer = Vec::new();
    for clause in clauses.iter() {
        buffer.clear();
        if !rewrite(clause, &mut buffer) {
            continue;
        }
        buffer.sort_unstable();
        buffer.dedup();
        if buffer.windows(2).any(|pair| pair[0] == !pair[1]) {
            continue;
        }
        let entry = seen.entry(
            hash(&buffer),
            |&index| kept.get(index as usize) == buffer.as_slice(),
            |&index| hash(kept.get(index as usize)),
        );
        if let Entry::Vacant(place) = entry {
            place.insert(kept.len() as u32);
            kept.push(buffer.iter().copied());
        }
    }
    kept
}
