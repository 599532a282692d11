//! The report of `check` about a game, as text and as JSON.
//!
//! It has the properties that the rules show at once, those that hold in a number of random plays (observed, not
//! proved), and the defects that random play found in the game.

use super::{Entries, Report, ReportEnd, json};
use engines::answer::counted;
use gdl::game::{Classification, Reading, predict_size};
use gdl::{Diagnostic, Name, Severity, Term};
use hidden::{DistinguishedMoves, PerceptStatistics, View};
use limits::StopReason;
use prove::{Finding, Property, Verdict};
use rules::Simulation;
use serde::{Serialize, Serializer};
use std::collections::BTreeSet;
use std::fmt::{self, Write};

/// The report about a game: its kind, and whether it is a game at all.
#[non_exhaustive]
pub struct CheckReport {
    /// The game, and the messages of its reader.
    pub(crate) reading: Reading,
    /// The classification that the rules show at once.
    pub(crate) class: Classification,
    /// The findings of random plays; nothing if none were asked for; or the reason why there were none.
    pub(crate) played: Result<Option<Simulation>, String>,
    /// The percepts of each role in random plays; none in a game of full information.
    pub(crate) percepts: Option<PerceptStatistics>,
    /// The findings about the properties with names; nothing where that takes long.
    pub proved: Vec<Finding>,
    /// The legal moves of each role in the initial state, if they were asked for; or the reason why they are not known.
    pub legal: Option<Result<Vec<Vec<String>>, String>>,
    /// The limit that came before all plays and proofs were done.
    pub stopped: Option<StopReason>,
}

impl CheckReport {
    /// Whether a play shows that this is no valid game.
    pub fn is_refused(&self) -> bool {
        matches!(&self.played, Ok(Some(simulation))
            if simulation.findings.iter().any(|finding| finding.defect.is_error()))
    }
}

impl Report for CheckReport {
    fn text(&self) -> String {
        Content::of(self).to_string()
    }

    fn json(&self) -> String {
        json(&Content::of(self))
    }

    fn ending(&self) -> ReportEnd {
        if self.is_refused() {
            ReportEnd::Refused
        } else {
            ReportEnd::of(self.stopped)
        }
    }
}

/// The content of a report, from which text and JSON are made.
#[derive(Serialize)]
struct Content<'a> {
    game: &'a str,
    roles: &'a [Name],
    #[serde(flatten)]
    class: &'a Classification,
    #[serde(serialize_with = "as_text")]
    facts_at_most: u128,
    #[serde(serialize_with = "as_text")]
    moves_at_most: u128,
    diagnostics: Vec<ListedDiagnostic<'a>>,
    observed: Option<Observed<'a>>,
    sees: Option<Percepts<'a>>,
    proved: ProvedProperties,
    /// The legal moves of each role, if they were asked for; null in JSON where they are not known.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "null_if_unknown"
    )]
    legal: &'a Option<Result<Vec<Vec<String>>, String>>,
}

/// A message of the reader, and its place in the files.
#[derive(Serialize)]
struct ListedDiagnostic<'a> {
    severity: Severity,
    code: &'static str,
    file: Option<&'a str>,
    line: Option<usize>,
    column: Option<usize>,
    message: &'a str,
}

/// The observations in random plays.
#[derive(Serialize)]
#[serde(untagged)]
enum Observed<'a> {
    Failed { problem: &'a str },
    Played(ObservedPlays<'a>),
}

#[derive(Serialize)]
struct ObservedPlays<'a> {
    plays: usize,
    #[serde(skip)]
    out_of_time: bool,
    longest: usize,
    turn_taking: bool,
    /// The number of steps to a state in which several players have a choice.
    #[serde(skip)]
    simultaneous_after: Option<usize>,
    zero_sum: Option<bool>,
    goal_values: &'a [Vec<String>],
    findings: Vec<ListedFinding<'a>>,
}

#[derive(Serialize)]
struct ListedFinding<'a> {
    severity: Severity,
    message: String,
    after: &'a [Vec<Term>],
    state: &'a [Term],
}

