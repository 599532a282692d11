//! Exact values of a component: strategy iteration with fractions, from strategies that are good already.
//!
//! The quantity is the mean payoff, or the mean number of steps ([`Quantity`]). Both strategies together make a chain, whose values solve a linear system with whole numbers. They are the
//! values of the game if no reply is smaller where the maximizer's strategy leads, and no alternative is
//! larger: both are compared exactly. Floating-point numbers choose the first strategies only, so in most cases there
//! is one system to solve.
//!
//! The reason why that is the least solution: the maximizer's strategy is proper, so the minimizer's process has only one solution, which
//! is what the strategy guarantees; and no player can guarantee more than a fixed point.

use crate::component::Strategies;
use crate::linear_system::{Pivots, Resources, System, Unsolved, solve};
use arena::{Arena, NONE};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use rustc_hash::FxHashSet;
use std::cmp::Ordering;
use std::sync::Arc;

/// The quantity that exact strategy iteration computes.
#[derive(Clone, Copy)]
pub enum Quantity<'a> {
    /// The mean of payoffs at ends. The owner of alternatives wants it large.
    Payoff,
    /// The mean number of steps before an end, of those made in states that count. The owner of alternatives wants it small.
    Steps(&'a [bool]),
}

impl Quantity<'_> {
    /// Whether the step made in a state counts.
    fn counts(self, state: usize) -> bool {
        match self {
            Quantity::Payoff => false,
            Quantity::Steps(counts) => counts[state],
        }
    }

    /// The order of two values in the eyes of the owner of alternatives.
    fn order(self, order: Ordering) -> Ordering {
        match self {
            Quantity::Payoff => order,
            Quantity::Steps(_) => order.reverse(),
        }
    }
}

/// Numbers of steps are searched for up to this power of 2 times the denominator of those at ends.
const MAX_STEPS_BITS: u32 = 128;

/// An exact value that is not negative. Those of one component share their denominator.
#[derive(Clone, Debug)]
pub struct ExactValue {
    numerator: Numerator,
    /// The denominator; it may have common divisors with the numerator.
    pub denominator: Arc<BigUint>,
}

/// A whole number; most are small, and need no memory elsewhere.
#[derive(Clone, Debug)]
enum Numerator {
    Small(u64),
    Large(Box<BigUint>),
}

impl ExactValue {
    pub fn new(value: &BigRational) -> Self {
        let (numerator, denominator) = (value.numer().magnitude(), value.denom().magnitude());
        ExactValue::of(numerator.clone(), Arc::new(denominator.clone()))
    }

    fn of(numerator: BigUint, denominator: Arc<BigUint>) -> Self {
        let numerator = match numerator.to_u64() {
            Some(small) => Numerator::Small(small),
            None => Numerator::Large(Box::new(numerator)),
        };
        ExactValue {
            numerator,
            denominator,
        }
    }

    /// The numerator times a number.
    fn numerator_times(&self, factor: &BigUint) -> BigUint {
        match &self.numerator {
            Numerator::Small(small) => factor * *small,
            Numerator::Large(large) => &**large * factor,
        }
    }

    /// The remainder of the numerator after division.
    pub fn numerator_modulo(&self, modulus: u64) -> u64 {
        match &self.numerator {
            Numerator::Small(small) => small % modulus,
            Numerator::Large(large) => (&**large % modulus)
                .to_u64()
                .expect("less than the modulus"),
        }
    }

    pub fn is_zero(&self) -> bool {
        matches!(self.numerator, Numerator::Small(0))
    }

    fn numerator(&self) -> BigUint {
        match &self.numerator {
            Numerator::Small(small) => BigUint::from(*small),
            Numerator::Large(large) => (**large).clone(),
        }
    }

    /// The value as a fraction in lowest terms.
    pub fn fraction(&self) -> BigRational {
        base::value::fraction(self.numerator(), (*self.denominator).clone())
    }

