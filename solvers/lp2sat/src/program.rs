//! Ground programs as clingo's grounder gives them: the statements of the `aspif` format.

use crate::Symbol;
use rustc_hash::FxHashMap;
use std::fmt;
use std::num::NonZeroU32;

/// A ground atom, numbered from 1 as in `aspif`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Atom(NonZeroU32);

impl Atom {
    /// The atom with this number; `None` for 0 and for numbers above 2^31 - 1.
    pub fn new(number: u32) -> Option<Self> {
        (number <= i32::MAX as u32)
            .then(|| NonZeroU32::new(number).map(Atom))
            .flatten()
    }

    /// The number, from 1.
    #[inline]
    pub fn number(self) -> u32 {
        self.0.get()
    }

    /// The number minus 1, for tables.
    #[inline]
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

impl fmt::Debug for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// An atom or its default negation `not a`, written `-a` in `aspif`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal(i32);

impl Literal {
    /// The atom itself.
    #[inline]
    pub fn positive(atom: Atom) -> Self {
        Literal(atom.number() as i32)
    }

    /// The atom's default negation.
    #[inline]
    pub fn negative(atom: Atom) -> Self {
        Literal(-(atom.number() as i32))
    }

    /// The literal written as this number in `aspif`; `None` for 0.
    pub fn from_aspif(number: i32) -> Option<Self> {
        (number != 0 && number != i32::MIN).then_some(Literal(number))
    }

    #[inline]
    pub fn to_aspif(self) -> i32 {
        self.0
    }

    #[inline]
    pub fn atom(self) -> Atom {
        Atom(NonZeroU32::new(self.0.unsigned_abs()).expect("literals are not zero"))
    }

    /// The literal that holds exactly when this one does not.
    #[inline]
    pub fn complement(self) -> Self {
        Literal(-self.0)
    }

    /// Whether this is a default negation.
    #[inline]
    pub fn is_negative(self) -> bool {
        self.0 < 0
    }
}

impl fmt::Debug for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The head of a rule: the atoms that it derives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Head<'a> {
    /// Nothing: the body must not hold (an integrity constraint).
    Constraint,
    Atom(Atom),
    /// Any of these atoms, or none: `{a; b}`.
    Choice(&'a [Atom]),
}

/// The body of a rule: its condition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Body<'a> {
    All(&'a [Literal]),
    /// Literals whose weights add up to at least the bound: `bound { l1 = w1; l2 = w2 }`.
    Weighted {
        /// The least sum.
        bound: u64,
        /// The literals with their weights.
        literals: &'a [(Literal, u64)],
    },
}

/// One rule of a ground program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rule<'a> {
    /// The head: the atoms that the rule derives.
    pub head: Head<'a>,
    /// The body: the condition of the rule.
    pub body: Body<'a>,
}

#[derive(Clone, Copy, Debug)]
enum HeadKind {
    Constraint,
    Atom,
    Choice,
}

#[derive(Clone, Copy, Debug)]
struct StoredRule {
    head: HeadKind,
    weighted: bool,
    bound: u64,
    heads_end: usize,
    literals_end: usize,
    weighted_end: usize,
}

/// A ground program: rules over numbered atoms, names of atoms, and named facts.
///
/// Rules are stored end to end, since programs of long games have millions of them.
#[derive(Clone, Default, Debug)]
pub struct GroundProgram {
    atoms: u32,
    rules: Vec<StoredRule>,
    heads: Vec<Atom>,
    literals: Vec<Literal>,
    weighted_literals: Vec<(Literal, u64)>,
    names: FxHashMap<Atom, Symbol>,
    facts: Vec<Symbol>,
}

impl GroundProgram {
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of atoms: all atoms of rules and names have numbers from 1 to this.
    pub fn atom_count(&self) -> usize {
        self.atoms as usize
    }

    /// An atom that is not used yet.
    pub fn new_atom(&mut self) -> Atom {
        self.atoms += 1;
        Atom::new(self.atoms).expect("fewer than 2^31 atoms")
    }

