//! Whole numbers of several widths behind one trait, so that a search is written once.
//!
//! The methods take references because unbounded numbers are not `Copy`; for machine words the
//! compiler removes the indirection.

use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::ToPrimitive;
use std::fmt::Debug;

pub use ruint::aliases::U256;

/// A whole number, not negative, that counts parts of a known denominator.
pub trait Numerator: Clone + Ord + Debug + Send + Sync + 'static {
    /// The width in bits; `None` if there is no bound.
    const BITS: Option<u32>;

    fn zero() -> Self;

    fn one() -> Self;

    /// This number in the present width; `None` if it does not fit.
    fn from_big(number: &BigUint) -> Option<Self>;

    /// The number without a bound on its width.
    fn to_big(&self) -> BigUint;

    fn plus(&self, other: &Self) -> Self;

    /// `self - other`; `other` is at most `self`.
    fn minus(&self, other: &Self) -> Self;

    fn times(&self, other: &Self) -> Self;

    /// The largest whole number at most `self / other`; `other` is not 0.
    fn divided_down(&self, other: &Self) -> Self;

    /// The smallest whole number at least `self / other`; `other` is not 0.
    fn divided_up(&self, other: &Self) -> Self;

    /// Memory this number holds outside of itself, in bytes.
    fn heap_bytes(&self) -> usize {
        0
    }

    /// The number made of 64-bit words, the least significant first.
    fn from_words(words: impl ExactSizeIterator<Item = u64>) -> Self;

    /// The 64-bit word at this index, the least significant first; 0 beyond the last.
    fn word(&self, index: usize) -> u64;

    /// About this number, for guesses only.
    fn approximately(&self) -> f64;
}

macro_rules! machine_word {
    ($word:ty) => {
        impl Numerator for $word {
            const BITS: Option<u32> = Some(<$word>::BITS);

            fn zero() -> Self {
                0
            }
            fn one() -> Self {
                1
            }
            fn from_big(number: &BigUint) -> Option<Self> {
                Self::try_from(number).ok()
            }
            fn to_big(&self) -> BigUint {
                BigUint::from(*self)
            }
            #[inline]
            fn plus(&self, other: &Self) -> Self {
                self + other
            }
            #[inline]
            fn minus(&self, other: &Self) -> Self {
                self - other
            }
            #[inline]
            fn times(&self, other: &Self) -> Self {
                self * other
            }
            #[inline]
            fn divided_down(&self, other: &Self) -> Self {
                self / other
            }
            #[inline]
            fn divided_up(&self, other: &Self) -> Self {
                <$word>::div_ceil(*self, *other)
            }
            #[inline]
            fn from_words(words: impl ExactSizeIterator<Item = u64>) -> Self {
                let indexed = words.enumerate();
                indexed.fold(0, |number, (index, word)| {
                    let part = (word as Self).checked_shl(64 * index as u32);
                    debug_assert!(part.is_some() || word == 0, "a number left its width");
                    number | part.unwrap_or(0)
                })
            }
            #[inline]
            fn word(&self, index: usize) -> u64 {
                self.checked_shr(64 * index as u32).unwrap_or(0) as u64
            }
            #[inline]
            fn approximately(&self) -> f64 {
                *self as f64
            }
        }
    };
}

machine_word!(u64);
machine_word!(u128);

/// A number that did not leave its width; debug builds check that.
#[inline]
fn exact<N>((number, wraps): (N, bool)) -> N {
    debug_assert!(!wraps, "a number left its width");
    number
}

/// The words of a [`U256`].
const WORDS: usize = 4;

impl Numerator for U256 {
    const BITS: Option<u32> = Some(256);

    fn zero() -> Self {
        Self::ZERO
    }
    fn one() -> Self {
        Self::ONE
    }
    fn from_big(number: &BigUint) -> Option<Self> {
        let digits = number.to_u64_digits();
        if digits.len() > WORDS {
            return None;
        }
        let mut words = [0; WORDS];
        words[..digits.len()].copy_from_slice(&digits);
        Some(Self::from_limbs(words))
    }
    fn to_big(&self) -> BigUint {
        self.as_limbs()
            .iter()
            .rev()
            .fold(BigUint::ZERO, |number, &word| (number << 64u32) + word)
    }
    #[inline]
    fn plus(&self, other: &Self) -> Self {
        exact(self.overflowing_add(*other))
    }
    #[inline]
    fn minus(&self, other: &Self) -> Self {
        exact(self.overflowing_sub(*other))
    }
    #[inline]
    fn times(&self, other: &Self) -> Self {
        if cfg!(debug_assertions) {
            return exact(self.overflowing_mul(*other));
        }
        *self * *other
    }
    #[inline]
    fn divided_down(&self, other: &Self) -> Self {
        *self / *other
    }
    #[inline]
    fn divided_up(&self, other: &Self) -> Self {
        Self::div_ceil(*self, *other)
    }
    #[inline]
    fn from_words(words: impl ExactSizeIterator<Item = u64>) -> Self {
        let mut limbs = [0; WORDS];
        for (index, word) in words.enumerate() {
            match limbs.get_mut(index) {
                Some(limb) => *limb = word,
                None => debug_assert_eq!(word, 0, "a number left its width"),
            }
        }
        Self::from_limbs(limbs)
    }
    #[inline]
    fn word(&self, index: usize) -> u64 {
        self.as_limbs().get(index).copied().unwrap_or(0)
    }
    fn approximately(&self) -> f64 {
        let limbs = self.as_limbs().iter().rev();
        limbs.fold(0.0, |number, &limb| number * 2f64.powi(64) + limb as f64)
    }
}

