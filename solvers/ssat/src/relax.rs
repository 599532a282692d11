//! Relaxation: the same formula, but a player decides last, after all chances.
//!
//! A player that decides later knows more, and does not do worse. So the value of the relaxed formula is an upper bound of the value if the maximizer
//! decides last, and a lower bound if the minimizer does. It may be much easier to find: instead of a tree of choices, of
//! which each is counted, chances are counted once.
//!
//! ```text
//! e 1 2 3, r 4 5, e 6   has at most the value of   r 4 5, e 1 2 3 6
//! ```

use super::component::product;
use super::frame::Bounds;
use super::search::Search;
use crate::options::Options;
use crate::{ShortRun, attempt};
use formula::{BigRational, Clauses, Quantifier};
use num_traits::One;
use preprocess::Problem;
use value::Numerator;

/// With less work than this for each literal, preparing the formula would take longer than its search.
const WORK_PER_LITERAL: u64 = 50;

impl<N: Numerator> Search<'_, '_, N> {
    /// Searches the relaxed formula for this much work, and takes over the bounds that it gives. Says whether its value was found.
    pub(super) fn relax(&mut self, player: Quantifier, work: u64) -> bool {
        let options = Options {
            threads: 1,
            relaxes: false,
            wins_for_certain: false,
            ..self.options.clone()
        };
        let room = self.room();
        let literals = self.deduction.store.literals_of_given() as u64;
        if work < WORK_PER_LITERAL * literals || self.watch.take_memory(room).is_err() {
            return false;
        }
        self.watch.join(&self.team.stop);
        let mut watch = self.watch.helper();
        let short_run = ShortRun {
            work,
            goes_on: &mut |_| false,
        };
        let problem = self.relaxed(player);
        let found = attempt(
            problem,
            &options,
            &mut watch,
            &mut Vec::new(),
            Some(short_run),
        );
        self.watch.give_memory_back(room);
        let is_found = found.as_ref().is_some_and(|found| found.stopped.is_none());
        let found = found.map(|found| (found.lower, found.upper));
        if let Some((lower, upper)) = found.as_ref().or(watch.learned()) {
            let one = product(self.splitter.denominators.iter().cloned());
            let mut bounds = Bounds::between(N::zero(), one.clone());
            let whole = BigRational::from_integer(one.to_big().into());
            // The value has this denominator.
            let number = |bound: BigRational| {
                let number = bound.to_integer().to_biguint().expect("not negative");
                N::from_big(&number).expect("at most the value 1")
            };
            match player {
                Quantifier::Exists => bounds.upper = number((upper * whole).floor()),
                _ => bounds.lower = number((lower * whole).ceil()),
            }
            self.anytime.known.narrow(&bounds);
        }
        is_found
    }

    /// The formula with the variables of a player behind all others.
    fn relaxed(&self, player: Quantifier) -> Problem {
        let mut problem = self.given();
        let last = problem.levels.iter().max().map_or(0, |&last| last + 1);
        for (level, &quantifier) in problem.levels.iter_mut().zip(&problem.quantifiers) {
            if quantifier == player {
                *level = last;
            }
        }
        problem.merge_blocks();
        problem
    }

    /// The formula.
    pub(super) fn given(&self) -> Problem {
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
