//! Questions about formulas: the value, or a number of models.
//!
//! A *count* is a value times a factor. Chance decides a counted variable with the shares of its two weights, and the
//! factor is the product of the sums of both; variables that are not counted come later and are existential:
//!
//! ```text
//! weights 3 and 1 of 1 and -1:    r 3/4 1 0    and a factor of 4
//! no weights:                     r 1/2 1 0    and a factor of 2
//! ```
//!
//! So the share of an assignment is the product of its weights divided by the factor.

use crate::{Block, Formula, Prefix, Probability, Quantifier, Var};
use num_bigint::BigInt;
use num_rational::BigRational;

/// A formula, and the number that is asked about it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct FormulaQuestion {
    /// The formula.
    pub formula: Formula,
    /// The number that is asked.
    pub quantity: Quantity,
}

/// A number that may be asked about a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Quantity {
    /// Its value.
    Value,
    /// Its value times a factor.
    Count(Count),
}

/// The number of models of a formula, or the sum of their weights.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Count {
    /// Whether literals have weights.
    pub is_weighted: bool,
    /// Whether models are counted that differ in certain variables only.
    pub is_projected: bool,
    /// The weights of all assignments together.
    pub factor: BigRational,
}

impl Count {
    /// The name of the problem in competitions of model counters.
    pub fn name(&self) -> &'static str {
        match (self.is_projected, self.is_weighted) {
            (false, false) => "mc",
            (false, true) => "wmc",
            (true, false) => "pmc",
            (true, true) => "pwmc",
        }
    }
}

impl FormulaQuestion {
    /// The number of models of the formula, if its text asks for nothing else; none if a variable is universal or by chance.
    pub fn counting(self) -> Option<Self> {
        let formula = &self.formula;
        let is_plain = |block: &Block| block.quantifier == Quantifier::Exists;
        if matches!(self.quantity, Quantity::Count(_)) {
            return Some(self);
        }
        if !formula.prefix().blocks().iter().all(is_plain) {
            return None;
        }
        let mut prefix = Prefix::new();
        for index in 0..formula.variables() {
            prefix.push_chance(Var::new(index), Probability::ratio(1, 2));
        }
        let (matrix, names) = (formula.matrix().clone(), formula.names().clone());
        let count = Count {
            is_weighted: false,
            is_projected: false,
            factor: BigRational::from_integer(BigInt::from(1) << formula.variables()),
        };
        Some(FormulaQuestion {
            formula: Formula::new(formula.variables(), prefix, matrix, names),
            quantity: Quantity::Count(count),
        })
    }
}

impl From<Formula> for FormulaQuestion {
    fn from(formula: Formula) -> Self {
        FormulaQuestion {
            formula,
            quantity: Quantity::Value,
        }
    }
}
