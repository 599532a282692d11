//! A strategy as JSON, and back (`docs/formula-strategy-format.md`).
//!
//! Reading checks the form only. Whether functions are right for a formula is for [`crate::check`] and
//! [`crate::verify()`] to say.

use crate::strategy::Strategy;
use formula::{BigRational, Clauses, Lit, Var};
use num_traits::{One, Zero};
use serde::Deserialize;
use std::io::{self, Write};

/// The text in the field `format`.
pub const FORMAT: &str = "sqasp-formula-strategy";
const VERSION: u64 = 1;

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
    gates: Vec<Vec<i32>>,
    exists: Vec<(i32, i32)>,
    forall: Vec<(i32, i32)>,
}

/// Writes a strategy as JSON.
///
/// # Errors
/// When writing fails.
pub fn write_json(strategy: &Strategy, to: &mut dyn Write) -> io::Result<()> {
    let name = serde_json::to_string(&strategy.formula)?;
    writeln!(to, "{{\"format\":\"{FORMAT}\",\"version\":{VERSION},")?;
    writeln!(
        to,
        "\"formula\":{name},\"formula_sha256\":\"{}\",\"variables\":{},\"value\":\"{}\",",
        strategy.sha256, strategy.variables, strategy.value
    )?;
    write!(to, "\"gates\":[")?;
    for (index, gate) in strategy.gates.iter().enumerate() {
        write!(to, "{}[", if index == 0 { "\n" } else { ",\n" })?;
        for (index, literal) in gate.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(to, "{comma}{}", literal.to_dimacs())?;
        }
        write!(to, "]")?;
    }
    for (name, functions) in [("exists", &strategy.exists), ("forall", &strategy.forall)] {
        write!(to, "],\n\"{name}\":[")?;
        for (index, (variable, literal)) in functions.iter().enumerate() {
            let comma = if index == 0 { "\n" } else { ",\n" };
            let (variable, literal) = (variable.to_dimacs(), literal.to_dimacs());
            write!(to, "{comma}[{variable},{literal}]")?;
        }
    }
    writeln!(to, "]}}")
}

/// Reads a strategy from JSON.
///
/// # Errors
/// See [`ReadError`].
pub fn read(text: &[u8]) -> Result<Strategy, ReadError> {
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
    let variables = written.variables;
    if variables + written.gates.len() > Var::MAX_INDEX {
        return Err(wrong(
            "`variables`".to_owned(),
            format!("{variables} variables and the gates are too many"),
        ));
    }
    let mut gates = Clauses::new();
    for (index, gate) in written.gates.iter().enumerate() {
        let place = || format!("gate {} of `gates`", index + 1);
        let literals = gate
            .iter()
            .map(|&number| literal(number, variables + index, place));
        gates.push(literals.collect::<Result<Vec<Lit>, _>>()?);
    }
    let all = variables + gates.len();
    let functions = |name: &str, written: &[(i32, i32)]| {
        let functions = written.iter().enumerate();
        let functions = functions.map(|(index, &(number, value))| {
            let place = || format!("function {} of `{name}`", index + 1);
            let decided = literal(number, variables, place)?;
            if decided.is_negative() {
                let message = format!("{number} is no variable of the formula");
                return Err(wrong(place(), message));
            }
            Ok((decided.var(), literal(value, all, place)?))
        });
        functions.collect::<Result<Vec<_>, _>>()
    };
    Ok(Strategy {
        formula: written.formula,
        sha256: written.formula_sha256.to_lowercase(),
        variables,
        value: value(&written.value)?,
        exists: functions("exists", &written.exists)?,
        forall: functions("forall", &written.forall)?,
        gates,
    })
}

fn wrong(place: String, message: String) -> ReadError {
    ReadError::Content { place, message }
}

/// A literal of one of the first variables and gates.
fn literal(number: i32, below: usize, place: impl Fn() -> String) -> Result<Lit, ReadError> {
    let literal = Lit::from_dimacs(number).filter(|literal| literal.var().index() < below);
    literal.ok_or_else(|| {
        let message = format!(
            "{number} is no literal of a variable or of an earlier gate (1 to {below} here)"
        );
        wrong(place(), message)
    })
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
            wrong("`value`".to_owned(), message)
        })
}
