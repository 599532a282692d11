//! The result of [`clausify()`](crate::clausify()): clauses, and the meaning of their variables.

use crate::Atom;
use crate::gates::{Gates, HelperRecord};
use formula::{Clauses, Lit, Var};

/// Clauses whose models, projected to the atoms, are the answer sets of a ground program.
///
/// Atom `i` is the variable with DIMACS number `i`; helper variables follow.
#[derive(Clone, Debug)]
pub struct Clausified {
    clauses: Clauses,
    atom_count: usize,
    helpers: Vec<HelperRecord>,
    inputs: Vec<Lit>,
}

/// A variable that stands for no atom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Helper<'a> {
    pub variable: Var,
    /// The inputs of the conjunction that the variable stands for: atoms and earlier helpers. Empty if the clauses do
    /// not define the variable by a conjunction.
    pub inputs: &'a [Lit],
    /// Whether the variable is a function of atoms: every answer set allows one value only. In a
    /// quantified formula it can be decided as soon as its inputs are; others go innermost.
    pub determined: bool,
}

impl Clausified {
    pub(crate) fn new(gates: Gates) -> Self {
        Clausified {
            clauses: gates.clauses,
            atom_count: gates.atom_count,
            helpers: gates.helpers,
            inputs: gates.inputs,
        }
    }

    /// Clauses that another translator made of a program with this many atoms. The variables of the atoms
    /// come first; nothing is known of the `helper_count` others, so they count as undetermined.
    pub fn from_foreign(clauses: Clauses, atom_count: usize, helper_count: usize) -> Self {
        let helper = HelperRecord {
            determined: false,
            inputs_start: 0,
            inputs_end: 0,
        };
        Clausified {
            clauses,
            atom_count,
            helpers: vec![helper; helper_count],
            inputs: Vec::new(),
        }
    }

    pub fn clauses(&self) -> &Clauses {
        &self.clauses
    }

    /// The number of variables, atoms and helpers together.
    pub fn variable_count(&self) -> usize {
        self.atom_count + self.helpers.len()
    }

    /// The number of atoms; their variables come first.
    pub fn atom_count(&self) -> usize {
        self.atom_count
    }

    /// The literal that says that the atom is in the answer set.
    pub fn literal(&self, atom: Atom) -> Lit {
        variable(atom).positive()
    }

    /// The helper variables, in an order in which each comes after its inputs.
    pub fn helpers(&self) -> impl ExactSizeIterator<Item = Helper<'_>> {
        self.helpers
            .iter()
            .enumerate()
            .map(|(index, record)| Helper {
                variable: Var::new(self.atom_count + index),
                inputs: &self.inputs[record.inputs_start..record.inputs_end],
                determined: record.determined,
            })
    }
}

/// The variable of an atom.
#[inline]
pub(crate) fn variable(atom: Atom) -> Var {
    Var::new(atom.index())
}
