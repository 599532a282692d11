//! The bounds of one value, published while the work goes on.

use crate::lock::lock;
use num_rational::BigRational;
use num_traits::{One, Zero};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A lower and an upper bound, both included.
pub type BoundsPair = (BigRational, BigRational);

/// How often bounds and progress are reported.
pub(crate) const REPORT_EVERY: Duration = Duration::from_millis(200);

/// The bounds of the value of one question, which its owner reads or hears of. They only get closer; clones share them.
///
/// Bounds are published through this type alone. [`Limits`](crate::Limits) hold no publisher: so a solver that gets limits and nothing else, since
/// another one asks it about another value, gives what it proves to its caller only.
#[derive(Clone)]
pub struct Publisher {
    shared: Arc<PublishedValue>,
    /// The published value is this multiple of the value that is searched for, and this much more.
    factor: BigRational,
    offset: BigRational,
    /// Whether lower bounds of the one are lower bounds of the other; likewise upper ones.
    sides: [bool; 2],
}

/// A reader of bounds.
type BoundsListener = Box<dyn Fn(&BoundsPair) + Send + Sync>;

/// The bounds that are known, and their reader.
struct PublishedValue {
    known: Mutex<Option<BoundsPair>>,
    listener: Option<BoundsListener>,
    period: Duration,
}

impl Default for Publisher {
    /// Nothing is known, and there is no listener.
    fn default() -> Self {
        Publisher::of(PublishedValue {
            known: Mutex::default(),
            listener: None,
            period: REPORT_EVERY,
        })
    }
}

impl Publisher {
    /// Publishes bounds of a value that lies between these: the listener hears of closer ones about as often as `period` says.
    pub fn new(
        range: BoundsPair,
        period: Duration,
        listener: impl Fn(&BoundsPair) + Send + Sync + 'static,
    ) -> Self {
        Publisher::of(PublishedValue {
            known: Mutex::new(Some(range)),
            listener: Some(Box::new(listener)),
            period,
        })
    }

    fn of(shared: PublishedValue) -> Self {
        Publisher {
            shared: Arc::new(shared),
            factor: BigRational::one(),
            offset: BigRational::zero(),
            sides: [true; 2],
        }
    }

    /// The publisher for a search for another value, of which the published one is this multiple, above 0.
    #[must_use]
    pub fn times(&self, factor: &BigRational) -> Self {
        Publisher {
            factor: &self.factor * factor,
            ..self.clone()
        }
    }

    /// The publisher for a search for another value, from which the published one differs by this.
    #[must_use]
    pub fn plus(&self, difference: &BigRational) -> Self {
        Publisher {
            offset: &self.offset + &self.factor * difference,
            ..self.clone()
        }
    }

    /// The publisher for a search for a value that is at most as large: its upper bounds prove nothing.
    #[must_use]
    pub fn of_at_most(&self) -> Self {
        Publisher {
            sides: [self.sides[0], false],
            ..self.clone()
        }
    }

    /// The publisher for a search for a value that is at least as large: its lower bounds prove nothing.
    #[must_use]
    pub fn of_at_least(&self) -> Self {
        Publisher {
            sides: [false, self.sides[1]],
            ..self.clone()
        }
    }

    /// Publishes proved bounds of the value that is searched for. The listener hears of them if they are closer than those before.
    ///
    /// # Panics
    /// If they contradict those before. Then there is a mistake in this program: rather no answer than a wrong one.
    pub fn publish(&self, lower: BigRational, upper: BigRational) {
        let shown = |bound: BigRational| bound * &self.factor + &self.offset;
        let found = (shown(lower), shown(upper));
        let mut known = lock(&self.shared.known);
        let closer = match (&*known, self.sides) {
            (None, [true, true]) => found,
            // One bound alone is none where nothing is known.
            (None, _) => return,
            (Some((lower, upper)), [is_lower, is_upper]) => (
                if is_lower {
                    found.0.max(lower.clone())
                } else {
                    lower.clone()
                },
                if is_upper {
                    found.1.min(upper.clone())
                } else {
                    upper.clone()
                },
            ),
        };
        assert!(closer.0 <= closer.1, "proved bounds do not cross");
        if known.as_ref() != Some(&closer) {
            *known = Some(closer);
            if let (Some(listener), Some(bounds)) = (&self.shared.listener, &*known) {
                listener(bounds);
            }
        }
    }

    /// The best bounds so far of the value that is searched for; none if nothing was published, or if they say nothing of it.
    pub fn known(&self) -> Option<BoundsPair> {
        let known = lock(&self.shared.known);
        let is_same = self.sides == [true; 2] && !self.factor.is_zero();
        let (lower, upper) = known.as_ref().filter(|_| is_same)?;
        let searched = |bound: &BigRational| (bound - &self.offset) / &self.factor;
        Some((searched(lower), searched(upper)))
    }

    /// Whether there is a listener.
    pub(crate) fn is_heard(&self) -> bool {
        self.shared.listener.is_some()
    }

    /// How often bounds are wanted.
    pub(crate) fn period(&self) -> Duration {
        self.shared.period
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    fn number(text: &str) -> BigRational {
        text.parse().expect("a fraction")
    }

    fn pair(lower: &str, upper: &str) -> BoundsPair {
        (number(lower), number(upper))
    }

    #[test]
    fn bounds_only_get_closer() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let listener = Arc::clone(&heard);
        let points = Publisher::new(pair("0", "100"), REPORT_EVERY, move |bounds| {
            lock(&listener).push(bounds.clone());
        });
        let parts = points.times(&number("100"));
        parts.publish(number("1/4"), number("1"));
        // Wider bounds, and the same ones, are no news.
        parts.publish(number("0"), number("1"));
        points.publish(number("25"), number("90"));
        parts.of_at_most().publish(number("1/2"), number("1/2"));
        parts.of_at_least().publish(number("7/10"), number("4/5"));
        assert_eq!(parts.known(), Some(pair("1/2", "4/5")));
        assert_eq!(parts.of_at_most().known(), None);
        let expected = [("25", "100"), ("25", "90"), ("50", "90"), ("50", "80")];
        let expected = expected.map(|(lower, upper)| pair(lower, upper));
        assert_eq!(*lock(&heard), expected);
    }

    #[test]
    fn values_of_a_range_are_published_as_its_parts() {
        let points = Publisher::new(pair("-2", "1"), REPORT_EVERY, |_| {});
        let parts = points.plus(&number("-2")).times(&number("3"));
        parts.publish(number("1/3"), number("1/2"));
        assert_eq!(points.known(), Some(pair("-1", "-1/2")));
        assert_eq!(parts.known(), Some(pair("1/3", "1/2")));
    }

    #[test]
    fn bounds_that_contradict_others_end_the_program() {
        let publisher = Publisher::default();
        assert_eq!(publisher.known(), None);
        publisher.of_at_most().publish(number("1/2"), number("1"));
        assert_eq!(publisher.known(), None);
        publisher.publish(number("-1"), number("1/2"));
        let wrong = || publisher.publish(number("3/4"), number("1"));
        assert!(catch_unwind(AssertUnwindSafe(wrong)).is_err());
        assert_eq!(publisher.known(), Some(pair("-1", "1/2")));
    }
}
