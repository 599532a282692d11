//! What a program says, in a form in which two statements that mean the same look the same: clauses
//! are sorted, and gates are written in one way only.
//!
//! A gate can be written down with its output or with the negation of its output. Here a gate is
//! `output <=> clause and clause and ...` with an output *literal*, such that a gate with a single
//! clause of several literals (an *or*) becomes the *and* of their negations. What is left are
//! gates with one literal as input, which equally well define the negated output.
//!
//! Each statement carries its *era*: the number of decisions before it. Values of gates do not
//! depend on where the gate stands, and a check that comes later does no harm; but which
//! assignments a selection allows depends on what stands before it and what behind.

use crate::order::{Decision, Item, Program};
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

/// All that a program says.
pub struct Statements<'a> {
    /// Gates.
    pub definitions: Vec<Definition>,
    /// Checks, sorted, with their eras.
    pub checks: Vec<(u32, Vec<Lit>)>,
    /// Decisions.
    pub decisions: &'a [Decision],
}

impl<'a> Statements<'a> {
    /// Reads a program.
    pub fn new(program: &'a Program) -> Self {
        let mut statements = Statements {
            definitions: Vec::with_capacity(program.gates.len()),
            checks: Vec::with_capacity(program.checks.len()),
            decisions: &program.decisions,
        };
        let mut era = 0;
        for item in &program.items {
            match *item {
                Item::Decision(_) => era += 1,
                Item::Check(index) => {
                    let clause = sorted(program.checks.get(index).to_vec());
                    statements.checks.push((era, clause));
                }
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

/// Whether the assignments of a decision are listed, rather than all possible.
pub fn is_listed(decision: &Decision) -> bool {
    decision.quantifier == formula::Quantifier::Exists || decision.selection.is_some()
}
