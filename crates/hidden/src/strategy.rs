//! What each side does, by its own moves and what it sees.

use crate::error::HiddenError;
use crate::solve::{Found, HiddenSolution};
use limits::{Limits, StopReason, Watch};
use num_rational::BigRational;
use num_traits::One;
use pomdp::Solution;
use rustc_hash::FxHashMap;
use verify::{Choice, Heading, HiddenStrategy, Information, TermTable};

impl HiddenSolution {
    /// What both sides do in what they can know, in at most `most` informations.
    ///
    /// # Errors
    /// If there are more, a limit was reached, or the value is not known.
    pub fn strategy(&self, most: usize, limits: &Limits) -> Result<HiddenStrategy, HiddenError> {
        let (lower, upper) = self.bounds();
        let mut strategy = HiddenStrategy {
            heading: Heading { value: lower, ..self.heading.clone() },
            upper,
            coalition: self.coalition().cloned().collect(),
            terms: TermTable::default(),
            player: Vec::new(),
            opponents: Vec::new(),
        };
        let unknown = HiddenError::Stopped(self.stopped().unwrap_or(StopReason::Precision));
        match &self.found {
            Found::Alone(solution) if solution.stopped().is_none() => {
                strategy.player = self.policy(solution, &mut strategy.terms, most, limits)?;
            }
            _ => return Err(unknown),
        }
        Ok(strategy)
    }

    /// A best move in each belief that best moves lead to.
    fn policy(
        &self,
        solution: &Solution,
        terms: &mut TermTable,
        most: usize,
        limits: &Limits,
    ) -> Result<Vec<Information>, HiddenError> {
        let mut watch = Watch::new(limits);
        let mut policy = Vec::new();
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        let mut beliefs = vec![0];
        while let Some(&belief) = beliefs.get(policy.len()) {
            watch
                .look("the strategy", policy.len() as u64)
                .map_err(HiddenError::Stopped)?;
            let Some(best) = solution.best(belief) else { break };
            let legal = self.listing.legal(solution.state(belief), self.listing.sides.role);
            let mut next = Vec::new();
            for (seen, successor) in solution.successors(belief, best) {
                let number = *numbers.entry(successor).or_insert_with(|| {
                    beliefs.push(successor);
                    beliefs.len() as u32 - 1
                });
                next.push((terms.numbers(self.listing.terms.get(seen)), number));
            }
            if beliefs.len() > most {
                return Err(HiddenError::TooLarge(most));
            }
            policy.push(Information {
                choices: vec![Choice {
                    moves: terms.numbers(&legal[best..=best]),
                    share: BigRational::one(),
                    next,
                }],
            });
        }
        Ok(policy)
    }
}
