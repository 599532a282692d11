//! The prefix: the order in which variables are decided, and the player who decides each.

use crate::Var;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use std::fmt;
use std::sync::Arc;

/// The player who decides a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quantifier {
    /// The maximizer.
    Exists,
    /// The minimizer.
    Forall,
    /// Chance: independently true with a given probability ("randomized" variables of
    /// stochastic SAT).
    Chance,
}

/// A rational number from 0 to 1. Clones share it, because formulas have many chance variables and few probabilities.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Probability(Arc<BigRational>);

/// A number outside 0..1 was offered as a probability.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0} is not a probability: it must be between 0 and 1")]
pub struct ProbabilityError(pub BigRational);

impl Probability {
    /// Checks that the number lies between 0 and 1.
    pub fn new(number: BigRational) -> Result<Self, ProbabilityError> {
        if number.is_negative() || number > BigRational::one() {
            Err(ProbabilityError(number))
        } else {
            Ok(Probability(Arc::new(number)))
        }
    }

    /// The fraction `numerator / denominator`.
    ///
    /// # Panics
    /// If the denominator is 0 or the fraction is above 1.
    pub fn ratio(numerator: u64, denominator: u64) -> Self {
        Self::new(BigRational::new(numerator.into(), denominator.into()))
            .expect("the numerator is at most the denominator")
    }

    pub fn as_rational(&self) -> &BigRational {
        &self.0
    }

    /// One minus this probability.
    pub fn complement(&self) -> Self {
        Probability(Arc::new(BigRational::one() - self.as_rational()))
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_zero()
    }

    pub fn is_one(&self) -> bool {
        self.0.is_one()
    }
}

impl fmt::Debug for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_rational(), f)
    }
}

/// Neighbouring variables with the same quantifier; their order has no influence on the value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// The player who decides these variables.
    pub quantifier: Quantifier,
    /// The variables, in the order given.
    pub variables: Vec<Var>,
}

/// The blocks of a formula from the outermost to the innermost. No block is empty, and
/// neighbouring blocks have different quantifiers: [`Prefix::push`] merges them.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Prefix {
    blocks: Vec<Block>,
    /// By variable index; `None` for variables that are not decided by chance.
    chances: Vec<Option<Probability>>,
}

impl Prefix {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds variables innermost, decided by the maximizer or the minimizer.
    ///
    /// # Panics
    /// If the quantifier is [`Quantifier::Chance`]: use [`Prefix::push_chance`].
    pub fn push<I: IntoIterator<Item = Var>>(&mut self, quantifier: Quantifier, variables: I) {
        assert_ne!(
            quantifier,
            Quantifier::Chance,
            "chance variables need a probability"
        );
        for variable in variables {
            self.append(quantifier, variable);
        }
    }

    /// Adds a chance variable innermost.
    pub fn push_chance(&mut self, variable: Var, true_with: Probability) {
        self.append(Quantifier::Chance, variable);
        if self.chances.len() <= variable.index() {
            self.chances.resize(variable.index() + 1, None);
        }
        self.chances[variable.index()] = Some(true_with);
    }

    fn append(&mut self, quantifier: Quantifier, variable: Var) {
        match self.blocks.last_mut() {
            Some(block) if block.quantifier == quantifier => block.variables.push(variable),
            _ => self.blocks.push(Block {
                quantifier,
                variables: vec![variable],
            }),
        }
    }

    /// Adds existential variables outermost, before all others: where variables without a
    /// quantifier belong.
    pub fn push_outermost<I: IntoIterator<Item = Var>>(&mut self, variables: I) {
        let variables: Vec<Var> = variables.into_iter().collect();
        if variables.is_empty() {
            return;
        }
        match self.blocks.first_mut() {
            Some(block) if block.quantifier == Quantifier::Exists => {
                block.variables.splice(0..0, variables);
            }
            _ => self.blocks.insert(
                0,
                Block {
                    quantifier: Quantifier::Exists,
                    variables,
                },
            ),
        }
    }

    /// The blocks, outermost first.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The probability that a chance variable is true; `None` for all other variables.
    pub fn probability(&self, variable: Var) -> Option<&Probability> {
        self.chances.get(variable.index())?.as_ref()
    }

    /// The number of quantified variables.
    pub fn variable_count(&self) -> usize {
        self.blocks.iter().map(|block| block.variables.len()).sum()
    }
}
