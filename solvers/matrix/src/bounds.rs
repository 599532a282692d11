//! A value, or a lower and an upper bound of it.

use num_rational::BigRational;
use num_traits::{One, Zero};

/// Bounds of a value; most often both are the value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds {
    lower: BigRational,
    /// None where it is the lower bound.
    upper: Option<BigRational>,
}

impl Bounds {
    /// A known value.
    pub fn exact(value: BigRational) -> Self {
        Bounds {
            lower: value,
            upper: None,
        }
    }

    pub fn new(lower: BigRational, upper: BigRational) -> Self {
        debug_assert!(lower <= upper, "{lower} {upper}");
        Bounds {
            upper: (lower != upper).then_some(upper),
            lower,
        }
    }

    /// Bounds of anything.
    pub fn unknown() -> Self {
        Bounds::new(BigRational::zero(), BigRational::one())
    }

    pub fn lower(&self) -> &BigRational {
        &self.lower
    }

    pub fn upper(&self) -> &BigRational {
        self.upper.as_ref().unwrap_or(&self.lower)
    }

    /// Whether the value is known.
    pub fn is_exact(&self) -> bool {
        self.upper.is_none()
    }

    /// The memory of the bounds, in bytes.
    pub fn bytes(&self) -> u64 {
        let long = |number: &BigRational| (number.numer().bits() + number.denom().bits()) / 8 + 64;
        size_of::<Self>() as u64 + long(&self.lower) + self.upper.as_ref().map_or(0, long)
    }
}
