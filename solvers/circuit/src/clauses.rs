//! Clauses for gates and for choices, whatever they are told to.
//!
//! A circuit is looked into by satisfiability solvers in several places: each keeps its literals in its
//! own way, but a gate becomes the same clauses everywhere.

use std::ops::Not;

/// Something that takes clauses, such as a satisfiability solver.
pub trait ClauseSink {
    /// A variable, or the opposite of one.
    type Literal: Copy + Not<Output = Self::Literal>;

    /// A literal of a new variable.
    fn new_literal(&mut self) -> Self::Literal;

    /// Requires one of these.
    fn require(&mut self, clause: &[Self::Literal]);

    /// A literal that says that all of these hold, in both directions: a gate.
    fn conjunction(&mut self, inputs: &[Self::Literal]) -> Self::Literal {
        let output = self.new_literal();
        let mut long = vec![output];
        for &input in inputs {
            self.require(&[!output, input]);
            long.push(!input);
        }
        self.require(&long);
        output
    }

    /// Requires that at most one holds: one after the other, with a literal for "one of those so far"
    /// (C. Sinz, *Towards an Optimal CNF Encoding of Boolean Cardinality Constraints*, CP 2005).
    fn at_most_one(&mut self, literals: &[Self::Literal]) {
        let mut before: Option<Self::Literal> = None;
        for &literal in literals {
            let so_far = self.new_literal();
            self.require(&[!literal, so_far]);
            if let Some(before) = before {
                self.require(&[!before, so_far]);
                self.require(&[!before, !literal]);
            }
            before = Some(so_far);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clauses over literals `2 * variable`, with one more for the opposite.
    #[derive(Default)]
    struct List {
        variables: usize,
        clauses: Vec<Vec<Literal>>,
    }

    #[derive(Clone, Copy)]
    struct Literal(usize);

    impl Not for Literal {
        type Output = Literal;

        fn not(self) -> Literal {
            Literal(self.0 ^ 1)
        }
    }

    impl ClauseSink for List {
        type Literal = Literal;

        fn new_literal(&mut self) -> Literal {
            self.variables += 1;
            Literal(2 * (self.variables - 1))
        }

        fn require(&mut self, clause: &[Literal]) {
            self.clauses.push(clause.to_vec());
        }
    }

    fn holds(assignment: usize, literal: Literal) -> bool {
        (assignment >> (literal.0 / 2) & 1 == 1) != (literal.0 % 2 == 1)
    }

    impl List {
        /// The assignments that satisfy all clauses.
        fn models(&self) -> impl Iterator<Item = usize> {
            (0..1 << self.variables).filter(|&assignment| {
                let mut clauses = self.clauses.iter();
                clauses.all(|clause| clause.iter().any(|&literal| holds(assignment, literal)))
            })
        }
    }

    #[test]
    fn a_conjunction_holds_when_all_do() {
        for count in 0..5 {
            let mut list = List::default();
            let inputs: Vec<Literal> = (0..count).map(|_| list.new_literal()).collect();
            let output = list.conjunction(&inputs);
            let mut models = 0;
            for model in list.models() {
                let all = inputs.iter().all(|&input| holds(model, input));
                assert_eq!(holds(model, output), all);
                models += 1;
            }
            assert_eq!(models, 1 << count);
        }
    }

    #[test]
    fn at_most_one_allows_none_and_each() {
        for count in 0..6 {
            let mut list = List::default();
            let literals: Vec<Literal> = (0..count).map(|_| list.new_literal()).collect();
            list.at_most_one(&literals);
            let mut seen: Vec<usize> = list.models().map(|m| m & ((1 << count) - 1)).collect();
            seen.sort_unstable();
            seen.dedup();
            let expected: Vec<usize> = (0..1 << count)
                .filter(|m: &usize| m.count_ones() <= 1)
                .collect();
            assert_eq!(seen, expected);
        }
    }
}
