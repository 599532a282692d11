//! Which questions are asked at the root.
//!
//! One question, whose window is everything, finds the value. But a question with a narrow window
//! is answered with far fewer states, what it learns stays in the tables, and it tells which
//! branches are good. Values close to 1 are frequent, above all against an opponent who moves at
//! random, so first the value 1 is told apart from all others. If the value is not 1, the answer is
//! an upper bound: so much is missing at least. Then it is asked whether [`FACTOR`] times as much
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

use value::Numerator;

/// By how much more may be missing at the next question.
const FACTOR: u8 = 8;

/// The lower end of the window of the next question, after the value was found to be at most
/// `upper`; the upper end is `one`.
pub fn next_alpha<N: Numerator>(one: &N, upper: &N, factors: &[N]) -> N {
    let missing = one.minus(upper);
    if missing == N::zero() {
        return one.minus(&N::one());
    }
    let factor = &factors[usize::from(FACTOR)];
    if missing < one.divided_down(&factor.plus(factor)) {
        one.minus(&missing.times(factor))
    } else {
        N::zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_and_more_may_be_missing() {
        let small: Vec<u64> = (0..=64).collect();
        let alpha = |upper| next_alpha(&1000, &upper, &small);
        assert_eq!(alpha(1000), 999);
        assert_eq!(alpha(999), 992);
        assert_eq!(alpha(950), 600);
        assert_eq!(alpha(900), 0);
        assert_eq!(alpha(0), 0);
        assert_eq!(next_alpha(&1, &1, &small), 0);
    }
}
