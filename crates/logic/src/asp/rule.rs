//! Atoms, literals and rules.

use super::term::{Term, write_call};
use lp2sat::Symbol;
use std::fmt;

/// A predicate applied to terms.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Atom {
    pub predicate: String,
    pub arguments: Vec<Term>,
}

impl Atom {
    /// A predicate applied to these terms.
    pub fn new<I: IntoIterator<Item = Term>>(predicate: &str, arguments: I) -> Self {
        Atom {
            predicate: predicate.to_owned(),
            arguments: arguments.into_iter().collect(),
        }
    }

    /// The symbol that this atom is called by.
    ///
    /// # Panics
    /// If it is not ground.
    pub fn symbol(&self) -> Symbol {
        Symbol::function(
            self.predicate.as_str(),
            self.arguments.iter().map(Term::symbol),
        )
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_call(f, &self.predicate, &self.arguments)
    }
}

/// A condition in a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Literal {
    Positive(Atom),
    /// The atom does not hold (default negation).
    Negative(Atom),
    Different(Term, Term),
    /// The number of these atoms that hold lies within bounds, or does not.
    Count {
        /// Whether this is denied.
        negated: bool,
        least: usize,
        /// The most; any number when `None`.
        most: Option<usize>,
        /// The atoms counted.
        atoms: Vec<Atom>,
    },
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Positive(atom) => write!(f, "{atom}"),
            Literal::Negative(atom) => write!(f, "not {atom}"),
            Literal::Different(left, right) => write!(f, "{left} != {right}"),
            Literal::Count {
                negated,
                least,
                most,
                atoms,
            } => {
                write!(f, "{}{least} {{ ", if *negated { "not " } else { "" })?;
                for (index, atom) in atoms.iter().enumerate() {
                    write!(f, "{}{atom}", if index == 0 { "" } else { " ; " })?;
                }
                f.write_str(" }")?;
                most.map_or(Ok(()), |most| write!(f, " {most}"))
            }
        }
    }
}

/// The head of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Head {
    /// Nothing: the body must not hold.
    Constraint,
    Atom(Atom),
    /// An atom that may hold or not.
    Choice(Atom),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rule {
    pub head: Head,
    /// The conditions, all of which must hold.
    pub body: Vec<Literal>,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.head {
            Head::Constraint => {}
            Head::Atom(atom) => write!(f, "{atom}")?,
            Head::Choice(atom) => write!(f, "{{ {atom} }}")?,
        }
        for (index, literal) in self.body.iter().enumerate() {
            let separator = match (index, &self.head) {
                (0, Head::Constraint) => ":- ",
                (0, _) => " :- ",
                _ => ", ",
            };
            write!(f, "{separator}{literal}")?;
        }
        if self.body.is_empty() && self.head == Head::Constraint {
            f.write_str(":- ")?;
        }
        f.write_str(".")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_print_in_the_language_of_clingo() {
        let time = Term::variable("T");
        let does = Atom::new(
            "does",
            [Term::constant("x"), Term::variable("A"), time.clone()],
        );
        let ended = Atom::new("ended", [time.clone()]);
        let rows = [
            (
                Rule {
                    head: Head::Choice(does.clone()),
                    body: vec![Literal::Negative(ended.clone())],
                },
                "{ does(x,A,T) } :- not ended(T).",
            ),
            (
                Rule {
                    head: Head::Constraint,
                    body: vec![Literal::Positive(does)],
                },
                ":- does(x,A,T).",
            ),
            (
                Rule {
                    head: Head::Constraint,
                    body: vec![],
                },
                ":- .",
            ),
            (
                Rule {
                    head: Head::Atom(Atom::new("ended", [Term::Offset("T".into(), 1)])),
                    body: vec![
                        Literal::Positive(ended),
                        Literal::Different(time, Term::Quoted("a\"b\\".into())),
                    ],
                },
                "ended(T+1) :- ended(T), T != \"a\\\"b\\\\\".",
            ),
            (
                Rule {
                    head: Head::Atom(Atom::new("time", [Term::Interval(0, 9)])),
                    body: vec![],
                },
                "time(0..9).",
            ),
        ];
        for (rule, text) in rows {
            assert_eq!(rule.to_string(), text);
        }
    }
}
