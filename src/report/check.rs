//! The report of `check` about a game, as text and as JSON.
//!
//! It has the properties that the rules show at once, those that hold in a number of random plays (observed, not
//! proved), and the defects that random play found in the game.

use super::{Report, ReportEnd};
use engines::answer::counted;
use gdl::game::{Classification, Reading, predict_size};
use hidden::{DistinguishedMoves, PerceptStatistics, View};
use limits::StopReason;
use prove::{Finding, Property, Verdict};
use rules::Simulation;
use serde_json::{Value, json};
use std::fmt::Write;

/// The report about a game: its kind, and whether it is a game at all.
#[non_exhaustive]
pub struct CheckReport {
    /// The game, and the messages of its reader.
    pub(crate) reading: Reading,
    /// The classification that the rules show at once.
    pub(crate) class: Classification,
    /// The findings of random plays; nothing if none were asked for; or the reason why there were none.
    pub(crate) played: Result<Option<Simulation>, String>,
    /// The percepts of each role in random plays; nothing where everybody sees everything.
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
        text_report(self)
    }

    fn json(&self) -> String {
        json_report(self)
    }

    fn ending(&self) -> ReportEnd {
        if self.is_refused() {
            ReportEnd::Refused
        } else {
            ReportEnd::of(self.stopped)
        }
    }
}

/// Whether a property was proved or refuted; none where neither is known.
fn verdict_of(proved: &[Finding], property: &Property) -> Option<bool> {
    let finding = proved
        .iter()
        .find(|finding| finding.property == *property)?;
    match finding.verdict {
        Verdict::Proved(_) => Some(true),
        Verdict::Refuted(_) => Some(false),
        _ => None,
    }
}

/// After how many steps every play is over, if that is proved.
fn proved_end(proved: &[Finding]) -> Option<u32> {
    proved
        .iter()
        .find_map(|finding| match (&finding.property, &finding.verdict) {
            (Property::Terminates(steps), Verdict::Proved(_)) => Some(*steps),
            _ => None,
        })
}

