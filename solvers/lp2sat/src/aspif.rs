//! The `aspif` format: ground programs as text, one statement per line, as clingo's grounder
//! writes them and clasp reads them (Kaminski, Schaub and Wanko, *A tutorial on hybrid answer set
//! solving with clingo*, 2017, appendix).
//!
//! ```text
//! asp 1 0 0
//! 1 0 1 1 0 1 -2      atom 1 holds if atom 2 does not
//! 4 1 a 1 1           atom 1 is called "a"
//! 4 4 c(2) 0          "c(2)" is a fact
//! 0
//! ```

use crate::{Atom, Body, GroundProgram, Head};
use std::io::{self, Write};

/// Writes a ground program in `aspif`, for clasp.
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
