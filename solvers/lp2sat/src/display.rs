//! Ground programs as text for people, close to what clingo reads.

use crate::{Atom, Body, GroundProgram, Head, Literal, Rule};
use std::fmt;

impl GroundProgram {
    /// The name of an atom, or a made-up one such as `_17`.
    pub fn display_atom(&self, atom: Atom) -> String {
        match self.name(atom) {
            Some(name) => name.to_string(),
            None => format!("_{}", atom.number()),
        }
    }

    /// A literal with the name of its atom: `not legal(xplayer,noop,3)`.
    pub fn display_literal(&self, literal: Literal) -> String {
        let atom = self.display_atom(literal.atom());
        if literal.is_negative() {
            format!("not {atom}")
        } else {
            atom
        }
    }

    /// A rule with the names of its atoms: `a :- b, not c.`, `{a; b}.`, `a :- 2 <= {b=1; not c=2}.`
    pub fn display_rule(&self, rule: Rule<'_>) -> String {
        let head = match rule.head {
            Head::Constraint => String::new(),
            Head::Atom(atom) => self.display_atom(atom),
            Head::Choice(atoms) => {
                let atoms: Vec<_> = atoms.iter().map(|&atom| self.display_atom(atom)).collect();
                format!("{{{}}}", atoms.join("; "))
            }
        };
        let body = match rule.body {
            Body::All(literals) => {
                let literals: Vec<_> = literals
                    .iter()
                    .map(|&literal| self.display_literal(literal))
                    .collect();
                literals.join(", ")
            }
            Body::Weighted { bound, literals } => {
                let literals: Vec<_> = literals
                    .iter()
                    .map(|&(literal, weight)| format!("{}={weight}", self.display_literal(literal)))
                    .collect();
                format!("{bound} <= {{{}}}", literals.join("; "))
            }
        };
        match (head.is_empty(), body.is_empty()) {
            (true, true) => ":- .".to_string(),
            (true, false) => format!(":- {body}."),
            (false, true) => format!("{head}."),
            (false, false) => format!("{head} :- {body}."),
        }
    }
}

/// Facts and rules, one per line.
impl fmt::Display for GroundProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for fact in self.facts() {
            writeln!(f, "{fact}.")?;
        }
        for rule in self.rules() {
            writeln!(f, "{}", self.display_rule(rule))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::read_statements::read_statements;

    #[test]
    fn every_kind_of_rule_is_shown() {
        let aspif = "asp 1 0 0\n1 1 2 1 2 0 0\n1 0 1 3 0 2 1 -2\n1 0 1 4 0 0\n1 0 0 0 1 -3\n\
                     1 0 1 5 1 2 2 1 1 -2 2\n1 0 0 0 0\n4 4 p(1) 1 1\n4 4 c(2) 0\n0\n";
        let program = read_statements(aspif);
        assert_eq!(
            program.to_string(),
            "c(2).\n{p(1); _2}.\n_3 :- p(1), not _2.\n_4.\n:- not _3.\n\
             _5 :- 2 <= {p(1)=1; not _2=2}.\n:- .\n"
        );
    }
}
