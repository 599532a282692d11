//! Defined variables (Padoa): existential variables that are summed out beside chance variables, because they have no choice.
//!
//! Clauses of an output and inputs of a gate leave the output one value at most. More generally, a variable x is
//! *defined* by others if its clauses cannot all be true with x and, by the same others, all be true without x. Then
//! for any values of the others one value of x makes the matrix false, whatever follows.
//!
//! Let x be defined by variables that stand before the end of a block of chance. Fix the values of all these. In what
//! follows x is a maximum of two values of which one is 0, so it is as well a *sum*; a sum of which one part is 0 for
//! all values between here and x may be taken before them; and sums commute with the means of the block. So x may be
//! decided anywhere in the block, by adding the values of both branches:
//!
//! ```text
//! r 1 2, e 3 4:  3 = (1 and 2),  (3 or 4) ...      value = value with 3 true + value with 3 false
//! ```
//!
//! This holds for every formula that is left under an assignment, because it has no models but those of the whole. What
//! is right for an existential variable at its old place (units, pure literals, trivial truth, value 1) stays right. So
//! formulas of circuits are counted as model counters do, which may branch on any variable.
//!
//! # Definitions before elimination
//!
//! Before the search other existential variables may be eliminated (`preprocess::reduced`). Each model of the formula that is left is part of a
//! model of the whole formula. So if a variable has one value at most for given values of the variables up to the end of a block, this stays
//! true, although clauses that show it may be gone. Therefore definitions are searched for before.
//!
//! # A universal variable that is defined
//!
//! Let a universal variable be defined by variables of blocks before its own. For all their values one value of it makes the matrix
//! false, and the minimizer takes that one. So the value of the formula is 0, and nothing needs to be searched.
//! Formulas made from circuits have such variables when the output of a gate is given to the minimizer.
//!
//! (Definability for counting: Lagniez, Lonca and Marquis 2016. That outputs of gates may be decided with the block of
//! their inputs is known for QBF.)

use crate::options::Options;
use formula::preprocess::{
    BinaryClauses, Closure, Definable, Occurrences, Problem, VariableDefinition,
};
use formula::{Quantifier, Var};

/// Where variables may be decided.
pub struct DecisionOrder {
    /// The block in which a variable is decided.
    pub levels: Vec<u32>,
    /// Whether a variable is decided by adding the values of both branches.
    pub is_defined: Vec<bool>,
    /// Definitions of variables, in an order in which each is defined by those before it and by others.
    pub definitions: Vec<VariableDefinition>,
    /// A universal variable that earlier blocks determine, if one was found: then the value is 0. It has a definition too.
    pub refuted: Option<Var>,
}

impl DecisionOrder {
    /// Everything where the prefix has it.
    pub fn of_prefix(problem: &Problem) -> Self {
        DecisionOrder {
            levels: problem.levels.clone(),
            is_defined: vec![false; problem.variables()],
            definitions: Vec::new(),
            refuted: None,
        }
    }

    /// Defined variables in the blocks of chance that define them, and universal ones that are defined, as far as
    /// the options ask for them.
    pub fn find(problem: &Problem, options: &Options) -> Self {
        let mut decisions = DecisionOrder::of_prefix(problem);
        let has_universals = problem.quantifiers.contains(&Quantifier::Forall);
        let refutes = options.refute_defined && has_universals;
        if !options.move_defined && !refutes {
            return decisions;
        }
        let occurrences = Occurrences::new(problem.variables(), &problem.clauses);
        let binary = BinaryClauses::new(&problem.clauses);
        let definable = Definable {
            shapes: true,
            contradictions: true,
            universals: refutes,
        };
        let mut closure = Closure::new(problem, &occurrences, &binary, definable);
        let occurring = problem.occurring();
        let mut order: Vec<Var> = (0..problem.variables()).map(Var::new).collect();
        order.retain(|variable| occurring[variable.index()]);
        order.sort_unstable_by_key(|&variable| problem.position(variable));
        for block in order.chunk_by(|a, b| problem.levels[a.index()] == problem.levels[b.index()]) {
            for &variable in block {
                closure.learn(variable, |_| ());
            }
            while let Some(definition) = closure.define_next() {
                let variable = definition.literal.var();
                closure.learn(variable, |_| ());
                decisions.definitions.push(definition);
                if problem.quantifier(variable) == Quantifier::Forall {
                    decisions.refuted = Some(variable);
                    return decisions;
                }
                if problem.quantifier(block[0]) == Quantifier::Chance {
                    decisions.levels[variable.index()] = problem.levels[block[0].index()];
                    decisions.is_defined[variable.index()] = true;
                }
            }
        }
        match options.move_defined {
            true => decisions,
            false => DecisionOrder::of_prefix(problem),
        }
    }

