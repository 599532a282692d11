//! Proved bounds of a value, and the reason why they are no closer.

use crate::StopReason;
use crate::publisher::BoundsPair;
use num_rational::BigRational;
use num_traits::{One, Zero};

/// A value, or bounds of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bounds {
    /// A proved lower bound.
    pub lower: BigRational,
    /// A proved upper bound; equal to the lower one if the value is known.
    pub upper: BigRational,
    /// The reason why the work was cut short, if the value is not known.
    pub stopped: Option<StopReason>,
}

impl Bounds {
    /// These bounds. Where they meet, it does not matter that a part of the work was cut short.
    pub fn new((lower, upper): BoundsPair, stopped: Option<StopReason>) -> Self {
        Bounds {
            stopped: stopped.filter(|_| lower != upper),
            lower,
            upper,
        }
    }

    /// A value that is known.
    pub fn known(value: BigRational) -> Self {
        Bounds::new((value.clone(), value), None)
    }

    /// Nothing is known, for a reason.
    pub fn unknown(reason: StopReason) -> Self {
        Bounds::new((BigRational::zero(), BigRational::one()), Some(reason))
    }

    /// The same without a reason if the value is known.
    pub fn settled(self) -> Self {
        Bounds::new((self.lower, self.upper), self.stopped)
    }

    /// The value, if it is known.
    pub fn value(&self) -> Option<&BigRational> {
        (self.lower == self.upper).then_some(&self.lower)
    }

    /// These bounds and earlier ones of the same value, whichever are closer.
    pub fn within(self, earlier: Bounds) -> Self {
        let lower = self.lower.max(earlier.lower);
        Bounds::new((lower, self.upper.min(earlier.upper)), self.stopped)
    }
}
