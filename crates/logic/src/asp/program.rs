//! Programs: rules in order, files of rules, and remarks for readers.

use super::{Atom, Encoding, Head, Literal, Rule};
use limits::{Limits, StopReason};
use std::fmt;

/// One part of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Statement {
    Rule(Rule),
    /// The rules of a file.
    Encoding(&'static Encoding),
    /// The start of a part: all entries that follow belong to it. It is grounded for one value of its parameter after
    /// the other.
    Part(&'static str, &'static str),
    /// The heading of the entries that follow.
    Remark(String),
    /// The origin of the next rule; only explained programs show it.
    Origin(String),
}

/// A logic program with variables.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Program {
    statements: Vec<Statement>,
    numbers: i64,
}

impl Program {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a rule at the end.
    pub fn push(&mut self, rule: Rule) {
        self.statements.push(Statement::Rule(rule));
    }

    /// Adds `atom.`
    pub fn fact(&mut self, atom: Atom) {
        self.rule(atom, []);
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

    /// Adds the rules of a file.
    pub fn include(&mut self, encoding: &'static Encoding) {
        self.statements.push(Statement::Encoding(encoding));
    }

    /// Begins a part with a parameter.
    pub fn part(&mut self, name: &'static str, parameter: &'static str) {
        self.statements.push(Statement::Part(name, parameter));
    }

    pub fn remark(&mut self, text: &str) {
        self.statements.push(Statement::Remark(text.to_owned()));
    }

    /// Says where the next rule comes from.
    pub fn origin(&mut self, text: String) {
        self.statements.push(Statement::Origin(text));
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

    /// Whether there are no statements.
    pub fn is_empty(&self) -> bool {
        self.statements.is_empty()
    }

    /// The files that the program includes.
    pub fn encodings(&self) -> impl Iterator<Item = &'static Encoding> {
        self.statements
            .iter()
            .filter_map(|statement| match statement {
                Statement::Encoding(encoding) => Some(*encoding),
                _ => None,
            })
    }

    /// The program without some of the files that it includes.
    pub fn without(&self, leave_out: impl Fn(&Encoding) -> bool) -> Self {
        let mut kept = self.clone();
        kept.statements
            .retain(|statement| !matches!(statement, Statement::Encoding(file) if leave_out(file)));
        kept
    }

    /// The program with all that is said about it: where rules come from, and the comments of files.
    pub fn explained(&self) -> Explained<'_> {
        Explained(self)
    }

    /// The text for clingo, written while the limits allow it.
    pub fn text(&self, limits: &Limits) -> Result<String, StopReason> {
        let mut text = ClockedText {
            text: String::new(),
            limits,
        };
        match self.write(&mut text, false) {
            Ok(()) => Ok(text.text),
            Err(fmt::Error) => Err(limits.check().expect_err("only limits end writing")),
        }
    }

    fn write(&self, f: &mut impl fmt::Write, explained: bool) -> fmt::Result {
        for (index, statement) in self.statements.iter().enumerate() {
            // A blank line sets each heading apart.
            let space = if index == 0 { "" } else { "\n" };
            match statement {
                Statement::Rule(rule) => writeln!(f, "{rule}")?,
                Statement::Remark(text) => writeln!(f, "{space}% {text}")?,
                Statement::Part(name, parameter) => {
                    writeln!(f, "{space}#program {name}({parameter}).")?;
                }
                Statement::Origin(text) if explained => writeln!(f, "% {text}")?,
                Statement::Origin(_) => {}
                Statement::Encoding(Encoding { file, text }) if explained => {
                    write!(f, "{space}% -- encodings/{file}\n\n{text}")?;
                }
                Statement::Encoding(encoding) => {
                    writeln!(f, "{space}% {}", encoding.title())?;
                    encoding
                        .rules()
                        .try_for_each(|line| writeln!(f, "{line}"))?;
                }
            }
        }
        Ok(())
    }
}

/// The text for clingo.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, false)
    }
}

/// Text that is written until a limit is reached.
struct ClockedText<'a> {
    text: String,
    limits: &'a Limits,
}

impl fmt::Write for ClockedText<'_> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        const BYTES_BETWEEN_LOOKS: usize = 1 << 16;
        let before = self.text.len();
        self.text.push_str(piece);
        let is_new = before / BYTES_BETWEEN_LOOKS != self.text.len() / BYTES_BETWEEN_LOOKS;
        if is_new && self.limits.is_over() {
            return Err(fmt::Error);
        }
        Ok(())
    }
}

/// A program with all that is said about it, as text for clingo.
#[derive(Clone, Copy, Debug)]
pub struct Explained<'a>(&'a Program);

impl fmt::Display for Explained<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(f, true)
    }
}
