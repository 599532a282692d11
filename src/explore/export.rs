//! A small game as a static site: the page, and all positions with their values in one file, JSON that is packed with
//! gzip.
//!
//! A position is its facts and, with a depth, the steps that are left. What moves and replies are worth follows from
//! the values of the positions after them, as mean, minimum and maximum; the page computes that, exactly.

use super::board::shapes;
use super::{Explored, Shapes, page};
use crate::engine::{Position, Query, for_positions};
use crate::error::Error;
use crate::gdl::Term;
use crate::observer::Silent;
use flate2::Compression;
use flate2::write::GzEncoder;
use formula::{Outcome, Value};
use limits::Limits;
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::hash::Hash;
use std::path::Path;
use std::sync::Arc;
use step::{Position as Place, StateMachine};

/// The file with the positions. Servers that know `.gz` would unpack it on the way, or not.
const DATA: &str = "positions.bin";

/// The most positions.
const MAX_POSITIONS: usize = 200_000;

/// How many positions a site has, and how large its data are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaticSite {
    /// The positions.
    pub positions: usize,
    /// The bytes of the file with the positions.
    pub bytes: usize,
}

/// Writes a file of the site, given its name and its bytes.
pub type WriteFile<'a> = dyn FnMut(&Path, &[u8]) -> Result<(), Error> + 'a;

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

/// Writes the site of a game into a folder.
///
/// # Errors
/// If the game is too large or has no values, or a file cannot be written.
pub fn export(
    explored: &Explored,
    limits: &Limits,
    write: &mut WriteFile<'_>,
) -> Result<StaticSite, Error> {
    let (nodes, texts, values, largest) = nodes(explored, limits)?;
    let positions = nodes.len();
    let data = Data {
        introduction: explored.introduction(),
        boards: shapes(&explored.game),
        texts,
        values,
        largest,
        nodes,
    };
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    serde_json::to_writer(&mut packed, &data).expect("the shapes have text keys only");
    let packed = packed.finish().expect("memory can be written to");
    for (name, _, file) in page::FILES {
        write(Path::new(name), file.as_bytes())?;
    }
    write(Path::new(DATA), &packed)?;
    Ok(StaticSite {
        positions,
        bytes: packed.len(),
    })
}

type Nodes = (Vec<Node>, Vec<String>, Vec<String>, String);

/// All positions in the order in which they are found, the start first.
fn nodes(explored: &Explored, limits: &Limits) -> Result<Nodes, Error> {
    let Explored {
        game,
        role,
        objective,
        options,
        table,
        ..
    } = explored;
    let table = table.as_deref();
    let (mut engine, _) = for_positions(game, *objective, *role, options.clone(), table)?;
    let mut machine = explored.machine()?;
    let (mut texts, mut values) = (Names::default(), Names::default());
    let mut found: Numbered<(Place, Option<u32>)> = Numbered::default();
    found.number((machine.initial()?, explored.depth));
    let mut nodes = Vec::new();
    while let Some((place, left)) = found.items.get(nodes.len()).cloned() {
        if found.items.len() > MAX_POSITIONS {
            return Err(Error::TooLarge(format!(
                "more than {MAX_POSITIONS} positions can be reached: too many for a static site; a smaller --depth may do"
            )));
        }
        let facts = machine.facts(&place);
        let terminal = machine.terminal(&place)?;
        let roles = 0..game.roles().len();
        let (mut legal, mut goals, mut next) = (Vec::new(), Vec::new(), Vec::new());
        if terminal {
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
        let query = Query {
            position: Position::State(facts.clone()),
            role: *role,
            depth: left,
            moves: false,
            limits: limits.clone(),
            observer: Arc::new(Silent),
        };
        let value = match engine.evaluate(&query)?.outcome {
            Outcome::Solved(Value::Exact(value)) => value,
            other => {
                let reason = other
                    .stopped_by()
                    .unwrap_or(limits::StopReason::Interrupted);
                let message = format!("{reason} before all positions had their values");
                return Err(Error::Stopped { reason, message });
            }
        };
        nodes.push(Node {
            f: texts.numbers(&facts),
            v: values.number(value.to_string()),
            l: legal.iter().map(|moves| texts.numbers(moves)).collect(),
            n: next,
            g: goals.iter().map(|values| texts.numbers(values)).collect(),
        });
    }
    Ok((
        nodes,
        texts.texts,
        values.texts,
        engine.largest(*role).to_string(),
    ))
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
    let count = legal.iter().map(Vec::len).try_fold(1, usize::checked_mul);
    let count = count.filter(|count| *count <= MAX_POSITIONS);
    let count = count.ok_or_else(|| {
        Error::TooLarge("a position has too many joint moves for a static site".to_owned())
    })?;
    let joint_move = |mut number: usize| {
        let mut moves: Vec<Term> = legal
            .iter()
            .rev()
            .map(|moves| {
                let action = moves[number % moves.len()].clone();
                number /= moves.len();
                action
            })
            .collect();
        moves.reverse();
        moves
    };
    (0..count)
        .map(|number| Ok(machine.next(place, &joint_move(number))?))
        .collect()
}
