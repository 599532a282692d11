//! Unit propagation. A clause of one literal fixes its variable. The consequence depends on the player who
//! decides the variable:
//!
//! * an existential variable simply takes the value;
//! * a chance variable takes it with probability p, and otherwise all is lost: the value of the
//!   rest is multiplied by p. A constant factor passes through maximum, minimum and mean, so it
//!   does not matter at which level the variable stands;
//! * a universal variable will take the other value: the formula has value 0.
//!
//! Chance variables of probability 0 or 1 are fixed from the start.

use super::super::occurrences::Occurrences;
use super::super::problem::{Falsified, Problem};
use crate::{BigRational, Lit, Quantifier, Var};
use num_bigint::BigInt;
use num_traits::One;

/// Propagates to the end and takes satisfied clauses and false literals out. Says whether
/// anything was fixed.
pub fn propagate(problem: &mut Problem) -> Result<bool, Falsified> {
    let mut assignment = Assignment {
        values: vec![None; problem.variables()],
        trail: Vec::new(),
        numerator: BigInt::one(),
        denominator: BigInt::one(),
    };
    let occurring = problem.occurring();
    for variable in (0..problem.variables()).map(Var::new) {
        if let Some(chance) = &problem.chances[variable.index()]
            && occurring[variable.index()]
            && (chance.is_zero() || chance.is_one())
        {
            let literal = variable.literal(chance.is_one());
            assignment.fix(problem, literal)?;
        }
    }
    for index in 0..problem.clauses.len() {
        match problem.clauses.get(index) {
            [] => return Err(Falsified),
            &[literal] => assignment.fix(problem, literal)?,
            _ => {}
        }
    }
    if assignment.trail.is_empty() {
        return Ok(false);
    }
    let occurrences = Occurrences::new(problem.variables(), &problem.clauses);
    let mut open: Vec<u32> = problem
        .clauses
        .iter()
        .map(|clause| clause.len() as u32)
        .collect();
    let mut done = 0;
    while let Some(&literal) = assignment.trail.get(done) {
        done += 1;
        for &index in occurrences.of(!literal) {
            open[index as usize] -= 1;
            if open[index as usize] > 1 {
                continue;
            }
            let clause = problem.clauses.get(index as usize);
            if clause
                .iter()
                .any(|&literal| assignment.value(literal) == Some(true))
            {
                continue;
            }
            let unit = clause
                .iter()
                .find(|&&literal| assignment.value(literal).is_none());
            match unit {
                Some(&unit) => assignment.fix(problem, unit)?,
                None => return Err(Falsified),
            }
        }
    }
    problem.factor *= BigRational::new(
        std::mem::take(&mut assignment.numerator),
        std::mem::take(&mut assignment.denominator),
    );
    problem.rewrite_clauses(|clause, kept| {
        for &literal in clause {
            match assignment.value(literal) {
                Some(true) => return false,
                Some(false) => {}
                None => kept.push(literal),
            }
        }
        true
    });
    Ok(true)
}

struct Assignment {
    values: Vec<Option<bool>>,
    trail: Vec<Lit>,
    /// The factor for the chance variables fixed: reduced once, at the end, because reducing takes
    /// time that grows with the square of the length.
    numerator: BigInt,
    denominator: BigInt,
}

impl Assignment {
    fn value(&self, literal: Lit) -> Option<bool> {
        self.values[literal.var().index()].map(|value| literal.holds(value))
    }

    fn fix(&mut self, problem: &Problem, literal: Lit) -> Result<(), Falsified> {
        let variable = literal.var();
        match self.value(literal) {
            Some(true) => return Ok(()),
            Some(false) => return Err(Falsified),
            None => {}
        }
        match problem.quantifier(variable) {
            Quantifier::Exists => {}
            Quantifier::Forall => return Err(Falsified),
            Quantifier::Chance => {
                let chance = problem.chances[variable.index()].as_ref();
                let chance = chance.expect("a chance variable has a probability");
                let factor = if literal.is_negative() {
                    chance.complement()
                } else {
                    chance.clone()
                };
                if factor.is_zero() {
                    return Err(Falsified);
                }
                self.numerator *= factor.as_rational().numer();
                self.denominator *= factor.as_rational().denom();
            }
        }
        self.values[variable.index()] = Some(!literal.is_negative());
        self.trail.push(literal);
        Ok(())
    }
}
