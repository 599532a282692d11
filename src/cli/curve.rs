//! Values over the number of steps: as lines, as JSON, and as a picture.

use super::files;
use super::json::{JsonOutcome, stopped_by};
use super::output::value_text;
use super::request::Budget;
use super::{Exit, Failure};
use crate::game::Objective;
use crate::plot::{Labels, Point, lines};
use crate::sqasp::PrefixMethod;
use crate::translate::Question;
use formula::{BigRational, Outcome, Value};
use limits::StopReason;
use num_traits::ToPrimitive;
use serde::Serialize;
use std::path::Path;
use std::time::Duration;

/// The values of a game for every number of steps in a range, as far as they are known.
#[derive(Clone)]
pub(super) struct Curve {
    /// The name of the game.
    pub(super) game: String,
    /// What is asked; its depth is the last of the range.
    pub(super) question: Question,
    /// The first number of steps.
    pub(super) first: u32,
    /// How formulas are made, where there are any.
    pub(super) prefix: Option<PrefixMethod>,
    pub(super) engine: &'static str,
    pub(super) points: Vec<CurvePoint>,
}

/// The value for one number of steps.
#[derive(Clone)]
pub(super) struct CurvePoint {
    pub(super) depth: u32,
    pub(super) outcome: Outcome,
    /// Whether plays that are not over by then may count in it, as worth nothing.
    pub(super) cut_off: bool,
    pub(super) time: Duration,
}

impl Curve {
    /// Adds a point. More steps never make less of a game, since plays that have not ended count as
    /// lost: a lower bound holds for all later points.
    pub(super) fn push(&mut self, mut point: CurvePoint) {
        let known = self.points.last().map(|last| last.outcome.bounds().0);
        if let (Outcome::Stopped { lower, .. }, Some(known)) = (&mut point.outcome, known) {
            *lower = known.max(lower.clone());
        }
        self.points.push(point);
    }

    /// The limit that ended it, if one did.
    pub(super) fn stopped_by(&self) -> Option<StopReason> {
        match self.points.last().map(|point| &point.outcome) {
            Some(Outcome::Stopped { reason, .. }) => Some(*reason),
            _ => None,
        }
    }

    /// The exit code for it.
    pub(super) fn exit(&self) -> Exit {
        self.stopped_by().map_or(Exit::Answered, Exit::for_stop)
    }

    /// The line of a point: the number of steps, and the value.
    pub(super) fn line(&self, point: &CurvePoint) -> String {
        let width = self.question.depth.to_string().len();
        format!("{:>width$}  {}", point.depth, value_text(&point.outcome))
    }

    /// The line after all points: what they are.
    pub(super) fn last_line(&self) -> String {
        let Question {
            role,
            depth,
            objective,
        } = &self.question;
        let what = match objective {
            Objective::Win => "can make sure of winning with these probabilities".to_owned(),
            Objective::GoalAtLeast(points) => {
                format!("can make sure of at least {points} points with these probabilities")
            }
            Objective::Score => "can make sure of these parts of 100 points on average".to_owned(),
            Objective::Points => "can make sure of these expected points".to_owned(),
        };
        let exactness = match (self.stopped_by(), self.points.last()) {
            (Some(reason), _) => format!("bounds: {}", reason),
            (None, Some(point)) if matches!(point.outcome, Outcome::Solved(Value::Float(_))) => {
                "not exact: floating point".to_owned()
            }
            (None, _) => "exact".to_owned(),
        };
        let cut_off = match self.points.iter().any(|point| point.cut_off) {
            true => "; plays that are not over by then count as 0",
            false => "",
        };
        let quant = self.prefix.map(|prefix| format!(", quant {prefix}"));
        format!(
            "{role} {what} within {} to {depth} steps ({exactness}{cut_off}; engine {}{}, {:.2} s)",
            self.first,
            self.engine,
            quant.unwrap_or_default(),
            self.time().as_secs_f64()
        )
    }

    fn time(&self) -> Duration {
        self.points.iter().map(|point| point.time).sum()
    }

    /// One JSON object.
    pub(super) fn json(&self) -> String {
        let points = self.points.iter().map(|point| JsonPoint {
            depth: point.depth,
            status: status(point.outcome.stopped_by()),
            outcome: JsonOutcome::new(&point.outcome),
            cut_off: point.cut_off,
            seconds: point.time.as_secs_f64(),
        });
        let curve = JsonCurve {
            game: &self.game,
            role: self.question.role.as_str(),
            objective: self.question.objective.to_string(),
            depth: [self.first, self.question.depth],
            quant: self.prefix.map(|prefix| prefix.to_string()),
            engine: self.engine,
            status: status(self.stopped_by()),
            stopped_by: self.stopped_by().map(stopped_by),
            curve: points.collect(),
            seconds: self.time().as_secs_f64(),
        };
        serde_json::to_string(&curve).expect("the shape has text keys only")
    }

    /// Draws it.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(super) fn draw(&self, to: &Path, budget: &Budget) -> Result<(), Failure> {
        let role = &self.question.role;
        let labels = Labels {
            title: format!("{}: {role}", self.game),
            x: "steps".to_owned(),
            y: match self.question.objective {
                Objective::Win => "probability of winning".to_owned(),
                Objective::GoalAtLeast(points) => format!("probability of {points} points or more"),
                Objective::Score => "mean part of 100 points".to_owned(),
                Objective::Points => "expected points".to_owned(),
            },
        };
        let float = |value: &BigRational| value.to_f64().expect("values are finite");
        let points = self.points.iter().map(|point| {
            let (low, high) = match &point.outcome {
                Outcome::Solved(Value::Float(value)) => (*value, *value),
                other => {
                    let (low, high) = other.bounds();
                    (float(&low), float(&high))
                }
            };
            Point {
                x: f64::from(point.depth),
                low,
                high,
            }
        });
        let series = [(role.to_string(), points.collect())];
        let picture =
            lines(&labels, &series).map_err(|error| Failure::new(Exit::Internal, error))?;
        files::write(Some(to), budget, |file| file.write_all(picture.as_bytes()))
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
    game: &'a str,
    role: &'a str,
    objective: String,
    depth: [u32; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    quant: Option<String>,
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
