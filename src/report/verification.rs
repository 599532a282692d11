//! The report of checking a strategy, as text and as JSON.

use super::verdict::JsonVerdict;
use super::{Report, ReportEnd};
use engines::answer::json::JsonStatistics;
use engines::answer::{Fraction, PERFECT_INFORMATION, counted, statement, value_text, who_knows};
use formula::Outcome;
use gdl::game::Game;
use gdl::{Term, texts, visible};
use limits::StopReason;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;
use verify::{AnyStrategy, Flaw, Heading, Refusal, Side, Verdict, Verification};

/// A strategy that was checked.
#[derive(Clone)]
#[non_exhaustive]
pub struct VerificationReport {
    /// The name of the game whose rules were used.
    pub game: String,
    /// Whether everybody is taken to see everything, though the rules say what roles see.
    pub assumes_perfect_information: bool,
    /// The question that the strategy answers, and its answer.
    pub heading: Heading,
    /// The kind of the strategy.
    pub kind: StrategyKind,
    /// Whether play starts elsewhere than the game does.
    pub starts_elsewhere: bool,
    /// The result of the verification.
    pub verification: Verification,
    /// Time by stage.
    pub seconds: BTreeMap<&'static str, f64>,
}

/// The knowledge of the sides of a strategy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum StrategyKind {
    /// Opponents know the role's move.
    Known,
    /// Nobody knows the moves of others of the same step.
    Mixed,
    /// Roles know only their own moves and what they see.
    Hidden,
    /// The same, and the role is a team, whose members share all of it.
    HiddenTeam,
}

impl StrategyKind {
    /// The kind of a strategy for a game, in which a team that its heading names is a role.
    pub(crate) fn of(strategy: &AnyStrategy, game: &Game) -> Self {
        match strategy {
            AnyStrategy::Known(_) => StrategyKind::Known,
            AnyStrategy::Mixed(_) => StrategyKind::Mixed,
            AnyStrategy::Hidden(strategy) if game.is_team(&strategy.heading.role) => {
                StrategyKind::HiddenTeam
            }
            AnyStrategy::Hidden(_) => StrategyKind::Hidden,
        }
    }
}

impl VerificationReport {
    /// The report if a limit comes before anything is proved, after this time.
    pub(crate) fn cut_short(
        game: &Game,
        heading: &Heading,
        kind: StrategyKind,
        reason: StopReason,
        elapsed: Duration,
    ) -> Self {
        VerificationReport {
            game: game.name().to_owned(),
            assumes_perfect_information: game.assumes_perfect_information(),
            starts_elsewhere: false,
            heading: heading.clone(),
            kind,
            verification: Verification::stopped(reason, heading.largest(game)),
            seconds: BTreeMap::from([("verify", elapsed.as_secs_f64())]),
        }
    }

    /// The meaning of the value, or of bounds of it, as a sentence.
    fn statement(&self, bounded: bool) -> String {
        let Heading {
            role,
            objective,
            depth,
            ..
        } = &self.heading;
        let mut statement = statement(role, *objective, *depth, bounded);
        if depth.is_none() {
            statement.push_str(" without a step limit");
        }
        statement.push_str(match self.kind {
            StrategyKind::Known => "",
            StrategyKind::Mixed => who_knows(false, false),
            StrategyKind::Hidden => who_knows(true, false),
            StrategyKind::HiddenTeam => who_knows(true, true),
        });
        statement
    }

    fn number(&self, name: &str) -> u64 {
        let mut statistics = self.verification.statistics.iter();
        let found = statistics.find(|(other, _)| *other == name);
        found.map_or(0, |(_, number)| *number)
    }

    fn sentences(&self) -> String {
        let seconds: f64 = self.seconds.values().sum();
        let player = self.number("player_positions");
        let opponents = self.number("opponents_positions");
        let work = format!(
            "{} on the role's side, {opponents} on the opponents', {seconds:.2} s",
            counted(player as usize, "position")
        );
        let unit = self.heading.objective.unit();
        let mut lines = match &self.verification.verdict {
            Verdict::Proved(value) => vec![
                unit.text(value),
                format!("{} (proved from both sides; {work})", self.statement(false)),
            ],
            Verdict::Stopped {
                reason,
                lower,
                upper,
            } => {
                let why = match reason {
                    StopReason::Precision => "the strategy promises no more".to_owned(),
                    limit => limit.to_string(),
                };
                vec![
                    value_text(
                        &Outcome::between(lower.clone(), upper.clone(), *reason),
                        unit,
                    ),
                    format!("{} (bounds: {why}; {work})", self.statement(true)),
                ]
            }
            Verdict::Refused(refusal) => self.refusal_lines(refusal),
        };
        if self.starts_elsewhere {
            let facts = joined(&self.heading.start);
            lines.push(format!(
                "play starts from another state than the game: {facts}"
            ));
        }
        if self.assumes_perfect_information {
            lines.push(PERFECT_INFORMATION.to_owned());
        }
        let unreached = self.number("unreached");
        if unreached > 0 {
            lines.push(format!(
                "{unreached} positions are listed that cannot be reached"
            ));
        }
        lines.join("\n")
    }

