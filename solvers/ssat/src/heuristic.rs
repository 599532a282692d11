//! The decision heuristic (VSADS), pure literals, and the cache key of a component.

use super::deduction::Deduction;
use super::residual::Residual;
use formula::{Lit, Quantifier, Var};
use std::cmp::Reverse;

/// The buffer in which cache keys are made.
#[derive(Default)]
pub struct Keys {
    key: Vec<u8>,
}

impl Keys {
    /// The exact key: the variables and the shortened clauses, as distances from one to the next,
    /// seven bits to a byte.
    pub fn key(&mut self, residual: &Residual, variables: &[u32], clauses: &[u32]) -> Box<[u8]> {
        let key = &mut self.key;
        key.clear();
        push(key, variables.len() as u32);
        let mut last = 0;
        for &variable in variables {
            push(key, variable - last);
            last = variable;
        }
        last = 0;
        for &clause in clauses {
            if residual.is_shortened(clause) {
                push(key, clause - last);
                last = clause;
            }
        }
        key.as_slice().into()
    }

    /// Literals that may be decided without a look at their negation: existential ones whose
    /// negation does not occur are made true, and universal ones are made false.
    pub fn pure_literals(
        deduction: &Deduction,
        residual: &Residual,
        variables: &[u32],
    ) -> Vec<Lit> {
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
    /// Defined variables are in most clauses, so they come first, unless only conflicts are to count for them. Where they do,
    /// variables are given by their distance from the middle, and those nearest to it come before all others.
    pub fn choose(
        deduction: &Deduction,
        residual: &Residual,
        variables: &[u32],
        distances: Option<&[u32]>,
    ) -> Lit {
        let levels = &deduction.instance.decided;
        let block = levels[variables[0] as usize];
        let outermost = variables.iter().map(|&variable| variable as usize);
        let outermost = outermost.take_while(|&variable| levels[variable] == block);
        let best = outermost.max_by_key(|&variable| {
            let literal = Var::new(variable).positive();
            let mut score = deduction.heap.activity(variable);
            if distances.is_some() || !deduction.instance.is_defined[variable] {
                score += 64 * u64::from(residual.count(literal) + residual.count(!literal));
            }
            let distance = distances.map_or(0, |distances| distances[variable]);
            (Reverse(distance), score, Reverse(variable))
        });
        let variable = Var::new(best.expect("a component has variables"));
        Self::literal(deduction, residual, variable)
    }

    /// The literal of a variable to decide first: of a universal one that which makes more clauses
    /// shorter, of others that which the known model has, since it is possible at least.
    pub fn literal(deduction: &Deduction, residual: &Residual, variable: Var) -> Lit {
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
}

/// Adds a number to a key, seven bits to a byte.
#[inline]
fn push(key: &mut Vec<u8>, mut number: u32) {
    while number >= 128 {
        key.push(number as u8 | 128);
        number >>= 7;
    }
    key.push(number as u8);
}
