//! Terms of logic programs.

use std::fmt;

/// A term in clingo's language.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Term {
    /// A whole number.
    Integer(i64),
    /// A symbolic constant: starts with a lower-case letter.
    Constant(String),
    /// A quoted string; holds any text.
    Quoted(String),
    /// A variable: starts with an upper-case letter.
    Variable(String),
    /// A function applied to at least one term.
    Function(String, Vec<Term>),
    /// A variable plus a whole number, such as `T+1`.
    Offset(String, i64),
    /// All whole numbers from the first to the last, such as `1..9`.
    Interval(i64, i64),
}

impl Term {
    /// The variable with this name.
    pub fn variable(name: &str) -> Self {
        Term::Variable(name.to_owned())
    }

    /// The symbolic constant with this name.
    pub fn constant(name: &str) -> Self {
        Term::Constant(name.to_owned())
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Integer(number) => write!(f, "{number}"),
            Term::Constant(name) | Term::Variable(name) => f.write_str(name),
            Term::Quoted(text) => {
                f.write_str("\"")?;
                for character in text.chars() {
                    match character {
                        '"' => f.write_str("\\\"")?,
                        '\\' => f.write_str("\\\\")?,
                        '\n' => f.write_str("\\n")?,
                        other => write!(f, "{other}")?,
                    }
                }
                f.write_str("\"")
            }
            Term::Function(name, arguments) => write_call(f, name, arguments),
            Term::Offset(name, offset) => write!(f, "{name}{offset:+}"),
            Term::Interval(first, last) => write!(f, "{first}..{last}"),
        }
    }
}

/// Writes `name(argument,...)`, or the bare name when there are no arguments.
pub(super) fn write_call(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    arguments: &[Term],
) -> fmt::Result {
    f.write_str(name)?;
    for (index, argument) in arguments.iter().enumerate() {
        write!(f, "{}{argument}", if index == 0 { "(" } else { "," })?;
    }
    f.write_str(if arguments.is_empty() { "" } else { ")" })
}
