//! Ground programs as text for people, close to what clingo reads.

use crate::{Atom, Body, GroundProgram, Head, Literal};
use std::borrow::Cow;
use std::fmt;

impl GroundProgram {
    /// The name of an atom, or a made-up one such as `_17`.
    pub fn display_atom(&self, atom: Atom) -> Cow<'_, str> {
        match self.name(atom) {
            Some(name) => Cow::Borrowed(name),
            None => Cow::Owned(format!("_{}", atom.number())),
        }
    }

    /// A literal with the name of its atom: `not legal(xplayer,noop,3)`.
    pub fn display_literal(&self, literal: Literal) -> Cow<'_, str> {
        let atom = self.display_atom(literal.atom());
        if literal.is_negative() {
            Cow::Owned(format!("not {atom}"))
        } else {
            atom
        }
    }
}

/// Rules with the names of atoms: `a :- b, not c.`, `{a; b}.`, `a :- 2 <= {b=1; not c=2}.`
impl fmt::Display for GroundProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for fact in self.facts() {
            writeln!(f, "{fact}.")?;
        }
        for rule in self.rules() {
            match rule.head {
                Head::Constraint => {}
                Head::Atom(atom) => write!(f, "{}", self.display_atom(atom))?,
                Head::Choice(atoms) => {
                    f.write_str("{")?;
                    for (position, &atom) in atoms.iter().enumerate() {
                        let before = if position == 0 { "" } else { "; " };
                        write!(f, "{before}{}", self.display_atom(atom))?;
                    }
                    f.write_str("}")?;
                }
            }
            let has_head = rule.head != Head::Constraint;
            match rule.body {
                Body::All([]) if has_head => {}
                _ if has_head => f.write_str(" :- ")?,
                _ => f.write_str(":- ")?,
            }
            match rule.body {
                Body::All(literals) => {
                    for (position, &literal) in literals.iter().enumerate() {
                        let before = if position == 0 { "" } else { ", " };
                        write!(f, "{before}{}", self.display_literal(literal))?;
                    }
                }
                Body::Weighted { bound, literals } => {
                    write!(f, "{bound} <= {{")?;
                    for (position, &(literal, weight)) in literals.iter().enumerate() {
                        let before = if position == 0 { "" } else { "; " };
                        write!(f, "{before}{}={weight}", self.display_literal(literal))?;
                    }
                    f.write_str("}")?;
                }
            }
            writeln!(f, ".")?;
        }
        Ok(())
    }
}
