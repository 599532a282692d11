//! Makes a formula that shows a mistake as small as possible.
//!
//! A random test that fails shows a formula of which most is noise. Shrinking removes clauses
//! (many at a time first), then literals, then variables (by giving them a value), then odd
//! probabilities, as long as a predicate keeps saying that the mistake is still there.

use formula::{Clauses, Formula, Lit, Names, Prefix, Probability, Quantifier, Var};

/// The smallest formula found for which the predicate still holds. Names are not kept.
///
/// The result is the given formula if the predicate does not hold for it or for nothing smaller.
///
/// ```
/// let formula = formula::read(b"p cnf 3 3\n1 2 0\n-1 0\n2 3 0\n").unwrap();
/// let small = sqasp_generators::shrink(&formula, |candidate| !candidate.matrix().is_empty());
/// assert_eq!((small.variables(), small.matrix().len()), (0, 1));
/// ```
pub fn shrink(formula: &Formula, mut still_fails: impl FnMut(&Formula) -> bool) -> Formula {
    let mut smallest = Editable::of(formula);
    let mut still_fails = |candidate: &Editable| still_fails(&candidate.build());
    if !still_fails(&smallest) {
        return formula.clone();
    }
    loop {
        let before = smallest.clone();
        smallest.clauses = leave_out(&before.clauses, |clauses| {
            let (prefix, clauses) = (before.prefix.clone(), clauses.to_vec());
            still_fails(&Editable { prefix, clauses })
        });
        for clause in 0..smallest.clauses.len() {
            let mut candidate = smallest.clone();
            smallest.clauses[clause] = leave_out(&smallest.clauses[clause], |literals| {
                candidate.clauses[clause] = literals.to_vec();
                still_fails(&candidate)
            });
        }
        let mut index = 0;
        while index < smallest.prefix.len() {
            let var = Var::new(index);
            let assigned = [var.positive(), var.negative()].map(|truth| smallest.assign(truth));
            match assigned.into_iter().find(&mut still_fails) {
                Some(fewer) => smallest = fewer,
                None => index += 1,
            }
        }
        for position in 0..smallest.prefix.len() {
            let mut candidate = smallest.clone();
            let probability = &mut candidate.prefix[position].2;
            *probability = probability.as_ref().map(|_| Probability::ratio(1, 2));
            if candidate != smallest && still_fails(&candidate) {
                smallest = candidate;
            }
        }
        if smallest == before {
            return smallest.build();
        }
    }
}

/// As few of these as can be left for which the predicate still holds, as it does for all: many are left out at a time first.
pub fn leave_out<T: Clone>(all: &[T], mut still_fails: impl FnMut(&[T]) -> bool) -> Vec<T> {
    let mut left = all.to_vec();
    let mut size = left.len();
    while size > 0 {
        let (before, mut start) = (left.len(), 0);
        while start < left.len() {
            let mut fewer = left.clone();
            fewer.drain(start..(start + size).min(left.len()));
            if still_fails(&fewer) {
                left = fewer;
            } else {
                start += size;
            }
        }
        if size > 1 || left.len() == before {
            size /= 2;
        }
    }
    left
}

/// A formula that can be edited.
#[derive(Clone, PartialEq)]
struct Editable {
    prefix: Vec<(Quantifier, Var, Option<Probability>)>,
    clauses: Vec<Vec<Lit>>,
}

impl Editable {
    fn of(formula: &Formula) -> Self {
        let prefix = formula.prefix();
        let entries = prefix.blocks().iter().flat_map(|block| {
            let variables = block.variables.iter();
            variables.map(|&var| (block.quantifier, var, prefix.probability(var).cloned()))
        });
        Editable {
            prefix: entries.collect(),
            clauses: formula.matrix().iter().map(<[Lit]>::to_vec).collect(),
        }
    }

    fn build(&self) -> Formula {
        let mut prefix = Prefix::new();
        for (quantifier, var, probability) in &self.prefix {
            match probability {
                Some(probability) => prefix.push_chance(*var, probability.clone()),
                None => prefix.push(*quantifier, [*var]),
            }
        }
        let matrix: Clauses = self.clauses.iter().map(Vec::as_slice).collect();
        Formula::new(self.prefix.len(), prefix, matrix, Names::default())
    }

    /// Makes a literal true and closes the gap in the numbers of the variables.
    fn assign(&self, truth: Lit) -> Editable {
        let lower = |var: Var| Var::new(var.index() - usize::from(var > truth.var()));
        let prefix = self.prefix.iter().filter(|(_, var, _)| *var != truth.var());
        let clauses = self
            .clauses
            .iter()
            .filter(|clause| !clause.contains(&truth));
        Editable {
            prefix: prefix
                .map(|(quantifier, var, chance)| (*quantifier, lower(*var), chance.clone()))
                .collect(),
            clauses: clauses
                .map(|clause| {
                    let kept = clause.iter().filter(|lit| **lit != !truth);
                    kept.map(|lit| lower(lit.var()).literal(!lit.is_negative()))
                        .collect()
                })
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enumerate;
    use formula::BigRational;

    #[test]
    fn the_noise_goes_and_the_mistake_stays() {
        // "Mistake": the value is strictly between 0 and 1. One chance variable shows it.
        let text = b"p cnf 5 5\ne 1 0\na 2 0\nr 0.3 3 0\ne 4 5 0\n1 2 0\n3 4 0\n-4 0\n5 -2 1 0\n-5 3 4 0\n";
        let formula = formula::read(text).unwrap();
        let between = |formula: &Formula| {
            let value = enumerate(formula).unwrap();
            let one = BigRational::from_integer(1.into());
            value > one.clone() - &one && value < one
        };
        assert!(between(&formula));
        let small = shrink(&formula, between);
        assert!(between(&small));
        assert_eq!((small.variables(), small.matrix().literal_count()), (1, 1));
        assert_eq!(enumerate(&small).unwrap().to_string(), "1/2");
    }

    #[test]
    fn what_matters_is_left() {
        let matters = |letters: &[char]| letters.contains(&'b') && letters.contains(&'f');
        let all = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
        assert_eq!(leave_out(&all, matters), ['b', 'f']);
    }

    #[test]
    fn what_does_not_fail_is_left_alone() {
        let formula = formula::read(b"p cnf 2 1\n1 2 0\n").unwrap();
        assert_eq!(shrink(&formula, |_| false), formula);
    }
}
