//! The language of properties, read from text: formulas about one state.
//!
//! A formula is a term in prefix form. Its atoms are the statements of a game's rules about a state:
//! `(true F)`, `(legal R M)`, `(goal R V)`, `terminal`. Connectives are `and`, `or`, `not` and `=>`;
//! instances are counted with `exactly`, `at-most` and `at-least`; `forall` and `exists` run over
//! the instances of a pattern:
//!
//! ```text
//! (exactly 1 (true (control _)))
//! (forall (true (cell ?x ?y _)) (exactly 1 (true (cell ?x ?y _))))
//! (=> (not terminal) (forall (role ?r) (at-least 1 (legal ?r _))))
//! (not (and (goal white 100) (goal black 100)))
//! ```
//!
//! A pattern is matched with everything of its kind that may ever hold in the game
//! ([`Vocabulary`](super::Vocabulary)). `_` matches anything. In a counted pattern variables that are
//! not bound from outside match anything too; elsewhere every variable must be bound by a
//! `forall` or `exists` around it.

use gdl::Term;
use std::fmt;

/// The pattern of a formula's atoms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// A fact of the state.
    True(Term),
    /// A role and a move that is legal for it.
    Legal(Term, Term),
    /// A role and a goal value that the rules give it.
    Goal(Term, Term),
    Terminal,
    /// A role of the game.
    Role(Term),
}

/// A statement about one state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PropertyFormula {
    Atom(Pattern),
    Distinct(Term, Term),
    Not(Box<PropertyFormula>),
    And(Vec<PropertyFormula>),
    Or(Vec<PropertyFormula>),
    /// The number of instances of the pattern that hold is between two bounds.
    Count {
        least: u32,
        /// The most; any number when `None`.
        most: Option<u32>,
        /// The pattern whose instances are counted.
        pattern: Pattern,
    },
    /// For every instance of the pattern.
    ForAll(Pattern, Box<PropertyFormula>),
    /// For some instance of the pattern.
    Exists(Pattern, Box<PropertyFormula>),
}

impl PropertyFormula {
    /// Reads a formula from its term.
    ///
    /// # Errors
    /// A message: the mistake, and the text to write instead.
    pub fn read(term: &Term) -> Result<Self, String> {
        let (name, arguments) = call(term);
        Ok(match (name, arguments) {
            ("not", [inner]) => PropertyFormula::Not(Box::new(PropertyFormula::read(inner)?)),
            ("and", _) => PropertyFormula::And(read_all(arguments)?),
            ("or", _) => PropertyFormula::Or(read_all(arguments)?),
            ("=>", [condition, consequence]) => PropertyFormula::Or(vec![
                PropertyFormula::Not(Box::new(PropertyFormula::read(condition)?)),
                PropertyFormula::read(consequence)?,
            ]),
            ("distinct", [left, right]) => PropertyFormula::Distinct(left.clone(), right.clone()),
            ("exactly" | "at-most" | "at-least", [number, pattern]) => {
                let number = read_number(number)?;
                let (least, most) = match name {
                    "exactly" => (number, Some(number)),
                    "at-most" => (0, Some(number)),
                    _ => (number, None),
                };
                PropertyFormula::Count {
                    least,
                    most,
                    pattern: Pattern::read(pattern)?,
                }
            }
            ("forall", [pattern, inner]) => PropertyFormula::ForAll(
                Pattern::read(pattern)?,
                Box::new(PropertyFormula::read(inner)?),
            ),
            ("exists", [pattern, inner]) => PropertyFormula::Exists(
                Pattern::read(pattern)?,
                Box::new(PropertyFormula::read(inner)?),
            ),
            _ => PropertyFormula::Atom(Pattern::read(term)?),
        })
    }
}

impl Pattern {
    /// Reads a pattern from its term.
    fn read(term: &Term) -> Result<Self, String> {
        let (name, arguments) = call(term);
        Ok(match (name, arguments) {
            ("true", [fact]) => Pattern::True(fact.clone()),
            ("legal", [role, action]) => Pattern::Legal(role.clone(), action.clone()),
            ("goal", [role, value]) => Pattern::Goal(role.clone(), value.clone()),
            ("role", [role]) => Pattern::Role(role.clone()),
            ("terminal", []) => Pattern::Terminal,
            _ => {
                return Err(format!(
                    "`{term}` is no formula: use `(true F)`, `(legal R M)`, `(goal R V)`, \
                     `(role R)`, `terminal`, `(not A)`, `(and A ...)`, `(or A ...)`, `(=> A B)`, \
                     `(distinct S T)`, `(exactly N P)`, `(at-most N P)`, `(at-least N P)`, \
                     `(forall P A)` or `(exists P A)`, where P is one of the first five"
                ));
            }
        })
    }
}

