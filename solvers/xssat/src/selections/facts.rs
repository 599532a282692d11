//! Definitions of the variables of a program, and the gates and clauses that read them.

use crate::program::{Definitions, Item, Program};
use formula::preprocess::Occurrences;
use formula::{Lit, Var};

/// Facts about the variables of a program.
pub struct Facts<'p> {
    definitions: Definitions<'p>,
    read_by_gate: Vec<bool>,
    clause_at: Vec<u32>,
    clauses: Occurrences,
}

impl<'p> Facts<'p> {
    /// Collects the facts.
    pub fn new(program: &'p Program) -> Self {
        let variables = program.variables;
        let mut facts = Facts {
            definitions: Definitions::new(program),
            read_by_gate: vec![false; variables],
            clause_at: vec![u32::MAX; program.clauses.len()],
            clauses: Occurrences::new(variables, &program.clauses),
        };
        for (index, item) in program.items.iter().enumerate() {
            match *item {
                Item::Gate(number) => {
                    for input in program.inputs(&program.gates[number]) {
                        facts.read_by_gate[input.var().index()] = true;
                    }
                }
                Item::Check(number) => facts.clause_at[number] = index as u32,
                Item::Decision(number) => {
                    let decision = &program.decisions[number];
                    facts.clause_at[decision.legality()].fill(index as u32);
                }
            }
        }
        facts
    }

    /// The index of the item that defines a variable; behind all others if no item does.
    pub fn defined_at(&self, variable: Var) -> usize {
        self.definitions.item(variable).unwrap_or(usize::MAX)
    }

    /// The index of the check that a clause is, or of the decision whose legality it belongs to.
    pub fn clause_at(&self, clause: usize) -> usize {
        self.clause_at[clause] as usize
    }

    /// The gate that defines a variable, if one does.
    pub fn gate_of(&self, variable: Var) -> Option<usize> {
        self.definitions.gate(variable)
    }

    /// Whether some gate reads a variable.
    pub fn is_read_by_gate(&self, variable: Var) -> bool {
        self.read_by_gate[variable.index()]
    }

    /// The clauses of checks and of legality that read a variable.
    pub fn clauses_of(&self, variable: Var) -> impl ExactSizeIterator<Item = usize> + '_ {
        let clauses = self.clauses.of_variable(variable).iter();
        clauses.map(|&clause| clause as usize)
    }
}

/// The clause that a literal stands for, if it is that of a gate which is one: `not (a and b)` is
/// the clause `not a or not b`.
pub fn as_clause(program: &Program, facts: &Facts<'_>, literal: Lit) -> Option<Vec<Lit>> {
    let gate = &program.gates[facts.gate_of(literal.var())?];
    let negated = gate.inverted != literal.is_negative();
    let mut conjuncts = program.conjuncts(gate);
    if negated {
        let negation = |conjunct: &[Lit]| match conjunct {
            &[literal] => Some(!literal),
            _ => None,
        };
        conjuncts.map(negation).collect()
    } else {
        let only = conjuncts.next()?;
        conjuncts.next().is_none().then(|| only.to_vec())
    }
}
