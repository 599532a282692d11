//! Random clauses over blocks: the models used for random QBF and random stochastic SAT.
//!
//! The prefix is a list of blocks of given sizes. In the simple model the literals of a clause are
//! over distinct variables, all equally likely. With universal variables most such formulas are
//! false for a boring reason: some clause has universal variables only. In the model of Chen and
//! Interian each clause has a given number of literals from each block, at least one existential:
//! with two blocks random 2QBF, as in (1,2)-QCNF for one universal and two existential literals a
//! clause, with three blocks random 3QBF.
//!
//! The size is what was asked for. Such formulas have no layers and few gates, and their value is
//! known by plain enumeration only.

use super::{build, distinct};
use fastrand::Rng;
use formula::{Formula, Lit, Prefix, Probability, Quantifier, Var};

/// One block of the prefix of [`RandomBlocks`].
#[derive(Clone, Debug)]
pub struct RandomBlock {
    /// The player who decides these variables.
    pub quantifier: Quantifier,
    pub variables: usize,
    /// The number of literals that each clause has from this block.
    pub literals: usize,
}

#[derive(Clone, Debug)]
pub struct RandomBlocks {
    /// The blocks, outermost first.
    pub blocks: Vec<RandomBlock>,
    /// The number of literals that each clause has in addition, from all blocks alike.
    pub anywhere: usize,
    pub clauses: usize,
    /// The probability of chance variables; random percentages if there is none.
    pub probability: Option<Probability>,
}

/// Random clauses over blocks. Clauses have distinct variables; the same clause may come twice.
///
/// # Panics
/// If a clause is to have more literals than there are variables.
pub fn random_blocks(rng: &mut Rng, family: &RandomBlocks) -> Formula {
    let mut prefix = Prefix::new();
    let mut variables = 0;
    for block in &family.blocks {
        for index in variables..variables + block.variables {
            let var = Var::new(index);
            if block.quantifier == Quantifier::Chance {
                let random = || Probability::ratio(rng.u64(1..=99), 100);
                let probability = family.probability.clone().unwrap_or_else(random);
                prefix.push_chance(var, probability);
            } else {
                prefix.push(block.quantifier, [var]);
            }
        }
        variables += block.variables;
    }
    let mut matrix: Vec<Vec<Lit>> = Vec::new();
    for _ in 0..family.clauses {
        let mut clause = Vec::new();
        let mut first = 0;
        for block in &family.blocks {
            let chosen = distinct(rng, block.variables, block.literals);
            clause.extend(chosen.into_iter().map(|lit| {
                let var = Var::new(first + lit.var().index());
                var.literal(!lit.is_negative())
            }));
            first += block.variables;
        }
        let width = clause.len() + family.anywhere;
        assert!(
            width <= variables,
            "{width} distinct variables of {variables}"
        );
        while clause.len() < width {
            let lit = Var::new(rng.usize(0..variables)).literal(rng.bool());
            if clause.iter().all(|other| other.var() != lit.var()) {
                clause.push(lit);
            }
        }
        matrix.push(clause);
    }
    build(variables, prefix, matrix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enumerate;
    use num_traits::{One, Zero};

    fn block(quantifier: Quantifier, variables: usize, literals: usize) -> RandomBlock {
        RandomBlock {
            quantifier,
            variables,
            literals,
        }
    }

    #[test]
    fn clauses_take_their_share_of_each_block() {
        let family = RandomBlocks {
            blocks: vec![
                block(Quantifier::Forall, 5, 1),
                block(Quantifier::Exists, 6, 2),
            ],
            anywhere: 0,
            clauses: 20,
            probability: None,
        };
        let formula = random_blocks(&mut Rng::with_seed(1), &family);
        assert_eq!((formula.variables(), formula.matrix().len()), (11, 20));
        for clause in formula.matrix().iter() {
            let universal = clause.iter().filter(|lit| lit.var().index() < 5).count();
            assert_eq!((universal, clause.len()), (1, 3), "{clause:?}");
        }
    }

    #[test]
    fn few_clauses_are_easy_and_many_are_hard_to_satisfy() {
        let mean = |clauses| {
            let family = RandomBlocks {
                blocks: vec![
                    block(Quantifier::Exists, 4, 0),
                    block(Quantifier::Chance, 4, 0),
                    block(Quantifier::Exists, 4, 1),
                ],
                anywhere: 2,
                clauses,
                probability: Some(Probability::ratio(1, 2)),
            };
            let values = (0..10).map(|seed| {
                let formula = random_blocks(&mut Rng::with_seed(seed), &family);
                let value = enumerate(&formula).unwrap();
                // All chance is a fair coin, so sixteenths are all there can be.
                assert!((&value * formula::BigRational::from_integer(16.into())).is_integer());
                value
            });
            values.sum::<formula::BigRational>() / formula::BigRational::from_integer(10.into())
        };
        assert!(mean(0).is_one());
        assert!(mean(8) > mean(30));
        assert!(mean(200).is_zero());
    }
}
