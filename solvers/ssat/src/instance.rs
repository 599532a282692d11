//! Instances: the parts of a problem that share no variable. Each part is solved on its own, with its own
//! short numbering; the value of the problem is the product of their values.
//!
//! The reason for the product: maximum, minimum and weighted mean of a factor that is not negative and does
//! not depend on the variable leave that factor alone. Working through the prefix from the inside,
//! each quantifier acts on the one part its variable occurs in, whatever the others are and in
//! whatever order the variables of different parts alternate.
//!
//! Invariant: variables of an instance are numbered in the order in which they may be decided, so the smallest
//! number of any set of variables stands in its outermost block.

use super::defined::DecisionOrder;
use base::graph::UnionFind;
use formula::preprocess::Problem;
use formula::{Clauses, Lit, Probability, Quantifier, Var};

/// A part of a problem.
#[derive(Clone, Default, Debug)]
pub struct Instance {
    /// The variables of the problem that these variables stand for.
    pub names: Vec<Var>,
    /// The player who decides, by variable.
    pub quantifiers: Vec<Quantifier>,
    /// The number of the block of the prefix, by variable.
    pub levels: Vec<u32>,
    /// The block in which it is decided, by variable; never decreases.
    pub decided: Vec<u32>,
    /// Whether it is decided by adding the values of both branches; see [`super::defined`].
    pub is_defined: Vec<bool>,
    /// The probability of *true*, by variable; only for chance variables.
    pub chances: Vec<Option<Probability>>,
    pub clauses: Clauses,
}

impl Instance {
    /// Splits a problem; parts with few literals come first. Variables that occur nowhere are left
    /// out: they do not matter. No clause may be empty.
    pub fn parts(problem: &Problem, decisions: &DecisionOrder) -> Vec<Instance> {
        let mut union = UnionFind::new(problem.variables());
        for clause in problem.clauses.iter() {
            for pair in clause.windows(2) {
                union.join(pair[0].var().index() as u32, pair[1].var().index() as u32);
            }
        }
        let occurring = problem.occurring();
        let mut order: Vec<Var> = (0..problem.variables()).map(Var::new).collect();
        order.retain(|variable| occurring[variable.index()]);
        order.sort_unstable_by_key(|&variable| (decisions.levels[variable.index()], variable));
        let mut parts: Vec<Instance> = Vec::new();
        let mut part_of = vec![u32::MAX; problem.variables()];
        let mut numbers = vec![0u32; problem.variables()];
        for variable in order {
            let part = &mut part_of[union.find(variable.index() as u32) as usize];
            if *part == u32::MAX {
                *part = parts.len() as u32;
                parts.push(Instance::default());
            }
            let part = &mut parts[*part as usize];
            numbers[variable.index()] = part.levels.len() as u32;
            part.names.push(variable);
            part.quantifiers.push(problem.quantifier(variable));
            part.levels.push(problem.levels[variable.index()]);
            part.decided.push(decisions.levels[variable.index()]);
            part.is_defined.push(decisions.is_defined[variable.index()]);
            part.chances.push(problem.chances[variable.index()].clone());
        }
        // Lists that double their room as they grow would take twice the memory.
        let mut sizes = vec![(0, 0); parts.len()];
        for clause in problem.clauses.iter() {
            let root = union.find(clause[0].var().index() as u32);
            let (clauses, literals) = &mut sizes[part_of[root as usize] as usize];
            *clauses += 1;
            *literals += clause.len();
        }
        for (part, &(clauses, literals)) in parts.iter_mut().zip(&sizes) {
            part.clauses = Clauses::with_capacity(clauses, literals);
        }
        for clause in problem.clauses.iter() {
            let root = union.find(clause[0].var().index() as u32);
            let renumbered = clause.iter().map(|literal| {
                let number = numbers[literal.var().index()] as usize;
                Var::new(number).literal(!literal.is_negative())
            });
            parts[part_of[root as usize] as usize]
                .clauses
                .push(renumbered);
        }
        parts.sort_by_key(|part| part.clauses.literal_count());
        parts
    }

    pub fn variables(&self) -> usize {
        self.quantifiers.len()
    }

    /// The player who decides the variable of this literal.
    #[inline]
    pub fn quantifier(&self, literal: Lit) -> Quantifier {
        self.quantifiers[literal.var().index()]
    }

    /// The block in which the variable of this literal is decided.
    #[inline]
    pub fn level(&self, literal: Lit) -> u32 {
        self.levels[literal.var().index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_renumbered_in_prefix_order() {
        let text = "p cnf 5 3\ne 4 0\nr 0.5 2 5 0\ne 1 3 0\n1 -4 0\n2 3 0\n-3 2 0\n";
        let problem = Problem::new(&formula::read(text.as_bytes()).unwrap());
        let parts = Instance::parts(&problem, &DecisionOrder::of_prefix(&problem));
        let clauses: Vec<String> = parts.iter().map(|p| format!("{:?}", p.clauses)).collect();
        assert_eq!(clauses, ["[[2, -1]]", "[[1, 2], [1, -2]]"]);
        assert_eq!(
            parts[1].quantifiers,
            [Quantifier::Chance, Quantifier::Exists]
        );
    }
}
