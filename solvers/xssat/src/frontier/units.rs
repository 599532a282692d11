//! Denominators of chance decisions, learned while searching.
//!
//! A value at a cut is a whole number of parts of 1, and 1 is the product of the denominators of the
//! chance decisions still to come ([`value`]). The encoding of a uniform choice allows for many
//! denominators, but a real one needs few: if five moves are legal in every state, then 5, not the
//! least common multiple of 1 to 25. So each decision starts with denominator 1; when a state needs
//! a finer one, what is stored is multiplied, and the search starts again with all it has learned.
//! Random plays before the search find nearly all of them, so that this hardly ever happens.

use super::segment::{Choice, Segment, Stage};
use formula::Quantifier;
use num_bigint::BigUint;
use num_integer::Integer;
use num_traits::{One, ToPrimitive};
use value::Numerator;

/// The denominators of all decisions, by segment and stage.
pub type Denominators = Vec<Vec<BigUint>>;

/// The denominator of a decision must be multiplied by this.
#[derive(Clone, Debug)]
pub struct TooCoarse {
    /// The segment.
    pub segment: usize,
    /// The stage in it.
    pub stage: usize,
    /// The factor.
    pub factor: BigUint,
}

/// Why a segment could not be executed.
#[derive(Clone, Debug)]
pub enum Refusal {
    /// A denominator is too coarse.
    TooCoarse(TooCoarse),
    /// The trees take more memory than allowed.
    TooLarge,
}

/// Denominators that are all 1.
pub fn coarsest(segments: &[Segment]) -> Denominators {
    let ones = |segment: &Segment| vec![BigUint::from(1u8); segment.stages.len()];
    segments.iter().map(ones).collect()
}

/// The parts of 1 that a chance decision deals with.
#[derive(Clone, Debug)]
pub struct Unit<N> {
    /// The denominator.
    pub denominator: N,
    /// Whether the denominator is 1.
    pub is_one: bool,
    /// For `k` equally likely assignments: the denominator divided by `k`, if that is whole.
    shares: Vec<Option<N>>,
    /// For one variable: the parts for *true* and for *false*, if they are whole.
    sides: Option<[N; 2]>,
}

impl<N: Numerator> Unit<N> {
    fn new(stage: &Stage, denominator: &BigUint) -> Option<Self> {
        let mut unit = Unit {
            denominator: N::from_big(denominator)?,
            is_one: denominator.is_one(),
            shares: Vec::new(),
            sides: None,
        };
        match &stage.choice {
            Choice::Listed { patterns, .. } if stage.quantifier == Quantifier::Chance => {
                for count in 0..=patterns.len() {
                    let (share, rest) = match count {
                        0 => (BigUint::ZERO, BigUint::ZERO),
                        count => denominator.div_rem(&BigUint::from(count)),
                    };
                    let whole = rest == BigUint::ZERO;
                    unit.shares.push(N::from_big(&share).filter(|_| whole));
                }
            }
            Choice::Single {
                probability: Some(probability),
                ..
            } => {
                let probability = probability.as_rational();
                let scaled = probability.numer().magnitude() * denominator;
                let (yes, rest) = scaled.div_rem(probability.denom().magnitude());
                if rest == BigUint::ZERO {
                    let no = N::from_big(&(denominator - &yes));
                    unit.sides = N::from_big(&yes).zip(no).map(|(yes, no)| [yes, no]);
                }
            }
            _ => {}
        }
        Some(unit)
    }

    /// The weight of each of `count` equally likely assignments; the missing factor if there is
    /// none.
    pub fn share(&self, count: usize) -> Result<&N, BigUint> {
        match &self.shares[count] {
            Some(share) => Ok(share),
            None => {
                let denominator = self.denominator.to_big();
                let count = BigUint::from(count);
                Err(denominator.lcm(&count) / denominator)
            }
        }
    }

    /// The weights of *true* and *false*; the missing factor if there are none.
    pub fn sides(&self, stage: &Stage) -> Result<&[N; 2], BigUint> {
        match (&self.sides, &stage.choice) {
            (Some(sides), _) => Ok(sides),
            (
                None,
                Choice::Single {
                    probability: Some(probability),
                    ..
                },
            ) => {
                let denominator = self.denominator.to_big();
                let needed = probability.as_rational().denom().magnitude();
                Err(denominator.lcm(needed) / denominator)
            }
            _ => unreachable!("only chance has weights"),
        }
    }
}

/// All that depends on denominators, in one width.
#[derive(Clone, Debug)]
pub struct Units<N> {
    /// By segment and stage.
    pub stages: Vec<Vec<Unit<N>>>,
    /// The value 1 at each cut; the last is the end.
    pub ones: Vec<N>,
    /// About the value 1 behind each stage, for guesses.
    pub about_ones: Vec<Vec<f64>>,
    /// The numbers from 0 to 64.
    pub small: Vec<N>,
}

impl<N: Numerator> Units<N> {
    /// `None` if these numbers are too narrow.
    pub fn new(segments: &[Segment], denominators: &Denominators) -> Option<Self> {
        let mut stages = Vec::new();
        for (segment, denominators) in segments.iter().zip(denominators) {
            let pairs = segment.stages.iter().zip(denominators);
            let units: Option<Vec<Unit<N>>> = pairs.map(|(s, d)| Unit::new(s, d)).collect();
            stages.push(units?);
        }
        let mut one = BigUint::from(1u8);
        let mut ones = vec![N::one()];
        let mut about_ones = Vec::new();
        for denominators in denominators.iter().rev() {
            let mut about = Vec::new();
            for denominator in denominators.iter().rev() {
                about.push(one.to_f64().unwrap_or(f64::MAX));
                one *= denominator;
            }
            about.reverse();
            about_ones.push(about);
            ones.push(N::from_big(&one)?);
        }
        ones.reverse();
        about_ones.reverse();
        let small = (0..=64u8).map(|n| N::from_big(&BigUint::from(n)));
        let small: Option<Vec<N>> = small.collect();
        Some(Units {
            stages,
            ones,
            about_ones,
            small: small?,
        })
    }
}
