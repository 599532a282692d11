//! The report about plans of a game.

use super::{Report, ReportEnd};
use engines::answer::{Statistics, counted};
use gdl::game::Points;
use gdl::{Name, Term, texts};
use limits::StopReason;
use plan::{FoundBy, Goal, Plan, PlanBounds, Question};
use serde::{Serialize, Serializer};
use std::time::Duration;

/// All plans that were asked for.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Several {
    /// The plans.
    #[serde(serialize_with = "moves")]
    pub plans: Vec<Plan>,
    /// Whether there are no more.
    #[serde(rename = "plans_complete")]
    pub is_complete: bool,
}

fn moves<S: Serializer>(plans: &[Plan], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(plans.iter().map(|plan| &plan.moves))
}

/// The best plan that is known.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct BestPlan {
    /// The points that it reaches.
    pub goal: Points,
    /// The number of its moves.
    pub length: usize,
    /// Its moves.
    pub plan: Vec<Term>,
    /// The method that found it.
    pub found_by: &'static str,
    /// Whether it is proved that no plan reaches more.
    pub best: bool,
    /// Whether it is proved that no shorter plan is as good.
    pub shortest: bool,
}

/// How planning ended.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PlanReport {
    /// The name of the game.
    pub game: String,
    /// The player.
    pub role: Name,
    /// The most moves, if they are limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// `solved`, `none` if there is no plan, or `limit`.
    pub status: &'static str,
    /// The limit that left the question open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<StopReason>,
    /// The best plan, if one is known.
    #[serde(flatten)]
    pub best: Option<BestPlan>,
    /// No plan of this many moves or fewer reaches the most points.
    pub proved_empty_up_to: Option<u32>,
    /// Whether no plan at all reaches the most points.
    pub proved_unreachable: bool,
    /// The list of plans, if one was asked for.
    #[serde(flatten)]
    pub several: Option<Several>,
    /// Seconds.
    pub(crate) stats: Statistics,
    /// The limit that came first, whether or not it left something open.
    #[serde(skip)]
    pub stopped: Option<StopReason>,
    #[serde(skip)]
    statement: String,
}

impl PlanReport {
    /// The bounds that were proved in this time.
    pub(crate) fn new(
        game: &str,
        question: &Question,
        known: &PlanBounds,
        several: Option<Several>,
        stopped: Option<StopReason>,
        time: Duration,
    ) -> Self {
        let some_are_missing = several.as_ref().is_some_and(|several| !several.is_complete);
        let open = stopped.filter(|_| !known.is_best() || some_are_missing);
        let best = known.best().map(|(plan, by)| BestPlan {
            goal: plan.points,
            length: plan.moves.len(),
            plan: plan.moves.clone(),
            found_by: method(by),
            best: known.is_best(),
            shortest: known.is_shortest(),
        });
        PlanReport {
            game: game.to_owned(),
            role: question.role.clone(),
            depth: question.depth,
            status: match (open, &best) {
                (Some(_), _) => "limit",
                (None, Some(_)) => "solved",
                (None, None) => "none",
            },
            stopped_by: open,
            statement: statement(question, known, best.as_ref()),
            best,
            proved_empty_up_to: known.empty_up_to(),
            proved_unreachable: known.is_out_of_reach(),
            several,
            stats: Statistics::of_stage([], "plan", time),
            stopped,
        }
    }

    /// How that is known, or why no more is.
    fn work(&self) -> String {
        match (&self.best, self.stopped_by) {
            (Some(best), None) => format!("found by {}", best.found_by),
            (Some(best), Some(reason)) => format!("found by {}; {reason}", best.found_by),
            (None, None) => "proved".to_owned(),
            (None, Some(reason)) => reason.to_string(),
        }
    }
}

/// The proved bounds, as a sentence.
fn statement(question: &Question, known: &PlanBounds, best: Option<&BestPlan>) -> String {
    let role = &question.role;
    let moves = |count: u32| counted(count as usize, "move");
    let depth = question.depth;
    let within = depth.map_or(String::new(), |depth| format!(" within {}", moves(depth)));
    // How far it is proved that there is no plan that does something.
    let cannot = |what: &str| match (known.is_best(), known.nothing_better().1) {
        (true, _) => Some(format!("{role} cannot {what}{within}")),
        (false, Some(known)) => Some(format!(
            "{role} cannot {what} with {} or fewer",
            moves(known)
        )),
        (false, None) => None,
    };
    let Some(best) = best else {
        let what = match question.goal {
            Goal::Best => "end the game".to_owned(),
            Goal::AtLeast(points) => format!("reach {points} points"),
        };
        let open = || format!("it is not known whether {role} can {what}{within}");
        return cannot(&what).unwrap_or_else(open);
    };
    let more = match question.goal {
        Goal::AtLeast(_) => None,
        Goal::Best => {
            Some(cannot("reach more").unwrap_or_else(|| format!("{role} may reach more")))
        }
    };
    let shortest = match best.shortest {
        true => "no shorter plan is as good",
        false => "a shorter plan may be as good",
    };
    match (best.length, more) {
        (0, None) => "the game is over at the start".to_owned(),
        (0, Some(more)) => more,
        (_, None) => shortest.to_owned(),
        (_, Some(more)) => format!("{more}, and {shortest}"),
    }
}

impl Report for PlanReport {
    fn text(&self) -> String {
        let mut lines = Vec::new();
        match (&self.best, &self.several) {
            (None, _) => lines.push("no plan".to_owned()),
            (Some(best), None) => {
                lines.push(headline(best.goal, best.length));
                let moves = best.plan.iter().zip(1..);
                lines.extend(moves.map(|(action, number)| format!("{number:4}. {action}")));
            }
            (Some(_), Some(Several { plans, is_complete })) => {
                let more = if *is_complete { "" } else { ", and maybe more" };
                lines.push(format!("{}{more}", counted(plans.len(), "plan")));
                lines.extend(plans.iter().map(|Plan { points, moves }| {
                    format!(
                        "{}: {}",
                        headline(*points, moves.len()),
                        texts(moves).join(" ")
                    )
                }));
            }
        }
        let (statement, work, seconds) = (&self.statement, self.work(), self.stats.total());
        lines.push(format!("{statement} ({work}; {seconds:.2} s)"));
        lines.join("\n")
    }

    fn ending(&self) -> ReportEnd {
        ReportEnd::of(self.stopped_by)
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

fn headline(points: Points, moves: usize) -> String {
    format!("{points} points in {}", counted(moves, "move"))
}
