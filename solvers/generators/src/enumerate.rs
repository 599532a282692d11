//! The value of a formula by its definition: the oracle for tests.
//!
//! Under the prefix from the outermost to the innermost variable, the value is the larger of two
//! values for an existential variable, the smaller for a universal one, the weighted mean for
//! chance; when all variables have a value, it is 1 if every clause has a true literal and 0
//! otherwise. This code is that sentence. It is meant to be obviously right and leaves out every
//! shortcut, so it visits all `2^n` assignments.

use formula::{BigRational, Formula, Quantifier, Var};
use num_traits::{One, Zero};

/// The most variables [`enumerate`] takes: about 33 million assignments.
pub const MAX_VARIABLES: usize = 25;

/// A formula has too many variables for plain enumeration.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "plain enumeration takes at most {MAX_VARIABLES} variables and this formula has {variables}: \
     use a solver"
)]
pub struct TooManyVariables {
    /// The number of variables of the formula.
    pub variables: usize,
}

/// The exact value of a small formula.
///
/// ```
/// let formula = formula::read(b"p cnf 2 1\nr 0.7 1 2 0\n1 2 0\n").unwrap();
/// assert_eq!(sqasp_generators::enumerate(&formula).unwrap().to_string(), "91/100");
/// ```
pub fn enumerate(formula: &Formula) -> Result<BigRational, TooManyVariables> {
    let variables = formula.variables();
    if variables > MAX_VARIABLES {
        return Err(TooManyVariables { variables });
    }
    let blocks = formula.prefix().blocks();
    let prefix: Vec<(Quantifier, Var)> = blocks
        .iter()
        .flat_map(|block| block.variables.iter().map(|&var| (block.quantifier, var)))
        .collect();
    Ok(value(formula, &prefix, &mut vec![false; variables]))
}

/// The value when the variables before this part of the prefix are assigned.
fn value(
    formula: &Formula,
    prefix: &[(Quantifier, Var)],
    assignment: &mut Vec<bool>,
) -> BigRational {
    let Some((&(quantifier, var), rest)) = prefix.split_first() else {
        let satisfied = formula.matrix().iter().all(|clause| {
            clause
                .iter()
                .any(|lit| lit.holds(assignment[lit.var().index()]))
        });
        return if satisfied {
            BigRational::one()
        } else {
            BigRational::zero()
        };
    };
    assignment[var.index()] = false;
    let when_false = value(formula, rest, assignment);
    assignment[var.index()] = true;
    let when_true = value(formula, rest, assignment);
    match quantifier {
        Quantifier::Exists => when_false.max(when_true),
        Quantifier::Forall => when_false.min(when_true),
        Quantifier::Chance => {
            let probability = formula
                .prefix()
                .probability(var)
                .expect("a chance variable of the prefix has a probability");
            when_true * probability.as_rational()
                + when_false * probability.complement().as_rational()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_formulas_are_refused() {
        let formula = formula::read(b"p cnf 26 0\n").unwrap();
        assert_eq!(enumerate(&formula), Err(TooManyVariables { variables: 26 }));
    }
}