    fn note(&mut self, atom: Atom) {
        self.atoms = self.atoms.max(atom.number());
    }

    pub fn add_rule(&mut self, head: Head<'_>, body: Body<'_>) {
        let head = match head {
            Head::Constraint => HeadKind::Constraint,
            Head::Atom(atom) => {
                self.note(atom);
                self.heads.push(atom);
                HeadKind::Atom
            }
            Head::Choice(atoms) => {
                atoms.iter().for_each(|&atom| self.note(atom));
                self.heads.extend_from_slice(atoms);
                HeadKind::Choice
            }
        };
        let (weighted, bound) = match body {
            Body::All(literals) => {
                literals
                    .iter()
                    .for_each(|literal| self.note(literal.atom()));
                self.literals.extend_from_slice(literals);
                (false, 0)
            }
            Body::Weighted { bound, literals } => {
                literals
                    .iter()
                    .for_each(|(literal, _)| self.note(literal.atom()));
                self.weighted_literals.extend_from_slice(literals);
                (true, bound)
            }
        };
        self.rules.push(StoredRule {
            head,
            weighted,
            bound,
            heads_end: self.heads.len(),
            literals_end: self.literals.len(),
            weighted_end: self.weighted_literals.len(),
        });
    }

    /// Gives an atom the name by which its literal is shown.
    pub fn set_name(&mut self, atom: Atom, name: impl Into<Symbol>) {
        self.note(atom);
        self.names.insert(atom, name.into());
    }

    /// Records a named fact: something that holds in every answer set and has no atom of its own.
    pub fn add_fact(&mut self, name: impl Into<Symbol>) {
        self.facts.push(name.into());
    }

    /// The name of an atom, if it has one.
    pub fn name(&self, atom: Atom) -> Option<&Symbol> {
        self.names.get(&atom)
    }

    /// All atoms with their names, by atom.
    pub fn names(&self) -> Vec<(Atom, &Symbol)> {
        let mut names: Vec<_> = self
            .names
            .iter()
            .map(|(&atom, name)| (atom, name))
            .collect();
        names.sort_unstable_by_key(|(atom, _)| *atom);
        names
    }

    /// All names: of facts, which have no atom, and of atoms, by atom.
    pub fn symbols(&self) -> impl Iterator<Item = (Option<Atom>, &Symbol)> {
        let names = self.names().into_iter();
        let names = names.map(|(atom, name)| (Some(atom), name));
        self.facts.iter().map(|fact| (None, fact)).chain(names)
    }

    /// The named facts, in the order they were added.
    pub fn facts(&self) -> impl ExactSizeIterator<Item = &Symbol> {
        self.facts.iter()
    }

    pub fn rule_count(&self) -> usize {
        self.rules.len()
    }

    /// The rule at this position.
    ///
    /// # Panics
    /// If there are not that many rules.
    pub fn rule(&self, index: usize) -> Rule<'_> {
        let (heads_start, literals_start, weighted_start) = match index.checked_sub(1) {
            Some(previous) => {
                let rule = &self.rules[previous];
                (rule.heads_end, rule.literals_end, rule.weighted_end)
            }
            None => (0, 0, 0),
        };
        let rule = &self.rules[index];
        let heads = &self.heads[heads_start..rule.heads_end];
        let head = match rule.head {
            HeadKind::Constraint => Head::Constraint,
            HeadKind::Atom => Head::Atom(heads[0]),
            HeadKind::Choice => Head::Choice(heads),
        };
        let body = if rule.weighted {
            let literals = &self.weighted_literals[weighted_start..rule.weighted_end];
            Body::Weighted {
                bound: rule.bound,
                literals,
            }
        } else {
            Body::All(&self.literals[literals_start..rule.literals_end])
        };
        Rule { head, body }
    }

    /// The rules in the order they were added.
    pub fn rules(&self) -> impl ExactSizeIterator<Item = Rule<'_>> {
        (0..self.rules.len()).map(|index| self.rule(index))
    }
}
