//! Universal expansion: a universal variable goes, and what decides after it is copied, once for each of its values.
//!
//! ```text
//! e 1, a 2, e 3:  (1 2 3) (-2 -3) (-1 -3)
//! 2 false:        (1 3)           (-1 -3)
//! 2 true:                  (-4)   (-1 -4)        4 is the copy of 3
//! e 1 3 4:        (1 3) (-1 -3) (-4) (-1 -4)
//! ```
//!
//! *Why the value stays.* Only existential variables stand after the universal one. So, when all before it have values, the play is won if and only if there are
//! values of the later ones for it being false, and values for it being true: that is, values of both copies together. ∎
//!
//! Only variables that share clauses with it, perhaps by way of other later variables, depend on it and are copied (Biere 2004, Resolve and
//! Expand; Bubeck and Kleine Büning 2007). A clause may be copied for each of 2^n values of n variables, so there is a limit of size.

use super::occurrences::Occurrences;
use super::problem::Problem;
use crate::{Clauses, Lit, Quantifier, Var};

/// Literals that are visited, for each that the larger formula may have.
const WORK: usize = 16;

/// The problem without its last universal blocks, as many as can be expanded with at most this many literals and a proportional amount of work;
/// nothing if there are none.
pub fn expanded(problem: &Problem, max_literals: usize) -> Option<Problem> {
    let mut expanded = None;
    let mut work = max_literals.saturating_mul(WORK);
    loop {
        let before = expanded.as_ref().unwrap_or(problem);
        let Some(after) = without_last_block(before, max_literals, &mut work) else {
            return expanded;
        };
        expanded = Some(after);
    }
}

/// The problem without the last block that is not existential, if that is universal.
fn without_last_block(problem: &Problem, max_literals: usize, work: &mut usize) -> Option<Problem> {
    let occurring = problem.occurring();
    let all = (0..problem.variables()).map(Var::new);
    let others = all.filter(|&variable| {
        occurring[variable.index()] && problem.quantifier(variable) != Quantifier::Exists
    });
    let level = |variable: &Var| problem.levels[variable.index()];
    let last = others.clone().map(|variable| level(&variable)).max()?;
    let block: Vec<Var> = others.filter(|variable| level(variable) == last).collect();
    if problem.quantifier(block[0]) != Quantifier::Forall {
        return None;
    }
    let mut expanded = None;
    for variable in block {
        let after = without(expanded.as_ref().unwrap_or(problem), variable);
        let literals = after.clauses.literal_count();
        *work = work.checked_sub(literals)?;
        if literals > max_literals {
            return None;
        }
        expanded = Some(after);
    }
    expanded
}

/// The problem without a universal variable, after which there are only existential ones.
fn without(problem: &Problem, universal: Var) -> Problem {
    let occurrences = Occurrences::new(problem.variables(), &problem.clauses);
    let mut expanded = problem.with_clauses(Clauses::default());
    let mut is_touched = vec![false; problem.clauses.len()];
    // For each variable that depends on it, the copy.
    let mut copies: Vec<Option<Var>> = vec![None; problem.variables()];
    let mut waiting = vec![universal];
    while let Some(variable) = waiting.pop() {
        for &clause in occurrences.of_variable(variable) {
            if std::mem::replace(&mut is_touched[clause as usize], true) {
                continue;
            }
            for literal in problem.clauses.get(clause as usize) {
                let other = literal.var().index();
                let is_later = problem.levels[other] > problem.levels[universal.index()];
                if is_later && copies[other].is_none() {
                    copies[other] = Some(Var::new(expanded.variables()));
                    expanded.quantifiers.push(Quantifier::Exists);
                    expanded.levels.push(problem.levels[other]);
                    expanded.chances.push(None);
                    waiting.push(literal.var());
                }
            }
        }
    }
    let copied = |literal: Lit| {
        let copy = copies[literal.var().index()];
        copy.map_or(literal, |copy| copy.literal(!literal.is_negative()))
    };
    for (clause, is_touched) in problem.clauses.iter().zip(is_touched) {
        let others = clause.iter().copied().filter(|one| one.var() != universal);
        if is_touched && !clause.contains(&universal.positive()) {
            expanded.clauses.push(others.clone().map(copied));
        }
        if !clause.contains(&universal.negative()) {
            expanded.clauses.push(others);
        }
    }
    let clauses = std::mem::take(&mut expanded.clauses);
    expanded.with_clauses(clauses)
}
