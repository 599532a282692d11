//! Defined variables (definability, after Padoa): the closure of a set of known variables under the definitions that clauses
//! contain.
//!
//! A clause is *ready* if exactly one of its variables, g, is unknown. Take the ready clauses of g, and drop g from them: P
//! from those with g, N from those with not g. Under an assignment of the rest, g can be false only if all of P holds and
//! true only if all of N holds. If P and N cannot hold together, g is *defined*: it has at most one possible value, that of
//! the conjunction of N, equally well that of the negation of the conjunction of P.
//!
//! And/or gates are seen by the shape of their clauses ([`shapes`]), all others, such as exclusive or and tables, by a bounded
//! search for a contradiction ([`contradiction`]). Each clause becomes ready once and complete once, so the rest of the work
//! is linear in the size of the formula.

mod contradiction;
mod shapes;

use super::{Occurrences, Problem};
use crate::{Lit, Quantifier, Var};
use contradiction::Contradiction;
pub use shapes::BinaryClauses;
use std::collections::VecDeque;

/// Searches for a contradiction for each variable.
const MAX_TRIES: u8 = 12;
/// Clauses of a search.
const MAX_CLAUSES: usize = 200;
/// Literals of a search.
const MAX_LITERALS: usize = 2_000;
/// Nodes of a search.
const MAX_NODES: u32 = 400;
/// Literals that all searches together visit, a few seconds.
const MAX_EFFORT: u64 = 500_000_000;

const NONE: u32 = u32::MAX;

/// The definition of a variable: this literal of it is true exactly if one of these clauses has no other true literal.
#[derive(Debug)]
pub struct VariableDefinition {
    pub literal: Lit,
    /// The numbers of the clauses.
    pub clauses: Vec<u32>,
    /// The numbers of the clauses with its negation: of these and those without the variable, some clause is false in any case.
    pub others: Vec<u32>,
}

/// The kinds of definitions that are found.
#[derive(Clone, Copy, Debug)]
pub struct Definable {
    /// And/or gates, by the shape of their clauses.
    pub shapes: bool,
    /// Definitions that a search for a contradiction finds.
    pub contradictions: bool,
    /// Definitions of universal variables too.
    pub universals: bool,
}

/// Known variables, and the variables that they define.
pub struct Closure<'a> {
    problem: &'a Problem,
    occurrences: &'a Occurrences,
    binary: &'a BinaryClauses,
    definable: Definable,
    known: Vec<bool>,
    /// Unknown variables, by clause.
    unknown: Vec<u32>,
    /// Whether a clause is used up by a definition.
    is_used: Vec<bool>,
    /// Clauses that just became ready, to be tried as the long clause of a gate.
    ready: VecDeque<u32>,
    /// All ready clauses of a variable, as linked lists through `next_ready`.
    first_ready: Vec<u32>,
    next_ready: Vec<u32>,
    /// Variables for which a search is due.
    candidates: VecDeque<Var>,
    is_candidate: Vec<bool>,
    tries: Vec<u8>,
    contradiction: Contradiction,
    effort: u64,
}

impl<'a> Closure<'a> {
    /// No variable is known.
    pub fn new(
        problem: &'a Problem,
        occurrences: &'a Occurrences,
        binary: &'a BinaryClauses,
        definable: Definable,
    ) -> Self {
        let (variables, clauses) = (problem.variables(), problem.clauses.len());
        let lengths = problem.clauses.iter().map(|clause| clause.len() as u32);
        let mut closure = Closure {
            problem,
            occurrences,
            binary,
            definable,
            known: vec![false; variables],
            unknown: lengths.collect(),
            is_used: vec![false; clauses],
            ready: VecDeque::new(),
            first_ready: vec![NONE; variables],
            next_ready: vec![NONE; clauses],
            candidates: VecDeque::new(),
            is_candidate: vec![false; variables],
            tries: vec![0; variables],
            contradiction: Contradiction::new(variables),
            effort: MAX_EFFORT,
        };
        for index in 0..clauses {
            closure.note(index, &mut |_| ());
        }
        closure
    }