/// A name and its arguments.
fn call(term: &Term) -> (&str, &[Term]) {
    match term {
        Term::Constant(name) | Term::Variable(name) => (name.as_str(), &[]),
        Term::Function(name, arguments) => (name.as_str(), arguments),
    }
}

fn read_all(terms: &[Term]) -> Result<Vec<PropertyFormula>, String> {
    terms.iter().map(PropertyFormula::read).collect()
}

/// A count or a number of steps.
pub(super) fn read_number(term: &Term) -> Result<u32, String> {
    let text = term.to_string();
    text.parse().map_err(|_| {
        format!(
            "`{text}` is no number here: write a whole number from 0 to {}",
            u32::MAX
        )
    })
}

/// Whether the term is `_`.
pub(super) fn is_anything(term: &Term) -> bool {
    matches!(term, Term::Constant(name) if name.as_str() == "_")
}

/// Whether `_` stands somewhere in the term.
pub(super) fn has_anything(term: &Term) -> bool {
    term.terms().any(is_anything)
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pattern::True(fact) => write!(f, "(true {fact})"),
            Pattern::Legal(role, action) => write!(f, "(legal {role} {action})"),
            Pattern::Goal(role, value) => write!(f, "(goal {role} {value})"),
            Pattern::Terminal => f.write_str("terminal"),
            Pattern::Role(role) => write!(f, "(role {role})"),
        }
    }
}

impl fmt::Display for PropertyFormula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, name, inner: &[PropertyFormula]| {
            write!(f, "({name}")?;
            inner.iter().try_for_each(|inner| write!(f, " {inner}"))?;
            f.write_str(")")
        };
        match self {
            PropertyFormula::Atom(pattern) => write!(f, "{pattern}"),
            PropertyFormula::Distinct(left, right) => write!(f, "(distinct {left} {right})"),
            PropertyFormula::Not(inner) => write!(f, "(not {inner})"),
            PropertyFormula::And(inner) => list(f, "and", inner),
            PropertyFormula::Or(inner) => list(f, "or", inner),
            PropertyFormula::Count {
                least,
                most,
                pattern,
            } => match most {
                None => write!(f, "(at-least {least} {pattern})"),
                Some(most) if most == least => write!(f, "(exactly {least} {pattern})"),
                Some(most) if *least == 0 => write!(f, "(at-most {most} {pattern})"),
                Some(most) => write!(
                    f,
                    "(and (at-least {least} {pattern}) (at-most {most} {pattern}))"
                ),
            },
            PropertyFormula::ForAll(pattern, inner) => write!(f, "(forall {pattern} {inner})"),
            PropertyFormula::Exists(pattern, inner) => write!(f, "(exists {pattern} {inner})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl::parse_patterns;

    fn read(text: &str) -> Result<String, String> {
        PropertyFormula::read(&parse_patterns(text).unwrap()[0]).map(|formula| formula.to_string())
    }

    #[test]
    fn formulas_print_as_they_are_read() {
        for text in [
            "(true (control white))",
            "(not (and terminal (goal white 100) (goal black 100)))",
            "(forall (true (cell ?x ?y _)) (exactly 1 (true (cell ?x ?y _))))",
            "(or terminal (exists (role ?r) (at-least 2 (legal ?r _))))",
            "(at-most 3 (true (at ?x)))",
            "(distinct a b)",
        ] {
            assert_eq!(read(text).as_deref(), Ok(text));
        }
        assert_eq!(
            read("(=> terminal (goal a 1))").as_deref(),
            Ok("(or (not terminal) (goal a 1))")
        );
        for (text, problem) in [
            ("(true a b)", "is no formula"),
            ("(exactly x terminal)", "no number"),
            ("(at-least -1 terminal)", "no number"),
            ("(forall (not terminal) terminal)", "is no formula"),
            ("?x", "is no formula"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
    }
}
