//! How play goes when both sides play best: how long it takes, and how many points the role gets.

use super::Fraction;
use super::json::stopped_by;
use formula::BigRational;
use gdl::game::Unit;
use limits::StopReason;
use num_traits::Zero;
use serde::Serialize;
use std::collections::BTreeMap;
use strategy::{GREEDY_STEPS, Losses};

/// How best play goes. Both sides do what their strategies say; other best moves can make it longer or shorter.
#[derive(Clone, PartialEq, Debug)]
pub struct BestPlay {
    /// The mean number of steps; none if play never ends with positive probability.
    pub steps: Option<BigRational>,
    /// Quantiles of the number of steps, where it is not bounded: tenths of all plays, and the first step after which that part is over.
    pub quantiles: Vec<(u8, u64)>,
    /// Lengths and choices, where the number of steps is bounded.
    pub bounded: Option<BoundedPlay>,
    /// How many points the role gets, most first, with which probability; only what can come.
    pub points: Vec<(u32, BigRational)>,
    /// The probability that play is not over after the last step.
    pub cut_off: BigRational,
    /// The probability that play never ends.
    pub endless: BigRational,
}

/// Lengths of best play, and choices on the way.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BoundedPlay {
    /// How many steps plays take, with which probability.
    pub lengths: BTreeMap<u32, BigRational>,
    /// The mean number of positions in which the role has more than one legal move.
    pub choices: BigRational,
    /// The mean sums of what other players lose in each of them.
    pub losses: Losses,
}

impl BoundedPlay {
    /// After how many steps this part of all plays is over.
    fn steps_of(&self, part: &BigRational) -> u32 {
        let mut sum = BigRational::zero();
        let mut lengths = self.lengths.iter();
        let reached = lengths.find(|(_, chance)| {
            sum += *chance;
            sum >= *part
        });
        reached.map_or(0, |(steps, _)| *steps)
    }

    /// The mean losses of other players by one choice; none if the role never has a choice.
    pub fn mean_losses(&self) -> Option<Losses> {
        (!self.choices.is_zero()).then(|| Losses {
            at_random: &self.losses.at_random / &self.choices,
            greedy: &self.losses.greedy / &self.choices,
        })
    }

    fn lines(&self, unit: Unit) -> Vec<String> {
        let part = |n: u8| self.steps_of(&BigRational::new(n.into(), 10.into()));
        let mut lines = vec![format!(
            "half of the plays take at most {} steps, nine in ten at most {}, all at most {}",
            part(5),
            part(9),
            part(10)
        )];
        if let Some(losses) = self.mean_losses() {
            let choices = Unit::Number.text(&self.choices);
            lines.push(format!(
                "choices of the role in a play, on the average: {choices}"
            ));
            lines.push(format!(
                "loss by a move at random in their place: {}, by looking {GREEDY_STEPS} steps ahead: {}",
                unit.text(&losses.at_random),
                unit.text(&losses.greedy)
            ));
        }
        lines
    }
}

impl BestPlay {
    /// In sentences, with the unit of values.
    pub fn lines(&self, unit: Unit) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(steps) = &self.steps {
            let text = Unit::Number.text(steps);
            lines.push(format!("steps of best play, on the average: {text}"));
        }
        let quantiles: Vec<String> = self
            .quantiles
            .iter()
            .map(|&(tenths, steps)| match tenths {
                5 => format!("half of the plays take at most {steps} steps"),
                9 => format!("nine in ten at most {steps}"),
                tenths => format!("{tenths} in ten at most {steps}"),
            })
            .collect();
        lines.extend((!quantiles.is_empty()).then(|| quantiles.join(", ")));
        lines.extend(self.bounded.iter().flat_map(|it| it.lines(unit)));
        let mut ends: Vec<(String, &BigRational)> = self
            .points
            .iter()
            .map(|(points, chance)| (format!("{points} points"), chance))
            .collect();
        ends.push(("not over after the last step".to_owned(), &self.cut_off));
        ends.push(("never over".to_owned(), &self.endless));
        ends.retain(|(_, chance)| !chance.is_zero());
        let width = ends.iter().map(|(what, _)| what.len()).max().unwrap_or(0);
        for (what, chance) in &ends {
            lines.push(format!("  {what:<width$}  {}", Unit::Percent.text(chance)));
        }
        lines
    }
}

/// The same as JSON.
#[derive(Serialize)]
pub(super) struct JsonBestPlay {
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Fraction>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lengths: Vec<JsonLength>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    quantiles: Vec<JsonQuantile>,
    #[serde(skip_serializing_if = "Option::is_none")]
    choices: Option<Fraction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    loss_at_random: Option<Fraction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    loss_of_greedy: Option<Fraction>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    points: Vec<JsonPoints>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cut_off: Option<Fraction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    endless: Option<Fraction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_by: Option<&'static str>,
}

#[derive(Serialize)]
struct JsonLength {
    steps: u32,
    probability: Fraction,
}

#[derive(Serialize)]
struct JsonQuantile {
    tenths: u8,
    steps: u64,
}

#[derive(Serialize)]
struct JsonPoints {
    points: u32,
    probability: Fraction,
}

impl JsonBestPlay {
    pub(super) fn new(play: &Result<BestPlay, StopReason>) -> Self {
        let positive = |chance: &BigRational| (!chance.is_zero()).then(|| Fraction::from(chance));
        let known = play.as_ref().ok();
        let points = known.into_iter().flat_map(|play| &play.points);
        let bounded = known.and_then(|play| play.bounded.as_ref());
        let lengths = bounded.into_iter().flat_map(|bounded| &bounded.lengths);
        let losses = bounded.and_then(BoundedPlay::mean_losses);
        JsonBestPlay {
            lengths: lengths
                .map(|(steps, chance)| JsonLength {
                    steps: *steps,
                    probability: Fraction::from(chance),
                })
                .collect(),
            quantiles: known
                .into_iter()
                .flat_map(|play| &play.quantiles)
                .map(|&(tenths, steps)| JsonQuantile { tenths, steps })
                .collect(),
            choices: bounded.map(|bounded| Fraction::from(&bounded.choices)),
            loss_at_random: losses.as_ref().map(|it| Fraction::from(&it.at_random)),
            loss_of_greedy: losses.as_ref().map(|it| Fraction::from(&it.greedy)),
            steps: known
                .and_then(|play| play.steps.as_ref())
                .map(Fraction::from),
            points: points
                .map(|(points, chance)| JsonPoints {
                    points: *points,
                    probability: Fraction::from(chance),
                })
                .collect(),
            cut_off: known.and_then(|play| positive(&play.cut_off)),
            endless: known.and_then(|play| positive(&play.endless)),
            stopped_by: play.as_ref().err().map(|reason| stopped_by(*reason)),
        }
    }
}
