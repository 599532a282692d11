//! The type [`Equilibrium`]: a move and the values of all roles in every position, where each role plays for itself; and its form as JSON.

use super::policy::{Heading, Position};
use super::read::{ReadError, Reader, Wrong, parsed};
use super::shape::{Text, VERSION, WrittenHeading};
use super::table::{TermNumber, TermTable};
use super::write::{fraction, state, text, texts, write_lines, written_heading};
use gdl::Name;
use num_rational::BigRational;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The text in the field `format`.
pub(super) const EQUILIBRIUM_FORMAT: &str = "sqasp-equilibrium";

/// The moves of all roles where each plays for itself, in all positions that play can lead to.
#[derive(Clone, Debug)]
pub struct Equilibrium {
    /// The question that it answers; its value is that of the role that was asked about.
    pub heading: Heading,
    /// The facts and moves that the rest names by number.
    #[doc(hidden)]
    pub terms: TermTable,
    #[doc(hidden)]
    pub positions: Vec<Standing>,
}

impl Equilibrium {
    /// The number of positions in which the role chooses, and of all others.
    pub(super) fn sizes(&self) -> (usize, usize) {
        let is_own = |choice: &Move| self.heading.roles[choice.role] == self.heading.role;
        let choices = self.positions.iter().filter_map(|it| it.choice.as_ref());
        let own = choices.filter(|choice| is_own(choice)).count();
        (own, self.positions.len() - own)
    }
}

/// The move and the values in a position in which play goes on.
#[derive(Clone, PartialEq, Debug)]
pub struct Standing {
    pub position: Position,
    /// The move of the one role that has more than one; none where no role has.
    pub choice: Option<Move>,
    /// Other moves that are as good for this role.
    pub ties: Box<[TermNumber]>,
    /// The values of the roles, in their order, without `random`.
    pub values: Box<[BigRational]>,
}

/// A move of a role.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Move {
    /// The index of the role among all roles of the game.
    pub role: usize,
    pub action: TermNumber,
}

#[derive(Deserialize)]
struct Written<'a> {
    #[serde(flatten, borrow)]
    heading: WrittenHeading<'a>,
    #[serde(borrow)]
    positions: Vec<WrittenStanding<'a>>,
}

#[derive(Serialize, Deserialize)]
struct WrittenStanding<'a> {
    #[serde(borrow)]
    state: Vec<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<u32>,
    #[serde(borrow, skip_serializing_if = "Option::is_none")]
    role: Option<Text<'a>>,
    #[serde(rename = "move", borrow, skip_serializing_if = "Option::is_none")]
    action: Option<Text<'a>>,
    #[serde(borrow, default, skip_serializing_if = "Vec::is_empty")]
    ties: Vec<Text<'a>>,
    #[serde(borrow)]
    values: BTreeMap<Cow<'a, str>, Text<'a>>,
}

pub(super) fn read_equilibrium(text: &[u8]) -> Result<Equilibrium, ReadError> {
    let written: Written<'_> = parsed(text)?;
    let mut reader = Reader::default();
    let heading = reader.heading(&written.heading)?;
    let positions = reader.side("positions", &written.positions, |reader, standing| {
        read_standing(reader, &heading.roles, standing)
    })?;
    Ok(Equilibrium {
        heading,
        terms: reader.terms,
        positions,
    })
}

fn read_standing(
    reader: &mut Reader,
    roles: &[Name],
    written: &WrittenStanding<'_>,
) -> Result<Standing, Wrong> {
    let choice = match (&written.role, &written.action) {
        (None, None) => None,
        (Some(role), Some(action)) => {
            let is_meant = |other: &Name| *other.as_str() == *role.0;
            let index = roles.iter().position(is_meant);
            Some(Move {
                role: index.ok_or_else(|| Wrong::new("role", format!("{} is no role", role.0)))?,
                action: reader.term("move", &action.0)?,
            })
        }
        _ => return Err(Wrong::new("role", "a move has a role, and a role a move")),
    };
    let players = roles.iter().filter(|role| !role.is_random());
    let values = players.clone().map(|role| {
        let value = written.values.get(role.as_str());
        let value =
            value.ok_or_else(|| Wrong::new("values", format!("there is none of {role}")))?;
        reader.value(&value.0)
    });
    let values: Box<[BigRational]> = values.collect::<Result<_, _>>()?;
    if written.values.len() != values.len() {
        return Err(Wrong::new(
            "values",
            "one of these names is no role that chooses",
        ));
    }
    Ok(Standing {
        position: reader.position(&written.state, written.steps)?,
        choice,
        ties: reader.facts("ties", &written.ties)?,
        values,
    })
}

/// Writes an equilibrium as JSON (`docs/strategy-format.md`).
pub(super) fn write_equilibrium(strategy: &Equilibrium, to: &mut dyn Write) -> io::Result<()> {
    let Equilibrium {
        heading,
        terms,
        positions,
    } = strategy;
    let fields = written_heading(heading)?;
    write!(
        to,
        "{{\"format\":\"{EQUILIBRIUM_FORMAT}\",\"version\":{VERSION},\n{fields},\n\"positions\":["
    )?;
    let players: Vec<&Name> = heading.players().collect();
    let standing = |standing: &Standing| {
        let name = |choice: Move| Text(Cow::Owned(heading.roles[choice.role].to_string()));
        let values = players.iter().zip(&standing.values);
        WrittenStanding {
            state: state(terms, &standing.position.facts),
            steps: standing.position.steps,
            role: standing.choice.map(name),
            action: standing
                .choice
                .map(|choice| text(terms.term(choice.action))),
            ties: texts(terms, &standing.ties),
            values: values
                .map(|(role, value)| (Cow::Owned(role.to_string()), fraction(value)))
                .collect(),
        }
    };
    write_lines(positions.iter().map(standing), to)?;
    writeln!(to, "]}}")
}

/// Writes an equilibrium for people: the move and the values of each position.
pub fn write_equilibrium_text(strategy: &Equilibrium, to: &mut dyn Write) -> io::Result<()> {
    let Equilibrium {
        heading,
        terms,
        positions,
    } = strategy;
    let unit = heading.objective.unit();
    writeln!(to, "What each role does for itself:")?;
    for (index, standing) in positions.iter().enumerate() {
        let facts = state(terms, &standing.position.facts);
        let facts: Vec<&str> = facts.iter().map(|fact| &*fact.0).collect();
        let steps = standing.position.steps;
        let steps = steps.map_or_else(String::new, |steps| format!("with {steps} steps left, "));
        let values = heading.players().zip(&standing.values);
        let values: Vec<String> = values
            .map(|(role, value)| format!("{role} {}", unit.text(value)))
            .collect();
        writeln!(to, "\n{}. {steps}worth {}", index + 1, values.join(", "))?;
        writeln!(to, "   in  {}", facts.join(" "))?;
        if let Some(choice) = standing.choice {
            let (role, action) = (&heading.roles[choice.role], terms.term(choice.action));
            let ties = standing
                .ties
                .iter()
                .map(|&tie| format!(", or as well {}", terms.term(tie)));
            writeln!(to, "   {role} does  {action}{}", ties.collect::<String>())?;
        }
    }
    Ok(())
}
