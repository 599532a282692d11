//! Best play as a chain: how it ends, how long it takes, and how much a move at random costs.

use crate::answer::{BestPlay, Choices};
use crate::error::{Error, ErrorKind};
use crate::strategy::{Continuation, Extracted};
use endless::{Absorption, Builder, Target, absorption, quantiles};
use formula::BigRational;
use gdl::game::{Game, Points};
use limits::{Limits, StopReason};
use num_traits::Zero;
use rules::ReasonerError;
use std::collections::{BTreeMap, BTreeSet};
use verify::{AnyStrategy, PlayEnds, play_ends};

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
    let values: BTreeSet<Points> = all.iter().filter_map(points).collect();
    let values: Vec<Points> = values.into_iter().rev().collect();
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
                visits: Vec::new(),
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
    let lengths = match is_bounded {
        true => lengths(all, limits)?,
        false => BTreeMap::new(),
    };
    let choices = found.steps.is_some();
    let choices = choices.then(|| choices_at(all, &found.visits));
    Ok(BestPlay {
        steps: found.steps,
        lengths,
        quantiles: quantile_steps,
        choices,
        points: values.into_iter().zip(ends).collect(),
        cut_off,
        endless: BigRational::from_integer(1.into()) - sum,
    })
}

/// The choices of the role, from how often play comes to each position where it goes on.
fn choices_at(all: &[Continuation], visits: &[BigRational]) -> Choices {
    let mut choices = Choices::default();
    let going_on = all.iter().filter_map(|next| match next {
        Continuation::OneOf { losses, .. } => Some(losses),
        Continuation::Over(_) | Continuation::CutOff => None,
    });
    for (losses, visits) in going_on.zip(visits) {
        if let Some(losses) = losses {
            choices.losses.at_random += visits * &losses.at_random;
            choices.losses.greedy += visits * &losses.greedy;
            choices.number += visits;
        }
    }
    choices
}

/// Lengths of plays that end after a number of steps: probabilities go forward from position to position.
fn lengths(
    all: &[Continuation],
    limits: &Limits,
) -> Result<BTreeMap<u32, BigRational>, StopReason> {
    let mut chances = vec![BigRational::zero(); all.len()];
    let mut steps = vec![0; all.len()];
    if let Some(start) = chances.first_mut() {
        *start = BigRational::from_integer(1.into());
    }
    let mut lengths: BTreeMap<u32, BigRational> = BTreeMap::new();
    for (index, next) in all.iter().enumerate() {
        limits.check()?;
        let chance = std::mem::take(&mut chances[index]);
        let Continuation::OneOf { positions, .. } = next else {
            *lengths.entry(steps[index]).or_default() += chance;
            continue;
        };
        let part = &chance / BigRational::from_integer(positions.len().into());
        for &position in positions {
            chances[position as usize] += &part;
            steps[position as usize] = steps[index] + 1;
        }
    }
    Ok(lengths)
}

/// The summary of play in which both sides keep to this mixed strategy; or the limit that was reached.
///
/// # Errors
/// If plays have no last step, or the rules cannot be evaluated.
pub(crate) fn mixed_summary(
    game: &Game,
    strategy: &Extracted<AnyStrategy>,
    limits: &Limits,
) -> Result<Result<BestPlay, StopReason>, Error> {
    let Extracted::Complete(strategy) = strategy else {
        return Ok(Err(strategy.stopped_by().unwrap_or(StopReason::Memory)));
    };
    let found = match play_ends(game, strategy, limits) {
        Err(ReasonerError::Stopped(reason)) => return Ok(Err(reason)),
        found => found?,
    };
    let Some(PlayEnds {
        lengths,
        points,
        cut_off,
    }) = found
    else {
        let message = "plays have no last step here, so mixed strategies have no statistics: give a number of steps that count";
        return Err(Error::new(ErrorKind::Question, message));
    };
    let steps = lengths.iter();
    let steps = steps.map(|(steps, chance)| BigRational::from_integer((*steps).into()) * chance);
    Ok(Ok(BestPlay {
        steps: Some(steps.sum()),
        lengths,
        quantiles: Vec::new(),
        choices: None,
        points: points.into_iter().rev().collect(),
        cut_off,
        endless: BigRational::zero(),
    }))
}
