//! A trace as JSON, and back (`docs/formula-strategy-format.md`).
//!
//! Reading checks the form only: numbers are those of variables, and of clauses and nodes that stand before. Whether a trace is right for
//! a formula is for [`verify`](super::check::verify) to say.

use super::{Definition, Derivation, Diagram, Failure, Node, NodeId, Step, Trace};
use formula::{BigRational, Lit, Names, Var};
use num_traits::{One, Zero};
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

/// The text in the field `format`.
pub const FORMAT: &str = "sqasp-formula-strategy";
const VERSION: u64 = 2;

/// The reason why a text is no strategy for a formula.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReadError {
    /// The text is not JSON of the right shape.
    #[error("this is no strategy in the format of docs/formula-strategy-format.md: {0}")]
    Shape(String),
    /// A strategy in another version of the format.
    #[error("this strategy is in version {found} of the format; version {VERSION} is read here")]
    Version {
        /// Its version.
        found: u64,
    },
    /// A field holds what it cannot mean.
    #[error("{place}: {message}")]
    Content {
        /// The place of the mistake: the field, and the number in the list, from 1.
        place: String,
        /// The mistake, and the content that belongs there.
        message: String,
    },
}

#[derive(Deserialize)]
struct Announcement {
    format: String,
    version: u64,
}

#[derive(Deserialize)]
struct Written {
    formula: String,
    formula_sha256: String,
    variables: usize,
    value: String,
    #[serde(default)]
    quant: Option<String>,
    #[serde(default)]
    names: Vec<(i32, String)>,
    definitions: Vec<WrittenDefinition>,
    clauses: Vec<(Vec<i32>, Vec<u32>)>,
    lower: Vec<WrittenNode>,
    upper: Vec<WrittenNode>,
}

#[derive(Serialize, Deserialize)]
struct WrittenDefinition {
    variable: i32,
    summed: bool,
    clauses: Vec<u32>,
}

/// A step is a literal, and perhaps a clause with the literals of it that are made false.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum WrittenNode {
    Test(i32, NodeId, NodeId),
    Branch(Vec<Vec<i32>>, Vec<NodeId>),
    False(u32, Vec<i32>),
}

/// Writes a trace as JSON, each clause and node on a line.
///
/// # Errors
/// When writing fails.
pub fn write_json(trace: &Trace, to: &mut dyn Write) -> io::Result<()> {
    let name = serde_json::to_string(&trace.formula)?;
    writeln!(to, "{{\"format\":\"{FORMAT}\",\"version\":{VERSION},")?;
    writeln!(
        to,
        "\"formula\":{name},\"formula_sha256\":\"{}\",\"variables\":{},\"value\":\"{}\",",
        trace.sha256, trace.variables, trace.value
    )?;
    if let Some(quant) = &trace.quant {
        writeln!(to, "\"quant\":{},", serde_json::to_string(quant)?)?;
    }
    let names = trace.names.sorted().into_iter();
    let mut names = names
        .map(|(variable, name)| (variable.to_dimacs(), name))
        .peekable();
    if names.peek().is_some() {
        write_list(to, "names", names)?;
    }
    let definitions = trace
        .definitions
        .iter()
        .map(|definition| WrittenDefinition {
            variable: definition.variable.to_dimacs(),
            summed: definition.is_summed,
            clauses: definition.clauses.iter().map(|one| one + 1).collect(),
        });
    write_list(to, "definitions", definitions)?;
    let clauses = (0..trace.clauses.len() as u32).map(|number| {
        let hints = trace.clauses.hints(number).iter();
        let hints: Vec<u32> = hints.map(|hint| hint + 1).collect();
        (numbers(trace.clauses.clause(number)), hints)
    });
    write_list(to, "clauses", clauses)?;
    for (name, diagram, end) in [("lower", &trace.lower, ","), ("upper", &trace.upper, "}")] {
        let nodes = diagram.nodes().iter();
        write_items(to, name, nodes.map(|node| written(diagram, node)))?;
        writeln!(to, "]{end}")?;
    }
    Ok(())
}

