//! Activity: whether a decision can matter. A variable whose checks are all satisfied already needs no
//! branches; one that can only satisfy open checks (pure literal) gets the value that its owner prefers.
//!
//! This makes the chain of chance variables that stands for a uniform choice among k moves (a
//! later variable overrules the earlier ones) a node of exactly k branches, and keeps only those
//! assignments of an opponent's move number that name a legal move.
//!
//! For a variable x and a literal of it we collect the clauses with that literal, and leave out of each the
//! literal itself and all that is not known when x is decided. The literal is of interest if one of these rests
//! is violated. A gate that reads x makes both literals of interest, unless something known makes the gate
//! independent of x. So does a check that decides what is allowed in a selection, since the agent that selects
//! may gain or lose by it. The literal that says which agent selects is always of interest.

use super::layout::Layout;
use crate::program::{Decision, Gate, Program};
use base::graph::Graph;
use formula::preprocess::Occurrences;
use formula::{Lit, Quantifier, Var};

/// The readers of each variable: checks and gates.
pub struct Readers {
    clauses: Occurrences,
    /// From each variable to the gates that read it.
    gates: Graph,
    /// By clause: whether it says what is legal for an agent other than the maximizer.
    selects: Vec<bool>,
    /// By variable: whether a selection asks it which agent selects.
    is_selector: Vec<bool>,
}

impl Readers {
    /// Collects the readers of all variables.
    pub fn new(program: &Program, layout: &Layout<'_>) -> Self {
        let variables = layout.variables();
        // Its nodes are variables and gates, whichever are more; only the numbers matter.
        let gates = Graph::new(variables.max(program.gates.len()), |reads| {
            for gate in 0..program.gates.len() {
                for input in layout.inputs(gate) {
                    reads(input.index(), gate);
                }
            }
        });
        let mut is_selector = vec![false; variables];
        for literal in program.decisions.iter().filter_map(Decision::unless) {
            is_selector[literal.var().index()] = true;
        }
        let mut selects = vec![false; program.clauses.len()];
        for decision in &program.decisions {
            selects[decision.legality()].fill(decision.quantifier != Quantifier::Exists);
        }
        Readers {
            clauses: Occurrences::new(variables, &program.clauses),
            gates,
            selects,
            is_selector,
        }
    }

    /// The clauses any of which must be violated for the positive, and for the negative literal of
    /// a variable to be of interest; `None` if it always is. `is_known` says which literals are
    /// known when the variable is decided.
    pub fn clauses(
        &self,
        program: &Program,
        variable: Var,
        is_known: impl Fn(Lit) -> bool,
    ) -> [Option<Vec<Vec<Lit>>>; 2] {
        let known = |literals: &[Lit]| -> Vec<Lit> {
            let literals = literals.iter().copied();
            literals.filter(|&literal| is_known(literal)).collect()
        };
        let mut gates = Vec::new();
        for &gate in self.gates.targets(variable.index()) {
            let gate = &program.gates[gate as usize];
            gates.push(known(&independence(program, gate, variable)));
        }
        if self.is_selector[variable.index()] {
            return [None, None];
        }
        [variable.positive(), variable.negative()].map(|polarity| {
            let own = self.clauses.of(polarity).iter();
            let opposite = self.clauses.of(!polarity).iter();
            let opposite = opposite.filter(|&&clause| self.selects[clause as usize]);
            // The variable in question is not known, so its own literal is left out.
            let mut clauses: Vec<Vec<Lit>> = own
                .chain(opposite)
                .map(|&clause| known(program.clauses.get(clause as usize)))
                .collect();
            clauses.extend_from_slice(&gates);
            (!clauses.iter().any(Vec::is_empty)).then_some(clauses)
        })
    }
}

/// Literals any of which, if true, make a gate independent of one of its inputs.
fn independence(program: &Program, gate: &Gate, input: Var) -> Vec<Lit> {
    let reads = |clause: &[Lit]| clause.iter().any(|literal| literal.var() == input);
    let mut literals = Vec::new();
    let mut readers = 0;
    for clause in program.conjuncts(gate) {
        if reads(clause) {
            readers += 1;
        } else if let &[literal] = clause {
            literals.push(!literal);
        }
    }
    if readers == 1 {
        let clause = program.conjuncts(gate).find(|clause| reads(clause));
        let others = clause.into_iter().flatten();
        literals.extend(others.filter(|literal| literal.var() != input));
    }
    literals
}
