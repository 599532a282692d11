//! A small game as a static site: the page, and all positions with their values in one file, JSON that is packed with
//! gzip.
//!
//! A position is its facts and, with a depth, the steps that are left. What moves and replies are worth follows from
//! the values of the positions after them, as mean, minimum and maximum; the page computes that, exactly.

use super::board::shapes;
use super::{Explored, Shapes, page};
use crate::budget::Budget;
use crate::engine::{Position, Query, for_positions};
use crate::error::Error;
use crate::game::{count_joint_moves, joint_moves};
use crate::gdl::Term;
use crate::observer::Silent;
use flate2::Compression;
use flate2::write::GzEncoder;
use formula::{Outcome, Value};
use limits::{Clock, StopReason};
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::hash::Hash;
use std::io::{self, Write};
use std::sync::Arc;
use step::{Position as Place, StateMachine};

/// The file with the positions. Servers that know `.gz` would unpack it on the way, or not.
const DATA: &str = "positions.bin";

/// The most positions.
const MAX_POSITIONS: usize = 200_000;

/// The page with all positions of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaticSite {
    /// The number of positions.
    pub positions: usize,
    /// The files by their names; the last one has the positions.
    pub files: Vec<(&'static str, Vec<u8>)>,
}

/// Texts with their numbers.
#[derive(Default)]
struct Names {
    texts: Vec<String>,
    places: FxHashMap<String, usize>,
}

impl Names {
    fn number(&mut self, text: String) -> usize {
        *self.places.entry(text).or_insert_with_key(|text| {
            self.texts.push(text.clone());
            self.texts.len() - 1
        })
    }

    fn numbers(&mut self, terms: &[Term]) -> Vec<usize> {
        terms
            .iter()
            .map(|term| self.number(term.to_string()))
            .collect()
    }
}

/// A position; facts, moves and goals by their numbers.
#[derive(Serialize)]
struct Node {
    /// Facts.
    f: Vec<usize>,
    /// The value.
    v: usize,
    /// For each role its legal moves; missing at the end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    l: Vec<Vec<usize>>,
    /// The position after each joint move: those that differ in the last role's move stand side by side.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    n: Vec<usize>,
    /// At the end, the goals of each role.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    g: Vec<Vec<usize>>,
}

#[derive(Serialize)]
struct Data<'a> {
    introduction: super::Introduction<'a>,
    boards: Shapes,
    texts: Vec<String>,
    values: Vec<String>,
    /// The largest value there can be.
    largest: String,
    nodes: Vec<Node>,
}

/// The site of a game.
///
/// # Errors
/// If the game is too large or has no values, or a limit comes first.
pub fn export(explored: &Explored, budget: &Budget) -> Result<StaticSite, Error> {
    let (nodes, texts, values, largest) = nodes(explored, budget)?;
    let positions = nodes.len();
    let data = Data {
        introduction: explored.introduction(),
        boards: shapes(&explored.game, &budget.clock),
        texts,
        values,
        largest,
        nodes,
    };
    let mut packed = Until {
        clock: &budget.clock,
        to: GzEncoder::new(Vec::new(), Compression::best()),
    };
    let written = serde_json::to_writer(&mut packed, &data);
    written.map_err(|_| match budget.clock.look() {
        Err(reason) => stopped(reason, "all positions had their values"),
        Ok(()) => Error::Internal("the positions cannot be written as JSON".to_owned()),
    })?;
    let packed = packed.to.finish().expect("memory can be written to");
    let page = page::FILES.iter();
    let page = page.map(|(name, _, file)| (*name, file.as_bytes().to_vec()));
    let files = page.chain([(DATA, packed)]).collect();
    Ok(StaticSite { positions, files })
}

/// Takes bytes until a clock ends.
struct Until<'a, W> {
    clock: &'a Clock,
    to: W,
}

impl<W: Write> Write for Until<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let look = self.clock.look();
        look.map_err(|reason| io::Error::other(reason.to_string()))?;
        self.to.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

type Nodes = (Vec<Node>, Vec<String>, Vec<String>, String);

