//! Options for a game that may go on for ever: threads, digits and work.

use arena::GameGraph;
use std::ops::RangeInclusive;

/// The digits that bounds have room for.
const DIGITS: RangeInclusive<u32> = 12..=36;

/// Bits beyond the digits asked for, for the precision that is lost in each step of play.
const SPARE_BITS: u32 = 36;

/// The most bits of sums of weights times values.
const SUM_BITS: u32 = 122;

/// The precision that is asked for. No option makes a wrong value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// At most this many threads; 0 for as many as the machine has cores.
    pub threads: usize,
    /// The decimal digits asked for where values are not exact: 12 or more, at most about 25, and fewer where chances have
    /// large denominators.
    pub digits: u32,
    /// Values are exact while that takes no more than about this many operations with machine words; 0 for bounds only.
    pub exact_work: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            threads: 0,
            digits: 12,
            exact_work: 10_000_000_000,
        }
    }
}

impl Options {
    /// The decimal digits that bounds are to have.
    pub(crate) fn digits(&self) -> u32 {
        self.digits.clamp(*DIGITS.start(), *DIGITS.end())
    }

    /// How many binary digits bounds have behind the point: enough for the decimal digits, if sums of products with weights still
    /// fit into 128 bits then.
    pub(crate) fn bits(&self, game: &GameGraph) -> u32 {
        let enough = (f64::from(self.digits()) * 10f64.log2()).ceil() as u32 + SPARE_BITS;
        let bits_of_weights = u64::BITS - game.arena().max_total().leading_zeros();
        enough.min(SUM_BITS - bits_of_weights)
    }

    /// How many threads there are to be.
    pub(crate) fn threads(&self) -> usize {
        limits::thread_count(self.threads)
    }
}
