//! Restriction: the formula that is left when some of its variables have got their values.
//!
//! ```text
//! p cnf 3 2                                    p cnf 3 1
//! r 1/3 1 0       restricted to 1 = false:     e 1 0       1 occurs nowhere any more
//! e 2 0                                        e 2 0
//! a 3 0                                        a 3 0
//! 1 2 0                                        2 0
//! -1 3 0
//! ```
//!
//! Clauses with a true literal go, false literals go from the others; a clause that loses its last
//! literal stays as the empty clause, so the value is 0 as it must be. Variables keep their numbers
//! and their names. Those that have a value occur nowhere any more and stand in the outermost block
//! as existential variables that no clause contains, so the formula is still closed. A chance
//! variable that has a value contributes no factor: the value is the one *given* these values.

use crate::{Clauses, Formula, Lit, Prefix, Quantifier};

impl Formula {
    /// The formula after the variables of these literals have got the values that make the literals
    /// true. The literals may be in any order; the same one may be there several times.
    ///
    /// ```
    /// let formula = sqasp_formula::read(b"p cnf 2 2\nr 0.7 1 0\ne 2 0\n1 0\n1 2 0\n").unwrap();
    /// let heads = formula.restricted(&[sqasp_formula::Var::new(0).positive()]);
    /// assert!(heads.matrix().is_empty());
    /// ```
    ///
    /// # Panics
    /// If a literal and its complement are among the literals, or a variable that the formula does not
    /// have.
    #[doc(hidden)]
    pub fn restricted(&self, literals: &[Lit]) -> Formula {
        let mut values: Vec<Option<bool>> = vec![None; self.variables()];
        for &lit in literals {
            let value = &mut values[lit.var().index()];
            assert_ne!(
                *value,
                Some(lit.is_negative()),
                "{:?} cannot be true and false",
                lit.var()
            );
            *value = Some(!lit.is_negative());
        }
        let is_open = |lit: &&Lit| values[lit.var().index()].is_none();
        let is_true = |lit: &Lit| values[lit.var().index()].is_some_and(|value| lit.holds(value));

        let mut matrix = Clauses::new();
        for clause in self.matrix().iter() {
            if !clause.iter().any(is_true) {
                matrix.push(clause.iter().filter(is_open).copied());
            }
        }
        let mut prefix = Prefix::new();
        for block in self.prefix().blocks() {
            let open = block.variables.iter().copied();
            let open = open.filter(|variable| values[variable.index()].is_none());
            if block.quantifier == Quantifier::Chance {
                for variable in open {
                    let probability = self.prefix().probability(variable);
                    let probability = probability.expect("chance variables have probabilities");
                    prefix.push_chance(variable, probability.clone());
                }
            } else {
                prefix.push(block.quantifier, open);
            }
        }
        // A variable that is missing in the prefix becomes outermost and existential here.
        Formula::new(self.variables(), prefix, matrix, self.names().clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Var;

    #[test]
    fn the_shape_is_as_documented() {
        let text = "p cnf 4 4\nr 1/3 1 0\ne 2 0\na 3 0\nr 1/2 4 0\n1 2 0\n-1 3 0\n-2 4 0\n1 0\n";
        let formula = crate::read(text.as_bytes()).unwrap();
        let restricted = formula.restricted(&[Var::new(0).negative(), Var::new(2).positive()]);
        let clauses: Vec<&[Lit]> = restricted.matrix().iter().collect();
        let lit = |number| Lit::from_dimacs(number).unwrap();
        assert_eq!(clauses, [&[lit(2)][..], &[lit(-2), lit(4)], &[]]);
        let blocks = restricted.prefix().blocks();
        assert_eq!(blocks[0].quantifier, Quantifier::Exists);
        assert_eq!(blocks[0].variables, [0, 2, 1].map(Var::new));
        assert_eq!(blocks[1].variables, [Var::new(3)]);
        assert_eq!(blocks.len(), 2);
        assert_eq!(formula.restricted(&[]), formula);
    }

    #[test]
    #[should_panic(expected = "v1 cannot be true and false")]
    fn contradictions_are_the_callers_mistake() {
        let formula = crate::read(b"p cnf 1 0\n").unwrap();
        formula.restricted(&[Var::new(0).positive(), Var::new(0).negative()]);
    }
}
