//! Equal variables. A clause of two literals is a pair of implications; literals that imply each
//! other in a cycle (a strongly connected component of the implication graph) are equal in every
//! solution. An existential variable that equals a literal of an earlier variable, or of one in
//! its own block, is replaced by it: once the earlier one is decided, the later one has no choice.
//!
//! Only existential variables are replaced. A universal or chance variable that is tied to an
//! earlier one stays, and so do the clauses that tie it, which cost the value what they must.
//!
//! ```text
//! (-1 or 2) (1 or -2) (2 or 3)   becomes   (1 or 3)
//! ```

use super::super::problem::{Falsified, Problem};
use crate::{Lit, Quantifier};
use base::graph::Graph;

/// Replaces what can be replaced; says whether anything was.
pub fn substitute(problem: &mut Problem) -> Result<bool, Falsified> {
    let codes = 2 * problem.variables();
    if !problem.clauses.iter().any(|clause| clause.len() == 2) {
        return Ok(false);
    }
    let implications = Graph::new(codes, |implies| {
        for clause in problem.clauses.iter() {
            if let &[first, second] = clause {
                implies((!first).code(), second.code());
                implies((!second).code(), first.code());
            }
        }
    });
    let components = implications.components();
    let component = |literal: Lit| components.component_of(literal.code());

    // The earliest literal of each component; literals without implications are alone in theirs.
    let mut earliest: Vec<Option<Lit>> = vec![None; codes];
    for code in 0..codes {
        let literal = Lit::from_code(code);
        if component(literal) == component(!literal) {
            return Err(Falsified);
        }
        let best = &mut earliest[component(literal) as usize];
        if best.is_none_or(|best| problem.position(literal.var()) < problem.position(best.var())) {
            *best = Some(literal);
        }
    }
    let quantifiers = &problem.quantifiers;
    let replacement = |literal: Lit| match quantifiers[literal.var().index()] {
        Quantifier::Exists => earliest[component(literal) as usize].expect("not empty"),
        _ => literal,
    };
    let replacements: Vec<Lit> = (0..codes)
        .map(|code| replacement(Lit::from_code(code)))
        .collect();
    if (0..codes).all(|code| replacements[code].code() == code) {
        return Ok(false);
    }
    problem.rewrite_clauses(|clause, kept| {
        kept.extend(clause.iter().map(|literal| replacements[literal.code()]));
        true
    });
    Ok(true)
}
