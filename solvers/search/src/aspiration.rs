//! Aspiration windows: which questions are asked at the root.
//!
//! One question, whose window is everything, finds the value. But a question with a narrow window
//! is answered with far fewer states, what it learns stays in the tables, and it shows which
//! choices are good. Values close to 1 are frequent, above all against an opponent who moves at
//! random, so first the value 1 is told apart from all others. If the value is not 1, the answer is
//! an upper bound, which is a lower bound of what is missing to 1. Then it is asked whether [`MISSING_FACTOR`] times as much
//! is missing, and so on; as soon as less is missing, the answer to that question is the value.
//!
//! ```text
//!                                          alpha     1
//! is the value 1?                              |-----|
//! no: 1/1000 is missing at least        |------|            asked next: are 8/1000 missing?
//! no: 7/1000 are missing                the value is 993/1000
//! ```
//!
//! Of factors from 2 to 64 all were better than none on boards with a random opponent, and none
//! did harm elsewhere; 8 was as good as any.

use crate::bounds::MISSING_FACTOR;
use base::value::Numerator;

/// The lower end of the window of the next question, after the value was found to be at most
/// `upper`; the upper end is `one`. `times` multiplies by a small number.
pub fn next_alpha<N: Numerator>(one: &N, upper: &N, times: impl Fn(&N, u32) -> N) -> N {
    let missing = one.minus(upper);
    if missing == N::zero() {
        return one.minus(&N::one());
    }
    let few = one.divided_down(&times(&N::one(), 2 * MISSING_FACTOR));
    match missing < few {
        true => one.minus(&times(&missing, MISSING_FACTOR)),
        false => N::zero(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_and_more_may_be_missing() {
        let alpha =
            |one: u64, upper: u64| next_alpha(&one, &upper, |n, small| n * u64::from(small));
        assert_eq!(alpha(1000, 1000), 999);
        assert_eq!(alpha(1000, 999), 992);
        assert_eq!(alpha(1000, 950), 600);
        assert_eq!(alpha(1000, 900), 0);
        assert_eq!(alpha(1000, 0), 0);
        assert_eq!(alpha(1, 1), 0);
    }
}