fn write_list<T: Serialize>(
    to: &mut dyn Write,
    name: &str,
    items: impl Iterator<Item = T>,
) -> io::Result<()> {
    write_items(to, name, items)?;
    writeln!(to, "],")
}

fn write_items<T: Serialize>(
    to: &mut dyn Write,
    name: &str,
    items: impl Iterator<Item = T>,
) -> io::Result<()> {
    write!(to, "\"{name}\":[")?;
    for (index, item) in items.enumerate() {
        write!(to, "{}", if index == 0 { "\n" } else { ",\n" })?;
        serde_json::to_writer(&mut *to, &item)?;
    }
    Ok(())
}

fn numbers(literals: &[Lit]) -> Vec<i32> {
    literals.iter().map(|literal| literal.to_dimacs()).collect()
}

fn written(diagram: &Diagram, node: &Node) -> WrittenNode {
    match *node {
        Node::Test {
            variable,
            on_true,
            on_false,
        } => WrittenNode::Test(variable.to_dimacs(), on_true, on_false),
        Node::Branch { steps, nodes } => {
            let steps = diagram.steps(steps).iter().map(|step| {
                let mut written = vec![step.literal.to_dimacs()];
                if let Some(failure) = step.otherwise {
                    written.push(failure.clause as i32 + 1);
                    written.extend(numbers(diagram.made_false(failure.made_false)));
                }
                written
            });
            WrittenNode::Branch(steps.collect(), diagram.children(nodes).to_vec())
        }
        Node::False(failure) => WrittenNode::False(
            failure.clause + 1,
            numbers(diagram.made_false(failure.made_false)),
        ),
    }
}

/// Reads a trace from JSON.
///
/// # Errors
/// See [`ReadError`].
pub fn read(text: &[u8]) -> Result<Trace, ReadError> {
    let shape = |error: serde_json::Error| ReadError::Shape(error.to_string());
    let Announcement { format, version } = serde_json::from_slice(text).map_err(shape)?;
    if format != FORMAT {
        return Err(ReadError::Shape(format!(
            "`format` is {format:?}, not {FORMAT:?}"
        )));
    }
    if version != VERSION {
        return Err(ReadError::Version { found: version });
    }
    let written: Written = serde_json::from_slice(text).map_err(shape)?;
    if written.variables > Var::MAX_INDEX {
        let message = format!("{} variables are too many", written.variables);
        return Err(wrong("`variables`", message));
    }
    let mut reader = Reader {
        variables: written.variables,
        clauses: Derivation::default(),
    };
    for (index, (literals, hints)) in written.clauses.iter().enumerate() {
        let place = format!("clause {} of `clauses`", index + 1);
        let literals = reader.literals(literals, &place)?;
        let hints = hints.iter().map(|&hint| reader.clause(hint, &place));
        let hints = hints.collect::<Result<Vec<u32>, _>>()?;
        reader.clauses.push(literals, hints);
    }
    let mut names = Names::default();
    for (index, (variable, name)) in written.names.into_iter().enumerate() {
        let place = format!("name {} of `names`", index + 1);
        names.set(reader.literal(variable, &place)?.var(), name);
    }
    let definitions = written.definitions.iter().enumerate();
    let definitions = definitions.map(|(index, definition)| {
        let place = format!("definition {} of `definitions`", index + 1);
        let clauses = definition.clauses.iter();
        let clauses = clauses.map(|&clause| reader.clause(clause, &place));
        Ok(Definition {
            variable: reader.literal(definition.variable, &place)?.var(),
            is_summed: definition.summed,
            clauses: clauses.collect::<Result<_, _>>()?,
        })
    });
    Ok(Trace {
        formula: written.formula,
        sha256: written.formula_sha256.to_lowercase(),
        variables: written.variables,
        names,
        quant: written.quant,
        value: value(&written.value)?,
        definitions: definitions.collect::<Result<_, _>>()?,
        lower: reader.diagram(&written.lower, "lower")?,
        upper: reader.diagram(&written.upper, "upper")?,
        clauses: reader.clauses,
    })
}

