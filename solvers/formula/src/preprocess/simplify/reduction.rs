//! Universal reduction: a universal literal that is decided after all other variables of its
//! clause does not help the clause. If the rest is false by then, the minimizer makes the
//! literal false too, and the formula is lost on that path with or without it. (Known from
//! Q-resolution; it holds with chance as well, because only the order of play is used.)
//!
//! ```text
//! e 1, a 2:  (1 or 2)   becomes   (1)
//! ```

use super::super::problem::Problem;
use crate::{Lit, Quantifier};

/// Reduces every clause; says whether some clause became shorter. A clause of universal literals
/// only becomes empty.
pub fn reduce_universals(problem: &mut Problem) -> bool {
    if !problem.quantifiers.contains(&Quantifier::Forall) {
        return false;
    }
    let (quantifiers, levels) = (problem.quantifiers.clone(), problem.levels.clone());
    let is_universal = |literal: &Lit| quantifiers[literal.var().index()] == Quantifier::Forall;
    let level = |literal: &Lit| levels[literal.var().index()];
    // The level of the last literal of a clause that is not universal.
    let last = |clause: &[Lit]| {
        let others = clause.iter().filter(|literal| !is_universal(literal));
        others.map(level).max()
    };
    let is_dropped = |literal: &Lit, last: Option<u32>| {
        is_universal(literal) && last.is_none_or(|last| level(literal) > last)
    };
    let changes = problem.clauses.iter().any(|clause| {
        clause.iter().any(is_universal) && {
            let last = last(clause);
            clause.iter().any(|literal| is_dropped(literal, last))
        }
    });
    if !changes {
        return false;
    }
    problem.rewrite_clauses(|clause, kept| {
        let last = last(clause);
        kept.extend(clause.iter().filter(|literal| !is_dropped(literal, last)));
        true
    });
    true
}
