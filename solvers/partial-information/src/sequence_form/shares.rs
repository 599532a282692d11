//! Shares of whole units: those next to a short fraction become that fraction.

/// The most bits of the denominator of a rounded plan: a unit then is far smaller than the error of floating-point numbers.
pub const MAX_BITS: u64 = 60;

/// The largest denominator of a share that is kept as a fraction.
const SHORT: u64 = 16;

/// A number that such denominators divide, and its parts again: the least common multiple of 1 to 16, squared.
const DIVISIBLE: u64 = 720_720 * 720_720;

/// How near to a short fraction a share is taken for it: the error of floating-point numbers after some sums.
const NEAR: f64 = 1e-12;

/// The largest number up to this one that has many divisors: [`DIVISIBLE`] times a power of two, if there is one.
pub fn divisible(most: u64) -> u64 {
    match most / DIVISIBLE {
        0 => most,
        times => DIVISIBLE << times.ilog2(),
    }
}

/// A share of some units, as a whole number of them.
pub fn part(units: u64, share: f64) -> u64 {
    let near = |denominator: &u64| {
        let parts = (share * *denominator as f64).round();
        (share - parts / *denominator as f64).abs() < NEAR
    };
    let mut short = (1..=SHORT).filter(|denominator| units.is_multiple_of(*denominator));
    match short.find(near) {
        Some(denominator) => {
            let parts = (share * denominator as f64).round();
            units / denominator * parts as u64
        }
        // A set without weight has no number here, and no units.
        None => (units as f64 * share) as u64,
    }
}