/// All positions in the order in which they are found, the start first. They are counted before any has its value.
fn nodes(explored: &Explored, budget: &Budget) -> Result<Nodes, Error> {
    let Explored {
        game,
        role,
        objective,
        options,
        table,
        ..
    } = explored;
    let mut machine = explored.machine(&budget.clock)?;
    let (mut texts, mut values) = (Names::default(), Names::default());
    let mut found: Numbered<(Place, Option<u32>)> = Numbered::default();
    found.number((machine.initial()?, explored.depth));
    let mut nodes = Vec::new();
    while let Some((place, left)) = found.items.get(nodes.len()).cloned() {
        budget.clock.look().map_err(|reason| {
            stopped(
                reason,
                &format!("{} positions were found", found.items.len()),
            )
        })?;
        let roles = 0..game.roles().len();
        let (mut legal, mut goals, mut next) = (Vec::new(), Vec::new(), Vec::new());
        if machine.terminal(&place)? {
            let all = roles.map(|role| machine.goals(&place, role));
            goals = all.collect::<Result<Vec<_>, _>>()?;
        } else {
            let all = roles.map(|role| machine.legal(&place, role));
            legal = all.collect::<Result<Vec<_>, _>>()?;
            if left != Some(0) {
                next = successors(&mut machine, &place, &legal)?
                    .into_iter()
                    .map(|next| found.number((next, left.map(|left| left - 1))))
                    .collect();
            }
        }
        if found.items.len() > MAX_POSITIONS {
            return Err(Error::TooLarge(format!(
                "more than {MAX_POSITIONS} positions can be reached: too many for a static site; a smaller --depth may do"
            )));
        }
        nodes.push(Node {
            f: texts.numbers(&machine.facts(&place)),
            v: 0,
            l: legal.iter().map(|moves| texts.numbers(moves)).collect(),
            n: next,
            g: goals.iter().map(|values| texts.numbers(values)).collect(),
        });
    }
    let mut options = options.clone();
    options.step.clock = budget.clock.clone();
    let (mut engine, _) = for_positions(game, *objective, *role, options, table.as_deref())?;
    let all = nodes.len();
    for (number, (place, left)) in found.items.into_iter().enumerate() {
        let query = Query {
            position: Position::State(machine.facts(&place)),
            role: *role,
            depth: left,
            moves: false,
            limits: budget.left(),
            observer: Arc::new(Silent),
        };
        let found = engine.evaluate(&query)?.outcome;
        let Outcome::Solved(Value::Exact(value)) = &found else {
            let reason = found.stopped_by().unwrap_or(StopReason::Interrupted);
            let known = format!("{number} of {all} positions had their values");
            return Err(stopped(reason, &known));
        };
        nodes[number].v = values.number(value.to_string());
    }
    Ok((
        nodes,
        texts.texts,
        values.texts,
        engine.largest(*role).to_string(),
    ))
}

fn stopped(reason: StopReason, known: &str) -> Error {
    let message = format!("{reason} when {known}; nothing is written");
    Error::Stopped { reason, message }
}

/// Items in the order in which they were met.
struct Numbered<T> {
    items: Vec<T>,
    places: FxHashMap<T, usize>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Numbered {
            items: Vec::new(),
            places: FxHashMap::default(),
        }
    }
}

impl<T: Clone + Eq + Hash> Numbered<T> {
    fn number(&mut self, item: T) -> usize {
        *self.places.entry(item).or_insert_with_key(|item| {
            self.items.push(item.clone());
            self.items.len() - 1
        })
    }
}

/// The positions after all joint moves, the last role's moves changing first.
fn successors(
    machine: &mut StateMachine,
    place: &Place,
    legal: &[Vec<Term>],
) -> Result<Vec<Place>, Error> {
    if count_joint_moves(legal) > MAX_POSITIONS {
        let text = "a position has too many joint moves for a static site";
        return Err(Error::TooLarge(text.to_owned()));
    }
    joint_moves(legal.iter().map(Vec::as_slice))
        .iter()
        .map(|joint_move| Ok(machine.next(place, joint_move)?))
        .collect()
}
