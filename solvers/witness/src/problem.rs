//! A formula in which the functions of one player stand for that player's variables.
//!
//! A gate, and a variable with a function, is *computed*. Its *definition* is a set of clauses which, for all values of its
//! inputs, one value of it makes true. So for any values of the other variables, each computed one has exactly one value.

use crate::strategy::{Decider, Strategy, positions};
use formula::{BigRational, Clauses, Formula, Lit, Quantifier, Var};
use num_traits::One;

/// The player who decides a variable, if any.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A player without functions.
    Free(Decider),
    /// Chance, which makes it true with this probability.
    Chance(BigRational),
    /// Nobody: it is computed from others.
    Computed,
}

/// Clauses, and the player of each variable.
pub struct Problem {
    /// By variable: those of the formula first, then gates.
    pub kinds: Vec<Kind>,
    /// The block of a variable; of a computed one the last block among those of its inputs.
    pub levels: Vec<u32>,
    /// The clauses of the formula, then the definitions.
    pub clauses: Clauses,
    /// By clause of a definition, the variable that it defines.
    pub owners: Vec<u32>,
    /// By variable, where its definition begins and ends.
    pub definitions: Vec<(u32, u32)>,
}

impl Problem {
    /// Puts the functions of one player into a formula. The strategy was checked.
    pub fn new(formula: &Formula, strategy: &Strategy, side: Decider) -> Self {
        let positions = positions(formula);
        let count = formula.variables() + strategy.gates.len();
        let mut problem = Problem {
            kinds: vec![Kind::Computed; count],
            levels: vec![0; count],
            clauses: without_repetitions(formula.matrix()),
            owners: Vec::new(),
            definitions: vec![(0, 0); count],
        };
        for (index, &(level, quantifier)) in positions.iter().enumerate() {
            problem.levels[index] = level;
            problem.kinds[index] = match quantifier {
                quantifier if quantifier == side.quantifier() => Kind::Computed,
                Quantifier::Exists => Kind::Free(Decider::Exists),
                Quantifier::Forall => Kind::Free(Decider::Forall),
                Quantifier::Chance => {
                    let chance = formula.prefix().probability(Var::new(index));
                    let chance = chance.expect("a chance variable has a probability");
                    Kind::Chance(chance.as_rational().clone())
                }
            };
        }
        let functions = strategy.functions(side).iter();
        let is_needed = strategy.needed_gates(functions.map(|&(_, function)| function));
        for (index, gate) in strategy.gates.iter().enumerate() {
            let variable = Var::new(formula.variables() + index);
            if is_needed[index] {
                problem.define(variable, gate);
            }
        }
        for &(variable, function) in strategy.functions(side) {
            problem.define(variable, &[function]);
        }
        problem.find_levels(formula, strategy, side);
        problem
    }

    /// Says that a variable is true exactly if all these literals are.
    fn define(&mut self, variable: Var, literals: &[Lit]) {
        let start = self.clauses.len() as u32;
        for &literal in literals {
            self.clauses.push([variable.negative(), literal]);
        }
        let mut literals = literals.to_vec();
        literals.sort_unstable();
        literals.dedup();
        let negated = literals.into_iter().map(|literal| !literal);
        let all = std::iter::once(variable.positive()).chain(negated);
        self.clauses.push(all);
        let end = self.clauses.len() as u32;
        self.definitions[variable.index()] = (start, end);
        self.owners
            .extend((start..end).map(|_| variable.index() as u32));
    }

    /// A function depends on earlier blocks only, so going over the blocks in order finds the levels of computed variables;
    /// gates are in order already.
    fn find_levels(&mut self, formula: &Formula, strategy: &Strategy, side: Decider) {
        let variables = formula.variables();
        let mut functions = vec![None; variables];
        for &(variable, function) in strategy.functions(side) {
            functions[variable.index()] = Some(function);
        }
        let mut gates: Vec<Option<u32>> = vec![None; strategy.gates.len()];
        for block in formula.prefix().blocks() {
            for variable in &block.variables {
                if let Some(function) = functions[variable.index()] {
                    let level = self.level_of(function, strategy, variables, &mut gates);
                    self.levels[variable.index()] = level;
                }
            }
        }
        for index in 0..gates.len() {
            let gate = Var::new(variables + index).positive();
            self.level_of(gate, strategy, variables, &mut gates);
        }
    }

    fn level_of(
        &mut self,
        literal: Lit,
        strategy: &Strategy,
        variables: usize,
        known: &mut [Option<u32>],
    ) -> u32 {
        let Some(top) = literal.var().index().checked_sub(variables) else {
            return self.levels[literal.var().index()];
        };
        let mut open = vec![top];
        while let Some(&gate) = open.last() {
            if known[gate].is_some() {
                open.pop();
                continue;
            }
            let inputs = strategy.gates.get(gate).iter().map(|l| l.var().index());
            let before = open.len();
            let mut level = 0;
            for input in inputs {
                match input.checked_sub(variables) {
                    None => level = level.max(self.levels[input]),
                    Some(other) => match known[other] {
                        Some(found) => level = level.max(found),
                        None => open.push(other),
                    },
                }
            }
            if open.len() == before {
                known[gate] = Some(level);
                self.levels[variables + gate] = level;
                open.pop();
            }
        }
        known[top].expect("it was found")
    }

    /// Whether a clause is one of the formula.
    pub fn is_given(&self, clause: u32) -> bool {
        (clause as usize) < self.clauses.len() - self.owners.len()
    }

    /// The variable that a clause of a definition defines.
    pub fn owner(&self, clause: u32) -> u32 {
        self.owners[clause as usize + self.owners.len() - self.clauses.len()]
    }

    /// The probability of a literal of chance; 1 for all others.
    pub fn weight(&self, literal: Lit) -> BigRational {
        match &self.kinds[literal.var().index()] {
            Kind::Chance(chance) if literal.is_negative() => BigRational::one() - chance,
            Kind::Chance(chance) => chance.clone(),
            _ => BigRational::one(),
        }
    }
}

/// Clauses without repeated literals, and without those that are always true.
fn without_repetitions(clauses: &Clauses) -> Clauses {
    let mut kept = Clauses::new();
    for clause in clauses.iter() {
        let mut clause = clause.to_vec();
        clause.sort_unstable();
        clause.dedup();
        if !clause.windows(2).any(|pair| pair[0] == !pair[1]) {
            kept.push(clause);
        }
    }
    kept
}
