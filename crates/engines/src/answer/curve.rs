//! Values over the number of steps: as lines, and as JSON.

use super::json::{JsonOutcome, stopped_by};
use super::text::{PERFECT_INFORMATION, value_columns};
use super::{Answer, GameSubject, Subject};
use formula::{Outcome, Value};
use gdl::Name;
use gdl::game::Objective;
use limits::StopReason;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// The values of a game for every number of steps in a range, as far as they are known.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Curve {
    /// The question about the game; its depth is the last of the range.
    pub subject: Subject,
    /// The first number of steps.
    pub first: u32,
    /// The last number of steps.
    pub last: u32,
    /// The name of the engine.
    pub engine: &'static str,
    /// The values, in the order of their numbers of steps.
    pub points: Vec<CurvePoint>,
}

/// The value for one number of steps.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct CurvePoint {
    /// The number of steps.
    pub depth: u32,
    /// The value, or proved bounds of it.
    pub outcome: Outcome,
    /// Whether plays that are not over by then may count in it, as worth nothing.
    pub cut_off: bool,
    /// How long it took.
    pub time: Duration,
}

impl Curve {
    /// A curve without points about the subject of this answer.
    #[doc(hidden)]
    pub fn new(about: Answer, first: u32, last: u32) -> Self {
        Curve {
            subject: about.subject,
            first,
            last,
            engine: about.engine,
            points: Vec::new(),
        }
    }

    /// The question about the game.
    pub fn game(&self) -> &GameSubject {
        match &self.subject {
            Subject::Game(game) => game,
            _ => unreachable!("curves are about games"),
        }
    }

    /// The role whose values these are.
    pub fn role(&self) -> &Name {
        &self.game().role
    }

    /// Whether it has all its points.
    pub fn is_complete(&self) -> bool {
        self.points
            .last()
            .is_some_and(|point| point.depth == self.last)
    }

    /// Ends the curve with a point of which nothing new is known.
    #[doc(hidden)]
    pub fn stop(&mut self, reason: StopReason) {
        self.push(CurvePoint {
            depth: self
                .points
                .last()
                .map_or(self.first, |point| point.depth + 1),
            outcome: Outcome::unknown(reason).times(&self.subject.largest()),
            cut_off: false,
            time: Duration::ZERO,
        });
    }

    /// Adds a point. More steps never make less of a game, since plays that have not ended count as
    /// lost: a lower bound holds for all later points.
    #[doc(hidden)]
    pub fn push(&mut self, mut point: CurvePoint) {
        let known = self.points.last().map(|last| last.outcome.bounds().0);
        if let (Outcome::Stopped { lower, .. }, Some(known)) = (&mut point.outcome, known) {
            *lower = known.max(lower.clone());
        }
        self.points.push(point);
    }

    /// The limit that ended it, if one did.
    pub fn stopped_by(&self) -> Option<StopReason> {
        match self.points.last().map(|point| &point.outcome) {
            Some(Outcome::Stopped { reason, .. }) => Some(*reason),
            _ => None,
        }
    }

    /// The line of a point: the number of steps, and the value.
    pub fn line(&self, point: &CurvePoint) -> String {
        let width = self.last.to_string().len();
        format!(
            "{:>width$}  {}",
            point.depth,
            value_columns(&point.outcome, &self.subject)
        )
    }

    /// The line after all points: the meaning of their values.
    pub fn last_line(&self) -> String {
        let GameSubject {
            role,
            objective,
            prefix,
            assumes_perfect_information,
            ..
        } = self.game();
        let circumstances = self.game().circumstances();
        let what = match objective {
            Objective::Win => "can guarantee winning with these probabilities".to_owned(),
            Objective::GoalAtLeast(points) => {
                format!("can guarantee at least {points} points with these probabilities")
            }
            Objective::Score => "can guarantee these parts of 100 points on average".to_owned(),
            Objective::Points => "can guarantee these expected points".to_owned(),
        };
        let exactness = match (self.stopped_by(), self.points.last()) {
            (Some(reason), _) => format!("bounds: {}", reason),
            (None, Some(point)) if matches!(point.outcome, Outcome::Solved(Value::Float(_))) => {
                "not exact: floating point".to_owned()
            }
            (None, _) => "exact".to_owned(),
        };
        let cut_off = if self.points.iter().any(|point| point.cut_off) {
            "; plays that are not over by then count as 0"
        } else {
            ""
        };
        let quant = prefix.map(|prefix| format!(", quant {prefix}"));
        let assumption = if *assumes_perfect_information {
            format!("\n{PERFECT_INFORMATION}")
        } else {
            String::new()
        };
        format!(
            "{role} {what} within {} to {} steps{circumstances} ({exactness}{cut_off}; engine {}{}, {:.2} s){assumption}",
            self.first,
            self.last,
            self.engine,
            quant.unwrap_or_default(),
            self.time().as_secs_f64()
        )
    }

    fn time(&self) -> Duration {
        self.points.iter().map(|point| point.time).sum()
    }

    /// One JSON object.
    pub fn json(&self) -> String {
        let points = self.points.iter().map(|point| JsonPoint {
            depth: point.depth,
            status: status(point.outcome.stopped_by()),
            outcome: JsonOutcome::new(&point.outcome),
            cut_off: point.cut_off,
            seconds: point.time.as_secs_f64(),
        });
        let mut subject = self.subject.fields();
        subject.insert("depth", vec![self.first, self.last].into());
        let curve = JsonCurve {
            subject,
            engine: self.engine,
            status: status(self.stopped_by()),
            stopped_by: self.stopped_by().map(stopped_by),
            curve: points.collect(),
            seconds: self.time().as_secs_f64(),
        };
        serde_json::to_string(&curve).expect("the shape has text keys only")
    }
}

fn status(stopped: Option<StopReason>) -> &'static str {
    if stopped.is_none() {
        "solved"
    } else {
        "bounds"
    }
}

#[derive(Serialize)]
struct JsonCurve<'a> {
    /// With the first and the last number of steps as `depth`.
    #[serde(flatten)]
    subject: BTreeMap<&'static str, serde_json::Value>,
    engine: &'a str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_by: Option<&'static str>,
    curve: Vec<JsonPoint>,
    seconds: f64,
}

#[derive(Serialize)]
struct JsonPoint {
    depth: u32,
    status: &'static str,
    #[serde(flatten)]
    outcome: JsonOutcome,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut_off: bool,
    seconds: f64,
}
