//! The length of random tests.

use fastrand::Rng;
use std::ops::Mul;

/// The usual number of rounds of a random test, times the environment variable `SQASP_TEST_ROUNDS`.
///
/// # Panics
/// If that is there and no number below 65536.
pub fn rounds<T: From<u16> + Mul<Output = T>>(usual: T) -> T {
    let factor = std::env::var("SQASP_TEST_ROUNDS").map_or(1, |text| {
        text.parse().expect("SQASP_TEST_ROUNDS is a small number")
    });
    usual * T::from(factor)
}

/// The rounds of a random test: each has a seed of its own, from the first one on, and repeats with it alone.
pub fn seeds(first: u64, usual: u64) -> impl Iterator<Item = (u64, Rng)> {
    let seeds = (0..rounds(usual)).map(move |round| first + round);
    seeds.map(|seed| (seed, Rng::with_seed(seed)))
}
