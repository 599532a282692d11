//! The report of `check` about a game, as text and as JSON.
//!
//! It has the properties that the rules show at once, those that hold in a number of random plays (observed, not
//! proved), and the defects that random play found in the game.

use super::{Report, ReportEnd};
use engines::answer::counted;
use gdl::game::{Classification, Reading, predict_size};
use gdl::{Name, Severity, Term};
use hidden::{DistinguishedMoves, PerceptStatistics, View};
use limits::StopReason;
use prove::{Finding, Property, Verdict};
use rules::{PlayFinding, Simulation};
use serde::{Serialize, Serializer};
use std::fmt::Write;

/// The report about a game: its kind, and whether it is a game at all.
#[derive(Serialize)]
#[non_exhaustive]
pub struct CheckReport {
    game: String,
    roles: Vec<Name>,
    /// The classification that the rules show at once.
    #[serde(flatten)]
    class: Classification,
    #[serde(serialize_with = "as_text")]
    facts_at_most: u128,
    #[serde(serialize_with = "as_text")]
    moves_at_most: u128,
    /// The messages of the reader.
    diagnostics: Vec<ListedDiagnostic>,
    /// The findings of random plays, if they were asked for.
    observed: Option<Observed>,
    /// The percepts of each role in random plays; none in a game of full information.
    #[serde(rename = "sees")]
    pub(crate) percepts: Option<PerceptStatistics>,
    /// The findings about the properties with names; nothing where that takes long.
    #[serde(serialize_with = "by_name")]
    pub proved: Vec<Finding>,
    /// The legal moves of each role in the initial state, if they were asked for; or the reason why they are not known.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "null_if_unknown"
    )]
    pub legal: Option<Result<Vec<Vec<String>>, String>>,
    /// The limit that came before all plays and proofs were done.
    #[serde(skip)]
    pub stopped: Option<StopReason>,
}

/// A message of the reader, and its place in the files.
#[derive(Serialize)]
struct ListedDiagnostic {
    severity: Severity,
    code: &'static str,
    file: Option<String>,
    line: Option<usize>,
    column: Option<usize>,
    message: String,
}

/// The observations in random plays.
#[derive(Serialize)]
#[serde(untagged)]
enum Observed {
    Failed { problem: String },
    Played(ObservedPlays),
}

#[derive(Serialize)]
struct ObservedPlays {
    plays: usize,
    #[serde(skip)]
    out_of_time: bool,
    longest: usize,
    turn_taking: bool,
    /// The number of steps to a state in which several players have a choice.
    #[serde(skip)]
    simultaneous_after: Option<usize>,
    zero_sum: Option<bool>,
    goal_values: Vec<Vec<String>>,
    findings: Vec<ListedFinding>,
}

#[derive(Serialize)]
struct ListedFinding {
    severity: Severity,
    message: String,
    after: Vec<Vec<Term>>,
    state: Vec<Term>,
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

fn by_name<S: Serializer>(proved: &[Finding], to: S) -> Result<S::Ok, S::Error> {
    ProvedProperties::of(proved).serialize(to)
}

fn null_if_unknown<S: Serializer>(
    legal: &Option<Result<Vec<Vec<String>>, String>>,
    to: S,
) -> Result<S::Ok, S::Error> {
    let known = legal.as_ref().and_then(|legal| legal.as_ref().ok());
    known.serialize(to)
}

impl Report for CheckReport {
    fn text(&self) -> String {
        let rows = self.rows().into_iter();
        rows.map(|(key, value)| format!("{key:<14}{value}\n"))
            .collect()
    }

    fn ending(&self) -> ReportEnd {
        if self.is_refused() {
            ReportEnd::Refused
        } else {
            ReportEnd::of(self.stopped)
        }
    }
}

impl CheckReport {
    /// The report about a game that was read, and the findings of random plays of it, if they were asked for; or the reason why there were none.
    pub(crate) fn new(
        reading: &Reading,
        class: Classification,
        played: Result<Option<Simulation>, String>,
    ) -> Self {
        let game = &reading.game;
        let size = predict_size(game, game.domains());
        let observed = match played {
            Err(problem) => Some(Observed::Failed { problem }),
            Ok(played) => played.map(|played| Observed::Played(ObservedPlays::of(played))),
        };
        CheckReport {
            game: game.name().to_owned(),
            roles: game.roles().to_vec(),
            class,
            facts_at_most: size.facts,
            moves_at_most: size.moves,
            diagnostics: listed_diagnostics(reading),
            observed,
            percepts: None,
            proved: Vec::new(),
            legal: None,
            stopped: None,
        }
    }

    fn plays(&self) -> Option<&ObservedPlays> {
        match &self.observed {
            Some(Observed::Played(plays)) => Some(plays),
            Some(Observed::Failed { .. }) | None => None,
        }
    }

