//! The report of checking a strategy.

use super::verdict::{BOTH_SIDES, ExplainedFlaw, StrategyVerdict};
use super::{Report, ReportEnd};
use engines::answer::{Depth, PERFECT_INFORMATION, Shown, Statistics, counted, statement};
use engines::{Knowledge, Opponents};
use formula::BigRational;
use gdl::game::{Aim, Game, fraction};
use gdl::{Name, Term, texts, visible};
use limits::StopReason;
use serde::Serialize;
use std::time::Duration;
use verify::{AnyStrategy, Refusal, Side, Verdict, Verification};

/// The proof of a value where each role plays for itself.
const NO_GAIN: &str = "proved: an equilibrium, since no role gains by one other move";

/// A strategy that was checked.
#[derive(Clone, Serialize)]
#[non_exhaustive]
pub struct VerificationReport {
    /// The name of the game whose rules were used.
    pub game: String,
    /// Whether all roles are taken to see everything, though the rules say what they see.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub assumes_perfect_information: bool,
    /// The role whose strategy it is.
    pub role: Name,
    /// How many steps count.
    pub depth: Depth,
    /// The meaning of success.
    pub objective: Aim,
    /// The play of the opponents.
    #[serde(skip_serializing_if = "Opponents::are_best")]
    pub opponents: Opponents,
    /// The state that play starts from, if it is not the initial one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Vec<Term>>,
    /// The value that the strategy promises.
    #[serde(serialize_with = "fraction")]
    pub promised: BigRational,
    /// The verdict.
    #[serde(flatten)]
    pub verdict: StrategyVerdict<ExplainedFlaw<Refusal>>,
    /// Numbers of positions, and time by stage.
    pub(crate) stats: Statistics,
    /// The knowledge of the sides.
    #[serde(skip)]
    pub knowledge: Knowledge,
    #[serde(skip)]
    roles: Vec<Name>,
}

impl VerificationReport {
    /// The report about a strategy of which nothing is proved yet.
    pub(crate) fn unproved(game: &Game, strategy: &AnyStrategy) -> Self {
        let heading = strategy.heading();
        let range = heading.range(game);
        let upper = range.is_bounded().then(|| range.largest());
        VerificationReport {
            game: game.name().to_owned(),
            assumes_perfect_information: game.assumes_perfect_information(),
            role: heading.role.clone(),
            depth: Depth::or_all(heading.depth),
            objective: heading.objective,
            opponents: Opponents::of(strategy),
            start: None,
            promised: heading.value.clone(),
            verdict: StrategyVerdict::Bounds {
                stopped_by: StopReason::Interrupted,
                bounds: (range.least().clone(), upper),
            },
            stats: Statistics::default(),
            knowledge: Knowledge::of(strategy, game),
            roles: heading.roles.clone(),
        }
    }

    /// The same if a limit comes after this time.
    pub(crate) fn cut_short(mut self, reason: StopReason, time: Duration) -> Self {
        if let StrategyVerdict::Bounds { stopped_by, .. } = &mut self.verdict {
            *stopped_by = reason;
        }
        self.stats = Statistics::of_stage([], "verify", time);
        self
    }

    /// The same after a verification that took this time; with the start, if it is not that of the game.
    pub(crate) fn verified(
        self,
        verification: Verification,
        start: Option<Vec<Term>>,
        time: Duration,
    ) -> Self {
        let verdict = match verification.verdict {
            Verdict::Proved(value) => StrategyVerdict::Proved(value),
            Verdict::Stopped {
                reason,
                lower,
                upper,
            } => StrategyVerdict::Bounds {
                stopped_by: reason,
                bounds: (lower, upper),
            },
            Verdict::Refused(refusal) => StrategyVerdict::Refused {
                refusal: ExplainedFlaw::new(&refusal.flaw, (*refusal).clone()),
            },
        };
        VerificationReport {
            start,
            verdict,
            stats: Statistics::of_stage(verification.statistics, "verify", time),
            ..self
        }
    }

    fn number(&self, name: &str) -> u64 {
        self.stats.numbers.get(name).copied().unwrap_or(0)
    }

    fn meaning(&self, bounded: bool) -> String {
        let shown = if bounded { Shown::Bounds } else { Shown::Value };
        let (objective, opponents) = (self.objective, &self.opponents);
        let statement = statement(&self.role, objective, opponents, self.depth, shown);
        format!("{statement}{opponents}{} ", self.knowledge)
    }

    fn refusal_lines(&self, refusal: &ExplainedFlaw<Refusal>) -> Vec<String> {
        let Refusal {
            side,
            history,
            state,
            steps,
            ..
        } = &refusal.flaw;
        let side = match side {
            Some(Side::Role) => format!("{}'s side", self.role),
            Some(Side::Opponents) => "the opponents' side".to_owned(),
            None => "the equilibrium".to_owned(),
        };
        let mut lines = vec![format!("refused: {side} is wrong: {}", refusal.message)];
        match history.as_deref() {
            None => {}
            Some([]) => lines.push("at the start".to_owned()),
            Some(history) => {
                let roles: Vec<&str> = self.roles.iter().map(Name::as_str).collect();
                lines.push(format!("after these moves of {}:", roles.join(", ")));
                lines.extend(history.iter().map(|moves| format!("  {}", joined(moves))));
            }
        }
        lines.push(format!("in the state: {}", joined(state)));
        let left = steps.map(|steps| format!("with {} left", counted(steps as usize, "step")));
        lines.extend(left);
        lines
    }
}

impl Report for VerificationReport {
    fn text(&self) -> String {
        let positions = |name: &str| counted(self.number(name) as usize, "position");
        let (proved, positions) = match self.opponents {
            Opponents::Selfish => (NO_GAIN, positions("positions")),
            _ => {
                let (own, others) = ("player_positions", "opponents_positions");
                let (own, others) = (positions(own), self.number(others));
                let positions = format!("{own} on the role's side, {others} on the opponents'");
                (BOTH_SIDES, positions)
            }
        };
        let work = format!("{positions}, {:.2} s", self.stats.total());
        let mut lines = self.verdict.lines(
            self.objective.unit(),
            proved,
            |bounded| self.meaning(bounded),
            &work,
            |refusal| self.refusal_lines(refusal),
        );
        lines.extend(self.start.as_ref().map(|facts| {
            let facts = joined(facts);
            format!("play starts from another state than the game: {facts}")
        }));
        if self.assumes_perfect_information {
            lines.push(PERFECT_INFORMATION.to_owned());
        }
        if let unreached @ 1.. = self.number("unreached") {
            lines.push(format!(
                "{unreached} positions are listed that cannot be reached"
            ));
        }
        visible(&lines.join("\n")).into_owned()
    }

    fn ending(&self) -> ReportEnd {
        self.verdict.ending()
    }
}

fn joined(terms: &[Term]) -> String {
    texts(terms).join(" ")
}
