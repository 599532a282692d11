//! What the number 1 is with so many steps left.
//!
//! A value with n steps left is a whole number of parts of `ones[n]`, the product of the denominators
//! of the chance moves still to come and of the payoffs ([`value`]). How many legal moves chance can
//! have with n steps left, and so which denominator is needed there, is not known before. So the
//! counts that occur are learned: by random plays before the search, which find nearly all, and
//! otherwise by the search itself, which then stops, has all that is stored multiplied, and goes on.

use num_bigint::BigUint;
use num_integer::Integer;
use num_rational::BigRational;
use value::Numerator;

/// Numbers of equally likely joint moves of chance that occur with so many steps left; sorted.
pub type Counts = Vec<u32>;

/// A count that was not known.
#[derive(Clone, Copy, Debug)]
pub struct NewCount {
    /// The number of steps left.
    pub steps: usize,
    /// The count.
    pub count: u32,
}

/// The least common multiple of counts.
pub fn denominator(counts: &Counts) -> BigUint {
    let lcm = |all: BigUint, &count: &u32| all.lcm(&BigUint::from(count));
    counts.iter().fold(BigUint::from(1u8), lcm)
}

/// The least common denominator of payoffs.
pub fn payoff_denominator<'a>(payoffs: impl Iterator<Item = &'a BigRational>) -> BigUint {
    payoffs.fold(BigUint::from(1u8), |all, payoff| {
        all.lcm(payoff.denom().magnitude())
    })
}

/// All that depends on denominators, in one width.
#[derive(Clone, Debug)]
pub struct Units<N> {
    /// The value 1, by steps left.
    pub ones: Vec<N>,
    /// By steps left: for each known count, the weight of one of so many moves.
    shares: Vec<Vec<(u32, N)>>,
    /// The payoffs, in parts of `ones[0]`.
    pub payoffs: Vec<N>,
    /// By steps left: `ones[n] / ones[0]`.
    pub scales: Vec<N>,
    /// The numbers from 0 to 64.
    small: Vec<N>,
}

impl<N: Numerator> Units<N> {
    /// `None` if these numbers are too narrow.
    pub fn new(payoffs: &[BigRational], counts: &[Counts]) -> Option<Self> {
        let whole = payoff_denominator(payoffs.iter());
        // Sums of payoffs are compared with 1, so they have to fit.
        N::from_big(&(&whole * BigUint::from(payoffs.len() + 1)))?;
        let payoffs = payoffs.iter().map(|payoff| {
            let parts = payoff * BigRational::from_integer(whole.clone().into());
            N::from_big(parts.numer().magnitude())
        });
        let payoffs = payoffs.collect::<Option<Vec<N>>>()?;
        let mut one = whole.clone();
        let mut units = Units {
            ones: vec![N::from_big(&one)?],
            shares: vec![Vec::new()],
            payoffs,
            scales: vec![N::one()],
            small: (0..=64)
                .map(|n| N::from_big(&BigUint::from(n as u32)).expect("it fits"))
                .collect(),
        };
        for counts in counts.iter().skip(1) {
            let denominator = denominator(counts);
            one *= &denominator;
            units.ones.push(N::from_big(&one)?);
            units.scales.push(N::from_big(&(&one / &whole))?);
            let share = |&count: &u32| {
                let share = N::from_big(&(&denominator / BigUint::from(count)));
                (count, share.expect("it is smaller than 1"))
            };
            units.shares.push(counts.iter().map(share).collect());
        }
        Some(units)
    }

    /// The weight of each of `count` equally likely moves with so many steps left.
    ///
    /// # Errors
    /// If the count is new.
    #[inline]
    pub fn share(&self, steps: usize, count: u32) -> Result<&N, NewCount> {
        let known = self.shares[steps].iter().find(|share| share.0 == count);
        known.map(|share| &share.1).ok_or(NewCount { steps, count })
    }

    /// A number times a small one.
    #[inline]
    pub fn times(&self, number: &N, small: u32) -> N {
        match self.small.get(small as usize) {
            Some(small) => number.times(small),
            None => {
                let small = N::from_big(&BigUint::from(small));
                number.times(&small.expect("a product that is at most 1 fits"))
            }
        }
    }

    /// The number of bits that bounds take with so many steps left.
    pub fn value_bits(&self, steps: usize) -> usize {
        self.ones[steps].to_big().bits() as usize
    }
}