    /// Whether it is less than another value.
    fn is_less(&self, other: &ExactValue) -> bool {
        match self.denominator == other.denominator {
            true => match (&self.numerator, &other.numerator) {
                (Numerator::Small(own), Numerator::Small(other)) => own < other,
                (Numerator::Large(own), Numerator::Large(other)) => own < other,
                (Numerator::Small(_), Numerator::Large(_)) => true,
                (Numerator::Large(_), Numerator::Small(_)) => false,
            },
            false => {
                self.numerator_times(&other.denominator) < other.numerator_times(&self.denominator)
            }
        }
    }

    /// The value in units, 1 of which is `1 << bits`, rounded down and up.
    pub fn rounded(&self, bits: u32) -> (i128, i128) {
        let (quotient, rest) = (self.numerator() << bits).div_rem(&self.denominator);
        let mut digits = quotient.iter_u64_digits();
        let mut digit = || u128::from(digits.next().unwrap_or(0));
        let lower = (digit() | digit() << 64) as i128;
        (lower, lower + i128::from(rest != BigUint::ZERO))
    }
}

/// Denominators that many values have: each is stored once.
#[derive(Default)]
pub struct Denominators(FxHashSet<Arc<BigUint>>);

/// The most denominators that are known.
const MAX_DENOMINATORS: usize = 1 << 16;

impl Denominators {
    /// The value with a denominator that others may have too.
    pub fn shared(&mut self, value: ExactValue) -> ExactValue {
        if let Some(known) = self.0.get(&value.denominator) {
            let denominator = Arc::clone(known);
            return ExactValue {
                denominator,
                ..value
            };
        }
        if self.0.len() < MAX_DENOMINATORS {
            self.0.insert(Arc::clone(&value.denominator));
        }
        value
    }
}

/// Values over a common denominator: numerators, and the denominator.
fn over_one(
    values: &[&ExactValue],
    resources: Resources<'_>,
) -> Result<(Vec<BigUint>, BigUint), Unsolved> {
    let mut denominators: Vec<&Arc<BigUint>> =
        values.iter().map(|value| &value.denominator).collect();
    denominators.sort_unstable_by_key(|denominator| Arc::as_ptr(denominator));
    denominators.dedup_by_key(|denominator| Arc::as_ptr(denominator));
    // A long denominator is a multiple of most others, and to divide is faster than to search for divisors.
    denominators.sort_by_cached_key(|denominator| std::cmp::Reverse(denominator.bits()));
    let mut common = BigUint::one();
    for denominator in denominators {
        resources.spend(words(denominator) * words(&common))?;
        if !(&common % &**denominator).is_zero() {
            resources.spend(divisor_work(&common, denominator))?;
            common = common.lcm(denominator);
        }
    }
    resources.spend(values.len() as u64 * words(&common))?;
    let mut factors: Vec<(*const BigUint, BigUint)> = Vec::new();
    let numerators = values.iter().map(|value| {
        let index = Arc::as_ptr(&value.denominator);
        let known = factors.iter().position(|(known, _)| *known == index);
        let known = known.unwrap_or_else(|| {
            factors.push((index, &common / &*value.denominator));
            factors.len() - 1
        });
        value.numerator_times(&factors[known].1)
    });
    let numerators = numerators.collect();
    Ok((numerators, common))
}

/// The length of a number in machine words.
fn words(number: &BigUint) -> u64 {
    number.bits() / 64 + 1
}

/// About the work to find the greatest common divisor.
fn divisor_work(first: &BigUint, second: &BigUint) -> u64 {
    let longest = words(first).max(words(second));
    64 * longest * longest
}

