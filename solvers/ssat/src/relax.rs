//! Relaxation: the same formula, but a player decides last, after all chances.
//!
//! A player that decides later knows more, and does not do worse. So the value of the relaxed formula is an upper bound of the value if the maximizer
//! decides last, and a lower bound if the minimizer does. It may be much easier to find: instead of a tree of choices, of
//! which each is counted, chances are counted once.
//!
//! ```text
//! e 1 2 3, r 4 5, e 6   has at most the value of   r 4 5, e 1 2 3 6
//! ```

use super::policy;
use super::search::Search;
use base::value::Numerator;
use formula::Quantifier;
use formula::preprocess::Problem;

impl<N: Numerator> Search<'_, '_, N> {
    /// Searches the relaxed formula for this much work, and takes over the bounds that it gives. Says whether its value was found.
    pub(super) fn relax(&mut self, player: Quantifier, work: u64) -> bool {
        if work < policy::RELAXING * self.deduction.store.literals_of_given() as u64 {
            return false;
        }
        let room = self.room();
        let found = self.bounds_of(room, work, |problem| Some(relaxed(problem, player)));
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
}

/// The problem with the variables of a player behind all others.
fn relaxed(mut problem: Problem, player: Quantifier) -> Problem {
    let last = problem.levels.iter().max().map_or(0, |&last| last + 1);
    for (level, &quantifier) in problem.levels.iter_mut().zip(&problem.quantifiers) {
        if quantifier == player {
            *level = last;
        }
    }
    problem.merge_blocks();
    problem
}
