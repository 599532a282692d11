//! Best play as a chain: how it ends, and how long it takes.

use crate::answer::BestPlay;
use formula::BigRational;
use limits::{Limits, StopReason};
use num_traits::Zero;
use simple_stochastic_game::{Absorption, Builder, Target, absorption};
use std::collections::BTreeSet;
use strategy::After;

/// The summary of best play from its positions; or the limit that was reached.
pub(super) fn summary(all: &[After], limits: &Limits) -> Result<BestPlay, StopReason> {
    let points = |next: &After| match next {
        After::Over(points) => Some(*points),
        After::CutOff | After::OneOf(_) => None,
    };
    let values: BTreeSet<u32> = all.iter().filter_map(points).collect();
    let values: Vec<u32> = values.into_iter().rev().collect();
    // Ends are the numbers of points, and then where play is cut off.
    let end = |next: &After| match next {
        After::Over(points) => values.iter().position(|value| value == points),
        After::CutOff => Some(values.len()),
        After::OneOf(_) => None,
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
        if let After::OneOf(outcomes) = next {
            builder.state();
            builder.alternative();
            builder.reply();
            for &outcome in outcomes {
                builder.outcome(numbers[outcome as usize], 1);
            }
        }
    }
    let found = match (numbers.first(), builder.finish(values.len() + 1)) {
        (Some(Target::End(end)), _) => {
            let is_it = |index| BigRational::from_integer(u8::from(index == *end as usize).into());
            Absorption {
                ends: (0..=values.len()).map(is_it).collect(),
                steps: Some(BigRational::zero()),
            }
        }
        (_, Ok(chain)) => absorption(&chain, limits)?,
        (_, Err(_)) => return Err(StopReason::Precision),
    };
    let sum: BigRational = found.ends.iter().sum();
    let mut ends = found.ends;
    let cut_off = ends.pop().expect("the last end");
    Ok(BestPlay {
        steps: found.steps,
        points: values.into_iter().zip(ends).collect(),
        cut_off,
        endless: BigRational::from_integer(1.into()) - sum,
    })
}
