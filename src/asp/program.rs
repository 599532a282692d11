//! Programs: rules in order, with remarks for readers.

use super::{Atom, Head, Literal, Rule};
use std::fmt;

/// One line of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    /// A rule.
    Rule(Rule),
    /// A remark for readers.
    Remark(String),
}

/// A logic program with variables.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Program {
    statements: Vec<Statement>,
    numbers: i64,
}

impl Program {
    /// A program without rules.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a rule at the end.
    pub fn push(&mut self, rule: Rule) {
        self.statements.push(Statement::Rule(rule));
    }

    /// Adds `atom.`
    pub fn fact(&mut self, atom: Atom) {
        self.push(Rule {
            head: Head::Atom(atom),
            body: Vec::new(),
        });
    }

    /// Adds `head :- body.`
    pub fn rule<I: IntoIterator<Item = Literal>>(&mut self, head: Atom, body: I) {
        self.push(Rule {
            head: Head::Atom(head),
            body: body.into_iter().collect(),
        });
    }

    /// Adds `:- body.`
    pub fn constraint<I: IntoIterator<Item = Literal>>(&mut self, body: I) {
        self.push(Rule {
            head: Head::Constraint,
            body: body.into_iter().collect(),
        });
    }

    /// Adds a remark.
    pub fn remark(&mut self, text: &str) {
        self.statements.push(Statement::Remark(text.to_owned()));
    }

    /// Adds all statements of another program.
    pub fn append(&mut self, other: Program) {
        self.statements.extend(other.statements);
    }

    /// A number that was not given out before, to tell helper atoms apart.
    pub fn new_number(&mut self) -> i64 {
        self.numbers += 1;
        self.numbers
    }

    /// Takes all statements out. Numbers given out stay so.
    pub fn clear(&mut self) {
        self.statements.clear();
    }

    /// The lines in order.
    pub fn statements(&self) -> &[Statement] {
        &self.statements
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, statement) in self.statements.iter().enumerate() {
            match statement {
                Statement::Rule(rule) => writeln!(f, "{rule}")?,
                Statement::Remark(text) => {
                    // A blank line sets each part apart.
                    writeln!(f, "{}% {text}", if index == 0 { "" } else { "\n" })?;
                }
            }
        }
        Ok(())
    }
}
