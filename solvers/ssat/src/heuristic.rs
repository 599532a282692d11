//! The decision heuristic (VSADS) and pure literals.

use super::deduction::Deduction;
use super::policy::CLAUSE;
use super::residual::Residual;
use formula::{Lit, Quantifier, Var};
use std::cmp::Reverse;

/// Literals that may be decided without a search of their negation: existential ones whose
/// negation does not occur are made true, and universal ones are made false.
pub fn pure_literals(deduction: &Deduction, residual: &Residual, variables: &[u32]) -> Vec<Lit> {
    let mut pure = Vec::new();
    for &variable in variables {
        let variable = Var::new(variable as usize);
        let [positive, negative] =
            [variable.positive(), variable.negative()].map(|l| residual.count(l));
        if positive > 0 && negative > 0 {
            continue;
        }
        match deduction.instance.quantifiers[variable.index()] {
            Quantifier::Exists => pure.push(variable.literal(negative == 0)),
            Quantifier::Forall => pure.push(variable.literal(positive == 0)),
            Quantifier::Chance => {}
        }
    }
    pure
}

/// A literal to decide first: of the variables of the outermost block, the one that was in
/// most conflicts lately and is in most clauses (VSADS). Of equal ones the first: formulas often list
/// variables in the order in which things happen, and a state that is known up to some time is met again.
///
/// `nearness` is that to the middle of a tree decomposition, by variable, in units of a score; or nothing. Defined variables are in most
/// clauses, so they come first, unless only conflicts are to count for them: then none is given.
pub fn choose(
    deduction: &Deduction,
    residual: &Residual,
    variables: &[u32],
    nearness: Option<&[u64]>,
) -> Lit {
    let levels = &deduction.instance.decided;
    let block = levels[variables[0] as usize];
    let outermost = variables.iter().map(|&variable| variable as usize);
    let outermost = outermost.take_while(|&variable| levels[variable] == block);
    let best = outermost.max_by_key(|&variable| {
        let literal = Var::new(variable).positive();
        let mut score = deduction.heap.activity(variable);
        if nearness.is_some() || !deduction.instance.is_defined[variable] {
            score += CLAUSE * u64::from(residual.count(literal) + residual.count(!literal));
        }
        let near = nearness.and_then(|nearness| nearness.get(variable));
        (score + near.unwrap_or(&0), Reverse(variable))
    });
    let variable = Var::new(best.expect("a component has variables"));
    first_value(deduction, residual, variable)
}

/// The literal of a variable to decide first: of a universal one that which makes more clauses
/// shorter, of others that which the known model has, since it is possible at least.
pub fn first_value(deduction: &Deduction, residual: &Residual, variable: Var) -> Lit {
    match deduction.instance.quantifiers[variable.index()] {
        Quantifier::Exists | Quantifier::Chance => {
            variable.literal(deduction.model[variable.index()])
        }
        Quantifier::Forall => {
            let [positive, negative] = [variable.positive(), variable.negative()];
            variable.literal(residual.count(positive) < residual.count(negative))
        }
    }
}