/// The exact values of a component; the strategies are improved until they guarantee them.
pub fn improve(
    arena: &Arena,
    ends: &[&ExactValue],
    quantity: Quantity<'_>,
    strategies: &mut Strategies,
    resources: Resources<'_>,
) -> Result<Vec<ExactValue>, Unsolved> {
    let states = arena.states();
    let (ends, common) = over_one(ends, resources)?;
    let bound = match quantity {
        Quantity::Payoff => common.clone(),
        Quantity::Steps(_) => &common << MAX_STEPS_BITS,
    };
    loop {
        let mut system = System {
            rows: Vec::with_capacity(states),
            right: Vec::with_capacity(states),
            bound: bound.clone(),
            pivots: Pivots::Diagonal,
        };
        for (state, &alternative) in strategies.alternatives.iter().enumerate() {
            let reply = strategies.replies[alternative as usize] as usize;
            let mut row = vec![(state as u32, arena.total(reply) as i64)];
            let mut right = match quantity.counts(state) {
                true => &common * arena.total(reply),
                false => BigUint::ZERO,
            };
            for (target, weight) in arena.outcomes(reply) {
                match target.checked_sub(states) {
                    Some(end) => right += &ends[end] * weight,
                    None if target == state => row[0].1 -= weight as i64,
                    None => row.push((target as u32, -(weight as i64))),
                }
            }
            system.rows.push(row);
            system.right.push(right);
        }
        let (numerators, denominator) = solve(&system, resources)?;
        // No value is negative: no payoff is, and all entries beside the diagonal are.
        let magnitude = |number: BigInt| number.into_parts().1;
        let numerators: Vec<BigUint> = numerators.into_iter().map(magnitude).collect();
        let length = words(&common) + words(&denominator);
        resources.spend(
            length * (arena.outcome_count() as u64 + words(&denominator) * ends.len() as u64),
        )?;
        let at_ends: Vec<BigUint> = ends.iter().map(|end| end * &denominator).collect();
        let step = &denominator * &common;
        let compare = |reply: usize, state: usize| {
            let value = |target: usize| match target.checked_sub(states) {
                Some(end) => &at_ends[end],
                None => &numerators[target],
            };
            let all = arena
                .outcomes(reply)
                .map(|(target, weight)| value(target) * weight);
            let mut sum = all.sum::<BigUint>();
            if quantity.counts(state) {
                sum += &step * arena.total(reply);
            }
            quantity.order(sum.cmp(&(&numerators[state] * arena.total(reply))))
        };
        if !switch_replies(arena, strategies, compare)
            && !switch_alternatives(arena, strategies, compare)
        {
            return finish(numerators, step, resources);
        }
    }
}

/// Chooses smaller replies where the maximizer's strategy leads; whether there are any.
fn switch_replies(
    arena: &Arena,
    strategies: &mut Strategies,
    compare: impl Fn(usize, usize) -> Ordering,
) -> bool {
    let mut switches = false;
    for (state, &alternative) in strategies.alternatives.iter().enumerate() {
        let mut replies = arena.replies(alternative as usize);
        if let Some(reply) = replies.find(|&reply| compare(reply, state).is_lt()) {
            strategies.replies[alternative as usize] = reply as u32;
            switches = true;
        }
    }
    switches
}

/// Chooses larger alternatives; whether there are any. Replies to the others are made such that they are not larger.
fn switch_alternatives(
    arena: &Arena,
    strategies: &mut Strategies,
    compare: impl Fn(usize, usize) -> Ordering,
) -> bool {
    let mut switches = false;
    for (state, chosen) in strategies.alternatives.iter_mut().enumerate() {
        for alternative in arena
            .alternatives(state)
            .filter(|&one| one as u32 != *chosen)
        {
            // The reply chosen so far is the smallest one in most cases.
            let first = strategies.replies[alternative] as usize;
            let mut replies = std::iter::once(first).chain(arena.replies(alternative));
            match replies.find(|&reply| compare(reply, state).is_le()) {
                Some(reply) => strategies.replies[alternative] = reply as u32,
                None => {
                    *chosen = alternative as u32;
                    switches = true;
                    break;
                }
            }
        }
    }
    switches
}

