//! The cone of influence: gates and decisions that no check depends on, directly or through other
//! gates, are dropped. Their values (say, whose turn it is after the game is over) do not
//! change the value of the formula.

use crate::program::{Decision, Item, Program};
use formula::{Quantifier, Var};

/// The program without what cannot reach a check.
pub fn prune(program: &Program) -> Program {
    let mut needed = vec![false; program.variables];
    for literal in program.clauses.iter().flatten() {
        needed[literal.var().index()] = true;
    }
    for literal in program.decisions.iter().filter_map(Decision::unless) {
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
    let mut pruned = program.emptied();
    for item in &program.items {
        match *item {
            Item::Check(number) => pruned.push_check(program.clauses.get(number)),
            Item::Gate(number) => {
                let gate = &program.gates[number];
                if needed[gate.output.index()] {
                    let conjuncts = program.conjuncts(gate);
                    let conjuncts = conjuncts.map(|clause| clause.iter().copied());
                    pruned.push_gate(gate.output, gate.inverted, conjuncts);
                }
            }
            Item::Decision(number) => {
                let decision = &program.decisions[number];
                let projected = project(decision, &needed);
                let listed = projected.listed.as_ref();
                // No assignment satisfies the clauses: the value is 0 under every quantifier.
                let hopeless = listed.is_some_and(|listed| listed.assignments.is_empty());
                if !projected.variables.is_empty() || hopeless || !decision.legality().is_empty() {
                    pruned.push_decision(projected);
                    for clause in program.legality(decision) {
                        pruned.push_legal(clause);
                    }
                }
            }
        }
    }
    pruned
}

/// The decision restricted to needed variables. A selection by chance stays as it is: if two of its
/// assignments became one, it would be too rare.
fn project(decision: &Decision, needed: &[bool]) -> Decision {
    if decision.quantifier == Quantifier::Chance && decision.listed.is_some() {
        return decision.clone();
    }
    let is_needed = |variable: &Var| needed[variable.index()];
    let variables = decision.variables.iter().copied().filter(is_needed);
    let variables: Vec<Var> = variables.collect();
    let Some(listed) = &decision.listed else {
        let pairs = decision.variables.iter().zip(&decision.probabilities);
        let kept = pairs.filter(|(variable, _)| is_needed(variable));
        let probabilities = kept.map(|(_, chance)| chance.clone()).collect();
        return Decision::open(decision.quantifier, variables, probabilities);
    };
    let mut new_place = vec![None; decision.variables.len()];
    let kept =
        (0..decision.variables.len()).filter(|&position| is_needed(&decision.variables[position]));
    for (new, position) in (0..).zip(kept) {
        new_place[position] = Some(new);
    }
    let mut assignments: Vec<Vec<u16>> = Vec::new();
    for assignment in &listed.assignments {
        let positions = assignment
            .iter()
            .filter_map(|&position| new_place[usize::from(position)]);
        let projected = positions.collect();
        if !assignments.contains(&projected) {
            assignments.push(projected);
        }
    }
    Decision::listed(decision.quantifier, variables, assignments, listed.unless)
}
