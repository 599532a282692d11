//! Statistics of best play: how long it takes, and how many points the role gets.

use super::Fraction;
use super::json::stopped_by;
use super::text::{at_point, counted};
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
    /// How many steps plays take, with which probability, where their number is bounded.
    pub lengths: BTreeMap<u32, BigRational>,
    /// Quantiles of the number of steps, where it is not bounded: tenths of all plays, and the first step after which that part is over.
    pub quantiles: Vec<(u8, u64)>,
    /// The choices of the role; none if play never ends with positive probability.
    pub choices: Option<Choices>,
    /// How many points the role gets, most first, with which probability; only what can come.
    pub points: Vec<(u32, BigRational)>,
    /// The probability that play is not over after the last step.
    pub cut_off: BigRational,
    /// The probability that play never ends.
    pub endless: BigRational,
}

/// Choices of the role in a play.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Choices {
    /// The mean number of positions in which the role has more than one legal move.
    pub number: BigRational,
    /// The mean sums of what other players lose in each of them.
    pub losses: Losses,
}

impl Choices {
    /// The mean losses of other players by one choice; none if the role never has a choice.
    pub fn mean_losses(&self) -> Option<Losses> {
        (!self.number.is_zero()).then(|| Losses {
            at_random: &self.losses.at_random / &self.number,
            greedy: &self.losses.greedy / &self.number,
        })
    }

    fn lines(&self, unit: Unit) -> Vec<String> {
        let Some(losses) = self.mean_losses() else {
            return Vec::new();
        };
        let number = Unit::Number.text(&self.number);
        let by = [
            ("at random".to_owned(), losses.at_random),
            (
                format!("by looking {GREEDY_STEPS} steps ahead"),
                losses.greedy,
            ),
        ];
        let losses = table(by.iter().map(|(how, loss)| (how.as_str(), loss)), unit);
        let head = format!(
            "choices of the role in a play, on the average: {number}; what a move in their place loses:"
        );
        std::iter::once(head).chain(losses).collect()
    }
}

/// Lines with a name, a number, and the number as a fraction, in columns.
fn table<'a>(rows: impl Iterator<Item = (&'a str, &'a BigRational)>, unit: Unit) -> Vec<String> {
    let rows: Vec<(&str, &BigRational)> = rows.collect();
    let numbers: Vec<String> = rows
        .iter()
        .map(|(_, number)| unit.rounded(number))
        .collect();
    let numbers = at_point(&numbers);
    let names = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let wide = numbers.iter().map(String::len).max().unwrap_or(0);
    let lines = rows.iter().zip(&numbers);
    let lines = lines.map(|((name, number), shown)| match number.is_integer() {
        true => format!("  {name:<names$}  {shown}"),
        false => format!("  {name:<names$}  {shown:<wide$}  ({number})"),
    });
    lines.collect()
}

impl BestPlay {
    /// After how many steps these tenths of all plays are over, as far as that is known; tenths come before.
    fn parts(&self) -> Vec<(u8, u64)> {
        let mut sum = BigRational::zero();
        let mut lengths = self.lengths.iter().peekable();
        let mut reached = 0;
        let tenths: &[u8] = if self.lengths.is_empty() {
            &[]
        } else {
            &[5, 9, 10]
        };
        let known = tenths.iter().map(|&tenths| {
            let part = BigRational::new(tenths.into(), 10.into());
            while let Some((steps, chance)) = lengths.next_if(|_| sum < part) {
                sum += chance;
                reached = u64::from(*steps);
            }
            (tenths, reached)
        });
        known.chain(self.quantiles.iter().copied()).collect()
    }

    /// In sentences, with the unit of values.
    pub fn lines(&self, unit: Unit) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(steps) = &self.steps {
            let text = Unit::Number.text(steps);
            lines.push(format!("steps of best play, on the average: {text}"));
        }
        let parts = self
            .parts()
            .into_iter()
            .map(|(tenths, steps)| match tenths {
                5 => format!(
                    "half of the plays take at most {}",
                    counted(steps as usize, "step")
                ),
                9 => format!("nine in ten at most {steps}"),
                _ => format!("all at most {steps}"),
            });
        let parts: Vec<String> = parts.collect();
        lines.extend((!parts.is_empty()).then(|| parts.join(", ")));
        lines.extend(self.choices.iter().flat_map(|it| it.lines(unit)));
        let mut ends: Vec<(String, &BigRational)> = self
            .points
            .iter()
            .map(|(points, chance)| (format!("{points} points"), chance))
            .collect();
        ends.push(("not over after the last step".to_owned(), &self.cut_off));
        ends.push(("never over".to_owned(), &self.endless));
        ends.retain(|(_, chance)| !chance.is_zero());
        lines.push("ends of best play:".to_owned());
        let ends = ends.iter().map(|(what, chance)| (what.as_str(), *chance));
        lines.extend(table(ends, Unit::Percent));
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
        let lengths = known.into_iter().flat_map(|play| &play.lengths);
        let choices = known.and_then(|play| play.choices.as_ref());
        let losses = choices.and_then(Choices::mean_losses);
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
            choices: choices.map(|choices| Fraction::from(&choices.number)),
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
