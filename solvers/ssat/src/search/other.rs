//! Short searches of another formula, whose value is that of the formula or bounds it.

use super::Search;
use crate::attempt;
use crate::component::product;
use crate::frame::Bounds;
use crate::options::Options;
use base::value::Numerator;
use formula::preprocess::Problem;
use formula::{BigRational, Clauses};
use num_traits::One;

impl<N: Numerator> Search<'_, '_, N> {
    /// Bounds of the value of another problem with the same chances, found with this much work, and whether they are all that can be found.
    /// `make` makes it of the formula, if it can; it and its search take at most about `room` bytes.
    pub(crate) fn bounds_of(
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
