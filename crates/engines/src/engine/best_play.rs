//! Best play as a chain: how it ends, how long it takes, and how much a move at random costs.

use crate::answer::{BestPlay, BoundedPlay};
use formula::BigRational;
use limits::{Limits, StopReason};
use num_traits::Zero;
use simple_stochastic_game::{Absorption, Builder, Target, absorption, quantiles};
use std::collections::BTreeSet;
use strategy::Continuation;

/// The summary of best play from its positions; or the limit that was reached.
///
/// With a number of steps (`is_bounded`), positions come before those that follow them.
pub(super) fn summary(
    all: &[Continuation],
    is_bounded: bool,
    limits: &Limits,
) -> Result<BestPlay, StopReason> {
    let points = |next: &Continuation| match next {
        Continuation::Over(points) => Some(*points),
        Continuation::CutOff | Continuation::OneOf { .. } => None,
    };
    let values: BTreeSet<u32> = all.iter().filter_map(points).collect();
    let values: Vec<u32> = values.into_iter().rev().collect();
    // Ends are the numbers of points, and then where play is cut off.
    let end = |next: &Continuation| match next {
        Continuation::Over(points) => values.iter().position(|value| value == points),
        Continuation::CutOff => Some(values.len()),
        Continuation::OneOf { .. } => None,
    };
    let mut numbers = Vec::with_capacity(all.len());
    let mut states = 0;
    for next in all {
        numbers.push(match end(next) {
            Some(end) => Target::End(end as u32),
            None => {
                states += 1;
                Target::State(states - 1)
            }
        });
    }
    let mut builder = Builder::default();
    for next in all {
        if let Continuation::OneOf { positions, .. } = next {
            builder.state();
            builder.alternative();
            builder.reply();
            for &outcome in positions {
                builder.outcome(numbers[outcome as usize], 1);
            }
        }
    }
    let mut quantile_steps = Vec::new();
    let found = match (numbers.first(), builder.finish(values.len() + 1)) {
        (Some(Target::End(end)), _) => {
            let is_it = |index| BigRational::from_integer(u8::from(index == *end as usize).into());
            Absorption {
                ends: (0..=values.len()).map(is_it).collect(),
                steps: Some(BigRational::zero()),
            }
        }
        (_, Ok(chain)) => {
            let found = absorption(&chain, limits)?;
            // With a number of steps all lengths are known.
            if !is_bounded && found.steps.is_some() {
                quantile_steps = quantiles(&chain, limits)?;
            }
            found
        }
        (_, Err(_)) => return Err(StopReason::Precision),
    };
    let sum: BigRational = found.ends.iter().sum();
    let mut ends = found.ends;
    let cut_off = ends.pop().expect("the last end");
    let bounded = match is_bounded {
        true => Some(bounded(all, limits)?),
        false => None,
    };
    Ok(BestPlay {
        steps: found.steps,
        quantiles: quantile_steps,
        bounded,
        points: values.into_iter().zip(ends).collect(),
        cut_off,
        endless: BigRational::from_integer(1.into()) - sum,
    })
}

/// Lengths and choices of plays that end after a number of steps: probabilities go forward from position to position.
fn bounded(all: &[Continuation], limits: &Limits) -> Result<BoundedPlay, StopReason> {
    let mut chances = vec![BigRational::zero(); all.len()];
    let mut steps = vec![0; all.len()];
    if let Some(start) = chances.first_mut() {
        *start = BigRational::from_integer(1.into());
    }
    let mut bounded = BoundedPlay::default();
    for (index, next) in all.iter().enumerate() {
        limits.look()?;
        let chance = std::mem::take(&mut chances[index]);
        let Continuation::OneOf { positions, losses } = next else {
            *bounded.lengths.entry(steps[index]).or_default() += chance;
            continue;
        };
        let part = &chance / BigRational::from_integer(positions.len().into());
        for &position in positions {
            chances[position as usize] += &part;
            steps[position as usize] = steps[index] + 1;
        }
        if let Some(losses) = losses {
            bounded.losses.at_random += &chance * &losses.at_random;
            bounded.losses.greedy += &chance * &losses.greedy;
            bounded.choices += chance;
        }
    }
    Ok(bounded)
}
