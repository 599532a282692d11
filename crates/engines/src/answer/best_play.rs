//! How play goes when both sides play best: how long it takes, and how many points the role gets.

use super::Fraction;
use super::json::stopped_by;
use formula::BigRational;
use gdl::game::Unit;
use limits::StopReason;
use num_traits::Zero;
use serde::Serialize;

/// How best play goes. Both sides do what their strategies say; other best moves can make it longer or shorter.
#[derive(Clone, PartialEq, Debug)]
pub struct BestPlay {
    /// The mean number of steps; none if play never ends with positive probability.
    pub steps: Option<BigRational>,
    /// How many points the role gets, most first, with which probability; only what can come.
    pub points: Vec<(u32, BigRational)>,
    /// The probability that play is not over after the last step.
    pub cut_off: BigRational,
    /// The probability that play never ends.
    pub endless: BigRational,
}

impl BestPlay {
    /// In sentences.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(steps) = &self.steps {
            let text = Unit::Number.text(steps);
            lines.push(format!("steps of best play, on the average: {text}"));
        }
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
    points: Vec<JsonPoints>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cut_off: Option<Fraction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    endless: Option<Fraction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_by: Option<&'static str>,
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
        JsonBestPlay {
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
