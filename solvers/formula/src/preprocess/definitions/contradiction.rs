//! Satisfiability of a few clauses by unit propagation and case distinction (Davis, Logemann and Loveland 1962), within
//! a number of cases.

use crate::{Lit, Var};

/// Working memory for the search; empty between two questions.
pub struct Contradiction {
    values: Vec<Option<bool>>,
    trail: Vec<Var>,
}

/// Some clause is false.
struct Conflict;

impl Contradiction {
    /// For clauses of this many variables.
    pub fn new(variables: usize) -> Self {
        Contradiction {
            values: vec![None; variables],
            trail: Vec::new(),
        }
    }

    /// Whether no assignment makes all these clauses true, each without the literals of one variable. The search gives
    /// up, and says `false`, after this many nodes; it counts down those that it visits.
    pub fn is_found(&mut self, clauses: &[&[Lit]], without: Var, nodes: &mut u32) -> bool {
        if *nodes == 0 {
            return false;
        }
        *nodes -= 1;
        let mark = self.trail.len();
        let found = match self.propagate(clauses, without) {
            Err(Conflict) => true,
            Ok(None) => false,
            Ok(Some(literal)) => [literal, !literal].into_iter().all(|literal| {
                let mark = self.trail.len();
                self.assign(literal);
                let found = self.is_found(clauses, without, nodes);
                self.undo(mark);
                found
            }),
        };
        self.undo(mark);
        found
    }

    /// Assigns the last open literal of clauses. Gives a literal of a shortest open clause, if there is one.
    fn propagate(&mut self, clauses: &[&[Lit]], without: Var) -> Result<Option<Lit>, Conflict> {
        loop {
            let before = self.trail.len();
            let mut shortest: Option<(usize, Lit)> = None;
            for clause in clauses {
                let value = |literal: &Lit| {
                    let value = self.values[literal.var().index()];
                    value.map(|value| literal.holds(value))
                };
                let literals = clause.iter().filter(|literal| literal.var() != without);
                if literals.clone().any(|literal| value(literal) == Some(true)) {
                    continue;
                }
                let mut open = literals.filter(|literal| value(literal).is_none());
                let first = *open.next().ok_or(Conflict)?;
                let length = 1 + open.count();
                if length == 1 {
                    self.assign(first);
                } else if shortest.is_none_or(|(least, _)| length < least) {
                    shortest = Some((length, first));
                }
            }
            if self.trail.len() == before {
                return Ok(shortest.map(|(_, literal)| literal));
            }
        }
    }

    fn assign(&mut self, literal: Lit) {
        self.values[literal.var().index()] = Some(!literal.is_negative());
        self.trail.push(literal.var());
    }

    fn undo(&mut self, mark: usize) {
        for variable in self.trail.drain(mark..) {
            self.values[variable.index()] = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Clauses over the variables 1 to 3, and 4, which is left out.
    fn check(clauses: &[&[i32]], expected: bool) {
        let literals = |clause: &&[i32]| -> Vec<Lit> {
            let literals = clause.iter().map(|&l| Lit::from_dimacs(l).unwrap());
            literals.collect()
        };
        let owned: Vec<Vec<Lit>> = clauses.iter().map(literals).collect();
        let slices: Vec<&[Lit]> = owned.iter().map(Vec::as_slice).collect();
        let mut search = Contradiction::new(4);
        let found = search.is_found(&slices, Var::new(3), &mut 100);
        assert_eq!(found, expected, "{clauses:?}");
        assert!(search.trail.is_empty() && search.values.iter().all(Option::is_none));
    }

    #[test]
    fn small_cases() {
        check(&[], false);
        check(&[&[]], true);
        check(&[&[1], &[-1]], true);
        check(&[&[1, 4], &[-1, -4]], true);
        check(&[&[1, 2], &[-1, 2], &[1, -2]], false);
        check(&[&[1, 2], &[-1, 2], &[1, -2], &[-1, -2]], true);
        // The two sides of "4 equals (1 xor 2)".
        check(
            &[&[4, 1, -2], &[4, -1, 2], &[-4, 1, 2], &[-4, -1, -2]],
            true,
        );
        check(&[&[1, 2, 3], &[-1, 2, 3], &[1, -2, 3], &[-1, -2, 3]], false);
    }

    #[test]
    fn without_nodes_nothing_is_found() {
        let mut search = Contradiction::new(1);
        assert!(!search.is_found(&[&[]], Var::new(0), &mut 0));
    }
}
