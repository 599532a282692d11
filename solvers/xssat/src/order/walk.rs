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
//! Every clause becomes ready (one variable unknown) and complete (none unknown) once, so the work
//! is linear in the size of the formula but for the small satisfiability checks, which are bounded.

use super::choices::Choices;
use super::syntactic::BinaryClauses;
use crate::bounds::{
    MAX_CHECK_NODES, MAX_CLAUSES, MAX_DEFINABILITY_EFFORT, MAX_LITERALS, MAX_TRIES,
};
use crate::options::Options;
use crate::program::{Decision, Program};
use formula::{Lit, Quantifier, Var};
use limits::{StopReason, Watch};
use preprocess::{Contradiction, Occurrences, Problem};
use std::cmp::Reverse;
use std::collections::VecDeque;

const NONE: u32 = u32::MAX;

/// Orders a problem.
///
/// # Errors
/// If a limit is reached.
pub fn walk(
    problem: &Problem,
    options: &Options,
    watch: &mut Watch<'_>,
) -> Result<Program, StopReason> {
    let occurrences = Occurrences::new(problem.variables(), &problem.clauses);
    let binary = BinaryClauses::new(&problem.clauses);
    let mut choices = Choices::new(problem, options, &occurrences, &binary);
    let mut walk = Walk::new(problem, options, &occurrences, &binary);
    walk.start();
    for (quantifier, variables) in blocks(problem, &occurrences) {
        if quantifier == Quantifier::Exists {
            walk.close();
            while let Some(decision) = choices.next(&variables, &walk.known) {
                watch.look("ordering", 0)?;
                walk.decide(decision);
            }
            choices.finish_block();
        } else {
            // No gate decides these, so all of them are still unknown.
            for group in variables.chunks(options.group_size.clamp(1, 8)) {
                watch.look("ordering", 0)?;
                let chances = group
                    .iter()
                    .filter_map(|v| problem.chances[v.index()].clone());
                let chances = chances.collect();
                walk.decide(Decision::open(quantifier, group.to_vec(), chances));
            }
        }
    }
    debug_assert_eq!(walk.program.check(), Ok(()));
    Ok(walk.program)
}

/// The variables that occur, block by block. Universal and chance variables of which one value
/// satisfies most of their clauses come first: if that value comes up, variables that occur in the
/// same clauses need not be looked at. In a chain of chance variables where a later one overrules
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
    options: &'a Options,
    occurrences: &'a Occurrences,
    binary: &'a BinaryClauses,
    program: Program,
    /// Whether the variables of a listed decision become known just now.
    in_decision: bool,
    known: Vec<bool>,
    /// Unknown variables, by clause.
    unknown: Vec<u32>,
    /// Whether a clause is used up by a gate.
    defining: Vec<bool>,
    /// Clauses that just became ready, to be tried as the long clause of a gate.
    ready: VecDeque<u32>,
    /// All ready clauses of a variable, as linked lists through `next_ready`.
    first_ready: Vec<u32>,
    next_ready: Vec<u32>,
    /// Variables for which a satisfiability check is due.
    candidates: VecDeque<Var>,
    is_candidate: Vec<bool>,
    tries: Vec<u8>,
    contradiction: Contradiction,
    effort: u64,
}

impl<'a> Walk<'a> {
    fn new(
        problem: &'a Problem,
        options: &'a Options,
        occurrences: &'a Occurrences,
        binary: &'a BinaryClauses,
    ) -> Self {
        let (variables, clauses) = (problem.variables(), problem.clauses.len());
        Walk {
            problem,
            options,
            occurrences,
            binary,
            program: Program::new(variables, problem.factor.clone()),
            in_decision: false,
            known: vec![false; variables],
            unknown: problem
                .clauses
                .iter()
                .map(|clause| clause.len() as u32)
                .collect(),
            defining: vec![false; clauses],
            ready: VecDeque::new(),
            first_ready: vec![NONE; variables],
            next_ready: vec![NONE; clauses],
            candidates: VecDeque::new(),
            is_candidate: vec![false; variables],
            tries: vec![0; variables],
            contradiction: Contradiction::new(variables),
            effort: MAX_DEFINABILITY_EFFORT,
        }
    }

    /// Clauses that are ready or complete from the start.
    fn start(&mut self) {
        for index in 0..self.problem.clauses.len() {
            self.note(index);
        }
    }

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

    /// Makes a variable known.
    fn learn(&mut self, variable: Var) {
        self.known[variable.index()] = true;
        for &index in self.occurrences.of_variable(variable) {
            self.unknown[index as usize] -= 1;
            self.note(index as usize);
        }
    }

