//! From a game and a start to values, under limits.

use crate::backwards::value_all;
use crate::explore::explore;
use crate::game::ConcurrentGame;
use crate::options::Options;
use crate::solution::ConcurrentSolution;
use crate::stages::Stages;
use limits::{Limits, Watch};
use num_rational::BigRational;

/// Values a start and all states that play leads to, within this many steps; without a number all steps count, and play that never
/// ends is worth nothing. A limit leaves bounds.
pub fn solve<G: ConcurrentGame<Payoff = BigRational>>(
    game: &mut G,
    start: G::State,
    depth: Option<u32>,
    options: &Options,
    limits: &Limits,
) -> Result<ConcurrentSolution<G::State>, G::Error> {
    let mut watch = Watch::new(limits);
    // Values take time and memory too, those of a part of the states as well.
    let listing = Limits {
        memory: limits.memory.map(|memory| memory / 3),
        ..limits.within(limits.time_left().map(|time| time / 2))
    };
    let mut listing = Watch::new(&listing);
    let stages = Stages::new(game.unfinished());
    let mut listed = explore(game, start, depth, stages, &mut listing)?;
    listed.nodes.leave_open(listed.states.len());
    // It is less than the limit.
    let _ = watch.take_memory(listing.taken());
    let valuation = value_all(&listed, depth, options, &mut watch);
    Ok(ConcurrentSolution::new(listed, valuation, depth))
}
