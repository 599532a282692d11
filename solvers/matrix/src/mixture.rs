//! Mixtures with short fractions: whole weights with a bounded sum.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive};

/// Weights that are in the proportions of these shares, or nearly: their sum is at most `most`. Shares of 0 stay 0.
pub fn weights(shares: &[BigRational], most: u64) -> Vec<u64> {
    let common = shares
        .iter()
        .fold(BigInt::one(), |common, share| common.lcm(share.denom()));
    let limit = BigInt::from(most);
    if common <= limit {
        let part = |share: &BigRational| share.numer() * (&common / share.denom());
        return shares
            .iter()
            .map(|share| part(share).to_u64().expect("it is at most the limit"))
            .collect();
    }
    let part = |share: &BigRational| {
        (share * &limit)
            .to_integer()
            .to_u64()
            .expect("shares are at most 1")
    };
    shares.iter().map(part).collect()
}

pub fn shares(weights: &[u64]) -> Vec<BigRational> {
    let whole: BigInt = weights.iter().map(|&weight| BigInt::from(weight)).sum();
    weights
        .iter()
        .map(|&weight| BigRational::new(weight.into(), whole.clone()))
        .collect()
}

/// The number cut to about this many binary digits if its fraction is longer.
pub fn shortened(number: &BigRational, bits: u32) -> BigRational {
    if number.denom().bits() <= u64::from(bits) {
        return number.clone();
    }
    let scale = BigInt::one() << bits;
    BigRational::new((number * &scale).to_integer(), scale)
}
