//! Weights of the branches of a chance decision, as whole numbers.
//!
//! The variables of a chance decision are independent, but branches are merged where nothing
//! distinguishes them ([activity](crate::compile)), so the weights of the branches that are left
//! often have a much smaller common denominator than the product of the denominators of the
//! variables: a uniform choice among five moves is encoded by chances 1/2, 1/3, 1/4 and 1/5, with
//! product 120, and has branches of weight 1/5 each.
//!
//! Which merged branches occur is seen only during the search. So each decision starts with
//! denominator 1, and when a state needs a finer one, all values above are scaled up and the search
//! resumes. That happens a few times in the first moments and makes the numbers, and with them the
//! tables, as narrow as they can be.

use crate::search::branches::Branch;
use formula::{BigRational, Probability};
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::One;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use value::Numerator;

/// Remembered distributions per decision; beyond that, memory matters more than time.
const MAX_REMEMBERED: usize = 10_000;

/// The denominator of a decision must be multiplied by this.
#[derive(Debug)]
pub struct TooCoarse(pub BigUint);

/// A chance decision.
pub struct Chances<N> {
    probabilities: Vec<Probability>,
    denominator: BigUint,
    remembered: FxHashMap<Box<[Branch]>, Rc<[N]>>,
}

impl<N: Numerator> Chances<N> {
    /// A decision over variables that are true with these probabilities.
    pub fn new(probabilities: Vec<Probability>, denominator: BigUint) -> Self {
        Chances {
            probabilities,
            denominator,
            remembered: FxHashMap::default(),
        }
    }

    /// The present denominator.
    pub fn denominator(&self) -> &BigUint {
        &self.denominator
    }

    /// Makes the denominator finer.
    pub fn refine(&mut self, factor: &BigUint) {
        self.denominator *= factor;
        self.remembered.clear();
    }

    /// The weights of the branches, in parts of the denominator.
    pub fn weights(&mut self, branches: &[Branch]) -> Result<Rc<[N]>, TooCoarse> {
        if let Some(weights) = self.remembered.get(branches) {
            return Ok(Rc::clone(weights));
        }
        let weights: Vec<BigRational> = branches.iter().map(|branch| self.weight(branch)).collect();
        let needed = weights.iter().fold(BigUint::from(1u8), |lcm, weight| {
            lcm.lcm(weight.denom().magnitude())
        });
        let finer = self.denominator.lcm(&needed);
        if finer != self.denominator {
            return Err(TooCoarse(finer / &self.denominator));
        }
        let part = |weight: BigRational| {
            let parts =
                weight.numer().magnitude() * (&self.denominator / weight.denom().magnitude());
            N::from_big(&parts).expect("a weight is at most the denominator, which fits")
        };
        let weights: Rc<[N]> = weights.into_iter().map(part).collect();
        if self.remembered.len() < MAX_REMEMBERED {
            self.remembered.insert(branches.into(), Rc::clone(&weights));
        }
        Ok(weights)
    }

    fn weight(&self, branch: &Branch) -> BigRational {
        let mut weight = BigRational::one();
        for (place, probability) in self.probabilities.iter().enumerate() {
            if branch.decided >> place & 1 == 1 {
                weight *= if branch.pattern >> place & 1 == 1 {
                    probability.as_rational().clone()
                } else {
                    probability.complement().as_rational().clone()
                };
            }
        }
        weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_has_a_small_denominator() {
        // The second variable is decided only where the first is false: 1/3, 2/3 * 1/2, the rest.
        let probabilities = vec![Probability::ratio(1, 3), Probability::ratio(1, 2)];
        let mut chances = Chances::<u64>::new(probabilities, BigUint::from(1u8));
        let branch = |pattern, decided| Branch { pattern, decided };
        let branches = [branch(0b01, 0b01), branch(0b10, 0b11), branch(0b00, 0b11)];
        let TooCoarse(factor) = chances.weights(&branches).unwrap_err();
        assert_eq!(factor, BigUint::from(3u8));
        chances.refine(&factor);
        assert_eq!(*chances.weights(&branches).unwrap(), [1, 1, 1]);
        chances.refine(&factor);
        assert_eq!(*chances.weights(&branches).unwrap(), [3, 3, 3]);
    }
}
