//! Ground programs in the older format of smodels, for the tools lp2normal2, lp2acyc and lp2sat.
//!
//! ```text
//! 3 2 2 3 0 0        {a; b}.           choice: heads, literals, negative ones, atoms
//! 1 4 1 1 3          c :- not b.       normal: head, literals, negative ones, atoms
//! 1 1 1 1 2          :- not a.         atom 1 is "false"
//! 0
//! 2 a                names
//! ...
//! ```
//!
//! Atom 1 is the head of constraints, so the atom `i` of the program is `i + 1` in the file. In
//! each body the negative atoms come first. A choice by a weight body gets an atom for its body,
//! since the format has no such rule; a named fact gets an atom too, since names stand for atoms.

use crate::{Atom, Body, GroundProgram, Head, Literal, Symbol};
use std::io::{self, Write};

const FALSE: u32 = 1;

/// Writes a ground program in the format of smodels.
pub fn write_smodels(program: &GroundProgram, output: impl Write) -> io::Result<()> {
    let mut writer = Writer {
        output,
        next_atom: program.atom_count() as u32 + 2,
    };
    for rule in program.rules() {
        match (rule.head, rule.body) {
            (Head::Choice(atoms), Body::All(body)) => writer.choice(atoms, body)?,
            (Head::Choice(atoms), Body::Weighted { .. }) => {
                let body = writer.new_atom();
                writer.rule(body, rule.body)?;
                // The new atom is outside the program's numbers; it stands in the file as it is.
                writer.head_of_choice(atoms)?;
                writeln!(writer.output, " 1 0 {body}")?;
            }
            (Head::Atom(atom), body) => writer.rule(number(atom), body)?,
            (Head::Constraint, body) => writer.rule(FALSE, body)?,
        }
    }
    let facts: Vec<(u32, &Symbol)> = program
        .facts()
        .map(|fact| (writer.new_atom(), fact))
        .collect();
    for &(atom, _) in &facts {
        writeln!(writer.output, "1 {atom} 0 0")?;
    }
    writeln!(writer.output, "0")?;
    for (atom, name) in program.names() {
        writeln!(writer.output, "{} {name}", number(atom))?;
    }
    for (atom, fact) in facts {
        writeln!(writer.output, "{atom} {fact}")?;
    }
    write!(writer.output, "0\nB+\n0\nB-\n{FALSE}\n0\n1\n")
}

fn number(atom: Atom) -> u32 {
    atom.number() + 1
}

struct Writer<W> {
    output: W,
    next_atom: u32,
}

impl<W: Write> Writer<W> {
    fn new_atom(&mut self) -> u32 {
        self.next_atom += 1;
        self.next_atom - 1
    }

    fn head_of_choice(&mut self, atoms: &[Atom]) -> io::Result<()> {
        write!(self.output, "3 {}", atoms.len())?;
        atoms
            .iter()
            .try_for_each(|&atom| write!(self.output, " {}", number(atom)))
    }

    fn choice(&mut self, atoms: &[Atom], body: &[Literal]) -> io::Result<()> {
        if atoms.is_empty() {
            return Ok(());
        }
        self.head_of_choice(atoms)?;
        self.conjunction(body)
    }

    /// Counts and atoms of a body, to the end of the line.
    fn conjunction(&mut self, body: &[Literal]) -> io::Result<()> {
        let negative = body.iter().filter(|literal| literal.is_negative());
        write!(self.output, " {} {}", body.len(), negative.clone().count())?;
        let positive = body.iter().filter(|literal| !literal.is_negative());
        for literal in negative.chain(positive) {
            write!(self.output, " {}", number(literal.atom()))?;
        }
        writeln!(self.output)
    }

    fn rule(&mut self, head: u32, body: Body<'_>) -> io::Result<()> {
        match body {
            Body::All(literals) => {
                write!(self.output, "1 {head}")?;
                self.conjunction(literals)
            }
            Body::Weighted { bound: 0, .. } => writeln!(self.output, "1 {head} 0 0"),
            Body::Weighted { bound, literals } => {
                let negative = literals.iter().filter(|(literal, _)| literal.is_negative());
                let positive = literals
                    .iter()
                    .filter(|(literal, _)| !literal.is_negative());
                let negative_count = negative.clone().count();
                write!(
                    self.output,
                    "5 {head} {bound} {} {negative_count}",
                    literals.len()
                )?;
                let ordered = negative.chain(positive);
                for (literal, _) in ordered.clone() {
                    write!(self.output, " {}", number(literal.atom()))?;
                }
                for (_, weight) in ordered {
                    write!(self.output, " {weight}")?;
                }
                writeln!(self.output)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_statements::read_statements;

    #[test]
    fn rules_look_as_the_tools_expect() {
        let aspif = "asp 1 0 0\n1 1 2 1 2 0 0\n1 0 1 3 0 2 -2 1\n1 0 0 0 1 -1\n\
                     1 0 1 4 1 2 3 1 1 -2 2 3 1\n1 1 1 5 1 1 1 1 1\n\
                     4 1 a 1 1\n4 6 c(\"x\") 0\n0\n";
        let mut text = Vec::new();
        let program = read_statements(aspif);
        write_smodels(&program, &mut text).unwrap();
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "3 2 2 3 0 0\n1 4 2 1 3 2\n1 1 1 1 2\n5 5 2 3 1 3 2 4 2 1 1\n\
             5 7 1 1 0 2 1\n3 1 6 1 0 7\n1 8 0 0\n0\n2 a\n8 c(\"x\")\n0\nB+\n0\nB-\n1\n0\n1\n"
        );
    }
}