    /// Looks at a clause whose number of unknown variables is new.
    fn note(&mut self, index: usize) {
        let clause = self.problem.clauses.get(index);
        match self.unknown[index] {
            0 if self.defining[index] => {}
            // What reads nothing else says which assignments can be taken: for the maximising player
            // one that loses at once is as good as none.
            0 if self.in_decision => self.program.push_legal(clause),
            0 => self.program.push_check(clause),
            1 => {
                let unknown = self.unknown_literal(clause).expect("one is unknown").var();
                if self.problem.quantifier(unknown) == Quantifier::Exists {
                    self.ready.push_back(index as u32);
                    self.next_ready[index] = self.first_ready[unknown.index()];
                    self.first_ready[unknown.index()] = index as u32;
                }
            }
            _ => {}
        }
    }

    fn unknown_literal(&self, clause: &[Lit]) -> Option<Lit> {
        let mut literals = clause.iter().copied();
        literals.find(|literal| !self.known[literal.var().index()])
    }

    /// Finds gates until there are no more.
    fn close(&mut self) {
        loop {
            if let Some(index) = self.ready.pop_front() {
                self.try_shape(index as usize);
            } else if let Some(variable) = self.candidates.pop_front() {
                self.is_candidate[variable.index()] = false;
                self.try_definability(variable);
            } else {
                return;
            }
        }
    }

    /// Tries a ready clause as the long clause of an and/or gate.
    fn try_shape(&mut self, index: usize) {
        let clause = self.problem.clauses.get(index);
        let Some(output) = self.unknown_literal(clause) else {
            return;
        };
        if self.options.recognise_gates && self.binary.defines(output, clause) {
            let inputs: Vec<Lit> = clause
                .iter()
                .filter(|&&l| l != output)
                .map(|&l| !l)
                .collect();
            self.defining[index] = true;
            for &input in &inputs {
                let short = self.binary.find(!output, input);
                self.defining[short.expect("the shape was tested")] = true;
            }
            let conjuncts = inputs.into_iter().map(|input| [input]);
            self.program
                .push_gate(output.var(), output.is_negative(), conjuncts);
            self.learn(output.var());
        } else if self.options.check_definability {
            let variable = output.var();
            if !std::mem::replace(&mut self.is_candidate[variable.index()], true) {
                self.candidates.push_back(variable);
            }
        }
    }

    /// Tries whether the ready clauses of a variable define it.
    fn try_definability(&mut self, variable: Var) {
        let tries = self.tries[variable.index()];
        if self.known[variable.index()] || tries >= MAX_TRIES || self.effort == 0 {
            return;
        }
        let mut sides: [Vec<u32>; 2] = Default::default();
        let mut literals = [0; 2];
        let mut index = self.first_ready[variable.index()];
        while index != NONE {
            let clause = self.problem.clauses.get(index as usize);
            let side = usize::from(clause.contains(&variable.negative()));
            sides[side].push(index);
            literals[side] += clause.len();
            if sides[0].len() + sides[1].len() > MAX_CLAUSES
                || literals[0] + literals[1] > MAX_LITERALS
            {
                return;
            }
            index = self.next_ready[index as usize];
        }
        // With one clause there is no contradiction. (One side may well be empty: then a
        // contradiction means that the variable is a constant.)
        if sides[0].len() + sides[1].len() < 2 {
            return;
        }
        self.tries[variable.index()] += 1;
        let problem = self.problem;
        let clauses = |indices: &[u32]| -> Vec<&[Lit]> {
            let indices = indices.iter().map(|&index| index as usize);
            indices.map(|index| problem.clauses.get(index)).collect()
        };
        let all = clauses(&sides.concat());
        let mut nodes = MAX_CHECK_NODES;
        let is_defined = self.contradiction.is_found(&all, variable, &mut nodes);
        let visited = u64::from(MAX_CHECK_NODES - nodes) * (literals[0] + literals[1]) as u64;
        self.effort = self.effort.saturating_sub(visited);
        if is_defined {
            // A clause with the literal g is (g or rest): g must hold where some rest does not.
            let side = usize::from(literals[1] < literals[0]);
            for &index in &sides[side] {
                self.defining[index as usize] = true;
            }
            let rests = clauses(&sides[side]).into_iter().map(|clause| {
                let others = clause.iter().copied();
                others.filter(|literal| literal.var() != variable)
            });
            self.program.push_gate(variable, side == 0, rests);
            self.learn(variable);
        }
    }
}
