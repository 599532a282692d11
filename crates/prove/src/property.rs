//! Properties: statements that are to hold in every state that can be reached.
//!
//! | text | meaning |
//! |---|---|
//! | `unique (control ?p)` | exactly one instance of the pattern holds |
//! | `unique (cell ?x ?y _)` | for every `x` and `y` that occur, exactly one instance holds |
//! | `at-most-one (cell ?x ?y _)` | for every `x` and `y` that occur, at most one |
//! | `turn-taking` | at most one player has more than one legal move, until the end |
//! | `legal-nonempty` | every role has a legal move, until the end |
//! | `zero-sum` | at the end each player has exactly one goal value, and these add up to 100, or to 0 if some are below 0 |
//! | `terminates within N` | no play has more than N steps |
//! | any other formula | see [`PropertyFormula`] |
//!
//! With `_` in a pattern, the terms that stand there are counted for each combination of values of the
//! variables; without, everything that matches.

use super::formula::{Pattern, PropertyFormula, has_anything, read_number};
use gdl::{Term, parse_patterns};
use std::fmt;

/// Something that may hold in every state that can be reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Property {
    /// Exactly one (or at most one) instance of a fact.
    Unique {
        /// The pattern of the facts.
        pattern: Term,
        /// Whether there must be one.
        exactly: bool,
    },
    /// At most one player has a choice.
    TurnTaking,
    LegalNonempty,
    /// Each player has one goal value at the end, and they add up to 100, or to 0 if some goal values are below 0.
    ZeroSum,
    /// Every play is over after this number of steps.
    Terminates(u32),
    /// A formula of the user.
    PropertyFormula(PropertyFormula),
}

impl Property {
    /// Reads a property from text.
    ///
    /// # Errors
    /// A message: the mistake, and the text to write instead.
    pub fn parse(text: &str) -> Result<Self, String> {
        let terms = parse_patterns(text).map_err(|error| error.to_string())?;
        let words: Vec<String> = terms.iter().map(Term::to_string).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        Ok(match (words.as_slice(), terms.as_slice()) {
            (["unique" | "at-most-one", _], [_, pattern]) => Property::Unique {
                pattern: without_true(pattern)?,
                exactly: words[0] == "unique",
            },
            (["turn-taking"], _) => Property::TurnTaking,
            (["legal-nonempty"], _) => Property::LegalNonempty,
            (["zero-sum"], _) => Property::ZeroSum,
            (["terminates", "within", _], [_, _, steps]) => {
                Property::Terminates(read_number(steps)?)
            }
            (_, [single]) => {
                Property::PropertyFormula(PropertyFormula::read(single).map_err(|problem| {
                    format!(
                        "{problem}; or a property by name: `unique F`, `at-most-one F`, \
                     `turn-taking`, `legal-nonempty`, `zero-sum`, `terminates within N`"
                    )
                })?)
            }
            _ => {
                return Err(format!(
                    "`{text}` is no property: write `unique F`, `at-most-one F`, `turn-taking`, \
                     `legal-nonempty`, `zero-sum`, `terminates within N`, or one formula"
                ));
            }
        })
    }

    /// The formula that says the same, for those that need not be told the game.
    pub(super) fn formula(&self) -> Option<PropertyFormula> {
        match self {
            Property::Unique { pattern, exactly } => {
                let counted = PropertyFormula::Count {
                    least: u32::from(*exactly),
                    most: Some(1),
                    pattern: Pattern::True(pattern.clone()),
                };
                Some(if has_anything(pattern) {
                    PropertyFormula::ForAll(Pattern::True(pattern.clone()), Box::new(counted))
                } else {
                    counted
                })
            }
            Property::PropertyFormula(formula) => Some(formula.clone()),
            _ => None,
        }
    }
}

/// The pattern of a fact, also if it was written with `true`.
fn without_true(pattern: &Term) -> Result<Term, String> {
    match pattern {
        Term::Function(name, arguments) if name.as_str() == "true" && arguments.len() == 1 => {
            Ok(arguments[0].clone())
        }
        Term::Variable(_) => Err(format!(
            "`{pattern}` is no pattern of a fact: write one like `(cell ?x ?y _)`"
        )),
        _ => Ok(pattern.clone()),
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Property::Unique { pattern, exactly } => {
                let name = if *exactly { "unique" } else { "at-most-one" };
                write!(f, "{name} {pattern}")
            }
            Property::TurnTaking => f.write_str("turn-taking"),
            Property::LegalNonempty => f.write_str("legal-nonempty"),
            Property::ZeroSum => f.write_str("zero-sum"),
            Property::Terminates(steps) => write!(f, "terminates within {steps}"),
            Property::PropertyFormula(formula) => write!(f, "{formula}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_print_as_they_are_read() {
        for text in [
            "unique (control ?p)",
            "at-most-one (cell ?x ?y _)",
            "turn-taking",
            "legal-nonempty",
            "zero-sum",
            "terminates within 9",
            "(not (and terminal (goal white 100)))",
        ] {
            let property = Property::parse(text).unwrap();
            assert_eq!(property.to_string(), text);
        }
        let property = Property::parse("UNIQUE (true (control ?p))").unwrap();
        assert_eq!(property.to_string(), "unique (control ?p)");
        for text in [
            "",
            "unique",
            "unique ?x",
            "sometimes",
            "terminates within",
            "(",
            "a b",
        ] {
            assert!(Property::parse(text).is_err(), "{text}");
        }
    }
}
