//! Short searches of another formula, whose value is that of the formula or bounds it.
//!
//! **Relaxation.** The same formula, but a player decides last, after all chances. A player that decides later knows more, and does not do worse. So
//! the value of the relaxed formula is an upper bound of the value if the maximizer decides last, and a lower bound if the minimizer does. It may be much
//! easier to find: instead of a tree of choices, of which each is counted, chances are counted once.
//!
//! ```text
//! e 1 2 3, r 4 5, e 6   has at most the value of   r 4 5, e 1 2 3 6
//! ```
//!
//! **Universal expansion** ([`formula::preprocess::expanded`]). A search that decides variable by variable learns little from a universal variable. Its
//! clauses hold for one value of it, and what wins against both values is found out again and again. Where few universal variables stand last, a larger
//! formula without them may be much easier, since all that is left to decide there is the maximizer's.

use super::Search;
use crate::attempt;
use crate::component::product;
use crate::frame::Bounds;
use crate::options::Options;
use crate::policy;
use base::value::Numerator;
use formula::preprocess::Problem;
use formula::{BigRational, Clauses, Quantifier};
use num_traits::One;

impl<N: Numerator> Search<'_, '_, N> {
    /// Searches the formula in which a player decides last for this much work, and takes over the bounds that it gives. Says whether its value was found.
    pub(super) fn relax(&mut self, player: Quantifier, work: u64) -> bool {
        if work < policy::RELAXING * self.deduction.store.literals_of_given() as u64 {
            return false;
        }
        let found = self.bounds_of(self.room(), work, |mut problem| {
            let last = problem.levels.iter().max().map_or(0, |&last| last + 1);
            for (level, &quantifier) in problem.levels.iter_mut().zip(&problem.quantifiers) {
                if quantifier == player {
                    *level = last;
                }
            }
            problem.merge_blocks();
            Some(problem)
        });
        let Some((bounds, is_value)) = found else {
            return false;
        };
        let known = &mut self.anytime.known;
        match player {
            Quantifier::Exists => known.upper = bounds.upper.min(known.upper.clone()),
            _ => known.lower = bounds.lower.max(known.lower.clone()),
        }
        is_value
    }

    /// Searches the expanded formula for this much work, and takes over the bounds that it gives. Says whether its value was found, or there is no such formula.
    pub(super) fn expand(&mut self, work: u64) -> bool {
        let most = work / policy::EXPANDING;
        let given = self.deduction.store.literals_of_given() as u64;
        if most < 2 * given {
            return false;
        }
        let found = self.bounds_of(policy::EXPANDED_BYTES * most, work, |problem| {
            formula::preprocess::expanded(&problem, most as usize)
        });
        let Some((bounds, is_value)) = found else {
            return false;
        };
        self.anytime.known.narrow(&bounds);
        is_value
    }

    /// Bounds of the value of another problem with the same chances, found with this much work, and whether they are all that can be found.
    /// `make` makes it of the formula, if it can; it and its search take at most about `room` bytes.
    fn bounds_of(
        &mut self,
        room: u64,
        work: u64,
        make: impl FnOnce(Problem) -> Option<Problem>,
    ) -> Option<(Bounds<N>, bool)> {
        self.watch.take_memory(room).ok()?;
        self.watch.join(&self.team.stop);
        let mut watch = self.watch.helper();
        let options = Options {
            threads: 1,
            relaxes: false,
            wins_for_certain: false,
            expands: false,
            ..self.options.clone()
        };
        let found = make(self.given()).map(|problem| {
            let statistics = &mut Vec::new();
            let found = attempt(problem, &options, &mut watch, statistics, Some(work));
            let is_all = found.as_ref().is_some_and(|found| found.stopped.is_none());
            let found = found.map(|found| (found.lower, found.upper));
            let one = product(self.splitter.denominators.iter().cloned());
            let whole = BigRational::from_integer(one.to_big().into());
            // The value has this denominator.
            let number = |bound: BigRational| {
                let number = bound.to_integer().to_biguint().expect("not negative");
                N::from_big(&number).expect("at most the value 1")
            };
            let bounds = match found.or_else(|| watch.learned()) {
                Some((lower, upper)) => Bounds::between(
                    number((lower * &whole).ceil()),
                    number((upper * &whole).floor()),
                ),
                None => Bounds::between(N::zero(), one),
            };
            (bounds, is_all)
        });
        self.watch.give_memory_back(room);
        found
    }

    /// The formula.
    pub(crate) fn given(&self) -> Problem {
        let instance = &self.deduction.instance;
        let store = &self.deduction.store;
        let mut clauses = Clauses::with_capacity(store.given(), store.literals_of_given());
        for clause in 0..store.given() as u32 {
            clauses.push(store.get(clause).iter().copied());
        }
        let mut problem = Problem {
            quantifiers: instance.quantifiers.clone(),
            levels: instance.levels.clone(),
            chances: instance.chances.clone(),
            clauses,
            factor: BigRational::one(),
        };
        // Literals of a clause stand in any order here.
        problem.rewrite_clauses(|clause, kept| {
            kept.extend_from_slice(clause);
            true
        });
        problem
    }
}
