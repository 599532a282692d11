//! The values of all positions, from the last level to the first.
//!
//! With n steps left every value is a whole number of parts, and how many parts make 1 is known
//! before: as many as one step less has, times the least common multiple of the numbers of outcomes
//! that chance has in this level. So nothing but whole numbers is added and compared.

use super::forward::{KNOWN, Level, Levels};
use super::{NO_ENTRY, Policy};
use limits::{Limits, StopReason};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_rational::BigRational;
use value::Numerator;
use verify::Side;

/// The value of the start; none if a claim is wrong.
pub(super) fn value<P: Policy>(
    levels: &Levels,
    side: Side,
    policy: &P,
    limits: &Limits,
) -> Result<Option<BigRational>, StopReason> {
    if let Some(settled) = &levels.settled {
        return Ok(Some(settled.clone()));
    }
    // For each level the parts that 1 has in it; last those of payoffs.
    let denominators = levels.payoffs.iter().map(|payoff| {
        let denominator = payoff.denom().to_biguint();
        denominator.expect("denominators are positive")
    });
    let mut wholes = vec![denominators.fold(BigUint::one(), |one, other| one.lcm(&other))];
    let mut multiples = Vec::new();
    for level in levels.levels.iter().rev() {
        let outcomes = level.outcomes.iter().map(|&count| BigUint::from(count));
        let multiple = outcomes.fold(BigUint::one(), |one, other| one.lcm(&other));
        wholes.push(wholes.last().expect("there is one") * &multiple);
        multiples.push(multiple);
    }
    let values = Backward {
        levels,
        side,
        policy,
        limits,
        wholes,
        multiples,
    };
    // Every sum is at most the whole of its level, times the largest payoff.
    let payoffs = levels
        .payoffs
        .iter()
        .map(|payoff| payoff.ceil().to_integer());
    let largest = payoffs.max().unwrap_or_default().bits();
    match values.wholes.last().expect("there is one").bits() + largest {
        0..=127 => values.run::<u128>(),
        _ => values.run::<BigUint>(),
    }
}

struct Backward<'a, P> {
    levels: &'a Levels,
    side: Side,
    policy: &'a P,
    limits: &'a Limits,
    /// For each level, from the last on, the number of parts that make 1; in front of them that of the payoffs.
    wholes: Vec<BigUint>,
    /// For each level, from the last on, its number of parts divided by the number in front of it.
    multiples: Vec<BigUint>,
}

impl<P: Policy> Backward<'_, P> {
    fn run<N: Numerator>(&self) -> Result<Option<BigRational>, StopReason> {
        let mut behind: Vec<N> = Vec::new();
        for (number, level) in self.levels.levels.iter().rev().enumerate() {
            match self.level(level, number, &behind)? {
                Some(values) => behind = values,
                None => return Ok(None),
            }
        }
        let whole = self.wholes.last().expect("there is one").clone();
        let value = BigRational::new(behind[0].to_big().into(), whole.into());
        Ok(Some(value))
    }

    /// The values of a level by those of the level behind; none if a claim is wrong.
    fn level<N: Numerator>(
        &self,
        level: &Level,
        number: usize,
        behind: &[N],
    ) -> Result<Option<Vec<N>>, StopReason> {
        let whole: N = sized(&self.wholes[number + 1]);
        let payoffs = self.levels.payoffs.iter().map(|payoff| {
            let parts = payoff * BigRational::from_integer(self.wholes[number].clone().into());
            let parts = parts.to_integer().to_biguint();
            sized(&parts.expect("payoffs are not negative"))
        });
        let payoffs: Vec<N> = payoffs.collect();
        let most = level.outcomes.last().map_or(0, |&most| most as usize);
        let mut shares = vec![None; most + 1];
        for &count in &level.outcomes {
            shares[count as usize] = Some(sized(&(&self.multiples[number] / count)));
        }
        let mut values = Vec::with_capacity(level.positions);
        let mut stream = &level.stream[..];
        for index in 0..level.positions {
            if index.is_multiple_of(4096) {
                self.limits.look()?;
            }
            let (groups, outcomes) = (stream[0] as usize, stream[1] as usize);
            stream = &stream[2..];
            let actions;
            (actions, stream) = stream.split_at(if self.levels.has_claims { groups } else { 0 });
            let entry = level.entries.get(index).copied().unwrap_or(NO_ENTRY);
            let share: &N = shares[outcomes].as_ref().expect("it was counted");
            let mut best: Option<N> = None;
            // Without claims nobody asks for whom a group is.
            let mut actions = actions.iter();
            for _ in 0..groups {
                let action = actions.next().copied();
                let successors;
                (successors, stream) = stream.split_at(outcomes);
                let mut sum = N::zero();
                for &successor in successors {
                    sum = sum.plus(match successor.checked_sub(KNOWN) {
                        Some(payoff) => &payoffs[payoff as usize],
                        None => &behind[successor as usize],
                    });
                }
                let mean = sum.times(share);
                let is_claimed = self.side == Side::Opponents && entry != NO_ENTRY;
                if is_claimed && !self.agrees(entry, action, &mean, &whole) {
                    return Ok(None);
                }
                best = Some(match (best, self.side) {
                    (None, _) => mean,
                    (Some(best), Side::Role) => best.min(mean),
                    (Some(best), Side::Opponents) => best.max(mean),
                });
            }
            let value = best.expect("every role has a legal move");
            if entry != NO_ENTRY && !self.agrees(entry, None, &value, &whole) {
                return Ok(None);
            }
            values.push(value);
        }
        Ok(Some(values))
    }

    fn agrees<N: Numerator>(&self, entry: u32, action: Option<u32>, value: &N, whole: &N) -> bool {
        self.policy.agrees(self.side, entry, action, &|claimed| {
            is_fraction(value, claimed, whole)
        })
    }
}

/// The number in a width that was chosen for it.
fn sized<N: Numerator>(number: &BigUint) -> N {
    N::from_big(number).expect("the width was chosen so")
}

/// Whether these parts of a whole are this fraction. One in lowest terms is a number of parts only if its denominator
/// divides the whole.
fn is_fraction<N: Numerator>(parts: &N, fraction: &BigRational, whole: &N) -> bool {
    let sized = |number: &BigInt| N::from_big(&number.to_biguint()?);
    let (Some(numerator), Some(denominator)) = (sized(fraction.numer()), sized(fraction.denom()))
    else {
        return false;
    };
    let each = whole.divided_down(&denominator);
    each != N::zero()
        && each.times(&denominator) == *whole
        && parts.divided_down(&each) == numerator
        && each.times(&numerator) == *parts
}