/// Values without a common divisor.
fn finish(
    mut numerators: Vec<BigUint>,
    mut denominator: BigUint,
    resources: Resources<'_>,
) -> Result<Vec<ExactValue>, Unsolved> {
    let mut common = denominator.clone();
    for numerator in &numerators {
        if common.is_one() {
            break;
        }
        resources.spend(divisor_work(numerator, &common))?;
        common = match (common.to_u128(), numerator.to_u128()) {
            (Some(common), Some(numerator)) => BigUint::from(common.gcd(&numerator)),
            _ => common.gcd(numerator),
        };
    }
    if !common.is_one() {
        numerators
            .iter_mut()
            .for_each(|numerator| *numerator /= &common);
        denominator /= common;
    }
    let denominator = Arc::new(denominator);
    let value = |numerator| ExactValue::of(numerator, Arc::clone(&denominator));
    Ok(numerators.into_iter().map(value).collect())
}

/// Bounds of an alternative before it is computed exactly, in units.
pub struct MeanBounds {
    /// The reply with the smallest upper bound.
    pub reply: u32,
    /// The smallest lower bound of replies.
    pub lower: i128,
    /// The smallest upper bound.
    pub upper: i128,
}

impl MeanBounds {
    /// Of an alternative, by bounds of the means of replies.
    pub fn new(arena: &Arena, alternative: usize, bounds: impl Fn(usize) -> (i128, i128)) -> Self {
        let mut found = MeanBounds {
            reply: NONE,
            lower: i128::MAX,
            upper: i128::MAX,
        };
        for reply in arena.replies(alternative) {
            let (lower, upper) = bounds(reply);
            if upper < found.upper || found.reply == NONE {
                (found.reply, found.upper) = (reply as u32, upper);
            }
            found.lower = found.lower.min(lower);
        }
        found
    }
}

/// The exact value of a single state that does not lead to itself; and what both players choose. `rough`, by alternative, and lower bounds
/// of the means of replies show which of them need not be computed exactly.
pub fn single<'a>(
    arena: &Arena,
    state: usize,
    rough: &[MeanBounds],
    lower: impl Fn(usize) -> i128,
    value: impl Fn(usize) -> &'a ExactValue,
    resources: Resources<'_>,
) -> Result<(ExactValue, u32, Vec<u32>), Unsolved> {
    let mean = |reply: usize| -> Result<ExactValue, Unsolved> {
        if let &[target] = arena.targets(reply) {
            return Ok(value(target as usize).clone());
        }
        let values: Vec<&ExactValue> = arena
            .outcomes(reply)
            .map(|(target, _)| value(target))
            .collect();
        let (numerators, common) = over_one(&values, resources)?;
        let outcomes = arena.outcomes(reply).zip(&numerators);
        let sum = outcomes
            .map(|((_, weight), numerator)| numerator * weight)
            .sum();
        Ok(ExactValue::of(sum, Arc::new(common * arena.total(reply))))
    };
    let mut replies: Vec<u32> = rough.iter().map(|rough| rough.reply).collect();
    let enough = rough.iter().map(|rough| rough.lower).max();
    let enough = enough.expect("a state has an alternative");
    let mut best: Option<(ExactValue, usize)> = None;
    for (index, alternative) in arena.alternatives(state).enumerate() {
        let most = rough[index].upper;
        if most < enough {
            continue;
        }
        let mut least: Option<(ExactValue, usize)> = None;
        for reply in arena.replies(alternative) {
            if arena.replies(alternative).len() > 1 && lower(reply) > most {
                continue;
            }
            let mean = mean(reply)?;
            if least.as_ref().is_none_or(|(least, _)| mean.is_less(least)) {
                least = Some((mean, reply));
            }
        }
        let (least, reply) = least.expect("the least upper bound is that of a reply");
        replies[index] = reply as u32;
        if best.as_ref().is_none_or(|(best, _)| best.is_less(&least)) {
            best = Some((least, alternative));
        }
    }
    let (best, alternative) = best.expect("the largest lower bound is that of an alternative");
    let reply = replies[alternative - arena.alternatives(state).start] as usize;
    let value = match arena.targets(reply) {
        // It has no common divisor as it is.
        [_] => best,
        _ => {
            let numerator = best.numerator();
            let denominator = Arc::unwrap_or_clone(best.denominator);
            finish(vec![numerator], denominator, resources)?.swap_remove(0)
        }
    };
    Ok((value, alternative as u32, replies))
}