    /// Whether variables are defined that are decided before all others, together with chance.
    pub fn begins_with_defined(&self) -> bool {
        let mut all = self.levels.iter().zip(&self.is_defined);
        all.any(|(&level, &is_defined)| level == 0 && is_defined)
    }

    /// The same for what reduction has left of a problem; `levels` are the blocks before. A variable stays where the prefix has it if no chance is
    /// left in its block.
    pub fn carry_over(&mut self, levels: &[u32], smaller: &Problem) {
        let occurring = smaller.occurring();
        let blocks = levels.iter().max().map_or(0, |&last| last as usize + 1);
        let mut numbers = vec![None; blocks];
        for (index, &level) in levels.iter().enumerate() {
            if occurring[index] && smaller.quantifiers[index] == Quantifier::Chance {
                numbers[level as usize] = Some(smaller.levels[index]);
            }
        }
        for index in 0..levels.len() {
            let number = match self.is_defined[index] {
                true => numbers[self.levels[index] as usize],
                false => None,
            };
            self.is_defined[index] = number.is_some();
            self.levels[index] = number.unwrap_or(smaller.levels[index]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The defined variables of a formula, as numbers of text.
    fn sums(text: &str) -> Vec<usize> {
        let problem = Problem::new(&formula::read(text.as_bytes()).expect("well-formed"));
        let decisions = DecisionOrder::find(&problem, &Options::default());
        let sums = (0..problem.variables()).filter(|&index| decisions.is_defined[index]);
        sums.map(|index| index + 1).collect()
    }

    #[test]
    fn gates_are_defined_by_their_inputs() {
        // 4 = (1 and 2), 5 = (4 xor 3), and 6 is free where 5 is true.
        let clauses =
            "-4 1 0\n-4 2 0\n4 -1 -2 0\n-5 4 3 0\n-5 -4 -3 0\n5 -4 3 0\n5 4 -3 0\n6 5 0\n";
        let chance = format!("p cnf 6 8\nr 0.5 1 2 3 0\ne 4 5 6 0\n{clauses}");
        assert_eq!(sums(&chance), [4, 5]);
        // Variables that an opponent decides later define nothing.
        let other = format!("p cnf 6 8\nr 0.5 1 2 0\na 3 0\ne 4 5 6 0\n{clauses}");
        assert_eq!(sums(&other), [4]);
        let existential = format!("p cnf 6 8\ne 1 2 3 0\nr 0.5 6 0\ne 4 5 0\n{clauses}");
        assert_eq!(sums(&existential), Vec::<usize>::new());
    }

    #[test]
    fn a_universal_variable_that_earlier_ones_determine_loses() {
        let refuted = |text: &str| {
            let problem = Problem::new(&formula::read(text.as_bytes()).expect("well-formed"));
            let found = |options: &Options| DecisionOrder::find(&problem, options).refuted;
            let off = Options {
                refute_defined: false,
                ..Options::default()
            };
            assert_eq!(found(&off), None);
            found(&Options::default()).map(|variable| variable.index() + 1)
        };
        // 4 = (1 and 2), and 3 = (4 or 1).
        let clauses = "-4 1 0\n-4 2 0\n4 -1 -2 0\n3 -4 0\n3 -1 0\n-3 4 1 0\n";
        let prefix = |text: &str| refuted(&format!("p cnf 4 6\n{text}\n{clauses}"));
        assert_eq!(prefix("e 1 0\nr 0.5 2 0\na 3 0\ne 4 0"), Some(3));
        assert_eq!(prefix("e 1 0\nr 0.5 2 0\ne 3 0\na 4 0"), Some(4));
        // The variables that define it are known too late, or may be chosen by the same player.
        assert_eq!(prefix("a 3 0\nr 0.5 1 2 0\ne 4 0"), None);
        assert_eq!(prefix("e 1 0\na 2 3 0\ne 4 0"), None);
        // 3 = (1 and 2), and 2 is known from the beginning.
        let unit = "-3 1 0\n-3 2 0\n3 -1 -2 0\n2 0\n";
        assert_eq!(
            refuted(&format!("p cnf 3 4\ne 1 0\na 3 0\ne 2 0\n{unit}")),
            Some(3)
        );
    }

    #[test]
    fn half_a_gate_is_not() {
        assert_eq!(
            sums("p cnf 3 2\nr 0.5 1 2 0\ne 3 0\n-3 1 0\n-3 2 0\n"),
            Vec::<usize>::new()
        );
    }
}
