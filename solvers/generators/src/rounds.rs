//! The length of random tests.

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