/// The percepts of each role in random plays.
#[derive(Serialize)]
struct Percepts<'a> {
    roles: Vec<RoleView<'a>>,
    warnings: Vec<String>,
    complete: bool,
    #[serde(skip)]
    stopped: Option<StopReason>,
}

#[derive(Serialize)]
struct RoleView<'a> {
    role: &'a Name,
    percepts: &'a BTreeSet<Term>,
    moves: Entries<&'a Name, Part>,
}

/// The part of the moves of another role that a role can tell apart.
struct Part(DistinguishedMoves);

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(match self.0 {
            DistinguishedMoves::All => "all",
            DistinguishedMoves::Some => "part",
            DistinguishedMoves::Nothing => "none",
        })
    }
}

/// The properties that proofs decided; none where it is not known.
#[derive(Serialize)]
struct ProvedProperties {
    turn_taking: Option<bool>,
    zero_sum: Option<bool>,
    legal_nonempty: Option<bool>,
    ends_within: Option<u32>,
}

fn as_text<S: Serializer>(size: &u128, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(size)
}

fn null_if_unknown<S: Serializer>(
    legal: &Option<Result<Vec<Vec<String>>, String>>,
    to: S,
) -> Result<S::Ok, S::Error> {
    let known = legal.as_ref().and_then(|legal| legal.as_ref().ok());
    known.serialize(to)
}

impl<'a> Content<'a> {
    fn of(report: &'a CheckReport) -> Self {
        let game = &report.reading.game;
        let size = predict_size(game, game.domains());
        let observed = match &report.played {
            Err(problem) => Some(Observed::Failed { problem }),
            Ok(None) => None,
            Ok(Some(played)) => Some(Observed::Played(ObservedPlays::of(played))),
        };
        let diagnostics = report.reading.diagnostics.iter();
        Content {
            game: game.name(),
            roles: game.roles(),
            class: &report.class,
            facts_at_most: size.facts,
            moves_at_most: size.moves,
            diagnostics: diagnostics
                .map(|diagnostic| ListedDiagnostic::of(diagnostic, &report.reading))
                .collect(),
            observed,
            sees: report.percepts.as_ref().map(Percepts::of),
            proved: ProvedProperties::of(&report.proved),
            legal: &report.legal,
        }
    }

    /// The rows of the text: a key, and the value beside it.
    fn rows(&self) -> Vec<(&'static str, String)> {
        let class = self.class;
        let source = |is_declared: bool| match is_declared {
            true => "declared",
            false => "missing, derived from the rules",
        };
        let random = if class.has_random { ", and random" } else { "" };
        let players: Vec<&str> = class.players.iter().map(Name::as_str).collect();
        let mut rows = vec![
            ("game", self.game.to_owned()),
            ("roles", format!("{}{random}", players.join(", "))),
            ("kind", kind(class)),
            ("base", source(class.base).to_owned()),
            ("input", source(class.input).to_owned()),
            (
                "rules",
                format!(
                    "{}, over {} relations that change and {} that do not",
                    class.rules, class.dynamic_relations, class.static_relations
                ),
            ),
            (
                "one step",
                format!(
                    "{} facts and {} moves",
                    at_most(self.facts_at_most),
                    at_most(self.moves_at_most)
                ),
            ),
        ];
        if class.is_recursive {
            let text = "some relation depends on itself within a step";
            rows.push(("recursion", text.to_owned()));
        }
        for (index, (player, values)) in class.players.iter().zip(&class.goal_values).enumerate() {
            let mut text = format!("{player}: {}", listed(values));
            if let Some(Observed::Played(plays)) = &self.observed {
                let seen = &plays.goal_values[index];
                if !seen.is_empty() && seen.len() < values.len() {
                    let _ = write!(text, "; seen {}", listed(seen));
                }
            }
            rows.push(("goals", text));
        }
        match &self.observed {
            None => {}
            Some(Observed::Failed { problem }) => {
                rows.push(("play", format!("not tried: {problem}")));
            }
            Some(Observed::Played(plays)) => rows.extend(self.rows_of_plays(plays)),
        }
        rows.extend(self.sees.iter().flat_map(Percepts::rows));
        if let Some(steps) = self.proved.ends_within {
            let steps = counted(steps as usize, "step");
            rows.push(("ends", format!("within {steps} (proved)")));
        }
        match self.legal {
            None => {}
            Some(Err(problem)) => rows.push(("moves", format!("not listed: {problem}"))),
            Some(Ok(moves)) => rows.extend(
                (self.roles.iter().zip(moves))
                    .map(|(role, moves)| ("moves", format!("{role}: {}", moves.join(" ")))),
            ),
        }
        rows
    }

