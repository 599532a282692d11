//! Values over the number of steps.

use super::text::{PERFECT_INFORMATION, Shown, cut_off, exactness, made_by};
use super::worth::{AnswerStatus, ended, is_false, seconds};
use super::{Answer, Depth, GameSubject, Subject, unknown_in, value_columns};
use formula::Outcome;
use gdl::Name;
use limits::StopReason;
use serde::{Serialize, Serializer};
use std::time::Duration;

/// The values of a game for every number of steps in a range, as far as they are known.
#[derive(Clone, Debug, Serialize)]
#[serde(remote = "Self")]
#[non_exhaustive]
pub struct Curve {
    /// The question about the game, with the range of its steps.
    #[serde(flatten)]
    pub subject: Subject,
    /// The first number of steps.
    #[serde(skip)]
    pub first: u32,
    /// The last number of steps.
    #[serde(skip)]
    pub last: u32,
    /// The name of the engine.
    pub engine: &'static str,
    /// The values, in the order of their numbers of steps.
    #[serde(rename = "curve")]
    pub points: Vec<CurvePoint>,
}

/// The value for one number of steps.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[non_exhaustive]
pub struct CurvePoint {
    /// The number of steps.
    pub depth: u32,
    /// The value, or proved bounds of it.
    #[serde(flatten, serialize_with = "ended")]
    pub outcome: Outcome,
    /// Whether plays that are not over by then may count in it, as worth nothing.
    #[serde(skip_serializing_if = "is_false")]
    pub cut_off: bool,
    /// How long it took.
    #[serde(rename = "seconds", serialize_with = "seconds")]
    pub time: Duration,
}

impl Serialize for Curve {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Whole<'a> {
            #[serde(flatten, serialize_with = "Curve::serialize")]
            curve: &'a Curve,
            #[serde(flatten)]
            status: AnswerStatus,
            #[serde(serialize_with = "seconds")]
            seconds: Duration,
        }
        Whole {
            curve: self,
            status: self.stopped_by().into(),
            seconds: self.time(),
        }
        .serialize(to)
    }
}

impl Curve {
    /// A curve without points about the subject of this answer.
    #[doc(hidden)]
    pub fn new(about: Answer, first: u32, last: u32) -> Self {
        let mut curve = Curve {
            subject: about.subject.clone(),
            first,
            last,
            engine: about.engine,
            points: Vec::new(),
        };
        curve.set_subject(about);
        curve
    }

    /// Takes what an answer is about.
    pub(crate) fn set_subject(&mut self, about: Answer) {
        (self.subject, self.engine) = (about.subject, about.engine);
        if let Subject::Game(game) = &mut self.subject {
            game.depth = Depth::Range(self.first, self.last);
        }
    }

    /// The question about the game.
    pub fn game(&self) -> &GameSubject {
        self.subject.game().expect("curves are about games")
    }

    /// The role whose values these are.
    pub fn role(&self) -> &Name {
        &self.game().role
    }

    /// Whether it has all its points.
    pub fn is_complete(&self) -> bool {
        let last = self.points.last();
        last.is_some_and(|point| point.depth == self.last)
    }

    /// Ends the curve with a point of which nothing new is known. More steps never make less of a game, since plays that have not ended
    /// count as worth nothing, unless ends can be worth less: so the last lower bound holds.
    #[doc(hidden)]
    pub fn stop(&mut self, reason: StopReason) {
        let last = self.points.last();
        let range = self.subject.range();
        let known = last.filter(|_| !range.has_negative());
        let known = known.map(|last| last.outcome.bounds().0);
        let mut outcome = unknown_in(&range, reason);
        if let (Outcome::Stopped { lower, .. }, Some(known)) = (&mut outcome, known) {
            *lower = known;
        }
        self.points.push(CurvePoint {
            depth: last.map_or(self.first, |point| point.depth + 1),
            outcome,
            cut_off: false,
            time: Duration::ZERO,
        });
    }

    /// The limit that ended it, if one did.
    pub fn stopped_by(&self) -> Option<StopReason> {
        self.points.last()?.outcome.stopped_by()
    }

    /// The line of a point: the number of steps, and the value.
    pub fn line(&self, point: &CurvePoint) -> String {
        let width = self.last.to_string().len();
        let value = value_columns(&point.outcome, &self.subject);
        format!("{:>width$}  {value}", point.depth)
    }

    /// The line after all points: the meaning of their values.
    pub fn last_line(&self) -> String {
        let game = self.game();
        let last = self.points.last().map(|point| &point.outcome);
        let exactness = exactness(last.into_iter(), None);
        let is_cut_off = self.points.iter().any(|point| point.cut_off);
        let assumption = match game.assumes_perfect_information {
            true => format!("\n{PERFECT_INFORMATION}"),
            false => String::new(),
        };
        format!(
            "{}{} ({exactness}{}; {}){assumption}",
            game.statement(Shown::Values),
            game.circumstances(),
            match is_cut_off {
                true => cut_off(Some(game.objective)),
                false => "",
            },
            made_by(self.engine, game.prefix, self.time())
        )
    }

    fn time(&self) -> Duration {
        self.points.iter().map(|point| point.time).sum()
    }

    /// One JSON object.
    ///
    /// # Panics
    /// Never: all keys are text.
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("all keys are text")
    }
}
