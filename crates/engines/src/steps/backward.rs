//! Backward induction: the mean number of steps that count among the next ones, for each number of steps left.

use super::listing::Listing;
use gdl::game::StepAim;
use limits::{Limits, StopReason};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;

/// Values by the number of steps left, 0 first.
pub(super) struct Layers {
    pub(super) values: Vec<Vec<BigRational>>,
    /// Whether the last ones hold for all larger numbers.
    is_settled: bool,
    /// Whether play from the start may not be over after the last step.
    pub(super) cuts_off: bool,
    pub(super) stopped: Option<StopReason>,
}

impl Layers {
    /// The values with this many steps left.
    pub(super) fn with(&self, steps: u32) -> &[BigRational] {
        let last = self.values.len() - 1;
        &self.values[last.min(steps as usize)]
    }
}

/// Values for up to this many steps. A limit leaves the first ones.
pub(super) fn layers(listing: &Listing, aim: StepAim, depth: u32, limits: &Limits) -> Layers {
    let states = listing.states.len();
    let mut found = Layers {
        values: vec![vec![BigRational::zero(); states]],
        is_settled: !listing.goes_on[0],
        cuts_off: true,
        stopped: None,
    };
    // By state: whether play may not be over after the steps so far.
    let mut open = listing.goes_on.clone();
    let mut bytes = 0;
    while !found.is_settled && found.values.len() <= depth as usize {
        let before = found.values.last().expect("the first one is there");
        let mut values = Vec::with_capacity(states);
        for state in 0..states {
            found.stopped = limits.check_memory(bytes).err();
            if found.stopped.is_some() {
                return found;
            }
            let value = match listing.goes_on[state] {
                true => value(listing, aim, state, |target| &before[target]),
                false => BigRational::zero(),
            };
            bytes += value.numer().bits() / 4 + 64;
            values.push(value);
        }
        let is_open = |state: usize| {
            let alternatives = listing.arena.alternatives(state);
            let replies = alternatives.flat_map(|one| listing.arena.replies(one));
            let mut targets = replies.flat_map(|reply| listing.arena.targets(reply));
            targets.any(|&target| open[target as usize])
        };
        let still_open = (0..states).map(|state| listing.goes_on[state] && is_open(state));
        let still_open: Vec<bool> = still_open.collect();
        // States without a step that is left are ends of the graph.
        found.is_settled = !still_open[0] && values == *before;
        open = still_open;
        found.values.push(values);
    }
    found.cuts_off = listing.is_cut || open[0];
    found
}

/// The value of a state by those of the next ones.
pub(super) fn value<'a>(
    listing: &Listing,
    aim: StepAim,
    state: usize,
    behind: impl Fn(usize) -> &'a BigRational + Copy,
) -> BigRational {
    let alternatives = listing.arena.alternatives(state);
    let means = alternatives.map(|one| best_reply(listing, aim, one, behind).1);
    let best = match aim {
        StepAim::Fewest => means.min(),
        StepAim::Most => means.max(),
    };
    counted(listing, state, best.expect("a state has an alternative"))
}

/// The length of play from a state whose first step leads to this mean.
pub(super) fn counted(listing: &Listing, state: usize, mean: BigRational) -> BigRational {
    mean + BigInt::from(u8::from(listing.counts[state]))
}

/// The opponents' best reply to an alternative, the first one of several, and the mean behind it.
pub(super) fn best_reply<'a>(
    listing: &Listing,
    aim: StepAim,
    alternative: usize,
    behind: impl Fn(usize) -> &'a BigRational + Copy,
) -> (usize, BigRational) {
    let replies = listing.arena.replies(alternative);
    let means = replies.map(|reply| (reply, mean(listing, reply, behind)));
    let best = means.reduce(|best, other| {
        let is_better = match aim {
            StepAim::Fewest => other.1 > best.1,
            StepAim::Most => other.1 < best.1,
        };
        if is_better { other } else { best }
    });
    best.expect("an alternative has a reply")
}

/// The mean of values at the outcomes of a reply.
pub(super) fn mean<'a>(
    listing: &Listing,
    reply: usize,
    behind: impl Fn(usize) -> &'a BigRational,
) -> BigRational {
    let outcomes = listing.arena.outcomes(reply);
    let sum: BigRational = outcomes
        .map(|(target, weight)| behind(target) * BigInt::from(weight))
        .sum();
    sum / BigInt::from(listing.arena.total(reply))
}
