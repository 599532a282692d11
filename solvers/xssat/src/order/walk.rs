//! The walk along the prefix that turns clauses into an order of execution.
//!
//! It keeps the set of *known* variables: decided, or determined by decided ones. In each block:
//!
//! 1. *Closure.* An existential variable whose clauses with all other variables known define it is
//!    a gate here, whichever block it stands in. Moving a determined variable outwards, to just
//!    after its inputs, keeps the value: every other choice for it gives 0. (It must not be moved
//!    inwards: all variables of a block are known before the walk goes on to the next.) The
//!    defining clauses are used up; every other clause becomes a check as soon as its last variable
//!    is known.
//! 2. When closure stalls, the next decision of the block is taken, and closure resumes. Clauses whose
//!    last variable is one of a listed decision become its legality.
//!
//! For this reason it makes little difference where an encoding puts determined atoms: innermost,
//! or as far out as their dependencies allow, the walk finds them at the same moment.
//!
//! The work is linear in the size of the formula but for bounded searches for definitions ([`Closure`]).

use super::choices::Choices;
use crate::options::Options;
use crate::program::{Decision, Program};
use formula::preprocess::{
    BinaryClauses, Closure, Definable, Occurrences, Problem, VariableDefinition,
};
use formula::{Quantifier, Var};
use limits::{StopReason, Watch};
use std::cmp::Reverse;

/// Orders a problem.
pub fn walk(
    problem: &Problem,
    options: &Options,
    watch: &mut Watch<'_>,
) -> Result<Program, StopReason> {
    let occurrences = Occurrences::new(problem.variables(), &problem.clauses);
    let binary = BinaryClauses::new(&problem.clauses);
    let mut choices = Choices::new(problem, options, &occurrences, &binary);
    let definable = Definable {
        shapes: options.recognise_gates,
        contradictions: options.check_definability,
        universals: false,
    };
    let mut walk = Walk {
        problem,
        closure: Closure::new(problem, &occurrences, &binary, definable),
        program: Program::new(problem.variables(), problem.factor.clone()),
        in_decision: false,
    };
    if let Some(empty) = problem.clauses.iter().find(|clause| clause.is_empty()) {
        walk.program.push_check(empty);
    }
    for (quantifier, variables) in blocks(problem, &occurrences) {
        if quantifier == Quantifier::Exists {
            walk.close();
            while let Some(decision) = choices.next(&variables, walk.closure.known()) {
                watch.check("ordering", 0)?;
                walk.decide(decision);
            }
            choices.finish_block();
        } else {
            // No gate decides these, so all of them are still unknown.
            for group in variables.chunks(options.group_size.clamp(1, 8)) {
                watch.check("ordering", 0)?;
                let chances = group
                    .iter()
                    .filter_map(|v| problem.chances[v.index()].clone());
                let chances = chances.collect();
                walk.decide(Decision::open(quantifier, group.to_vec(), chances));
            }
        }
    }
    Ok(walk.program)
}

/// The variables that occur, block by block. Universal and chance variables of which one value
/// satisfies most of their clauses come first: if that value comes up, variables that occur in the
/// same clauses need not be decided. In a chain of chance variables where a later one overrules
/// the earlier ones, that is the order in which each is decided only if it matters.
fn blocks(problem: &Problem, occurrences: &Occurrences) -> Vec<(Quantifier, Vec<Var>)> {
    let mut blocks: Vec<(Quantifier, Vec<Var>)> = Vec::new();
    for variable in (0..problem.variables()).map(Var::new) {
        if !occurrences.of_variable(variable).is_empty() {
            let level = problem.levels[variable.index()] as usize;
            let quantifier = problem.quantifier(variable);
            blocks.resize_with(blocks.len().max(level + 1), || (quantifier, Vec::new()));
            blocks[level].0 = quantifier;
            blocks[level].1.push(variable);
        }
    }
    for (quantifier, variables) in &mut blocks {
        if *quantifier != Quantifier::Exists {
            variables.sort_by_key(|&variable| {
                let [positive, negative] =
                    [variable.positive(), variable.negative()].map(|l| occurrences.of(l).len());
                let share = 1000 * positive.max(negative) / (positive + negative);
                (Reverse(share), positive + negative)
            });
        }
    }
    blocks.retain(|(_, variables)| !variables.is_empty());
    blocks
}

struct Walk<'a> {
    problem: &'a Problem,
    closure: Closure<'a>,
    program: Program,
    /// Whether the variables of a listed decision become known just now.
    in_decision: bool,
}

impl Walk<'_> {
    fn decide(&mut self, decision: Decision) {
        let variables = decision.variables.clone();
        self.in_decision = decision.listed.is_some();
        self.program.push_decision(decision);
        for variable in variables {
            self.learn(variable);
        }
        self.in_decision = false;
        self.close();
    }

    /// Makes a variable known. Complete clauses that read nothing else say which assignments of a decision can be taken: for the
    /// maximizer one that loses at once is as good as none.
    fn learn(&mut self, variable: Var) {
        let program = &mut self.program;
        self.closure
            .learn(variable, |clause| match self.in_decision {
                true => program.push_legal(clause),
                false => program.push_check(clause),
            });
    }

    /// Finds gates until there are no more.
    fn close(&mut self) {
        while let Some(VariableDefinition {
            literal, clauses, ..
        }) = self.closure.define_next()
        {
            let clauses = clauses.iter();
            let bodies = clauses.map(|&clause| {
                let clause = self.problem.clauses.get(clause as usize).iter().copied();
                clause.filter(|other| other.var() != literal.var())
            });
            // The literal is true where some body is false.
            self.program
                .push_gate(literal.var(), !literal.is_negative(), bodies);
            self.learn(literal.var());
        }
    }
}