    fn rows_of_plays(&self, plays: &ObservedPlays<'_>) -> Vec<(&'static str, String)> {
        let (number, longest) = (plays.plays, counted(plays.longest, "step"));
        let end = match plays.out_of_time {
            true => ", until time ran out",
            false => "",
        };
        let text = format!("{number}, of at most {longest}{end} (observed, not proved)");
        let mut rows = vec![("plays", text)];
        if self.class.players.len() > 1 {
            let text = match (plays.simultaneous_after, self.proved.turn_taking) {
                (Some(steps), _) => {
                    let steps = counted(steps, "step");
                    format!("no: several players have a choice after {steps}")
                }
                (None, Some(true)) => "proved".to_owned(),
                (None, Some(false)) => "no: several players can have a choice".to_owned(),
                (None, None) => "observed".to_owned(),
            };
            rows.push(("turn-taking", text));
        }
        if let Some(zero_sum) = plays.zero_sum {
            let text = match (zero_sum, self.proved.zero_sum) {
                (false, _) | (_, Some(false)) => "no",
                (true, Some(true)) => "proved",
                (true, None) => "observed",
            };
            rows.push(("zero-sum", text.to_owned()));
        }
        let findings = plays.findings.iter().map(|finding| {
            let level = match finding.severity {
                Severity::Error => "error",
                _ => "warning",
            };
            (level, finding.message.clone())
        });
        rows.extend(first_ones(findings));
        rows
    }
}

impl fmt::Display for Content<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rows = self.rows().into_iter();
        rows.try_for_each(|(key, value)| writeln!(to, "{key:<14}{value}"))
    }
}

impl<'a> ListedDiagnostic<'a> {
    fn of(diagnostic: &'a Diagnostic, reading: &'a Reading) -> Self {
        let place = diagnostic.span.map(|span| span.start as usize);
        let position = place.map(|place| reading.source.position(place));
        ListedDiagnostic {
            severity: diagnostic.severity,
            code: diagnostic.code.as_str(),
            file: place.map(|place| reading.source.name_at(place)),
            line: position.as_ref().map(|position| position.line),
            column: position.as_ref().map(|position| position.column),
            message: &diagnostic.message,
        }
    }
}

impl<'a> ObservedPlays<'a> {
    fn of(played: &'a Simulation) -> Self {
        let seen = &played.observations;
        let findings = played.findings.iter().map(|finding| ListedFinding {
            severity: match finding.defect.is_error() {
                true => Severity::Error,
                false => Severity::Warning,
            },
            message: finding.to_string(),
            after: &finding.history,
            state: &finding.state,
        });
        ObservedPlays {
            plays: played.playouts,
            out_of_time: played.out_of_time,
            longest: seen.longest_play,
            turn_taking: seen.simultaneous_choice.is_none(),
            simultaneous_after: seen.simultaneous_choice.as_ref().map(Vec::len),
            zero_sum: seen.zero_sum,
            goal_values: &seen.goal_values,
            findings: findings.collect(),
        }
    }
}

impl<'a> Percepts<'a> {
    fn of(percepts: &'a PerceptStatistics) -> Self {
        Percepts {
            roles: percepts.views.iter().map(RoleView::of).collect(),
            warnings: percepts.idle.iter().map(ToString::to_string).collect(),
            complete: percepts.stopped.is_none(),
            stopped: percepts.stopped,
        }
    }

