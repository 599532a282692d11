//! Exact probabilities as whole numbers over a common denominator that is known in advance.
//!
//! All chances of a formula or a game are rational, so at any place of a search the value is
//! `numerator / denominator` with a denominator that depends on the place only: the product of
//! the denominators of the chance decisions still to come. A search can therefore do with whole
//! numbers, compare them exactly, and make one fraction at the very end.
//!
//! ```text
//! toss, toss, end     denominators 4, 2, 1
//! win on two heads    numerators   1 of 4  <-  1 of 2 or 0 of 2  <-  1 of 1 or 0 of 1
//! ```
//!
//! How wide these numbers must be is known before or found while searching; a search is generic
//! over [`Numerator`] and is run with the narrowest type that holds the denominator at the root:
//! one machine word, two or four words, or numbers without a bound.
//!
//! Invariant that callers keep: numerators never exceed their denominator, and all sums and
//! products stay at or below the largest denominator. So nothing here checks for overflow, except
//! [`Numerator::from_big`], by which every denominator enters. Debug builds check every sum, difference and product of
//! all widths: `RUSTFLAGS="-C debug-assertions"` runs any test or search in that way.

mod numerator;

pub use numerator::{Numerator, U256};

use num_bigint::BigUint;
use num_rational::BigRational;

/// The fraction `numerator / denominator`.
///
/// # Panics
/// If the denominator is zero.
pub fn fraction(numerator: BigUint, denominator: BigUint) -> BigRational {
    BigRational::new(numerator.into(), denominator.into())
}
