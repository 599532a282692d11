//! The invariants of programs, which unit tests check after each step that makes or rewrites one.

use super::{AssignmentList, Decision, Item, Program};
use crate::policy::MAX_ASSIGNMENTS;
use formula::{Lit, Quantifier, Var};
use rustc_hash::FxHashSet;

/// A walk over a program with the variables that are known so far.
struct Checker {
    known: FxHashSet<Var>,
    variables: usize,
}

impl Checker {
    fn define(&mut self, variable: Var) -> Result<(), String> {
        let number = variable.index() + 1;
        if number > self.variables {
            return Err(format!("there is no variable {number}"));
        }
        match self.known.insert(variable) {
            true => Ok(()),
            false => Err(format!("variable {number} is defined twice")),
        }
    }

    fn read<'l>(&self, literals: impl IntoIterator<Item = &'l Lit>) -> Result<(), String> {
        let mut variables = literals.into_iter().map(|literal| literal.var());
        match variables.find(|variable| !self.known.contains(variable)) {
            Some(unknown) => {
                let number = unknown.index() + 1;
                Err(format!("variable {number} is read before it is defined"))
            }
            None => Ok(()),
        }
    }
}

impl Program {
    /// Tests what is assumed of programs.
    ///
    /// # Errors
    /// The index of the item that breaks an assumption, and how.
    pub fn check(&self) -> Result<(), (usize, String)> {
        let mut checker = Checker {
            known: FxHashSet::default(),
            variables: self.variables,
        };
        for (index, item) in self.items.iter().enumerate() {
            let checked = match *item {
                Item::Gate(number) => {
                    let gate = &self.gates[number];
                    let inputs = self.conjuncts(gate).flatten();
                    checker
                        .read(inputs)
                        .and_then(|()| checker.define(gate.output))
                }
                Item::Check(number) => checker.read(self.clauses.get(number)),
                Item::Decision(number) => {
                    self.check_decision(&self.decisions[number], &mut checker)
                }
            };
            checked.map_err(|broken| (index, broken))?;
        }
        Ok(())
    }

