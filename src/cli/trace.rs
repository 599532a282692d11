//! States of a play as lines: JSON in the format of recorded play, and text for people.

use engines::PlayEnd;
use gdl::game::Game;
use gdl::{Description, Name, Term, parse_terms, texts};
use prove::Board;
use rules::ReasonerError;
use serde::Serialize;
use std::fmt::Write;
use step::{Position, StateMachine};

/// The first line of a trace.
#[derive(Serialize)]
pub(super) struct GameLine {
    #[serde(rename = "type")]
    kind: &'static str,
    name: String,
    format: u32,
    roles: Vec<String>,
    forms: usize,
}

impl GameLine {
    pub(super) fn new(game: &Game, description: &Description) -> Self {
        GameLine {
            kind: "game",
            name: game.name().to_owned(),
            format: 1,
            roles: game.roles().iter().map(Name::to_string).collect(),
            forms: description.forms.len(),
        }
    }
}

/// A state, with everything in full.
#[derive(Serialize)]
pub(super) struct StateLine {
    #[serde(rename = "type")]
    kind: &'static str,
    p: u64,
    i: u64,
    n: usize,
    facts: Vec<String>,
    terminal: bool,
    legal: Vec<Vec<String>>,
    goals: Vec<Vec<String>>,
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    joint_move: Option<Vec<String>>,
}

impl StateLine {
    /// The line for a state, which is state `step` of play `playout`.
    pub(super) fn new(
        machine: &mut StateMachine,
        playout: u64,
        step: u64,
        position: &Position,
        joint_move: Option<&[Term]>,
    ) -> Result<Self, ReasonerError> {
        let facts = texts(&machine.facts(position));
        let roles = 0..machine.roles().len();
        let legal = roles
            .clone()
            .map(|role| Ok(texts(&machine.legal(position, role)?)));
        let legal = legal.collect::<Result<_, ReasonerError>>()?;
        let goals = roles.map(|role| Ok(texts(&machine.goals(position, role)?)));
        Ok(StateLine {
            kind: "state",
            p: playout,
            i: step,
            n: facts.len(),
            facts,
            legal,
            goals: goals.collect::<Result<_, ReasonerError>>()?,
            terminal: machine.terminal(position)?,
            joint_move: joint_move.map(texts),
        })
    }
}

/// The last line of a trace.
#[derive(Serialize)]
pub(super) struct EndLine {
    #[serde(rename = "type")]
    kind: &'static str,
    complete: bool,
    playouts: [Playout; 1],
}

#[derive(Serialize)]
struct Playout {
    plies: u32,
    end: PlayEnd,
}

impl EndLine {
    pub(super) fn new(plies: u32, end: PlayEnd) -> Self {
        EndLine {
            kind: "end",
            complete: true,
            playouts: [Playout { plies, end }],
        }
    }
}

/// How wide lists are printed for people.
const WIDTH: usize = 100;

/// A state for people: its facts, then the legal moves of each role, or the points of each role, and the joint move as
/// `--after` takes it. Step 1 leads from state 0 to state 1.
///
/// Facts on a board are drawn; the board must be one of this game.
pub(super) fn state_text(line: &StateLine, roles: &[Name], boards: &[Board]) -> String {
    let mut text = format!(
        "state {}{}\n",
        line.i,
        if line.terminal { ", the end" } else { "" }
    );
    let facts = parse_terms(&line.facts.join(" ")).unwrap_or_default();
    for board in boards {
        let _ = writeln!(text, "  {}:", board.feature());
        for row in board.draw(&facts) {
            let _ = writeln!(text, "    {row}");
        }
    }
    let others = facts.iter().zip(&line.facts);
    let others = others.filter(|(fact, _)| !boards.iter().any(|board| board.shows(fact)));
    let others: Vec<String> = others.map(|(_, text)| text.clone()).collect();
    match boards {
        [] => add_list(&mut text, "facts", &line.facts),
        _ => add_list(&mut text, "other facts", &others),
    }
    let lists = if line.terminal {
        &line.goals
    } else {
        &line.legal
    };
    let what = if line.terminal { "goal" } else { "legal" };
    for (role, list) in roles.iter().zip(lists) {
        add_list(&mut text, &format!("{what} for {role}"), list);
    }
    if let Some(joint_move) = &line.joint_move {
        let _ = writeln!(text, "  move: ({})", joint_move.join(" "));
    }
    text
}

/// Adds a list with its title, broken into lines.
fn add_list(text: &mut String, title: &str, items: &[String]) {
    let mut line = format!("  {title}:");
    for item in items {
        if line.chars().count() + 1 + item.chars().count() > WIDTH {
            let _ = writeln!(text, "{line}");
            line = " ".repeat(3);
        }
        line.push(' ');
        line.push_str(item);
    }
    if items.is_empty() {
        line.push_str(" nothing");
    }
    let _ = writeln!(text, "{line}");
}
