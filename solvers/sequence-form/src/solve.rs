//! The way to a value: regret minimization for bounds at any time, and beside it the simplex method for the exact value.
//!
//! Both get the same time, so neither costs more than twice what it takes alone. Whatever they find becomes a plan in whole numbers, and only
//! an exact best response to a plan makes a bound.

use crate::bounds::Bounds;
use crate::game::SequenceGame;
use crate::oracle::{Exactness, Oracle};
use crate::regret::{self, Regrets};
use crate::solution::{Solution, Statistics};
use limits::{Limits, StopReason, Watch};
use num_rational::BigRational;
use num_traits::Zero;
use std::time::{Duration, Instant};

/// The precision that is wanted. No option makes a wrong value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Bounds this close are enough; 0 for the exact value.
    pub width: BigRational,
    /// Values are exact while that takes no more than about this many operations with machine words; 0 for bounds only.
    pub exact_work: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            width: BigRational::zero(),
            exact_work: 100_000_000_000,
        }
    }
}

/// The rounds before the first look at the bounds.
const FIRST_ROUNDS: u64 = 16;

/// The simplex method gets at least this much time, then as much as regret minimization took.
const SHORT: Duration = Duration::from_millis(50);

/// The value of a game, or bounds when the limits are reached.
pub fn solve(game: &SequenceGame, options: &Options, limits: &Limits) -> Solution {
    let mut bounds = Bounds::new(game, options.width.clone());
    let mut statistics = Statistics::default();
    let stopped = run(
        game,
        options,
        &mut bounds,
        &mut statistics,
        &mut Watch::new(limits),
    )
    .err();
    let [lower, upper] = bounds.pair;
    Solution {
        lower,
        upper,
        plans: bounds.plans,
        stopped,
        statistics,
    }
}

/// Searches until the bounds are close enough.
fn run(
    game: &SequenceGame,
    options: &Options,
    bounds: &mut Bounds<'_>,
    statistics: &mut Statistics,
    watch: &mut Watch<'_>,
) -> Result<(), StopReason> {
    if bounds.are_close() {
        return Ok(());
    }
    let sequences = [0, 1].map(|player| game.tree(player).sequences() as u64);
    watch.take_memory(sequences.iter().sum::<u64>() * regret::BYTES)?;
    let mut regrets = Regrets::new(game);
    let mut oracle = None;
    let (mut wanted, mut is_exact_open) = (FIRST_ROUNDS, options.exact_work > 0);
    loop {
        let begin = Instant::now();
        while regrets.rounds() < wanted {
            let pair = || Some((bounds.pair[0].clone(), bounds.pair[1].clone()));
            watch.look_and_tell("regret minimization", regrets.rounds(), watch.taken(), pair)?;
            regrets.round(game);
            statistics.rounds += 1;
        }
        wanted += wanted / 2;
        let averages = [regrets.average(0), regrets.average(1)];
        bounds.offer_rounded(averages);
        if bounds.are_close() {
            return Ok(());
        }
        let end = Instant::now() + begin.elapsed().max(SHORT);
        if is_exact_open && oracle.is_none() {
            oracle = Oracle::new(game, averages, options.exact_work, watch);
            is_exact_open = oracle.is_some();
        }
        if let Some(open) = &mut oracle {
            match open.advance(bounds, statistics, watch, end)? {
                Exactness::Open => {}
                Exactness::Done => return Ok(()),
                Exactness::Failed => (oracle, is_exact_open) = (None, false),
            }
        }
    }
}