    fn check_decision(&self, decision: &Decision, checker: &mut Checker) -> Result<(), String> {
        checker.read(&decision.unless())?;
        for &variable in &decision.variables {
            checker.define(variable)?;
        }
        let is_mean = decision.quantifier == Quantifier::Chance && decision.listed.is_none();
        let probabilities = if is_mean { decision.variables.len() } else { 0 };
        let is_maximum = decision.quantifier == Quantifier::Exists;
        let broken = match &decision.listed {
            _ if decision.probabilities.len() != probabilities => "number of probabilities",
            None if is_maximum => "an open maximum",
            None => return Ok(()),
            Some(listed) if is_maximum && listed.unless.is_some() => "a maximum with `unless`",
            Some(listed) if listed.assignments.len() > MAX_ASSIGNMENTS => "too many assignments",
            Some(AssignmentList { assignments, .. }) => {
                let count = decision.variables.len();
                let fits = |assignment: &Vec<u16>| {
                    assignment.is_sorted_by(|a, b| a < b)
                        && assignment.iter().all(|&index| usize::from(index) < count)
                };
                let different: FxHashSet<&Vec<u16>> = assignments.iter().collect();
                match assignments.iter().all(fits) {
                    true if different.len() == assignments.len() => "",
                    true => "equal assignments",
                    false => "an assignment is no ordered list of variables",
                }
            }
        };
        if !broken.is_empty() {
            return Err(broken.to_owned());
        }
        self.legality(decision)
            .try_for_each(|clause| checker.read(clause))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use formula::{BigRational, Probability};
    use num_traits::One;

    fn lit(number: i32) -> Lit {
        Lit::from_dimacs(number).expect("not 0")
    }

    fn vars<const COUNT: usize>(numbers: [usize; COUNT]) -> Vec<Var> {
        numbers.map(|number| Var::new(number - 1)).to_vec()
    }

    /// The mistake in a program that starts with a mean over 1 and a choice of 2 or 3, with its index.
    fn broken(and_then: impl FnOnce(&mut Program)) -> String {
        let mut program = Program::new(5, BigRational::one());
        let half = Probability::ratio(1, 2);
        program.push_decision(Decision::open(Quantifier::Chance, vars([1]), vec![half]));
        let choice = vec![vec![0], vec![1]];
        program.push_decision(Decision::listed(
            Quantifier::Exists,
            vars([2, 3]),
            choice,
            None,
        ));
        program.push_legal(&[lit(-2), lit(1)]);
        and_then(&mut program);
        let Err((index, how)) = program.check() else {
            return String::new();
        };
        format!("{index}: {how}")
    }

    fn listed(quantifier: Quantifier, assignments: &[&[u16]], unless: Option<Lit>) -> Decision {
        let assignments = assignments.iter().map(|indices| indices.to_vec()).collect();
        Decision::listed(quantifier, vars([4, 5]), assignments, unless)
    }

    #[test]
    fn what_is_right_passes() {
        let found = broken(|program| {
            program.push_gate(Var::new(3), true, [[lit(1), lit(-3)]]);
            program.push_check(&[lit(4), lit(2)]);
        });
        assert_eq!(found, "");
    }

    #[test]
    fn variables_are_defined_once_and_before_they_are_read() {
        let [third, fourth] = [2, 3].map(Var::new);
        let early = "2: variable 4 is read before it is defined";
        let twice = broken(|program| program.push_gate(third, false, [[lit(1)]]));
        assert_eq!(twice, "2: variable 3 is defined twice");
        assert_eq!(broken(|program| program.push_check(&[lit(-4)])), early);
        let gate = |program: &mut Program| program.push_gate(Var::new(4), false, [[lit(4)]]);
        assert_eq!(broken(gate), early);
        let own = |program: &mut Program| program.push_gate(fourth, false, [[lit(4)]]);
        assert_eq!(broken(own), early);
        let unless = listed(Quantifier::Forall, &[&[0]], Some(lit(4)));
        assert_eq!(broken(|program| program.push_decision(unless)), early);
        let legal = broken(|program| {
            program.push_decision(Decision::listed(
                Quantifier::Exists,
                vars([5]),
                vec![vec![0]],
                None,
            ));
            program.push_legal(&[lit(5), lit(4)]);
        });
        assert_eq!(legal, early);
        let outside = broken(|program| program.push_gate(Var::new(5), false, [[lit(1)]]));
        assert_eq!(outside, "2: there is no variable 6");
    }

    #[test]
    fn decisions_say_how_they_are_taken() {
        let of = |decision: Decision| broken(|program| program.push_decision(decision));
        let open = |quantifier, count| {
            let probabilities = vec![Probability::ratio(1, 2); count];
            of(Decision::open(quantifier, vars([4, 5]), probabilities))
        };
        assert_eq!(open(Quantifier::Chance, 2), "");
        assert_eq!(open(Quantifier::Forall, 0), "");
        assert_eq!(open(Quantifier::Exists, 0), "2: an open maximum");
        for (quantifier, count) in [(Quantifier::Chance, 1), (Quantifier::Forall, 2)] {
            assert_eq!(open(quantifier, count), "2: number of probabilities");
        }
        let pointless = listed(Quantifier::Exists, &[&[0]], Some(lit(1)));
        assert_eq!(of(pointless), "2: a maximum with `unless`");
        for wrong in [&[2][..], &[1, 0], &[0, 0]] {
            let decision = listed(Quantifier::Chance, &[&[0], wrong], None);
            assert_eq!(
                of(decision),
                "2: an assignment is no ordered list of variables"
            );
        }
        let equal = listed(Quantifier::Forall, &[&[0], &[1], &[0]], None);
        assert_eq!(of(equal), "2: equal assignments");
    }

    #[test]
    fn lists_have_an_end() {
        let count = 7;
        let subset = |bits: u16| (0..count).filter(|index| bits >> index & 1 == 1).collect();
        let decision = |assignments: u16| {
            let variables = (0..usize::from(count)).map(Var::new).collect();
            let assignments = (0..assignments).map(subset).collect();
            let mut program = Program::new(usize::from(count), BigRational::one());
            let decision = Decision::listed(Quantifier::Exists, variables, assignments, None);
            program.push_decision(decision);
            program.check()
        };
        assert_eq!(decision(64), Ok(()));
        assert_eq!(decision(65), Err((0, "too many assignments".to_owned())));
    }
}
