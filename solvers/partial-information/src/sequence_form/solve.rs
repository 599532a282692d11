//! The way to a value: regret minimization for bounds at any time, and beside it the simplex method for the exact value.
//!
//! Both get about as much work, so neither costs more than twice what it takes alone. Work is counted, not timed: which of several best plans
//! comes out depends on the game only. Whatever they find becomes a plan in whole numbers, and only
//! an exact best response to a plan makes a bound.

use crate::sequence_form::bounds::Bounds;
use crate::sequence_form::game::SequenceGame;
use crate::sequence_form::oracle::{Exactness, Oracle};
use crate::sequence_form::regret::{self, Regrets};
use crate::sequence_form::solution::{SequenceSolution, Statistics};
use limits::{Limits, Publisher, StopReason, Watch};
use num_rational::BigRational;
use num_traits::Zero;

/// The precision that is asked for. No option makes a wrong value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Bounds this close are enough; 0 for the exact value.
    pub width: BigRational,
    /// Values are exact while that takes no more than about this many operations with machine words; 0 for bounds only. If there is no
    /// exact value and no width is wanted, bounds are made a million times as close as those of uniform plans.
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

/// The rounds before the bounds are computed first.
const FIRST_ROUNDS: u64 = 16;

/// The rounds after which plans have about the sequences of best plans.
const ENOUGH_ROUNDS: u64 = 100;

/// The simplex method gets at least this many operations at a time, then as many as regret minimization took.
const FEW: u64 = 50_000_000;

/// A sequence takes a round about as long as this many payoffs.
const PER_SEQUENCE: u64 = 8;

/// The value of a game, or bounds when the limits are reached.
pub fn solve(game: &SequenceGame, options: &Options, limits: &Limits) -> SequenceSolution {
    solve_publishing(game, options, limits, &Publisher::default())
}

/// The same, and publishes bounds of the value on the way.
pub fn solve_publishing(
    game: &SequenceGame,
    options: &Options,
    limits: &Limits,
    publisher: &Publisher,
) -> SequenceSolution {
    let mut bounds = Bounds::new(game, options.width.clone());
    let mut statistics = Statistics::default();
    let stopped = run(
        game,
        options,
        &mut bounds,
        &mut statistics,
        &mut Watch::publishing(limits, publisher),
    )
    .err();
    let [lower, upper] = bounds.pair;
    SequenceSolution {
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
    let mut wanted = FIRST_ROUNDS;
    // None before it begins, a reason if it cannot be had.
    let mut exact = match game.entries() {
        Some(_) if options.exact_work > 0 => Ok(None),
        _ => Err(StopReason::Precision),
    };
    loop {
        let round =
            2 * game.entries().unwrap_or(0) as u64 + PER_SEQUENCE * sequences.iter().sum::<u64>();
        let work = FEW.max(round * (wanted - regrets.rounds()));
        while regrets.rounds() < wanted {
            let pair = || Some((bounds.pair[0].clone(), bounds.pair[1].clone()));
            watch.check_and_report("regret minimization", regrets.rounds(), watch.taken(), pair)?;
            regrets.round(game, watch.limits())?;
            statistics.rounds += 1;
        }
        wanted += wanted / 2;
        let averages = [regrets.average(0), regrets.average(1)];
        bounds.offer_rounded(averages, watch.limits())?;
        if bounds.are_close() {
            return Ok(());
        }
        if matches!(exact, Ok(None)) && regrets.rounds() >= ENOUGH_ROUNDS {
            exact = Oracle::new(game, averages, options.exact_work, watch).map(Some);
        }
        match &mut exact {
            Ok(None) => {}
            Ok(Some(oracle)) => match oracle.advance(bounds, statistics, watch, work)? {
                Exactness::Open => {}
                Exactness::Done => return Ok(()),
                Exactness::Failed(reason) => {
                    watch.give_memory_back(oracle.bytes());
                    exact = Err(reason);
                }
            },
            Err(reason) if bounds.are_tight() => return Err(*reason),
            Err(_) => {}
        }
    }
}