impl Numerator for BigUint {
    const BITS: Option<u32> = None;

    fn zero() -> Self {
        BigUint::ZERO
    }
    fn one() -> Self {
        BigUint::from(1u8)
    }
    fn from_big(number: &BigUint) -> Option<Self> {
        Some(number.clone())
    }
    fn to_big(&self) -> BigUint {
        self.clone()
    }
    fn plus(&self, other: &Self) -> Self {
        self + other
    }
    fn minus(&self, other: &Self) -> Self {
        self - other
    }
    fn times(&self, other: &Self) -> Self {
        self * other
    }
    fn divided_down(&self, other: &Self) -> Self {
        self / other
    }
    fn divided_up(&self, other: &Self) -> Self {
        Integer::div_ceil(self, other)
    }
    fn heap_bytes(&self) -> usize {
        // Digits are 64-bit words; small vectors take at least four words from the allocator.
        (self.bits() as usize).div_ceil(64).max(4) * 8
    }
    fn from_words(words: impl ExactSizeIterator<Item = u64>) -> Self {
        let halves = words.flat_map(|word| [word as u32, (word >> 32) as u32]);
        BigUint::new(halves.collect())
    }
    fn word(&self, index: usize) -> u64 {
        self.iter_u64_digits().nth(index).unwrap_or(0)
    }
    fn approximately(&self) -> f64 {
        self.to_f64().unwrap_or(f64::INFINITY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same small sum in every width, against unbounded numbers.
    fn check<N: Numerator>(a: u64, b: u64) {
        let (big_a, big_b) = (BigUint::from(a), BigUint::from(b));
        let number = |big: &BigUint| N::from_big(big).expect("64 bits fit everywhere");
        let (x, y) = (number(&big_a), number(&big_b));
        assert_eq!(x.to_big(), big_a);
        assert_eq!(x.plus(&y).to_big(), &big_a + &big_b);
        assert_eq!(x.plus(&y).minus(&y), x);
        assert_eq!(x.times(&y).to_big(), &big_a * &big_b);
        assert_eq!(x.divided_down(&y).to_big(), &big_a / &big_b);
        assert_eq!(x.divided_up(&y).to_big(), Integer::div_ceil(&big_a, &big_b));
        assert_eq!(N::zero().plus(&N::one()).to_big(), BigUint::from(1u8));
        assert_eq!(x.cmp(&y), a.cmp(&b));
        assert_eq!(x.approximately(), a as f64);
        let long = x.times(&number(&BigUint::from(1u64 << 31)));
        let words = [0, 1].map(|index| long.word(index));
        assert_eq!(N::from_words(words.into_iter()), long);
        assert_eq!(long.word(9), 0);
    }

    #[test]
    fn all_widths_compute_alike() {
        for (a, b) in [(7, 3), (0, 5), (6, 6), (u64::from(u32::MAX), 1 << 31)] {
            check::<u64>(a, b);
            check::<u128>(a, b);
            check::<U256>(a, b);
            check::<BigUint>(a, b);
        }
    }

    /// In debug builds nothing wraps silently, whatever the width.
    #[cfg(debug_assertions)]
    #[test]
    fn overflow_is_noticed() {
        fn check<N: Numerator>() {
            let bits = N::BITS.expect("a width");
            let high = N::from_big(&(BigUint::from(1u8) << (bits - 1))).expect("it fits");
            let panics = |run: &dyn Fn() -> N| {
                let run = std::panic::AssertUnwindSafe(run);
                std::panic::catch_unwind(|| run()).is_err()
            };
            assert!(panics(&|| high.plus(&high)), "{bits}");
            assert!(panics(&|| high.times(&high)), "{bits}");
            assert!(panics(&|| N::zero().minus(&N::one())), "{bits}");
            let words = vec![1; bits as usize / 64 + 1];
            assert!(
                panics(&|| N::from_words(words.clone().into_iter())),
                "{bits}"
            );
            assert_eq!(high.plus(&N::one()).minus(&N::one()), high);
        }
        check::<u64>();
        check::<u128>();
        check::<U256>();
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        let power = |bits: u32| BigUint::from(1u8) << bits;
        assert_eq!(u64::from_big(&power(63)), Some(1 << 63));
        assert_eq!(u64::from_big(&power(64)), None);
        assert_eq!(u128::from_big(&power(128)), None);
        assert!(U256::from_big(&power(255)).is_some());
        assert!(U256::from_big(&power(256)).is_none());
        assert_eq!(U256::from_big(&power(255)).unwrap().to_big(), power(255));
        assert_eq!(BigUint::from_big(&power(4000)), Some(power(4000)));
    }
}
