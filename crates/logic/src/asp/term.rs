//! Terms of logic programs.

use lp2sat::{Symbol, SymbolKind};
use std::fmt;

/// A term in clingo's language.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Term {
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

impl Term {
    /// The symbol that this is.
    ///
    /// # Panics
    /// If it is not ground, or has numbers that clingo does not have.
    pub fn symbol(&self) -> Symbol {
        match self {
            Term::Integer(number) => {
                Symbol::number(i32::try_from(*number).expect("clingo has such numbers"))
            }
            Term::Constant(name) => Symbol::constant(name.as_str()),
            Term::Quoted(text) => Symbol::new(SymbolKind::Text(text.as_str().into())),
            Term::Function(name, arguments) => {
                Symbol::function(name.as_str(), arguments.iter().map(Term::symbol))
            }
            Term::Variable(_) | Term::Offset(..) | Term::Interval(..) => {
                panic!("{self} is not ground")
            }
        }
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Integer(number) => write!(f, "{number}"),
            Term::Constant(name) | Term::Variable(name) => f.write_str(name),
            Term::Quoted(_) => write!(f, "{}", self.symbol()),
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
