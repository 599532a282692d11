//! Reading the quantifiers of a ground program.

use formula::{BigRational, Probability, Quantifier};
use lp2sat::{Atom, GroundProgram};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// What the grounder left of a quantified atom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Presence {
    /// The atom may or may not hold.
    Open(Atom),
    /// It holds in every answer set.
    Fact,
    /// It holds in none.
    Absent,
}

/// An atom with its quantifier.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QuantifiedAtom {
    /// The atom's text.
    pub name: String,
    /// What the grounder left of it.
    pub presence: Presence,
    /// For chance: the probability that it is true.
    pub probability: Option<Probability>,
}

/// The quantifiers of a program by level, outermost first.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Quantifiers {
    levels: BTreeMap<u32, (Quantifier, Vec<QuantifiedAtom>)>,
}

/// A program whose quantifiers make no sense.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum QuantifierError {
    /// A reserved predicate is used with arguments it cannot have.
    #[error("`{0}` is not a quantifier: write {1}")]
    Malformed(String, &'static str),
    /// A reserved predicate depends on choices.
    #[error("`{0}` is not a fact: quantifiers must follow from facts, not from choices")]
    Undecided(String),
    /// What is quantified can be no atom.
    #[error("`{0}` quantifies `{1}`, which is no atom: write the atom as the rules do")]
    NoAtom(String, String),
    /// An atom has two quantifiers.
    #[error("`{0}` is quantified twice: give it one level and one quantifier")]
    Twice(String),
    /// Two kinds of quantifiers share a level.
    #[error("level {0} has two kinds of quantifiers: give each kind a level of its own")]
    MixedLevel(u32),
}

impl Quantifiers {
    /// Finds the quantifiers among the facts of a ground program.
    ///
    /// # Errors
    /// If a reserved predicate is misused; see [`QuantifierError`].
    pub fn read(program: &GroundProgram) -> Result<Self, QuantifierError> {
        let names = program.names();
        if let Some((_, name)) = names.iter().find(|(_, name)| is_reserved(name)) {
            return Err(QuantifierError::Undecided((*name).to_owned()));
        }
        let open: FxHashMap<&str, Atom> = names.iter().map(|&(atom, name)| (name, atom)).collect();
        let facts: FxHashSet<&str> = program.facts().collect();
        let mut quantifiers = Quantifiers::default();
        let mut seen = FxHashSet::default();
        let mut reserved: Vec<&str> = facts
            .iter()
            .copied()
            .filter(|fact| is_reserved(fact))
            .collect();
        reserved.sort_unstable();
        for fact in reserved {
            let (level, quantifier, probability, name) = read_quantifier(fact)?;
            let first = name.trim_start_matches('-').trim_start_matches(['_', '\'']);
            if !first.starts_with(|letter: char| letter.is_ascii_lowercase()) {
                return Err(QuantifierError::NoAtom(fact.to_owned(), name.to_owned()));
            }
            if !seen.insert(name) {
                return Err(QuantifierError::Twice(name.to_owned()));
            }
            let presence = match open.get(name) {
                Some(&atom) => Presence::Open(atom),
                None if facts.contains(name) => Presence::Fact,
                None => Presence::Absent,
            };
            let (of_level, atoms) = quantifiers
                .levels
                .entry(level)
                .or_insert_with(|| (quantifier, Vec::new()));
            if *of_level != quantifier {
                return Err(QuantifierError::MixedLevel(level));
            }
            atoms.push(QuantifiedAtom {
                name: name.to_owned(),
                presence,
                probability,
            });
        }
        Ok(quantifiers)
    }

    /// The levels in order, each with its quantifier and its atoms.
    pub fn levels(&self) -> impl Iterator<Item = (u32, Quantifier, &[QuantifiedAtom])> {
        self.levels
            .iter()
            .map(|(&level, (quantifier, atoms))| (level, *quantifier, &atoms[..]))
    }

    /// The quantified atoms that may or may not hold.
    pub fn open_atoms(&self) -> impl Iterator<Item = Atom> {
        let atoms = self.levels.values().flat_map(|(_, atoms)| atoms);
        atoms.filter_map(|atom| match atom.presence {
            Presence::Open(atom) => Some(atom),
            Presence::Fact | Presence::Absent => None,
        })
    }

    /// Whether no atom is quantified.
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }
}

fn is_reserved(name: &str) -> bool {
    ["_exists(", "_forall(", "_chance(", "_quantify("]
        .iter()
        .any(|predicate| name.starts_with(predicate))
}