    fn refusal_lines(&self, refusal: &Refusal) -> Vec<String> {
        let side = match refusal.side {
            Side::Role => format!("{}'s side", self.heading.role),
            Side::Opponents => "the opponents' side".to_owned(),
        };
        let mut lines = vec![format!("refused: {side} is wrong: {}", refusal.flaw)];
        if let Some(history) = &refusal.history {
            if history.is_empty() {
                lines.push("at the start".to_owned());
            } else {
                let roles: Vec<&str> = self.heading.roles.iter().map(|r| r.as_str()).collect();
                lines.push(format!("after these moves of {}:", roles.join(", ")));
                lines.extend(history.iter().map(|moves| format!("  {}", joined(moves))));
            }
        }
        lines.push(format!("in the state: {}", joined(&refusal.state)));
        if let Some(steps) = refusal.steps {
            lines.push(format!("with {} left", counted(steps as usize, "step")));
        }
        lines
    }
}

impl Report for VerificationReport {
    fn text(&self) -> String {
        visible(&self.sentences()).into_owned()
    }

    fn json(&self) -> String {
        let verdict = match &self.verification.verdict {
            Verdict::Proved(value) => JsonVerdict::proved(value),
            Verdict::Refused(refusal) => JsonVerdict::Refused {
                refusal: JsonRefusal::new(refusal),
            },
            Verdict::Stopped {
                reason,
                lower,
                upper,
            } => JsonVerdict::bounds(*reason, lower, upper),
        };
        let object = JsonVerification {
            game: &self.game,
            assumes_perfect_information: self.assumes_perfect_information,
            role: self.heading.role.as_str(),
            depth: self.heading.depth.map_or("unbounded".into(), Into::into),
            objective: self.heading.objective.to_string(),
            start: self.starts_elsewhere.then(|| texts(&self.heading.start)),
            promised: Fraction::from(&self.heading.value),
            verdict,
            stats: JsonStatistics {
                numbers: self.verification.statistics.iter().copied().collect(),
                seconds: self.seconds.clone(),
            },
        };
        serde_json::to_string(&object).expect("the shape has text keys only")
    }

    fn ending(&self) -> ReportEnd {
        match &self.verification.verdict {
            Verdict::Proved(_) => ReportEnd::Complete,
            Verdict::Refused(_) => ReportEnd::Refused,
            Verdict::Stopped { reason, .. } => ReportEnd::Stopped(*reason),
        }
    }
}

#[derive(Serialize)]
struct JsonVerification<'a> {
    game: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    assumes_perfect_information: bool,
    role: &'a str,
    /// The number of steps, or `"unbounded"`.
    depth: serde_json::Value,
    objective: String,
    /// The state that play starts from, if it is not the initial one.
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<Vec<String>>,
    promised: Fraction,
    #[serde(flatten)]
    verdict: JsonVerdict<JsonRefusal>,
    stats: JsonStatistics,
}

#[derive(Serialize)]
struct JsonRefusal {
    side: &'static str,
    flaw: &'static str,
    message: String,
    /// The role's or an opponent's move that the flaw is about.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    action: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    claimed: Option<Fraction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<Fraction>,
    /// Joint moves from the start, in the order of roles.
    #[serde(skip_serializing_if = "Option::is_none")]
    moves: Option<Vec<Vec<String>>>,
    state: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<u32>,
}

impl JsonRefusal {
    fn new(refusal: &Refusal) -> Self {
        let (flaw, action, values) = match &refusal.flaw {
            Flaw::Missing => ("missing", None, None),
            Flaw::ListedTwice => ("listed-twice", None, None),
            Flaw::IllegalMove { action, .. } => ("illegal-move", Some(action), None),
            Flaw::NoMixture => ("no-mixture", None, None),
            Flaw::NotInCoalition(_) => ("not-in-coalition", None, None),
            Flaw::NoAnswer { action } => ("no-answer", Some(action), None),
            Flaw::WrongValue {
                action,
                claimed,
                found,
            } => ("wrong-value", action.as_ref(), Some((claimed, found))),
            Flaw::NoValue => ("no-value", None, None),
            Flaw::Endless => ("endless", None, None),
            Flaw::BrokenPromise { promised, found } => {
                ("broken-promise", None, Some((promised, found)))
            }
        };
        let history = refusal.history.as_ref();
        JsonRefusal {
            side: match refusal.side {
                Side::Role => "player",
                Side::Opponents => "opponents",
            },
            flaw,
            message: refusal.flaw.to_string(),
            action: action.map(Term::to_string),
            claimed: values.map(|(claimed, _)| Fraction::from(claimed)),
            found: values.map(|(_, found)| Fraction::from(found)),
            moves: history.map(|moves| moves.iter().map(|moves| texts(moves)).collect()),
            state: texts(&refusal.state),
            steps: refusal.steps,
        }
    }
}

fn joined(terms: &[Term]) -> String {
    texts(terms).join(" ")
}