fn wrong(place: &str, message: String) -> ReadError {
    ReadError::Content {
        place: place.to_owned(),
        message,
    }
}

/// The numbers that may be named so far.
struct Reader {
    variables: usize,
    clauses: Derivation,
}

impl Reader {
    fn literal(&self, number: i32, place: &str) -> Result<Lit, ReadError> {
        let literal = Lit::from_dimacs(number);
        let literal = literal.filter(|literal| literal.var().index() < self.variables);
        literal.ok_or_else(|| {
            let message = format!(
                "{number} is no literal of a variable (1 to {} here)",
                self.variables
            );
            wrong(place, message)
        })
    }

    fn literals(&self, numbers: &[i32], place: &str) -> Result<Vec<Lit>, ReadError> {
        let literals = numbers.iter().map(|&number| self.literal(number, place));
        literals.collect()
    }

    fn clause(&self, number: u32, place: &str) -> Result<u32, ReadError> {
        let clause = number.checked_sub(1);
        clause
            .filter(|&clause| (clause as usize) < self.clauses.len())
            .ok_or_else(|| {
                let message = format!(
                    "{number} is no number of a clause before (1 to {} here)",
                    self.clauses.len()
                );
                wrong(place, message)
            })
    }

    fn diagram(&self, nodes: &[WrittenNode], name: &str) -> Result<Diagram, ReadError> {
        let mut diagram = Diagram::default();
        for (index, node) in nodes.iter().enumerate() {
            let place = format!("node {} of `{name}`", index + 1);
            let below = |&node: &NodeId| match (node as usize) <= index {
                true => Ok(node),
                false => Err(wrong(
                    &place,
                    format!("{node} is no number of a node before (0 to {index} here)"),
                )),
            };
            match node {
                WrittenNode::Test(variable, on_true, on_false) => {
                    let nodes = [below(on_true)?, below(on_false)?];
                    diagram.test(self.literal(*variable, &place)?, nodes);
                }
                WrittenNode::Branch(steps, nodes) => {
                    let mut read = Vec::with_capacity(steps.len());
                    for step in steps {
                        let Some((&literal, others)) = step.split_first() else {
                            return Err(wrong(&place, "a step has no literal".to_owned()));
                        };
                        let otherwise = match others.split_first() {
                            None => None,
                            Some((&clause, falsified)) => Some(self.failure(
                                u32::try_from(clause).unwrap_or(0),
                                falsified,
                                &place,
                                &mut diagram,
                            )?),
                        };
                        read.push(Step {
                            literal: self.literal(literal, &place)?,
                            otherwise,
                        });
                    }
                    let nodes = nodes.iter().map(below).collect::<Result<Vec<_>, _>>()?;
                    diagram.branch(&read, &nodes);
                }
                WrittenNode::False(clause, falsified) => {
                    let failure = self.failure(*clause, falsified, &place, &mut diagram)?;
                    diagram.push(Node::False(failure));
                }
            }
        }
        Ok(diagram)
    }

    fn failure(
        &self,
        clause: u32,
        falsified: &[i32],
        place: &str,
        diagram: &mut Diagram,
    ) -> Result<Failure, ReadError> {
        Ok(Failure {
            clause: self.clause(clause, place)?,
            made_false: diagram.push_made_false(&self.literals(falsified, place)?),
        })
    }
}

/// A value as a fraction, such as `2/3`, `0` and `1`.
fn value(text: &str) -> Result<BigRational, ReadError> {
    let is_plain = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'/');
    let has_zero = text
        .split_once('/')
        .is_some_and(|(_, below)| below.bytes().all(|digit| digit == b'0'));
    let value: Option<BigRational> = match is_plain && !has_zero {
        true => text.parse().ok(),
        false => None,
    };
    value
        .filter(|value| *value >= BigRational::zero() && *value <= BigRational::one())
        .ok_or_else(|| {
            let message = format!("{text:?} is no fraction from 0 to 1, such as \"2/3\"");
            wrong("`value`", message)
        })
}
