//! A test's second oracle: the definition, cut short where a clause is already false.
//!
//! [`enumerate`](crate::enumerate()) visits all assignments. Formulas that describe a problem
//! have many defined variables, and stopping at the first false clause leaves so few assignments
//! that formulas of some dozen decisions can be evaluated.

use formula::{BigRational, Formula, Lit, Quantifier, Var};
use num_traits::{One, Zero};

/// The exact value of a formula with few consistent assignments.
pub(super) fn evaluate(formula: &Formula) -> BigRational {
    let prefix: Vec<(Quantifier, Var)> = formula
        .prefix()
        .blocks()
        .iter()
        .flat_map(|block| block.variables.iter().map(|&var| (block.quantifier, var)))
        .collect();
    let mut order = vec![0; formula.variables()];
    for (index, &(_, var)) in prefix.iter().enumerate() {
        order[var.index()] = index;
    }
    // A clause is checked when its last variable is assigned.
    let mut completed: Vec<Vec<&[Lit]>> = vec![Vec::new(); prefix.len()];
    for clause in formula.matrix().iter() {
        match clause.iter().map(|lit| order[lit.var().index()]).max() {
            Some(last) => completed[last].push(clause),
            None => return BigRational::zero(),
        }
    }
    let mut assignment = vec![false; formula.variables()];
    value(formula, &prefix, &completed, 0, &mut assignment)
}

fn value(
    formula: &Formula,
    prefix: &[(Quantifier, Var)],
    completed: &[Vec<&[Lit]>],
    depth: usize,
    assignment: &mut Vec<bool>,
) -> BigRational {
    let Some(&(quantifier, var)) = prefix.get(depth) else {
        return BigRational::one();
    };
    let [when_false, when_true] = [false, true].map(|chosen| {
        assignment[var.index()] = chosen;
        let holds = |clause: &&[Lit]| {
            clause
                .iter()
                .any(|lit| lit.holds(assignment[lit.var().index()]))
        };
        if completed[depth].iter().all(holds) {
            value(formula, prefix, completed, depth + 1, assignment)
        } else {
            BigRational::zero()
        }
    });
    match quantifier {
        Quantifier::Exists => when_false.max(when_true),
        Quantifier::Forall => when_false.min(when_true),
        Quantifier::Chance => {
            let probability = formula.prefix().probability(var).expect("it has one");
            when_true * probability.as_rational()
                + when_false * probability.complement().as_rational()
        }
    }
}
