//! Tables of games in which play may go on for ever: all states are one layer, which is explored and solved in memory.
//!
//! ```text
//! initial state --explore--> graph of all states --endless--> values --sort by key--> files of layer 1
//! ```
//!
//! The number that stands for 1 is the least common denominator of all values, so it is known only then: nothing is written before, and
//! a build that was stopped begins anew.

use crate::codec::{Widths, write_value};
use crate::error::DiskTableError;
use crate::kind::Kind;
use crate::manifest::{Expanded, LayerInfo, Layers};
use crate::part::LayerPart;
use crate::shard::Writer;
use crate::valuing::Sink;
use crate::work::{TableProgress, Work};
use arena::{Listing, StochasticGame, Unexplored, explore};
use endless::{Options, solve_listing};
use limits::{Publisher, StopReason, Watch};
use num_bigint::BigUint;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::One;

/// The one layer of an endless game.
pub const LAYER: usize = 1;

/// All states of an endless game, with their values.
pub struct SolvedGame {
    pub info: LayerInfo,
    widths: Widths,
    listing: Listing,
    /// The value of each state, in parts of the denominator of `info`.
    numerators: Vec<BigUint>,
}

impl SolvedGame {
    /// Gives the keys and the values to a sink, in the order of the keys.
    pub fn write(&self, sink: &mut dyn Sink) -> Result<(), DiskTableError> {
        let mut order: Vec<usize> = (0..self.numerators.len()).collect();
        order.sort_unstable_by_key(|&state| self.listing.key(state));
        let mut bytes = Vec::new();
        for state in order {
            bytes.clear();
            self.widths.write_key(self.listing.key(state), &mut bytes);
            sink.keys(&bytes)?;
            bytes.clear();
            write_value(&self.numerators[state], self.info.value_bytes, &mut bytes);
            sink.values(&bytes)?;
        }
        Ok(())
    }
}

impl<G: StochasticGame> Work<'_, G> {
    /// Explores the game from a state on, and solves it.
    pub fn solve_endless(&mut self, state: &[u64]) -> Result<SolvedGame, DiskTableError> {
        let mut listing = self.explore(state)?;
        let states = listing.states();
        self.check(TableProgress {
            is_listing: false,
            layer: LAYER,
            done: 0,
            states: states as u64,
        })?;
        let options = Options {
            threads: self.threads,
            ..Options::default()
        };
        let (solution, _) = solve_listing(
            &mut listing,
            None,
            &options,
            self.watch.limits(),
            &Publisher::default(),
        );
        match solution.stopped {
            None => {}
            Some(StopReason::Memory) => return Err(DiskTableError::LargeEndless),
            Some(StopReason::Precision) => return Err(DiskTableError::LongFractions),
            Some(reason) => return Err(DiskTableError::Stopped(reason)),
        }
        let values = (0..states).map(|state| solution.value(state));
        let values: Option<Vec<BigRational>> = values.collect();
        let values = values.ok_or(DiskTableError::LongFractions)?;
        let denominators = values.iter().map(|value| value.denom().magnitude());
        let one = denominators.fold(BigUint::one(), |one, denominator| one.lcm(denominator));
        let numerator =
            |value: BigRational| value.numer().magnitude() * (&one / value.denom().magnitude());
        let widths = Widths::of(self.game, LAYER);
        Ok(SolvedGame {
            info: LayerInfo {
                layer: LAYER,
                states: states as u64,
                key_bytes: widths.key_bytes,
                value_bytes: one.bits().div_ceil(8) as usize,
                denominator: one.to_string(),
            },
            widths,
            listing,
            numerators: values.into_iter().map(numerator).collect(),
        })
    }

    /// The graph of all states.
    fn explore(&mut self, state: &[u64]) -> Result<Listing, DiskTableError> {
        let mut watch = Watch::new(self.watch.limits());
        let found = explore(self.game, state, |_| true, self.threads, &mut watch);
        let listing = found.map_err(|error| match error {
            Unexplored::Flaw(_) => DiskTableError::Flaw(LAYER),
            Unexplored::Graph(_) => DiskTableError::LargeEndless,
            _ => DiskTableError::TooLarge,
        })?;
        match listing.stopped {
            None => Ok(listing),
            Some(StopReason::Memory) => Err(DiskTableError::LargeEndless),
            Some(reason) => Err(DiskTableError::Stopped(reason)),
        }
    }

    /// Writes the table, the values last: they say that it is complete.
    pub fn build_endless(&mut self, state: &[u64]) -> Result<(), DiskTableError> {
        let folder = self.folder;
        let is_listed = folder.read_json::<Layers>(Layers::FILE)?.is_some();
        if is_listed && folder.has(Kind::Values, LAYER) {
            return Ok(());
        }
        let solved = self.solve_endless(state)?;
        let mut files = Writer::create_both(folder, LayerPart::WHOLE, &solved.info)?;
        solved.write(&mut files)?;
        folder.write_json(&LayerPart::WHOLE.expanded(LAYER), &Expanded::join([]))?;
        let layers = Layers {
            layers: vec![solved.info],
            cuts_off: false,
        };
        folder.write_json(Layers::FILE, &layers)?;
        let [keys, values] = files;
        keys.finish()?;
        values.finish()
    }
}
