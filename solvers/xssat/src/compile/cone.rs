//! The cone of influence: gates and decisions that no check depends on, directly or through other
//! gates, are dropped. What they compute is part of the formula's story (whose turn it is after
//! the game is over), not of its value.

use crate::order::{Decision, Item, Program};
use formula::Quantifier;

/// The program without what cannot reach a check.
pub fn prune(program: &Program, variables: usize) -> Program {
    let mut needed = vec![false; variables];
    for literal in program.checks.iter().flatten() {
        needed[literal.var().index()] = true;
    }
    let selections = program.decisions.iter().filter_map(|d| d.selection);
    for literal in selections.filter_map(|selection| selection.unless) {
        needed[literal.var().index()] = true;
    }
    for item in program.items.iter().rev() {
        if let Item::Gate(index) = *item {
            let gate = &program.gates[index];
            if needed[gate.output.index()] {
                for literal in program.inputs(gate) {
                    needed[literal.var().index()] = true;
                }
            }
        }
    }
    let mut pruned = Program::default();
    for item in &program.items {
        match *item {
            Item::Check(index) => pruned.push_check(program.checks.get(index)),
            Item::Gate(index) => {
                let gate = &program.gates[index];
                if needed[gate.output.index()] {
                    let conjuncts = program.conjuncts(gate);
                    let conjuncts = conjuncts.map(|clause| clause.iter().copied());
                    pruned.push_gate(gate.output, gate.inverted, conjuncts);
                }
            }
            Item::Decision(index) => {
                let decision = project(&program.decisions[index], &needed);
                // A group without any assignment loses the game whoever looks at it.
                let hopeless = decision.patterns.is_empty() && is_listed(&program.decisions[index]);
                if !decision.variables.is_empty() || hopeless {
                    pruned.push_decision(decision);
                }
            }
        }
    }
    pruned
}

/// Whether the assignments of a decision are listed.
fn is_listed(decision: &Decision) -> bool {
    decision.quantifier == Quantifier::Exists || decision.selection.is_some()
}

/// The decision restricted to needed variables. A selection by chance stays as it is: if two of its
/// assignments became one, it would be too rare.
fn project(decision: &Decision, needed: &[bool]) -> Decision {
    if decision.quantifier == Quantifier::Chance && decision.selection.is_some() {
        return decision.clone();
    }
    let mut new_place = vec![None; decision.variables.len()];
    let mut variables = Vec::new();
    for (place, &variable) in decision.variables.iter().enumerate() {
        if needed[variable.index()] {
            new_place[place] = Some(variables.len() as u16);
            variables.push(variable);
        }
    }
    let project = |pattern: &Vec<u16>| -> Vec<u16> {
        let places = pattern.iter();
        places
            .filter_map(|&place| new_place[usize::from(place)])
            .collect()
    };
    let mut patterns: Vec<Vec<u16>> = Vec::new();
    for pattern in decision.patterns.iter().map(project) {
        if !patterns.contains(&pattern) {
            patterns.push(pattern);
        }
    }
    Decision {
        quantifier: decision.quantifier,
        variables,
        patterns,
        selection: decision.selection,
    }
}