fn read_quantifier(
    fact: &str,
) -> Result<(u32, Quantifier, Option<Probability>, &str), QuantifierError> {
    let malformed = |usage| QuantifierError::Malformed(fact.to_owned(), usage);
    let level = |text: &str, usage| match text.parse::<u32>() {
        // Twice the level must fit too: it numbers the places between levels.
        Ok(level) if (1..u32::MAX / 4).contains(&level) => Ok(level),
        _ => Err(malformed(usage)),
    };
    let (predicate, arguments) =
        split_atom(fact).ok_or_else(|| malformed("_exists(level,atom)"))?;
    match (predicate, &arguments[..]) {
        ("_chance", &[at, numerator, denominator, atom]) => {
            let usage = "_chance(level,p,q,atom) with a level from 1 and 0 <= p <= q, 0 < q";
            let number = |text: &str| text.parse::<u32>().map_err(|_| malformed(usage));
            let (p, q) = (number(numerator)?, number(denominator)?);
            if q == 0 {
                return Err(malformed(usage));
            }
            let ratio = BigRational::new(p.into(), q.into());
            let probability = Probability::new(ratio).map_err(|_| malformed(usage))?;
            Ok((
                level(at, usage)?,
                Quantifier::Chance,
                Some(probability),
                atom,
            ))
        }
        ("_chance", _) => Err(malformed("_chance(level,p,q,atom)")),
        ("_exists", &[at, atom]) => Ok((
            level(at, "_exists(level,atom) with a level from 1")?,
            Quantifier::Exists,
            None,
            atom,
        )),
        ("_forall", &[at, atom]) => Ok((
            level(at, "_forall(level,atom) with a level from 1")?,
            Quantifier::Forall,
            None,
            atom,
        )),
        ("_quantify", &[at, atom]) => {
            let level = level(at, "_quantify(level,atom) with a level from 1")?;
            let quantifier = if level % 2 == 1 {
                Quantifier::Exists
            } else {
                Quantifier::Forall
            };
            Ok((level, quantifier, None, atom))
        }
        _ => Err(malformed(
            "_exists(level,atom), _forall(level,atom) or _quantify(level,atom)",
        )),
    }
}

/// Splits `name(a,f(b,c),"d,e")` into its name and its arguments; `None` if the text is not an
/// atom as clingo prints it.
pub fn split_atom(text: &str) -> Option<(&str, Vec<&str>)> {
    let Some(open) = text.find('(') else {
        return Some((text, Vec::new()));
    };
    let inner = text[open + 1..].strip_suffix(')')?;
    let mut arguments = Vec::new();
    let (mut depth, mut start, mut quoted, mut escaped) = (0_usize, 0, false, false);
    for (index, byte) in inner.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'(' => depth += 1,
            b')' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => {
                arguments.push(&inner[start..index]);
                start = index + 1;
            }
            _ => {}
        }
    }
    arguments.push(&inner[start..]);
    (depth == 0 && !quoted).then_some((&text[..open], arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atoms_split_at_their_own_commas() {
        let rows = [
            ("ended", Some(("ended", vec![]))),
            ("p(1)", Some(("p", vec!["1"]))),
            (
                "does(x,mark(1,1),0)",
                Some(("does", vec!["x", "mark(1,1)", "0"])),
            ),
            (
                r#"p("a,\"(",f(g(1,2),3))"#,
                Some(("p", vec![r#""a,\"(""#, "f(g(1,2),3)"])),
            ),
            ("p(1", None),
            ("p(1))", None),
        ];
        for (text, expected) in rows {
            assert_eq!(split_atom(text), expected, "{text}");
        }
    }

    fn program(facts: &[&str]) -> GroundProgram {
        let mut program = GroundProgram::new();
        let atom = program.new_atom();
        program.set_name(atom, "a");
        facts.iter().for_each(|fact| program.add_fact(*fact));
        program
    }

    #[test]
    fn levels_are_sorted_and_presence_is_known() {
        let quantifiers = Quantifiers::read(&program(&[
            "_forall(10,b)",
            "_chance(2,2,4,a)",
            "_quantify(1,c)",
            "c",
        ]))
        .unwrap();
        let levels: Vec<_> = quantifiers
            .levels()
            .map(|(level, quantifier, atoms)| (level, quantifier, atoms[0].presence))
            .collect();
        assert_eq!(
            levels,
            [
                (1, Quantifier::Exists, Presence::Fact),
                (2, Quantifier::Chance, Presence::Open(Atom::new(1).unwrap())),
                (10, Quantifier::Forall, Presence::Absent),
            ]
        );
    }

    #[test]
    fn misuse_is_explained() {
        let rows: [(&[&str], &str); 10] = [
            (&["_exists(1,2)"], "`2`, which is no atom"),
            (&["_exists(1,\"a\")"], "which is no atom"),
            (&["_exists(1,(a,b))"], "which is no atom"),
            (&["_exists(0,a)"], "level from 1"),
            (&["_exists(x,a)"], "level from 1"),
            (&["_exists(a)"], "_exists(level,atom)"),
            (&["_chance(1,3,2,a)"], "0 <= p <= q"),
            (&["_chance(1,0,0,a)"], "0 < q"),
            (&["_exists(1,a)", "_forall(2,a)"], "twice"),
            (&["_exists(1,a)", "_forall(1,b)"], "level 1 has two kinds"),
        ];
        for (facts, message) in rows {
            let error = Quantifiers::read(&program(facts)).unwrap_err().to_string();
            assert!(error.contains(message), "{facts:?}: {error}");
        }
        let mut undecided = GroundProgram::new();
        let atom = undecided.new_atom();
        undecided.set_name(atom, "_exists(1,a)");
        assert!(matches!(
            Quantifiers::read(&undecided),
            Err(QuantifierError::Undecided(_))
        ));
    }
}
