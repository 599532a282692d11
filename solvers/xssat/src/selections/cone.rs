//! The cone between the inputs of a case and their readers.

use super::facts::Facts;
use super::proof::LocalGate;
use crate::policy::{MAX_CHECKS, MAX_CONE};
use crate::program::Program;
use formula::{Lit, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// Variables to be evaluated, with numbers in the order in which they were met.
pub struct Cone<'p> {
    program: &'p Program,
    facts: &'p Facts<'p>,
    /// By number.
    pub variables: Vec<Var>,
    numbers: FxHashMap<Var, u32>,
    /// The numbers of those that are given.
    pub inputs: Vec<u32>,
    /// How the others are computed, in order.
    pub gates: Vec<LocalGate>,
    /// Whether a variable depends on a base input, as far as examined.
    depends: FxHashMap<Var, bool>,
    /// No base input is defined before this index.
    earliest: usize,
}

impl<'p> Cone<'p> {
    /// Nothing is evaluated yet.
    pub fn new(program: &'p Program, facts: &'p Facts<'p>) -> Self {
        Cone {
            program,
            facts,
            variables: Vec::new(),
            numbers: FxHashMap::default(),
            inputs: Vec::new(),
            gates: Vec::new(),
            depends: FxHashMap::default(),
            earliest: usize::MAX,
        }
    }

    /// Adds a base input. All of these come before the first call of [`Cone::add`].
    pub fn add_input(&mut self, variable: Var) {
        self.depends.insert(variable, true);
        self.earliest = self.earliest.min(self.facts.defined_at(variable));
        self.give(variable);
    }

    /// Adds a variable with the gates between it and base inputs. `None` if these are too many.
    pub fn add(&mut self, variable: Var) -> Option<()> {
        // Depth-first with a stack of its own: how many inputs are done, and whether one depends.
        let mut path: Vec<(Var, Vec<Var>, bool)> = Vec::new();
        let mut next = Some(variable);
        loop {
            let result = match next.take() {
                Some(variable) => match self.depends.get(&variable) {
                    Some(&depends) => depends,
                    None => {
                        let gate = match self.facts.gate_of(variable) {
                            Some(gate) if self.facts.defined_at(variable) > self.earliest => gate,
                            _ => {
                                self.depends.insert(variable, false);
                                next = Some(variable);
                                continue;
                            }
                        };
                        if self.depends.len() + path.len() > MAX_CONE {
                            return None;
                        }
                        let gate = &self.program.gates[gate];
                        let inputs = self.program.inputs(gate).map(|literal| literal.var());
                        path.push((variable, inputs.collect(), false));
                        false
                    }
                },
                None => false,
            };
            let Some((variable, inputs, depends)) = path.last_mut() else {
                break;
            };
            *depends |= result;
            next = inputs.pop();
            if next.is_none() {
                let (variable, depends) = (*variable, *depends);
                path.pop();
                self.depends.insert(variable, depends);
                if depends {
                    self.evaluate(variable);
                }
                next = Some(variable);
            }
        }
        if !self.depends[&variable] {
            self.give(variable);
        }
        Some(())
    }

    /// How many variables were visited.
    pub fn visited(&self) -> u64 {
        self.depends.len() as u64
    }

    /// The number of a literal. Its variable becomes an input if it is not evaluated otherwise.
    pub fn local(&mut self, literal: Lit) -> u32 {
        2 * self.give(literal.var()) + u32::from(literal.is_negative())
    }

    /// The checks before an index that restrict what is evaluated.
    pub fn known(&mut self, index: usize) -> Vec<Vec<u32>> {
        let mut known = Vec::new();
        let mut seen = FxHashSet::default();
        for input in self.inputs.clone() {
            let checks = self.facts.clauses_of(self.variables[input as usize]);
            if checks.len() > MAX_CHECKS {
                continue;
            }
            for check in checks {
                let clause = self.program.clauses.get(check);
                if self.facts.clause_at(check) < index
                    && clause.iter().all(|l| self.numbers.contains_key(&l.var()))
                    && seen.insert(check)
                {
                    known.push(clause.iter().map(|&literal| self.local(literal)).collect());
                }
            }
        }
        known
    }

    fn number(&mut self, variable: Var) -> u32 {
        let next = self.variables.len() as u32;
        let number = *self.numbers.entry(variable).or_insert(next);
        if number == next {
            self.variables.push(variable);
        }
        number
    }

    /// Numbers a variable that is an input unless it is known already.
    fn give(&mut self, variable: Var) -> u32 {
        let before = self.variables.len();
        let number = self.number(variable);
        if self.variables.len() > before {
            self.inputs.push(number);
        }
        number
    }

    fn evaluate(&mut self, variable: Var) {
        let gate = self.facts.gate_of(variable).expect("only gates depend");
        let (program, gate) = (self.program, &self.program.gates[gate]);
        let clause = |clause: &[Lit]| clause.iter().map(|&literal| self.local(literal)).collect();
        let conjuncts: Vec<Vec<u32>> = program.conjuncts(gate).map(clause).collect();
        let output = self.number(variable);
        self.gates.push(LocalGate {
            output,
            inverted: gate.inverted,
            conjuncts,
        });
    }
}
