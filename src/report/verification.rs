//! The report of checking a strategy.

use super::verdict::{BOTH_SIDES, ExplainedFlaw, StrategyVerdict};
use super::{Report, ReportEnd};
use engines::answer::{Depth, GameSubject, PERFECT_INFORMATION, Shown, Statistics, counted};
use engines::{Knowledge, Opponents};
use formula::BigRational;
use gdl::game::{Game, fraction};
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
    /// The question that it answers.
    #[serde(flatten)]
    pub subject: GameSubject,
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
    #[serde(skip)]
    roles: Vec<Name>,
}

impl VerificationReport {
    /// The report about a strategy of which nothing is proved yet.
    pub(crate) fn unproved(game: &Game, strategy: &AnyStrategy) -> Self {
        let heading = strategy.heading();
        let range = heading.range(game);
        let upper = range.is_bounded().then(|| range.largest());
        let (name, role) = (game.name().to_owned(), heading.role.clone());
        VerificationReport {
            subject: GameSubject {
                assumes_perfect_information: game.assumes_perfect_information(),
                depth: Depth::or_all(heading.depth),
                knowledge: Knowledge::of(strategy, game),
                opponents: Opponents::of(strategy),
                opponent_count: game.players().count() - 1,
                ..GameSubject::new(name, role, heading.objective, range.clone())
            },
            start: None,
            promised: heading.value.clone(),
            verdict: StrategyVerdict::Bounds {
                stopped_by: StopReason::Interrupted,
                bounds: (range.least().clone(), upper),
            },
            stats: Statistics::default(),
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

    fn meaning(&self, shown: Shown) -> String {
        let (statement, circumstances) =
            (self.subject.statement(shown), self.subject.circumstances());
        format!("{statement}{circumstances} ")
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
            Some(Side::Role) => format!("{}'s side", self.subject.role),
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
        let (proved, positions) = match self.subject.opponents {
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
            self.subject.objective.unit(),
            proved,
            |shown| self.meaning(shown),
            &work,
            |refusal| self.refusal_lines(refusal),
        );
        lines.extend(self.start.as_ref().map(|facts| {
            let facts = joined(facts);
            format!("play starts from another state than the game: {facts}")
        }));
        if self.subject.assumes_perfect_information {
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
