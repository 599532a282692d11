//! A look at all open clauses of a component: its key, its pure literals, and what to decide.

use super::deduction::Deduction;
use formula::{Lit, Quantifier, Var};
use std::cmp::Reverse;

/// Results of the last look, and room for the next.
pub struct Survey {
    /// In how many open clauses a literal occurs, by code.
    counts: Vec<u32>,
    /// Open clauses with false literals.
    shortened: Vec<u32>,
}

impl Survey {
    /// For this many variables.
    pub fn new(variables: usize) -> Self {
        Survey {
            counts: vec![0; 2 * variables],
            shortened: Vec::new(),
        }
    }

    /// Looks at a component, given as lists of variables and of clauses.
    pub fn look(&mut self, deduction: &Deduction, variables: &[u32], clauses: &[u32]) {
        for &variable in variables {
            let variable = Var::new(variable as usize);
            self.counts[variable.positive().code()] = 0;
            self.counts[variable.negative().code()] = 0;
        }
        self.shortened.clear();
        for &clause in clauses {
            let mut is_short = false;
            for &literal in deduction.store.get(clause) {
                if deduction.is_open(literal) {
                    self.counts[literal.code()] += 1;
                } else {
                    is_short = true;
                }
            }
            if is_short {
                self.shortened.push(clause);
            }
        }
    }

    /// The exact key: the variables and the shortened clauses, as distances from one to the next,
    /// seven bits to a byte.
    pub fn key(&self, variables: &[u32]) -> Box<[u8]> {
        let mut key = Vec::with_capacity(variables.len() + self.shortened.len() + 8);
        let mut push = |mut number: u32| {
            while number >= 128 {
                key.push(number as u8 | 128);
                number >>= 7;
            }
            key.push(number as u8);
        };
        push(variables.len() as u32);
        for list in [variables, &self.shortened] {
            let mut last = 0;
            for &element in list {
                push(element - last);
                last = element;
            }
        }
        key.into()
    }

    /// Literals that may be decided without a look at their negation: existential ones whose
    /// negation does not occur are made true, and universal ones are made false.
    pub fn pure_literals(&self, deduction: &Deduction, variables: &[u32]) -> Vec<Lit> {
        let mut pure = Vec::new();
        for &variable in variables {
            let variable = Var::new(variable as usize);
            let [positive, negative] =
                [variable.positive(), variable.negative()].map(|l| self.counts[l.code()]);
            if positive > 0 && negative > 0 {
                continue;
            }
            match deduction.instance.quantifiers[variable.index()] {
                Quantifier::Exists => pure.push(variable.literal(negative == 0)),
                Quantifier::Forall => pure.push(variable.literal(positive == 0)),
                Quantifier::Chance => {}
            }
        }
        pure
    }

    /// A literal to decide first: of the variables of the outermost block, the one that was in
    /// most conflicts lately and is in most clauses (VSADS). Of equal ones the first: formulas often list
    /// variables in the order in which things happen, and a state that is known up to some time is met again.
    pub fn choose(&self, deduction: &Deduction, variables: &[u32]) -> Lit {
        let levels = &deduction.instance.levels;
        let block = levels[variables[0] as usize];
        let outermost = variables.iter().map(|&variable| variable as usize);
        let outermost = outermost.take_while(|&variable| levels[variable] == block);
        let best = outermost.max_by_key(|&variable| {
            let literal = Var::new(variable).positive();
            let score = deduction.heap.activity(variable)
                + 64 * (self.count(literal) + self.count(!literal));
            (score, Reverse(variable))
        });
        let variable = Var::new(best.expect("a component has variables"));
        Self::literal(deduction, variable, |literal| self.count(literal))
    }

    /// The literal of a variable to decide first: of a universal one that which makes more clauses
    /// shorter, of others that which the known model has, since it is possible at least.
    pub fn literal(deduction: &Deduction, variable: Var, count: impl Fn(Lit) -> u64) -> Lit {
        match deduction.instance.quantifiers[variable.index()] {
            Quantifier::Exists | Quantifier::Chance => {
                variable.literal(deduction.model[variable.index()])
            }
            Quantifier::Forall => {
                variable.literal(count(variable.positive()) < count(variable.negative()))
            }
        }
    }

    fn count(&self, literal: Lit) -> u64 {
        u64::from(self.counts[literal.code()])
    }
}
