//! Universal reduction: a universal literal that is decided after all other variables of its
//! clause does not help the clause. If the rest is false by then, the minimising player makes the
//! literal false too, and the formula is lost on that path with or without it. (Known from
//! Q-resolution; it holds with chance as well, because only the order of play is used.)
//!
//! ```text
//! e 1, a 2:  (1 or 2)   becomes   (1)
//! ```

use crate::problem::Problem;
use formula::Quantifier;

/// Reduces every clause; says whether some clause became shorter. A clause of universal literals
/// only becomes empty.
pub fn reduce_universals(problem: &mut Problem) -> bool {
    if !problem.quantifiers.contains(&Quantifier::Forall) {
        return false;
    }
    let (quantifiers, levels) = (problem.quantifiers.clone(), problem.levels.clone());
    let mut changed = false;
    problem.rewrite_clauses(|clause, kept| {
        let universal = |index: usize| quantifiers[index] == Quantifier::Forall;
        let last = clause
            .iter()
            .map(|literal| literal.var().index())
            .filter(|&index| !universal(index))
            .map(|index| levels[index])
            .max();
        kept.extend(clause.iter().filter(|literal| {
            let index = literal.var().index();
            !universal(index) || last.is_some_and(|last| levels[index] < last)
        }));
        changed |= kept.len() < clause.len();
        true
    });
    changed
}
