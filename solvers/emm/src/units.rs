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

/// So many bytes of units are made between two looks at the limits.
const BYTES_PER_LOOK: usize = 1 << 18;

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

/// The value 1 with so many steps left, counted as in [`Units::ones`].
pub fn one(payoffs: &[BigRational], counts: &[Counts], steps: usize) -> BigUint {
    let counts = counts.iter().take(steps + 1).skip(1);
    let not_one = counts.filter(|counts| ***counts != [1]);
    let mut factors: Vec<BigUint> = not_one.map(denominator).collect();
    factors.push(payoff_denominator(payoffs.iter()));
    // Numbers of like length are multiplied fast.
    while factors.len() > 1 {
        let pairs = factors.chunks(2).map(|pair| pair.iter().product());
        factors = pairs.collect();
    }
    factors.swap_remove(0)
}

/// How many bits the value 1 has with so many steps left, for each number of steps; nothing if `go_on`
/// says `false`.
pub fn all_bits(
    payoffs: &[BigRational],
    counts: &[Counts],
    go_on: impl Fn() -> bool,
) -> Option<Vec<usize>> {
    let mut one = payoff_denominator(payoffs.iter());
    let mut bits = vec![one.bits() as usize];
    for counts in counts.iter().skip(1) {
        one *= denominator(counts);
        bits.push(one.bits() as usize);
        if bits.len() % 256 == 0 && !go_on() {
            return None;
        }
    }
    Some(bits)
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

/// Why there are no units.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoUnits {
    /// These numbers are too narrow.
    TooNarrow,
    /// They take too much time or memory.
    Stopped,
}

impl<N: Numerator> Units<N> {
    /// Numbers get longer with every step left, so all of them together can take any time and memory:
    /// `go_on` is asked now and then, with the bytes that they take so far.
    ///
    /// # Errors
    /// If these numbers are too narrow, or `go_on` says `false`.
    pub fn new(
        payoffs: &[BigRational],
        counts: &[Counts],
        go_on: impl Fn(u64) -> bool,
    ) -> Result<Self, NoUnits> {
        let narrow = |number: &BigUint| N::from_big(number).ok_or(NoUnits::TooNarrow);
        let whole = payoff_denominator(payoffs.iter());
        // Sums of payoffs are compared with 1, so they have to fit.
        narrow(&(&whole * BigUint::from(payoffs.len() + 1)))?;
        let payoffs = payoffs.iter().map(|payoff| {
            let parts = payoff * BigRational::from_integer(whole.clone().into());
            narrow(parts.numer().magnitude())
        });
        let payoffs = payoffs.collect::<Result<Vec<N>, NoUnits>>()?;
        let (mut one, mut scale) = (whole, BigUint::from(1u8));
        let mut units = Units {
            ones: vec![narrow(&one)?],
            shares: vec![Vec::new()],
            payoffs,
            scales: vec![N::one()],
            small: (0..=64)
                .map(|n| N::from_big(&BigUint::from(n as u32)).expect("it fits"))
                .collect(),
        };
        let (mut bytes, mut looked) = (0, 0);
        for counts in counts.iter().skip(1) {
            let denominator = denominator(counts);
            one *= &denominator;
            scale *= &denominator;
            units.ones.push(narrow(&one)?);
            units.scales.push(narrow(&scale)?);
            let share = |&count: &u32| {
                let share = N::from_big(&(&denominator / BigUint::from(count)));
                (count, share.expect("it is smaller than 1"))
            };
            let shares: Vec<(u32, N)> = counts.iter().map(share).collect();
            bytes += 2 * one.heap_bytes() + shares.len() * (32 + denominator.heap_bytes()) + 64;
            units.shares.push(shares);
            if bytes >= looked + BYTES_PER_LOOK {
                looked = bytes;
                if !go_on(bytes as u64) {
                    return Err(NoUnits::Stopped);
                }
            }
        }
        Ok(units)
    }

    /// For up to so many steps, without payoffs and with nothing left to chance: for those who do not
    /// look at values.
    pub fn plain(steps: usize) -> Self {
        let units = Units::new(&[], &vec![vec![1]; steps + 1], |_| true);
        units.unwrap_or_else(|_| unreachable!("1 fits, and takes no time"))
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
