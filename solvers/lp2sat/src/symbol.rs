//! Ground terms: the names of atoms.

use std::fmt;
use std::sync::Arc;

/// A ground term of clingo, which calls it a symbol. Atoms are called by one: `does(xplayer,mark(1,1),0)`.
/// Copies share their parts.
///
/// ```
/// use sqasp_lp2sat::Symbol;
///
/// let action = Symbol::function("mark", [Symbol::number(1), Symbol::number(1)]);
/// let atom = Symbol::function("legal", [Symbol::constant("xplayer"), action.clone()]);
/// assert_eq!(atom.to_string(), "legal(xplayer,mark(1,1))");
/// assert!(matches!(atom.call(), Some(("legal", [_, second])) if *second == action));
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(Arc<SymbolKind>);

/// The form of a symbol.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum SymbolKind {
    /// The smallest term.
    Infimum,
    Number(i32),
    /// A text in quotes.
    Text(Box<str>),
    /// A function or constant; a tuple if the name is empty.
    Function {
        name: Arc<str>,
        /// The arguments; none for constants.
        arguments: Box<[Symbol]>,
        /// Whether it is an atom that is denied, `-a`.
        negative: bool,
    },
    /// The largest term.
    Supremum,
}

impl Symbol {
    pub fn new(kind: SymbolKind) -> Self {
        Symbol(Arc::new(kind))
    }

    /// The form of the symbol.
    pub fn kind(&self) -> &SymbolKind {
        &self.0
    }

    pub fn number(number: i32) -> Self {
        Symbol::new(SymbolKind::Number(number))
    }

    /// A constant. The name is written as it is.
    pub fn constant(name: impl Into<Arc<str>>) -> Self {
        Symbol::function(name, [])
    }

    /// A function with arguments.
    pub fn function<I: IntoIterator<Item = Symbol>>(
        name: impl Into<Arc<str>>,
        arguments: I,
    ) -> Self {
        Symbol::new(SymbolKind::Function {
            name: name.into(),
            arguments: arguments.into_iter().collect(),
            negative: false,
        })
    }

    /// The name and the arguments of a function or constant; `None` for others, and for `-a`.
    pub fn call(&self) -> Option<(&str, &[Symbol])> {
        match self.kind() {
            SymbolKind::Function {
                name,
                arguments,
                negative: false,
            } => Some((name, arguments)),
            _ => None,
        }
    }

    /// The number, if it is one that is not negative.
    pub fn to_u32(&self) -> Option<u32> {
        match self.kind() {
            SymbolKind::Number(number) => u32::try_from(*number).ok(),
            _ => None,
        }
    }
}

/// The constant with this name, which is written as it is.
impl From<&str> for Symbol {
    fn from(name: &str) -> Self {
        Symbol::constant(name)
    }
}

/// As clingo writes it.
impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            SymbolKind::Infimum => f.write_str("#inf"),
            SymbolKind::Supremum => f.write_str("#sup"),
            SymbolKind::Number(number) => write!(f, "{number}"),
            SymbolKind::Text(text) => {
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
            SymbolKind::Function {
                name,
                arguments,
                negative,
            } => {
                write!(f, "{}{name}", if *negative { "-" } else { "" })?;
                if arguments.is_empty() && !name.is_empty() {
                    return Ok(());
                }
                for (index, argument) in arguments.iter().enumerate() {
                    write!(f, "{}{argument}", if index == 0 { "(" } else { "," })?;
                }
                match (name.is_empty(), arguments.len()) {
                    (true, 0) => f.write_str("()"),
                    (true, 1) => f.write_str(",)"),
                    _ => f.write_str(")"),
                }
            }
        }
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
