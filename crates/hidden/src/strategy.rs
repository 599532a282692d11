//! Strategies of both sides, by own moves and things seen.

use crate::error::HiddenError;
use crate::solve::{HiddenSolution, SolutionKind};
use crate::tree::{ROLE, Tree};
use limits::{Limits, StopReason, Watch};
use num_rational::BigRational;
use num_traits::{One, Zero};
use partial_information::pomdp::PomdpSolution;
use partial_information::sequence_form::RealizationPlan;
use rustc_hash::FxHashMap;
use verify::{Choice, Heading, HiddenStrategy, Information, TermTable};

impl HiddenSolution {
    /// The moves of both sides in all that they can know, in at most `most` informations.
    pub fn strategy(&self, most: usize, limits: &Limits) -> Result<HiddenStrategy, HiddenError> {
        let (lower, mut upper) = self.bounds();
        if self.is_endless() {
            // Nothing that is written down proves more.
            upper = self.range.largest();
        }
        let mut strategy = HiddenStrategy {
            heading: Heading {
                value: lower,
                depth: self.heading.depth.or(self.longest_play()),
                ..self.heading.clone()
            },
            upper,
            coalition: self.coalition().cloned().collect(),
            terms: TermTable::default(),
            player: Vec::new(),
            opponents: Vec::new(),
        };
        let unknown = HiddenError::Stopped(self.stopped().unwrap_or(StopReason::Precision));
        match &self.found {
            SolutionKind::Alone(solution) if self.is_endless() || solution.stopped().is_none() => {
                strategy.player = self.policy(solution, &mut strategy.terms, most, limits)?;
            }
            SolutionKind::Opposed(tree, solution) => {
                let [own, others] = &solution.plans;
                let terms = &mut strategy.terms;
                strategy.player = self.side(tree, ROLE, own, terms, most, limits)?;
                let rest = most - strategy.player.len();
                strategy.opponents = self.side(tree, 1, others, terms, rest, limits)?;
            }
            _ => return Err(unknown),
        }
        Ok(strategy)
    }

    /// The mixtures of a side in all that it can know while it follows its plan.
    fn side(
        &self,
        tree: &Tree,
        side: usize,
        plan: &RealizationPlan,
        terms: &mut TermTable,
        most: usize,
        limits: &Limits,
    ) -> Result<Vec<Information>, HiddenError> {
        let knowledge = tree.knowledge(side).ok_or(HiddenError::Walked)?;
        let mut watch = Watch::new(limits);
        let mut listed = Vec::new();
        let mut reached = vec![0];
        while let Some(&number) = reached.get(listed.len()) {
            watch
                .check("the strategy", listed.len() as u64)
                .map_err(HiddenError::Stopped)?;
            let mut choices = Vec::new();
            let mixture = tree.mixture(&self.listing, side, number, plan);
            let mixture = mixture.into_iter().flatten();
            for (choice, share) in mixture.enumerate() {
                if share.is_zero() {
                    continue;
                }
                let mut next = Vec::new();
                for (seen, then) in knowledge.next(number, choice as u32) {
                    next.push((
                        terms.numbers(&self.listing.terms[seen as usize]),
                        reached.len() as u32,
                    ));
                    reached.push(then);
                }
                let moves = self
                    .listing
                    .choice(tree.state(side, number), side, choice as u32);
                choices.push(Choice {
                    moves: terms.numbers(&moves),
                    share,
                    next,
                });
            }
            if reached.len() > most {
                return Err(HiddenError::TooLarge(most));
            }
            listed.push(Information { choices });
        }
        Ok(listed)
    }

    /// A best move in each belief that best moves lead to. Without a last step these can lead back.
    fn policy(
        &self,
        solution: &PomdpSolution,
        terms: &mut TermTable,
        most: usize,
        limits: &Limits,
    ) -> Result<Vec<Information>, HiddenError> {
        let mut watch = Watch::new(limits);
        let mut policy = Vec::new();
        let mut numbers: FxHashMap<u32, Option<u32>> = FxHashMap::default();
        let mut beliefs: Vec<(u32, usize)> = Vec::new();
        beliefs.extend(solution.best(0).map(|best| (0, best)));
        numbers.insert(0, Some(0));
        while let Some(&(belief, best)) = beliefs.get(policy.len()) {
            watch
                .check("the strategy", policy.len() as u64)
                .map_err(HiddenError::Stopped)?;
            let legal = self
                .listing
                .legal(solution.state(belief), self.listing.sides.role);
            let mut next = Vec::new();
            for (seen, successor) in solution.successors(belief, best) {
                let successor = solution.plan(successor);
                let number = *numbers.entry(successor).or_insert_with(|| {
                    beliefs.push((successor, solution.best(successor)?));
                    Some(beliefs.len() as u32 - 1)
                });
                let sees = &self.listing.terms[seen as usize];
                next.extend(number.map(|number| (terms.numbers(sees), number)));
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
