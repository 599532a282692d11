//! Reading the quantifiers of a ground program.

use formula::{BigRational, Probability, Quantifier};
use gdl::did_you_mean;
use lp2sat::{Atom, GroundProgram, Symbol, SymbolKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// The presence of a quantified atom after grounding.
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
    /// The name of the atom.
    pub name: Symbol,
    /// The presence after grounding.
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
    /// A quantified term can be no atom.
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
    pub fn read(program: &GroundProgram) -> Result<Self, QuantifierError> {
        let names = program.names();
        if let Some((_, name)) = names.iter().find(|(_, name)| is_reserved(name)) {
            return Err(QuantifierError::Undecided(name.to_string()));
        }
        let open: FxHashMap<&Symbol, Atom> =
            names.iter().map(|&(atom, name)| (name, atom)).collect();
        let facts: FxHashSet<&Symbol> = program.facts().collect();
        let mut quantifiers = Quantifiers::default();
        let mut seen = FxHashSet::default();
        let reserved = facts.iter().copied().filter(|fact| is_reserved(fact));
        let mut reserved: Vec<&Symbol> = reserved.collect();
        reserved.sort_unstable();
        for fact in reserved {
            let (level, quantifier, probability, name) = read_quantifier(fact)?;
            let is_atom =
                matches!(name.kind(), SymbolKind::Function { name, .. } if !name.is_empty());
            if !is_atom {
                return Err(QuantifierError::NoAtom(fact.to_string(), name.to_string()));
            }
            if !seen.insert(name) {
                return Err(QuantifierError::Twice(name.to_string()));
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
                name: name.clone(),
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

    /// Remarks for the author of the program: names that are like a quantifier's, and quantified atoms that no rule has.
    pub fn warnings(&self, program: &GroundProgram) -> Vec<String> {
        let names: Vec<&Symbol> = (program.names().into_iter().map(|(_, name)| name))
            .chain(program.facts())
            .collect();
        // By name and number of arguments.
        let mut predicates: BTreeMap<(&str, usize), &Symbol> = BTreeMap::new();
        for name in names.into_iter().filter(|name| !is_reserved(name)) {
            if let Some((predicate, arguments)) = name.call() {
                predicates
                    .entry((predicate, arguments.len()))
                    .or_insert(name);
            }
        }
        let mut warnings = Vec::new();
        for (&(predicate, arity), atom) in &predicates {
            let meant = did_you_mean(predicate, RESERVED);
            if arity > 1 && !meant.is_empty() {
                warnings.push(format!("`{atom}` quantifies nothing{meant}"));
            }
        }
        for (level, quantifier, atoms) in self.levels() {
            let is_lost = |atom: &&QuantifiedAtom| {
                let key = atom
                    .name
                    .call()
                    .map(|(name, arguments)| (name, arguments.len()));
                // The maximizer loses nothing by an atom that grounding took away.
                let is_unknown = !key.is_some_and(|key| predicates.contains_key(&key));
                atom.presence == Presence::Absent
                    && (quantifier != Quantifier::Exists || is_unknown)
            };
            let mut lost = atoms.iter().filter(is_lost);
            let Some(first) = lost.next() else {
                continue;
            };
            let more = match lost.count() {
                0 => String::new(),
                count => format!(" (and {count} more of level {level})"),
            };
            let (name, known) = (
                first.name.to_string(),
                predicates.keys().map(|(name, _)| *name),
            );
            let meant = did_you_mean(first.name.call().map_or("", |(name, _)| name), known);
            warnings.push(format!(
                "level {level} quantifies `{name}`{more}, which no rule gives, so it is false in every answer set{meant}"
            ));
        }
        warnings
    }

    /// Whether no atom is quantified.
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }
}

/// The predicates of quantifiers.
const RESERVED: [&str; 4] = ["_exists", "_forall", "_chance", "_quantify"];

fn is_reserved(symbol: &Symbol) -> bool {
    matches!(symbol.call(), Some((name, [_, ..])) if RESERVED.contains(&name))
}

fn read_quantifier(
    fact: &Symbol,
) -> Result<(u32, Quantifier, Option<Probability>, &Symbol), QuantifierError> {
    let malformed = |usage| QuantifierError::Malformed(fact.to_string(), usage);
    let level = |symbol: &Symbol, usage| match symbol.to_u32() {
        // Twice the level must fit too: it numbers the places between levels.
        Some(level) if (1..u32::MAX / 4).contains(&level) => Ok(level),
        _ => Err(malformed(usage)),
    };
    match fact.call() {
        Some(("_chance", [at, numerator, denominator, atom])) => {
            let usage = "_chance(level,p,q,atom) with a level from 1 and 0 <= p <= q, 0 < q";
            let number = |symbol: &Symbol| symbol.to_u32().ok_or_else(|| malformed(usage));
            let (p, q) = (number(numerator)?, number(denominator)?);
            if q == 0 {
                return Err(malformed(usage));
            }
            let ratio = BigRational::new(p.into(), q.into());
            let probability = Probability::new(ratio).map_err(|_| malformed(usage))?;
            let level = level(at, usage)?;
            Ok((level, Quantifier::Chance, Some(probability), atom))
        }
        Some(("_chance", _)) => Err(malformed("_chance(level,p,q,atom)")),
        Some(("_exists", [at, atom])) => {
            let level = level(at, "_exists(level,atom) with a level from 1")?;
            Ok((level, Quantifier::Exists, None, atom))
        }
        Some(("_forall", [at, atom])) => {
            let level = level(at, "_forall(level,atom) with a level from 1")?;
            Ok((level, Quantifier::Forall, None, atom))
        }
        Some(("_quantify", [at, atom])) => {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground::{GroundLimits, ground};
    use generators::rows;

    /// A program in which the atom `a` is open.
    fn program(facts: &str) -> GroundProgram {
        let text = format!("{{ a }}. {facts}");
        ground(&text, &GroundLimits::default()).unwrap().program
    }

    #[test]
    fn levels_are_sorted_and_presence_is_known() {
        let program = program("_forall(10,b). _chance(2,2,4,a). _quantify(1,c). c.");
        let quantifiers = Quantifiers::read(&program).unwrap();
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
    fn names_that_quantify_nothing_are_told() {
        for [facts, told] in rows(
            r"
                _for_all(1,a). => `_for_all(1,a)` quantifies nothing; did you mean `_forall`?
                _exist(1,a). => `_exist(1,a)` quantifies nothing; did you mean `_exists`?
                _chances(1,1,2,a). => did you mean `_chance`?
                _forall(1,b). => level 1 quantifies `b`, which no rule gives
                _chance(1,1,2,q(7)). q(6). => level 1 quantifies `q(7)`, which no rule gives
                _forall(1,pres). _forall(1,c). press(3). => level 1 quantifies `c` (and 1 more of level 1)
                _exists(1,pres). press(3). => did you mean `press`?
                _forall(1,a). _for(1,2). _x. =>
                _exists(1,q(7)). q(6). _exists(1,a). =>
                ",
        ) {
            let program = program(&facts);
            let warnings = Quantifiers::read(&program).unwrap().warnings(&program);
            let expected = usize::from(!told.is_empty());
            let is_right =
                warnings.len() == expected && warnings.iter().all(|it| it.contains(&told));
            assert!(is_right, "{facts}: {warnings:?}");
        }
    }

    #[test]
    fn misuse_is_explained() {
        for [facts, message] in rows(
            r#"
                _exists(1,2). => `2`, which is no atom
                _exists(1,"a"). => which is no atom
                _exists(1,(a,b)). => which is no atom
                _exists(0,a). => level from 1
                _exists(x,a). => level from 1
                _exists(a). => _exists(level,atom)
                _chance(1,3,2,a). => 0 <= p <= q
                _chance(1,0,0,a). => 0 < q
                _exists(1,a). _forall(2,a). => twice
                _exists(1,a). _forall(1,b). => level 1 has two kinds
                "#,
        ) {
            let error = Quantifiers::read(&program(&facts)).unwrap_err().to_string();
            assert!(error.contains(&message), "{facts}: {error}");
        }
        let undecided = program("{ _exists(1,a) }.");
        assert!(matches!(
            Quantifiers::read(&undecided),
            Err(QuantifierError::Undecided(_))
        ));
    }
}
