//! Statistics of best play: how long it takes, and how many points the role gets.

use super::text::{at_point, counted, in_columns};
use crate::strategy::{GREEDY_STEPS, Losses};
use formula::BigRational;
use gdl::game::{Fraction, Points, Unit, fraction};
use limits::StopReason;
use num_traits::Zero;
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// How best play goes. Both sides do what their strategies say; other best moves can make it longer or shorter.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct BestPlay {
    /// The mean number of steps; none if play never ends with positive probability.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "mean")]
    pub steps: Option<BigRational>,
    /// How many steps plays take, with which probability, where their number is bounded.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", serialize_with = "lengths")]
    pub lengths: BTreeMap<u32, BigRational>,
    /// Quantiles of the number of steps, where it is not bounded: tenths of all plays, and the first step after which that part is over.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "quantiles")]
    pub quantiles: Vec<(u8, u64)>,
    /// The choices of the role; none if play never ends with positive probability.
    #[serde(flatten)]
    pub choices: Option<Choices>,
    /// How many points the role gets, most first, with which probability; only what can come.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "points")]
    pub points: Vec<(Points, BigRational)>,
    /// The probability that play is not over after the last step.
    #[serde(skip_serializing_if = "Zero::is_zero", serialize_with = "fraction")]
    pub cut_off: BigRational,
    /// The probability that play never ends.
    #[serde(skip_serializing_if = "Zero::is_zero", serialize_with = "fraction")]
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

/// An element of a list about best play.
#[derive(Serialize)]
#[serde(untagged)]
enum Part {
    Length {
        steps: u32,
        probability: Fraction,
    },
    Quantile {
        tenths: u8,
        steps: u64,
    },
    Points {
        points: Points,
        probability: Fraction,
    },
    Limit {
        stopped_by: StopReason,
    },
}

/// Writes best play, or the limit that came first.
pub(super) fn or_limit<S: Serializer>(
    play: &Option<Result<BestPlay, StopReason>>,
    to: S,
) -> Result<S::Ok, S::Error> {
    match play {
        None => to.serialize_none(),
        Some(Ok(play)) => play.serialize(to),
        &Some(Err(stopped_by)) => Part::Limit { stopped_by }.serialize(to),
    }
}

fn mean<S: Serializer>(steps: &Option<BigRational>, to: S) -> Result<S::Ok, S::Error> {
    steps.as_ref().map(Fraction::from).serialize(to)
}

fn lengths<S: Serializer>(all: &BTreeMap<u32, BigRational>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(all.iter().map(|(&steps, chance)| Part::Length {
        steps,
        probability: chance.into(),
    }))
}

fn quantiles<S: Serializer>(all: &[(u8, u64)], to: S) -> Result<S::Ok, S::Error> {
    let all = all.iter();
    to.collect_seq(all.map(|&(tenths, steps)| Part::Quantile { tenths, steps }))
}

fn points<S: Serializer>(all: &[(Points, BigRational)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(all.iter().map(|(points, chance)| Part::Points {
        points: *points,
        probability: chance.into(),
    }))
}

impl Serialize for Choices {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Means<'a> {
            #[serde(serialize_with = "fraction")]
            choices: &'a BigRational,
            #[serde(skip_serializing_if = "Option::is_none")]
            loss_at_random: Option<Fraction>,
            #[serde(skip_serializing_if = "Option::is_none")]
            loss_of_greedy: Option<Fraction>,
        }
        let losses = self.mean_losses();
        Means {
            choices: &self.number,
            loss_at_random: losses.as_ref().map(|losses| (&losses.at_random).into()),
            loss_of_greedy: losses.as_ref().map(|losses| (&losses.greedy).into()),
        }
        .serialize(to)
    }
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
        let by = [
            ("at random".to_owned(), losses.at_random),
            (
                format!("by looking {GREEDY_STEPS} steps ahead"),
                losses.greedy,
            ),
        ];
        let mut lines = vec![format!(
            "choices of the role in a play, on the average: {}; mean loss of a choice that is made:",
            Unit::Number.text(&self.number)
        )];
        lines.extend(table(
            by.iter().map(|(how, loss)| (how.as_str(), loss)),
            unit,
        ));
        lines
    }
}

/// Lines with a name, a number, and the number as a fraction, in columns.
fn table<'a>(rows: impl Iterator<Item = (&'a str, &'a BigRational)>, unit: Unit) -> Vec<String> {
    let rows: Vec<(&str, &BigRational)> = rows.collect();
    let numbers = rows.iter().map(|(_, number)| unit.rounded(number));
    let numbers = at_point(&numbers.collect::<Vec<_>>());
    let rows = rows.iter().zip(numbers).map(|((name, number), shown)| {
        let fraction = match number.is_integer() {
            true => String::new(),
            false => format!("({number})"),
        };
        [format!("  {name}"), shown, fraction]
    });
    in_columns(&rows.collect::<Vec<_>>())
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
        let parts = self.parts().into_iter();
        let parts = parts.map(|(tenths, steps)| match tenths {
            5 => {
                let steps = counted(steps as usize, "step");
                format!("half of the plays take at most {steps}")
            }
            9 => format!("nine in ten at most {steps}"),
            _ => format!("all at most {steps}"),
        });
        let parts: Vec<String> = parts.collect();
        lines.extend((!parts.is_empty()).then(|| parts.join(", ")));
        lines.extend(self.choices.iter().flat_map(|it| it.lines(unit)));
        let ends = self.points.iter();
        let ends = ends.map(|(points, chance)| (format!("{points} points"), chance));
        let mut ends: Vec<(String, &BigRational)> = ends.collect();
        ends.push(("not over after the last step".to_owned(), &self.cut_off));
        ends.push(("never over".to_owned(), &self.endless));
        ends.retain(|(_, chance)| !chance.is_zero());
        lines.push("ends of best play:".to_owned());
        let ends = ends.iter().map(|(what, chance)| (what.as_str(), *chance));
        lines.extend(table(ends, Unit::Percent));
        lines
    }
}
