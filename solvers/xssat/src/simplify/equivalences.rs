//! Equal variables. A clause of two literals is a pair of implications; literals that imply each
//! other in a circle (a strongly connected component of the implication graph) are equal in every
//! solution. An existential variable that equals a literal of an earlier variable, or of one in
//! its own block, is replaced by it: whoever decides the earlier one, the later one has no choice.
//!
//! Only existential variables are replaced. A universal or chance variable that is tied to an
//! earlier one stays, and so do the clauses that tie it, which cost the value what they must.
//!
//! ```text
//! (-1 or 2) (1 or -2) (2 or 3)   becomes   (1 or 3)
//! ```

use crate::components::components;
use crate::problem::{Falsified, Problem};
use formula::{Lit, Quantifier};

/// Replaces what can be replaced; says whether anything was.
pub fn substitute(problem: &mut Problem) -> Result<bool, Falsified> {
    let codes = 2 * problem.variables();
    let mut starts = vec![0u32; codes + 1];
    let mut implications = Vec::new();
    for clause in problem.clauses.iter() {
        if let &[first, second] = clause {
            implications.push((!first, second));
            implications.push((!second, first));
        }
    }
    if implications.is_empty() {
        return Ok(false);
    }
    implications.sort_unstable();
    for (from, _) in &implications {
        starts[from.code() + 1] += 1;
    }
    for code in 0..codes {
        starts[code + 1] += starts[code];
    }
    let targets: Vec<u32> = implications
        .iter()
        .map(|(_, to)| to.code() as u32)
        .collect();
    let component = components(codes, |code| {
        &targets[starts[code] as usize..starts[code + 1] as usize]
    });

    // The earliest literal of each component; literals without implications are alone in theirs.
    let mut earliest: Vec<Option<Lit>> = vec![None; codes];
    for code in 0..codes {
        let literal = Lit::from_code(code);
        if component[code] == component[(!literal).code()] {
            return Err(Falsified);
        }
        let best = &mut earliest[component[code] as usize];
        if best.is_none_or(|best| problem.position(literal.var()) < problem.position(best.var())) {
            *best = Some(literal);
        }
    }
    let quantifiers = &problem.quantifiers;
    let replacement = |literal: Lit| match quantifiers[literal.var().index()] {
        Quantifier::Exists => earliest[component[literal.code()] as usize].expect("not empty"),
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