    /// For each variable, whether it is known.
    pub fn known(&self) -> &[bool] {
        &self.known
    }

    /// Makes a variable known; reports the clauses that become complete and define nothing.
    pub fn learn(&mut self, variable: Var, mut complete: impl FnMut(&[Lit])) {
        if std::mem::replace(&mut self.known[variable.index()], true) {
            return;
        }
        for &index in self.occurrences.of_variable(variable) {
            self.unknown[index as usize] -= 1;
            self.note(index as usize, &mut complete);
        }
    }

    /// The definition of a variable by known ones, if there is another one. The variable is to be [learned](Self::learn).
    pub fn define_next(&mut self) -> Option<VariableDefinition> {
        loop {
            let found = if let Some(index) = self.ready.pop_front() {
                self.by_shape(index as usize)
            } else {
                let variable = self.candidates.pop_front()?;
                self.is_candidate[variable.index()] = false;
                self.by_contradiction(variable)
            };
            if found.is_some() {
                return found;
            }
        }
    }

    /// Notes a clause whose number of unknown variables is new.
    fn note(&mut self, index: usize, complete: &mut impl FnMut(&[Lit])) {
        let clause = self.problem.clauses.get(index);
        match self.unknown[index] {
            0 if !self.is_used[index] => complete(clause),
            1 => {
                let unknown = self.unknown_literal(clause).expect("one is unknown").var();
                let is_definable = match self.problem.quantifier(unknown) {
                    Quantifier::Exists => true,
                    Quantifier::Forall => self.definable.universals,
                    Quantifier::Chance => false,
                };
                if is_definable {
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

    /// Tries a ready clause as the long clause of an and/or gate.
    fn by_shape(&mut self, index: usize) -> Option<VariableDefinition> {
        let clause = self.problem.clauses.get(index);
        let output = self.unknown_literal(clause)?;
        if self.definable.shapes && self.binary.defines(output, clause) {
            let inputs = clause.iter().filter(|&&literal| literal != output);
            let short = inputs.map(|&input| self.binary.find(!output, !input));
            let short: Option<Vec<u32>> = short.collect();
            let clauses = short.expect("the shape was tested");
            self.is_used[index] = true;
            for &clause in &clauses {
                self.is_used[clause as usize] = true;
            }
            let literal = !output;
            return Some(VariableDefinition {
                literal,
                clauses,
                others: vec![index as u32],
            });
        }
        let variable = output.var();
        if self.definable.contradictions
            && !std::mem::replace(&mut self.is_candidate[variable.index()], true)
        {
            self.candidates.push_back(variable);
        }
        None
    }

    /// Tries whether the ready clauses of a variable define it.
    fn by_contradiction(&mut self, variable: Var) -> Option<VariableDefinition> {
        let tries = self.tries[variable.index()];
        if self.known[variable.index()] || tries >= MAX_TRIES || self.effort == 0 {
            return None;
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
                return None;
            }
            index = self.next_ready[index as usize];
        }
        // With one clause there is no contradiction. (One side may well be empty: then a contradiction means that the variable
        // is a constant.)
        if sides[0].len() + sides[1].len() < 2 {
            return None;
        }
        self.tries[variable.index()] += 1;
        let indices = sides.iter().flatten().map(|&index| index as usize);
        let all: Vec<&[Lit]> = indices
            .map(|index| self.problem.clauses.get(index))
            .collect();
        let mut nodes = MAX_NODES;
        let is_defined = self.contradiction.is_found(&all, variable, &mut nodes);
        let visited = u64::from(MAX_NODES - nodes) * (literals[0] + literals[1]) as u64;
        self.effort = self.effort.saturating_sub(visited);
        if !is_defined {
            return None;
        }
        let [with, without] = sides;
        let (literal, clauses, others) = match literals[1] < literals[0] {
            true => (variable.negative(), without, with),
            false => (variable.positive(), with, without),
        };
        for &index in &clauses {
            self.is_used[index as usize] = true;
        }
        Some(VariableDefinition {
            literal,
            clauses,
            others,
        })
    }
}