fn text_report(report: &CheckReport) -> String {
    let CheckReport {
        reading,
        class,
        played,
        percepts,
        proved,
        legal,
        ..
    } = report;
    let mut text = String::new();
    let mut row = |key: &str, value: String| {
        let _ = writeln!(text, "{key:<14}{value}");
    };
    row("game", reading.game.name().to_owned());
    let players: Vec<&str> = class.players.iter().map(|player| player.as_str()).collect();
    let random = if class.has_random { ", and random" } else { "" };
    row("roles", format!("{}{random}", players.join(", ")));
    row("kind", kind(class));
    let source = |is_declared: bool| match is_declared {
        true => "declared",
        false => "missing, derived from the rules",
    };
    row("base", source(class.base).to_owned());
    row("input", source(class.input).to_owned());
    row(
        "rules",
        format!(
            "{}, over {} relations that change and {} that do not",
            class.rules, class.dynamic_relations, class.static_relations
        ),
    );
    let size = predict_size(&reading.game, reading.game.domains());
    row(
        "one step",
        format!(
            "{} facts and {} moves",
            at_most(size.facts),
            at_most(size.moves)
        ),
    );
    if class.is_recursive {
        row(
            "recursion",
            "some relation depends on itself within a step".to_owned(),
        );
    }
    for (index, (player, values)) in class.players.iter().zip(&class.goal_values).enumerate() {
        let mut text = format!("{player}: {}", listed(values));
        if let Ok(Some(simulation)) = played {
            let seen = &simulation.observations.goal_values[index];
            if !seen.is_empty() && seen.len() < values.len() {
                let _ = write!(text, "; seen {}", listed(seen));
            }
        }
        row("goals", text);
    }
    match played {
        Err(problem) => row("play", format!("not tried: {problem}")),
        Ok(None) => {}
        Ok(Some(simulation)) => {
            for (key, value) in notes_on_play(class, simulation, proved) {
                row(key, value);
            }
        }
    }
    if let Some(percepts) = percepts {
        percepts
            .views
            .iter()
            .for_each(|view| row("sees", view_text(view)));
        if let Some(reason) = percepts.stopped {
            row("sees", format!("no more is known: {reason} in these plays"));
        }
        let idle = percepts.idle.iter().take(MAX_FINDINGS);
        idle.for_each(|idle| row("warning", idle.to_string()));
        if let Some(more @ 1..) = percepts.idle.len().checked_sub(MAX_FINDINGS) {
            row("", format!("... and {more} more, which the JSON has"));
        }
    }
    if let Some(steps) = proved_end(proved) {
        row(
            "ends",
            format!("within {} (proved)", counted(steps as usize, "step")),
        );
    }
    match legal {
        None => {}
        Some(Err(problem)) => row("moves", format!("not listed: {problem}")),
        Some(Ok(moves)) => {
            for (role, moves) in reading.game.roles().iter().zip(moves) {
                row("moves", format!("{role}: {}", moves.join(" ")));
            }
        }
    }
    text
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

/// The percepts of a role, and the moves of others that it knows by them.
fn view_text(view: &View) -> String {
    let percepts: Vec<String> = view.percepts.iter().map(ToString::to_string).collect();
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

/// The JSON form of percepts.
fn json_of(percepts: &PerceptStatistics) -> Value {
    let view = |view: &View| {
        let moves = view.moves.iter().map(|(other, part)| {
            let part = match part {
                DistinguishedMoves::All => "all",
                DistinguishedMoves::Some => "part",
                DistinguishedMoves::Nothing => "none",
            };
            (other.to_string(), part.into())
        });
        json!({
            "role": view.role,
            "percepts": view.percepts,
            "moves": Value::Object(moves.collect()),
        })
    };
    let warnings: Vec<String> = percepts.idle.iter().map(ToString::to_string).collect();
    json!({
        "roles": percepts.views.iter().map(view).collect::<Vec<Value>>(),
        "warnings": warnings,
        "complete": percepts.stopped.is_none(),
    })
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

/// The most findings of plays that are told to people.
const MAX_FINDINGS: usize = 6;

/// The observations in all plays, as rows.
fn notes_on_play(
    class: &Classification,
    simulation: &Simulation,
    proved: &[Finding],
) -> Vec<(&'static str, String)> {
    let seen = &simulation.observations;
    let mut rows = vec![(
        "plays",
        format!(
            "{}, of at most {}{} (observed, not proved)",
            simulation.playouts,
            counted(seen.longest_play, "step"),
            if simulation.out_of_time {
                ", until time ran out"
            } else {
                ""
            }
        ),
    )];
    if class.players.len() > 1 {
        rows.push((
            "turn-taking",
            match &seen.simultaneous_choice {
                None => match verdict_of(proved, &Property::TurnTaking) {
                    Some(true) => "proved".to_owned(),
                    Some(false) => "no: several players can have a choice".to_owned(),
                    None => "observed".to_owned(),
                },
                Some(history) => format!(
                    "no: several players have a choice after {}",
                    counted(history.len(), "step")
                ),
            },
        ));
    }
    if let Some(zero_sum) = seen.zero_sum {
        rows.push((
            "zero-sum",
            match (zero_sum, verdict_of(proved, &Property::ZeroSum)) {
                (false, _) | (_, Some(false)) => "no",
                (true, Some(true)) => "proved",
                (true, None) => "observed",
            }
            .to_owned(),
        ));
    }
    rows.extend(
        simulation
            .findings
            .iter()
            .take(MAX_FINDINGS)
            .map(|finding| {
                let level = if finding.defect.is_error() {
                    "error"
                } else {
                    "warning"
                };
                (level, finding.to_string())
            }),
    );
    if let Some(more @ 1..) = simulation.findings.len().checked_sub(MAX_FINDINGS) {
        rows.push(("", format!("... and {more} more, which the JSON has")));
    }
    rows
}

fn json_report(report: &CheckReport) -> String {
    let CheckReport {
        reading,
        class,
        played,
        percepts,
        proved,
        ..
    } = report;
    let said: Vec<Value> = reading
        .diagnostics
        .iter()
        .map(|diagnostic| {
            let place = diagnostic.span.map(|span| span.start as usize);
            let position = place.map(|place| reading.source.position(place));
            json!({
                "severity": diagnostic.severity.to_string(),
                "code": diagnostic.code.as_str(),
                "file": place.map(|place| reading.source.name_at(place)),
                "line": position.as_ref().map(|position| position.line),
                "column": position.as_ref().map(|position| position.column),
                "message": diagnostic.message,
            })
        })
        .collect();
    let played = match played {
        Err(problem) => json!({ "problem": problem }),
        Ok(None) => Value::Null,
        Ok(Some(simulation)) => json!({
            "plays": simulation.playouts,
            "longest": simulation.observations.longest_play,
            "turn_taking": simulation.observations.simultaneous_choice.is_none(),
            "zero_sum": simulation.observations.zero_sum,
            "goal_values": simulation.observations.goal_values,
            "findings": simulation.findings.iter().map(|finding| json!({
                "severity": if finding.defect.is_error() { "error" } else { "warning" },
                "message": finding.to_string(),
                "after": finding.history,
                "state": finding.state,
            })).collect::<Vec<Value>>(),
        }),
    };
    let size = predict_size(&reading.game, reading.game.domains());
    let mut object = json!({
        "game": reading.game.name(),
        "roles": reading.game.roles(),
        "facts_at_most": size.facts.to_string(),
        "moves_at_most": size.moves.to_string(),
        "diagnostics": said,
        "observed": played,
        "sees": percepts.as_ref().map(json_of),
        "proved": {
            "turn_taking": verdict_of(proved, &Property::TurnTaking),
            "zero_sum": verdict_of(proved, &Property::ZeroSum),
            "legal_nonempty": verdict_of(proved, &Property::LegalNonempty),
            "ends_within": proved_end(proved),
        },
    });
    let Value::Object(of_rules) = json!(class) else {
        unreachable!("a struct is an object")
    };
    let fields = object.as_object_mut().expect("it was just made");
    fields.extend(of_rules);
    if let Some(legal) = &report.legal {
        fields.insert(
            "legal".to_owned(),
            legal.as_ref().map_or(Value::Null, |legal| json!(legal)),
        );
    }
    object.to_string()
}
