//! Turns in which the formula is searched after universal expansion: see [`formula::preprocess::expanded`].
//!
//! A search that decides variable by variable learns little from a universal variable. Its clauses hold for one value of
//! it, and what wins against both values is found out again and again. Where few universal variables stand last, a larger
//! formula without them may be much easier, since all that is left to decide there is the maximizer's.

use super::policy;
use super::search::Search;
use base::value::Numerator;

impl<N: Numerator> Search<'_, '_, N> {
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
}
