//! Writing `aspif`.

use crate::{Atom, Body, GroundProgram, Head};
use std::io::{self, Write};

/// Writes a ground program in `aspif`, for clasp and for [`read_aspif`](crate::read_aspif).
///
/// # Errors
/// If the output cannot be written.
pub fn write_aspif(program: &GroundProgram, mut output: impl Write) -> io::Result<()> {
    let output = &mut output;
    writeln!(output, "asp 1 0 0")?;
    for rule in program.rules() {
        let (kind, heads): (u32, &[Atom]) = match &rule.head {
            Head::Constraint => (0, &[]),
            Head::Atom(atom) => (0, std::slice::from_ref(atom)),
            Head::Choice(atoms) => (1, atoms),
        };
        write!(output, "1 {kind} {}", heads.len())?;
        for head in heads {
            write!(output, " {}", head.number())?;
        }
        match rule.body {
            Body::All(literals) => {
                write!(output, " 0 {}", literals.len())?;
                for literal in literals {
                    write!(output, " {}", literal.to_aspif())?;
                }
            }
            Body::Weighted { bound, literals } => {
                write!(output, " 1 {bound} {}", literals.len())?;
                for (literal, weight) in literals {
                    write!(output, " {} {weight}", literal.to_aspif())?;
                }
            }
        }
        writeln!(output)?;
    }
    for fact in program.facts() {
        let fact = fact.to_string();
        writeln!(output, "4 {} {fact} 0", fact.len())?;
    }
    for (atom, name) in program.names() {
        let name = name.to_string();
        writeln!(output, "4 {} {name} 1 {}", name.len(), atom.number())?;
    }
    writeln!(output, "0")
}
