//! The normal form of the statements of a program, in which two that mean the same are equal: clauses are sorted, and
//! gates are written in one way only.
//!
//! A gate can be written down with its output or with the negation of its output. Here a gate is
//! `output <=> clause and clause and ...` with an output *literal*, such that a gate with a single
//! clause of several literals (an *or*) becomes the *and* of their negations. The only others are
//! gates with one literal as input, which equally well define the negated output.
//!
//! Each statement carries its *era*: the number of decisions before it, its own included for what
//! belongs to the legality of a decision.

use crate::program::{Decision, Item, Program};
use formula::Lit;

/// A gate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Definition {
    /// The number of decisions before.
    pub era: u32,
    /// The literal that is equal to the conjunction.
    pub output: Lit,
    /// The clauses, sorted, none twice.
    pub clauses: Vec<Vec<Lit>>,
}

impl Definition {
    /// Brings a gate into its form.
    pub fn new(era: u32, output: Lit, clauses: impl Iterator<Item = Vec<Lit>>) -> Self {
        let mut clauses: Vec<Vec<Lit>> = clauses.map(sorted).collect();
        clauses.sort_unstable();
        clauses.dedup();
        let mut definition = Definition {
            era,
            output,
            clauses,
        };
        if let [clause] = definition.clauses.as_slice()
            && clause.len() > 1
        {
            definition.clauses = clause.iter().map(|&literal| vec![!literal]).collect();
            definition.clauses.sort_unstable();
            definition.output = !output;
        }
        definition
    }

    /// The input, if the output is a copy of a literal.
    pub fn copied(&self) -> Option<Lit> {
        match self.clauses.as_slice() {
            [clause] if clause.len() == 1 => Some(clause[0]),
            _ => None,
        }
    }

    /// The same about images.
    pub fn mapped(&self, image: impl Fn(Lit) -> Lit) -> Self {
        let clauses = self.clauses.iter();
        let clauses = clauses.map(|clause| clause.iter().map(|&literal| image(literal)).collect());
        Self::new(self.era, image(self.output), clauses)
    }

    /// Whether the other gate computes the same from the same.
    pub fn means(&self, other: &Self) -> bool {
        let copies_negation = || {
            self.output == !other.output
                && self
                    .copied()
                    .is_some_and(|input| other.copied() == Some(!input))
        };
        self.era == other.era
            && (self.output == other.output && self.clauses == other.clauses || copies_negation())
    }
}

/// A clause, sorted, none of its literals twice.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Condition {
    /// The number of decisions before.
    pub era: u32,
    /// Whether it says what is legal, rather than what is lost.
    pub is_legality: bool,
    pub clause: Vec<Lit>,
}

/// All that a program says.
pub struct Statements<'a> {
    /// Gates.
    pub definitions: Vec<Definition>,
    /// Checks, and the legality of decisions.
    pub conditions: Vec<Condition>,
    pub decisions: &'a [Decision],
}

impl<'a> Statements<'a> {
    pub fn new(program: &'a Program) -> Self {
        let mut statements = Statements {
            definitions: Vec::with_capacity(program.gates.len()),
            conditions: Vec::with_capacity(program.clauses.len()),
            decisions: &program.decisions,
        };
        let mut era = 0;
        for item in &program.items {
            match *item {
                Item::Decision(index) => {
                    era += 1;
                    let legality = program.legality(&program.decisions[index]);
                    let condition = |clause: &[Lit]| Condition {
                        era,
                        is_legality: true,
                        clause: sorted(clause.to_vec()),
                    };
                    statements.conditions.extend(legality.map(condition));
                }
                Item::Check(index) => statements.conditions.push(Condition {
                    era,
                    is_legality: false,
                    clause: sorted(program.clauses.get(index).to_vec()),
                }),
                Item::Gate(index) => {
                    let gate = &program.gates[index];
                    let output = gate.output.literal(!gate.inverted);
                    let clauses = program.conjuncts(gate).map(<[Lit]>::to_vec);
                    let definition = Definition::new(era, output, clauses);
                    statements.definitions.push(definition);
                }
            }
        }
        statements
    }
}

/// A clause in its form.
pub fn sorted(mut clause: Vec<Lit>) -> Vec<Lit> {
    clause.sort_unstable();
    clause.dedup();
    clause
}
