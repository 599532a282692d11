//! Values of the states that were listed of a game, or bounds where a limit ended the list.

use crate::options::Options;
use crate::solution::Solution;
use crate::solve::{solve_in_order, solve_publishing};
use arena::Listing;
use limits::{Limits, Publisher};
use num_rational::BigRational;
use num_traits::{One, Zero};

/// The bounds that all states have if what is not known is worth between 0 and 1: the solution where it is worth 0, and the
/// one where it is worth 1. Both are the same where everything is known. Bounds of the first state are published on the way. The work goes on from
/// an earlier solution of the same listing that a limit ended.
pub fn solve_listing(
    listing: &mut Listing,
    before: Option<Solution>,
    options: &Options,
    limits: &Limits,
    publisher: &Publisher,
) -> (Solution, Option<Solution>) {
    if listing.stopped.is_none() {
        let solution = match listing.order() {
            Some(order) => solve_in_order(&listing.game, order, options, limits),
            None => solve_publishing(&listing.game, before, options, limits, publisher),
        };
        return (solution, None);
    }
    // Exact values of a part are bounds all the same.
    let options = Options {
        exact_work: 0,
        ..options.clone()
    };
    let half = limits.within(limits.time_left().map(|time| time / 2));
    let lower = solve_publishing(
        &listing.game,
        None,
        &options,
        &half,
        &publisher.of_at_most(),
    );
    let last = listing.game.arena().ends() - 1;
    listing.game.set_payoff(last, BigRational::one());
    let upper = solve_publishing(
        &listing.game,
        None,
        &options,
        limits,
        &publisher.of_at_least(),
    );
    listing.game.set_payoff(last, BigRational::zero());
    (lower, Some(upper))
}