    /// Whether a play shows that this is no valid game.
    pub fn is_refused(&self) -> bool {
        let mut findings = self.plays().into_iter().flat_map(|plays| &plays.findings);
        findings.any(|finding| finding.severity == Severity::Error)
    }

    /// The rows of the text: a key, and the value beside it.
    fn rows(&self) -> Vec<(&'static str, String)> {
        let class = &self.class;
        let source = |is_declared: bool| match is_declared {
            true => "declared",
            false => "missing, derived from the rules",
        };
        let random = if class.has_random { ", and random" } else { "" };
        let players: Vec<&str> = class.players.iter().map(Name::as_str).collect();
        let mut rows = vec![
            ("game", self.game.clone()),
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
            if let Some(plays) = self.plays() {
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
        rows.extend(self.percepts.iter().flat_map(rows_of_percepts));
        if let Some(steps) = ProvedProperties::of(&self.proved).ends_within {
            let steps = counted(steps as usize, "step");
            rows.push(("ends", format!("within {steps} (proved)")));
        }
        match &self.legal {
            None => {}
            Some(Err(problem)) => rows.push(("moves", format!("not listed: {problem}"))),
            Some(Ok(moves)) => rows.extend(
                (self.roles.iter().zip(moves))
                    .map(|(role, moves)| ("moves", format!("{role}: {}", moves.join(" ")))),
            ),
        }
        rows
    }

    fn rows_of_plays(&self, plays: &ObservedPlays) -> Vec<(&'static str, String)> {
        let proved = ProvedProperties::of(&self.proved);
        let (number, longest) = (plays.plays, counted(plays.longest, "step"));
        let end = match plays.out_of_time {
            true => ", until time ran out",
            false => "",
        };
        let text = format!("{number}, of at most {longest}{end} (observed, not proved)");
        let mut rows = vec![("plays", text)];
        if self.class.players.len() > 1 {
            let text = match (plays.simultaneous_after, proved.turn_taking) {
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
            let text = match (zero_sum, proved.zero_sum) {
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

fn listed_diagnostics(reading: &Reading) -> Vec<ListedDiagnostic> {
    let listed = reading.diagnostics.iter().map(|diagnostic| {
        let place = diagnostic.span.map(|span| span.start as usize);
        let position = place.map(|place| reading.source.position(place));
        ListedDiagnostic {
            severity: diagnostic.severity,
            code: diagnostic.code.as_str(),
            file: place.map(|place| reading.source.name_at(place).to_owned()),
            line: position.as_ref().map(|position| position.line),
            column: position.as_ref().map(|position| position.column),
            message: diagnostic.message.clone(),
        }
    });
    listed.collect()
}

impl ObservedPlays {
    fn of(played: Simulation) -> Self {
        let seen = played.observations;
        let finding = |finding: PlayFinding| ListedFinding {
            severity: match finding.defect.is_error() {
                true => Severity::Error,
                false => Severity::Warning,
            },
            message: finding.to_string(),
            after: finding.history,
            state: finding.state,
        };
        ObservedPlays {
            plays: played.playouts,
            out_of_time: played.out_of_time,
            longest: seen.longest_play,
            turn_taking: seen.simultaneous_choice.is_none(),
            simultaneous_after: seen.simultaneous_choice.map(|moves| moves.len()),
            zero_sum: seen.zero_sum,
            goal_values: seen.goal_values,
            findings: played.findings.into_iter().map(finding).collect(),
        }
    }
}

fn rows_of_percepts(percepts: &PerceptStatistics) -> Vec<(&'static str, String)> {
    let views = percepts.views.iter().map(|view| ("sees", view_text(view)));
    let mut rows: Vec<(&str, String)> = views.collect();
    if let Some(reason) = percepts.stopped {
        let text = format!("no more is known: {reason} in these plays");
        rows.push(("sees", text));
    }
    let warnings = percepts.idle.iter();
    rows.extend(first_ones(
        warnings.map(|idle| ("warning", idle.to_string())),
    ));
    rows
}

/// The percepts of a role, and the moves of others that it knows by them.
fn view_text(view: &View) -> String {
    let percepts: Vec<String> = view.percepts.iter().map(Term::to_string).collect();
    let seen = match &percepts[..] {
        [] => "nothing".to_owned(),
        percepts => listed(percepts),
    };
    let moves = view.moves.iter().map(|(other, part)| match part {
        DistinguishedMoves::All => format!("all moves of {other}"),
        DistinguishedMoves::Some => format!("part of the moves of {other}"),
        DistinguishedMoves::Nothing => format!("no move of {other}"),
    });
    let moves: Vec<String> = moves.collect();
    match &moves[..] {
        [] => format!("{}: {seen}", view.role),
        moves => format!("{}: {seen}; so {}", view.role, moves.join(", ")),
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
