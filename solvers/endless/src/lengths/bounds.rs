//! Bounds of lengths in a component, where fractions are too long. They prove themselves in fractions.
//!
//! Numbers u are upper bounds if the quick side has a proper strategy with `c(s) + mean of u <= u(s)` for all replies; numbers l are lower
//! bounds if the slow side has a reply to each alternative with `l(s) <= c(s) + mean of l`. So that rounding cannot break these, steps
//! cost a little more, or less, where floating-point numbers are computed.

use super::floats::{Floats, Free};
use super::{Length, lower, mean};
use crate::component::Strategies;
use limits::{Limits, StopReason};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};

/// The costs added to a step, one after the other until a bound is proved.
const COSTS: [f64; 4] = [1e-11, 1e-8, 1e-5, 1e-2];

/// The bits behind the point of bounds that take the place of long fractions.
const BITS: u32 = 96;

/// How often lower bounds are made smaller where steps that do not count leave no room for rounding.
const MAX_SWEEPS: usize = 50;

/// Proved bounds of all states. An upper bound may be missing; a lower one is 0 then, or more.
pub fn bounds(
    floats: &Floats<'_>,
    ends: &[Length],
    values: &[f64],
    strategies: &Strategies,
    limits: &Limits,
) -> Result<Vec<Length>, StopReason> {
    let low_ends = ends
        .iter()
        .map(|end| lower(end).cloned().unwrap_or_default());
    let lows = lows(floats, low_ends.collect(), values, strategies, limits)?;
    let high_ends: Option<Vec<BigRational>> = ends
        .iter()
        .map(|end| match end {
            Length::Infinite => None,
            Length::Finite { upper, .. } => upper.clone(),
        })
        .collect();
    let highs = match high_ends {
        Some(ends) => highs(floats, ends, values, strategies, limits)?,
        None => None,
    };
    let bounds = lows.into_iter().enumerate().map(|(state, lower)| {
        let upper = highs.as_ref().map(|highs| highs[state].clone());
        assert!(
            upper.as_ref().is_none_or(|upper| lower <= *upper),
            "proved bounds meet"
        );
        Length::Finite { lower, upper }
    });
    Ok(bounds.collect())
}

/// A length with bounds that are short numbers.
pub fn rounded(length: Length) -> Length {
    match length {
        Length::Infinite => Length::Infinite,
        Length::Finite { lower, upper } => Length::Finite {
            lower: down(&lower),
            upper: upper.map(|upper| -down(&-upper)),
        },
    }
}

fn down(number: &BigRational) -> BigRational {
    let unit = BigInt::one() << BITS;
    let floor = (number * &unit).floor().to_integer();
    BigRational::new(floor, unit)
}

/// Values with those of ends behind them, which are lengths below 0.
fn with_ends(values: &[f64], ends: &[BigRational]) -> Vec<f64> {
    let states = values.len() - ends.len();
    let ends = ends.iter().map(|end| -end.to_f64().unwrap_or(f64::MAX));
    values[..states].iter().copied().chain(ends).collect()
}

/// The lengths that have these values, with those of the ends behind them.
fn lengths(values: &[f64], ends: &[BigRational]) -> Option<Vec<Length>> {
    let states = values.len() - ends.len();
    let states = values[..states]
        .iter()
        .map(|&value| BigRational::from_float(-value));
    let all = states.chain(ends.iter().map(|end| Some(end.clone())));
    all.map(|value| Some(Length::exact(value?))).collect()
}

fn highs(
    floats: &Floats<'_>,
    ends: Vec<BigRational>,
    values: &[f64],
    strategies: &Strategies,
    limits: &Limits,
) -> Result<Option<Vec<BigRational>>, StopReason> {
    let arena = floats.arena;
    for cost in COSTS {
        let (mut strategies, mut values) = (strategies.clone(), with_ends(values, &ends));
        if !floats.improve(
            &mut strategies,
            &mut values,
            [cost; 2],
            Free::Replies,
            limits,
        )? {
            continue;
        }
        let Some(lengths) = lengths(&values, &ends) else {
            continue;
        };
        limits.check()?;
        let is_proved = strategies
            .alternatives
            .iter()
            .enumerate()
            .all(|(state, &one)| {
                let own = lower(&lengths[state]);
                own >= Some(&BigRational::zero())
                    && arena.replies(one as usize).all(|reply| {
                        let after = mean(arena, reply, |target| &lengths[target]);
                        lower(&after.after_step(floats.counts[state])) <= own
                    })
            });
        if is_proved {
            let highs = lengths.iter().take(arena.states());
            return Ok(highs.map(|high| lower(high).cloned()).collect());
        }
    }
    Ok(None)
}

fn lows(
    floats: &Floats<'_>,
    ends: Vec<BigRational>,
    values: &[f64],
    strategies: &Strategies,
    limits: &Limits,
) -> Result<Vec<BigRational>, StopReason> {
    let arena = floats.arena;
    // Where steps that do not count lead round, they must not cost less than nothing.
    let extras = [1.0, 0.0].map(|other| COSTS.map(|cost| [-cost, -cost * other]));
    for extra in extras.into_iter().flatten() {
        let (mut answers, mut values) = (strategies.clone(), with_ends(values, &ends));
        if !floats.improve(&mut answers, &mut values, extra, Free::Alternatives, limits)? {
            continue;
        }
        let Some(mut lengths) = lengths(&values, &ends) else {
            continue;
        };
        for _ in 0..MAX_SWEEPS {
            limits.check()?;
            let mut is_proved = true;
            for state in 0..arena.states() {
                let means = arena.alternatives(state).map(|alternative| {
                    let reply = strategies.replies[alternative] as usize;
                    let after = mean(arena, reply, |target| &lengths[target]);
                    after.after_step(floats.counts[state])
                });
                let least = means
                    .reduce(Length::or_shorter)
                    .expect("a state has an alternative");
                if lower(&least) < lower(&lengths[state]) {
                    lengths[state] = rounded(least);
                    is_proved = false;
                }
            }
            if is_proved {
                let lows = lengths.iter().take(arena.states());
                let positive = |low: &BigRational| low.clone().max(BigRational::zero());
                return Ok(lows.filter_map(lower).map(positive).collect());
            }
        }
    }
    // No step takes less than nothing.
    Ok(vec![BigRational::zero(); arena.states()])
}
