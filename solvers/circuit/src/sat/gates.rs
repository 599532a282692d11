//! Clauses for gates, and for cardinality: the number of some literals that hold.

use crate::Literal;
use crate::sat::batsat::BatSat;
use std::ops::{Deref, DerefMut};

/// A satisfiability solver that takes gates.
pub struct Gates<'a> {
    solver: BatSat<'a>,
    truth: Literal,
}

impl<'a> Deref for Gates<'a> {
    type Target = BatSat<'a>;

    fn deref(&self) -> &BatSat<'a> {
        &self.solver
    }
}

impl DerefMut for Gates<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.solver
    }
}

impl<'a> Gates<'a> {
    /// On a solver that knows nothing yet.
    pub fn new(mut solver: BatSat<'a>) -> Self {
        let truth = solver.new_literal();
        solver.require(&[truth]);
        Gates { solver, truth }
    }

    /// The literal that holds, or the one that fails.
    pub fn constant(&self, holds: bool) -> Literal {
        self.truth.negated_if(!holds)
    }

    /// A literal that says that all of these hold. Constants stay out of the clauses.
    pub fn all_of(&mut self, mut literals: Vec<Literal>) -> Literal {
        let truth = self.truth;
        literals.retain(|&literal| literal != truth);
        match literals.as_slice() {
            literals if literals.contains(&!truth) => !truth,
            [] => truth,
            &[single] => single,
            literals => self.conjunction(literals),
        }
    }

    fn conjunction(&mut self, inputs: &[Literal]) -> Literal {
        let output = self.new_literal();
        let mut long = vec![output];
        for &input in inputs {
            self.require(&[!output, input]);
            long.push(!input);
        }
        self.require(&long);
        output
    }

    /// Requires that at most one holds: a chain of literals that say "one of those so far"
    /// (C. Sinz, *Towards an Optimal CNF Encoding of Boolean Cardinality Constraints*, CP 2005).
    pub fn at_most_one(&mut self, literals: &[Literal]) {
        let mut before: Option<Literal> = None;
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

    /// Requires that exactly this number of literals hold, by a sequential counter (Sinz 2005).
    pub fn exactly(&mut self, literals: &[Literal], count: usize) {
        // Whether at least 0, 1, ... so far hold.
        let mut so_far = vec![!self.truth; count + 2];
        so_far[0] = self.truth;
        for &literal in literals {
            let mut now = so_far.clone();
            for number in 1..count + 2 {
                let (least, fewer) = (so_far[number], so_far[number - 1]);
                if least == !self.truth && fewer == !self.truth {
                    break;
                }
                let next = self.new_literal();
                self.require(&[!least, next]);
                self.require(&[!fewer, !literal, next]);
                self.require(&[least, fewer, !next]);
                self.require(&[least, literal, !next]);
                now[number] = next;
            }
            so_far = now;
        }
        self.require(&[so_far[count]]);
        self.require(&[!so_far[count + 1]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sat::BatSat;

    /// The joint values that `count` literals can have under what `say` requires, one bit per literal.
    fn models(count: usize, say: impl FnOnce(&mut Gates<'static>, &[Literal])) -> Vec<usize> {
        let mut gates = Gates::new(BatSat::new());
        let literals: Vec<Literal> = (0..count).map(|_| gates.new_literal()).collect();
        say(&mut gates, &literals);
        let can_be = |&model: &usize| {
            let numbered = literals.iter().enumerate();
            let assumed = numbered.map(|(bit, &literal)| literal.negated_if(model >> bit & 1 == 0));
            gates.solve(&assumed.collect::<Vec<_>>()) == Some(true)
        };
        (0..1 << count).filter(can_be).collect()
    }

    #[test]
    fn all_of_holds_when_all_do() {
        for count in 0..5 {
            let all = (1 << count) - 1;
            let held = models(count, |gates, literals| {
                let output = gates.all_of(literals.to_vec());
                gates.require(&[output]);
            });
            assert_eq!(held, [all]);
            let failed = models(count, |gates, literals| {
                let mut some = literals.to_vec();
                some.push(gates.constant(true));
                let output = gates.all_of(some);
                gates.require(&[!output]);
            });
            assert_eq!(failed, (0..all).collect::<Vec<_>>());
        }
        let never = models(1, |gates, literals| {
            let output = gates.all_of(vec![literals[0], gates.constant(false)]);
            gates.require(&[output]);
        });
        assert!(never.is_empty());
    }

    #[test]
    fn literals_are_counted() {
        for count in 0..6 {
            let with = |allowed: fn(u32) -> bool| -> Vec<usize> {
                let all = 0..1usize << count;
                all.filter(|model| allowed(model.count_ones())).collect()
            };
            let at_most_one = models(count, |gates, literals| gates.at_most_one(literals));
            assert_eq!(at_most_one, with(|ones| ones <= 1));
            let two = models(count, |gates, literals| gates.exactly(literals, 2));
            assert_eq!(two, with(|ones| ones == 2));
        }
    }

    #[test]
    fn failed_assumptions_are_known_and_usual_values_are_tried() {
        let mut gates = Gates::new(BatSat::with_long_clauses());
        let [a, b] = [(); 2].map(|()| gates.new_literal());
        let near = [true, false].map(|usual| gates.new_literal_near(usual));
        gates.require(&[!a]);
        assert_eq!(gates.solve(&[b]), Some(true));
        assert!(gates.is_true(near[0]) && gates.is_true(!near[1]) && gates.is_true(!a));
        assert_eq!(gates.solve(&[b, a]), Some(false));
        assert!(gates.has_failed(a) && !gates.has_failed(b));
    }

    #[test]
    fn a_solver_is_stopped() {
        let mut solver = BatSat::new();
        let holes = 9;
        let pigeons: Vec<Vec<Literal>> = (0..=holes)
            .map(|_| (0..holes).map(|_| solver.new_literal()).collect())
            .collect();
        let asked = std::cell::Cell::new(0);
        solver.stop_when(Box::new(|| {
            asked.set(asked.get() + 1);
            asked.get() > 3
        }));
        let mut gates = Gates::new(solver);
        for hole in 0..holes {
            let inside: Vec<Literal> = pigeons.iter().map(|pigeon| pigeon[hole]).collect();
            gates.at_most_one(&inside);
        }
        pigeons.iter().for_each(|pigeon| gates.require(pigeon));
        assert_eq!(gates.solve(&[]), None);
        assert!(asked.get() > 3);
    }
}