    fn rows(&self) -> Vec<(&'static str, String)> {
        let views = self.roles.iter().map(|view| ("sees", view.text()));
        let mut rows: Vec<(&str, String)> = views.collect();
        if let Some(reason) = self.stopped {
            let text = format!("no more is known: {reason} in these plays");
            rows.push(("sees", text));
        }
        let warnings = self.warnings.iter().cloned();
        rows.extend(first_ones(warnings.map(|text| ("warning", text))));
        rows
    }
}

impl<'a> RoleView<'a> {
    fn of(view: &'a View) -> Self {
        let moves = view.moves.iter().map(|(other, part)| (other, Part(*part)));
        RoleView {
            role: &view.role,
            percepts: &view.percepts,
            moves: Entries(moves.collect()),
        }
    }

    /// The percepts of a role, and the moves of others that it knows by them.
    fn text(&self) -> String {
        let percepts: Vec<String> = self.percepts.iter().map(ToString::to_string).collect();
        let seen = match &percepts[..] {
            [] => "nothing".to_owned(),
            percepts => listed(percepts),
        };
        let moves = self.moves.0.iter().map(|(other, part)| match part.0 {
            DistinguishedMoves::All => format!("all moves of {other}"),
            DistinguishedMoves::Some => format!("part of the moves of {other}"),
            DistinguishedMoves::Nothing => format!("no move of {other}"),
        });
        let moves: Vec<String> = moves.collect();
        match &moves[..] {
            [] => format!("{}: {seen}", self.role),
            moves => format!("{}: {seen}; so {}", self.role, moves.join(", ")),
        }
    }
}

impl ProvedProperties {
    fn of(proved: &[Finding]) -> Self {
        let verdict_of = |property: Property| {
            let finding = proved.iter().find(|finding| finding.property == property)?;
            match finding.verdict {
                Verdict::Proved(_) => Some(true),
                Verdict::Refuted(_) => Some(false),
                _ => None,
            }
        };
        let mut findings = proved.iter();
        let end = findings.find_map(|finding| match (&finding.property, &finding.verdict) {
            (Property::Terminates(steps), Verdict::Proved(_)) => Some(*steps),
            _ => None,
        });
        ProvedProperties {
            turn_taking: verdict_of(Property::TurnTaking),
            zero_sum: verdict_of(Property::ZeroSum),
            legal_nonempty: verdict_of(Property::LegalNonempty),
            ends_within: end,
        }
    }
}

/// The first rows, and how many more there are.
fn first_ones(
    rows: impl ExactSizeIterator<Item = (&'static str, String)>,
) -> Vec<(&'static str, String)> {
    let more = rows.len().saturating_sub(MAX_FINDINGS);
    let mut first: Vec<_> = rows.take(MAX_FINDINGS).collect();
    if more > 0 {
        first.push(("", format!("... and {more} more, which the JSON has")));
    }
    first
}

/// The values, or the first and the last of them where they are many.
fn listed(values: &[String]) -> String {
    const MAX_LISTED: usize = 12;
    match values {
        [first @ .., last] if first.len() >= MAX_LISTED => format!(
            "{}, ..., {last} ({} values)",
            first[..MAX_LISTED - 2].join(", "),
            values.len()
        ),
        all => all.join(", "),
    }
}

/// A bound, as far as there is one: sizes beyond all numbers come from terms that grow.
fn at_most(size: u128) -> String {
    if size == u128::MAX {
        "any number of".to_owned()
    } else {
        format!("at most {size}")
    }
}

fn kind(class: &Classification) -> String {
    let players = match class.players.len() {
        0 => "no player",
        1 => "one player",
        2 => "two players",
        _ => "several players",
    };
    format!(
        "{players}, {}",
        if class.has_random {
            "with chance"
        } else {
            "without chance"
        }
    )
}

/// The most findings of plays in the text.
const MAX_FINDINGS: usize = 6;
