//! The report about plans of a game, as text and as JSON.

use super::{Ending, Report};
use engines::answer::counted;
use engines::answer::json::stopped_by;
use limits::StopReason;
use plan::{FoundBy, Goal, Plan, PlanBounds, Question};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

/// All plans that were asked for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Several {
    /// The plans.
    pub plans: Vec<Plan>,
    /// Whether there are no more.
    pub is_complete: bool,
}

/// How planning ended.
#[derive(Clone)]
#[non_exhaustive]
pub struct PlanReport {
    /// The name of the game.
    pub game: String,
    /// The question that was asked.
    pub question: Question,
    /// The bounds that are proved.
    pub known: PlanBounds,
    /// The limit that came first, if the question is not answered.
    pub stopped: Option<StopReason>,
    /// With `--plans`.
    pub several: Option<Several>,
    /// How long it took.
    pub time: Duration,
}

#[derive(Serialize)]
struct JsonPlanned<'a> {
    game: &'a str,
    role: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped_by: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    goal: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    found_by: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shortest: Option<bool>,
    proved_empty_up_to: Option<u32>,
    proved_unreachable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    plans: Option<Vec<Vec<String>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plans_complete: Option<bool>,
    stats: BTreeMap<&'static str, BTreeMap<&'static str, f64>>,
}

impl PlanReport {
    /// The limit that left the question open.
    pub fn stopped_by(&self) -> Option<StopReason> {
        let some_are_missing = self
            .several
            .as_ref()
            .is_some_and(|several| !several.is_complete);
        self.stopped
            .filter(|_| !self.known.is_best() || some_are_missing)
    }

    /// The proved bounds, as a sentence.
    fn statement(&self) -> String {
        let role = &self.question.role;
        let within = match self.question.depth {
            Some(depth) => format!(" within {}", counted(depth as usize, "move")),
            None => String::new(),
        };
        let Some((plan, _)) = self.known.best() else {
            let what = match self.question.goal {
                Goal::Best => "end the game".to_owned(),
                Goal::AtLeast(points) => format!("reach {points} points"),
            };
            return match (self.known.is_best(), self.known.nothing_better().1) {
                (true, _) => format!("{role} cannot {what}{within}"),
                (false, Some(known)) => {
                    format!(
                        "{role} cannot {what} with {} or fewer",
                        counted(known as usize, "move")
                    )
                }
                (false, None) => format!("it is not known whether {role} can {what}{within}"),
            };
        };
        let is_asked = matches!(self.question.goal, Goal::AtLeast(_));
        let best = match (
            is_asked,
            self.known.is_best(),
            self.known.nothing_better().1,
        ) {
            (true, ..) => String::new(),
            (_, true, _) => format!("{role} cannot reach more{within}"),
            (_, false, Some(known)) => {
                format!(
                    "{role} cannot reach more with {} or fewer",
                    counted(known as usize, "move")
                )
            }
            (_, false, None) => format!("{role} may reach more"),
        };
        let shortest = if self.known.is_shortest() {
            "no shorter plan is as good"
        } else {
            "a shorter plan may be as good"
        };
        match plan.moves.len() {
            0 => {
                if best.is_empty() {
                    "the game is over at the start".to_owned()
                } else {
                    best
                }
            }
            _ if best.is_empty() => shortest.to_owned(),
            _ => format!("{best}, and {shortest}"),
        }
    }

    /// How that is known, or why no more is.
    fn work(&self) -> String {
        let found = match self.known.best() {
            Some((_, by)) => format!("found by {}", method(by)),
            None => "proved".to_owned(),
        };
        match self.stopped_by() {
            None => found,
            Some(reason) if self.known.best().is_some() => {
                format!("{found}; {}", reason)
            }
            Some(reason) => reason.to_string(),
        }
    }
}

impl Report for PlanReport {
    fn text(&self) -> String {
        let mut text = String::new();
        match (self.known.best(), &self.several) {
            (Some((plan, _)), None) => {
                text += &format!("{}\n", headline(plan));
                for (number, action) in plan.moves.iter().enumerate() {
                    writeln!(text, "{:4}. {action}", number + 1).expect("strings can be written");
                }
            }
            (Some(_), Some(several)) => {
                let count = several.plans.len();
                let plural = if count == 1 { "" } else { "s" };
                let more = if several.is_complete {
                    ""
                } else {
                    ", and maybe more"
                };
                text += &format!("{count} plan{plural}{more}\n");
                for plan in &several.plans {
                    text += &format!("{}: {}\n", headline(plan), texts(plan).join(" "));
                }
            }
            (None, _) => text += "no plan\n",
        }
        let seconds = self.time.as_secs_f64();
        text + &format!("{} ({}; {seconds:.2} s)", self.statement(), self.work())
    }

    fn json(&self) -> String {
        let open = self.stopped_by();
        let best = self.known.best();
        let object = JsonPlanned {
            game: &self.game,
            role: self.question.role.as_str(),
            depth: self.question.depth,
            status: match (open, best) {
                (Some(_), _) => "limit",
                (None, Some(_)) => "solved",
                (None, None) => "none",
            },
            stopped_by: open.map(stopped_by),
            goal: best.map(|(plan, _)| plan.points),
            length: best.map(|(plan, _)| plan.moves.len()),
            plan: best.map(|(plan, _)| texts(plan)),
            found_by: best.map(|(_, by)| method(by)),
            best: best.map(|_| self.known.is_best()),
            shortest: best.map(|_| self.known.is_shortest()),
            proved_empty_up_to: self.known.empty_up_to(),
            proved_unreachable: self.known.is_out_of_reach(),
            plans: self
                .several
                .as_ref()
                .map(|several| several.plans.iter().map(texts).collect()),
            plans_complete: self.several.as_ref().map(|several| several.is_complete),
            stats: BTreeMap::from([(
                "seconds",
                BTreeMap::from([("plan", self.time.as_secs_f64())]),
            )]),
        };
        serde_json::to_string(&object).expect("the shape has text keys only")
    }

    fn ending(&self) -> Ending {
        Ending::of(self.stopped_by())
    }
}

/// The name of a method.
fn method(by: FoundBy) -> &'static str {
    match by {
        FoundBy::Logic => "asp",
        FoundBy::BreadthFirst => "breadth-first search",
        FoundBy::DepthFirst => "depth-first search",
        FoundBy::SideBySide => "moves side by side",
    }
}

fn headline(plan: &Plan) -> String {
    format!(
        "{} points in {}",
        plan.points,
        counted(plan.moves.len(), "move")
    )
}

fn texts(plan: &Plan) -> Vec<String> {
    plan.moves.iter().map(ToString::to_string).collect()
}
