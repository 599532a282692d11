//! The value of a program by its definition: the oracle for tests of rewriting passes.
//!
//! Items are executed one after the other, and each decision tries all of its assignments. It takes
//! exponential time and is meant to be obviously right.

use super::{AssignmentList, Decision, Item, Program};
use formula::{BigRational, Lit, Quantifier};
use num_traits::{One, Zero};

/// A visitor of each item: its index in the program, the values of variables there, and the value of the rest of the program.
pub type Visit<'a> = dyn Fn(usize, &[Option<bool>], &BigRational) + 'a;

/// The value of a program.
pub fn evaluate(program: &Program) -> BigRational {
    evaluate_and_visit(program, &|_, _, _| ())
}

/// The same; `visit` is called with the value of the rest of the items wherever it is known.
pub fn evaluate_and_visit(program: &Program, visit: &Visit<'_>) -> BigRational {
    let evaluation = Evaluation {
        program,
        visit,
        meet: &|_, _| None,
    };
    &program.factor * evaluation.rest(0, &mut vec![None; program.variables])
}

/// Called before an item with its index and the values of variables there, which it may replace; it may know the value of the rest.
pub type Meet<'a> = dyn Fn(usize, &mut Values) -> Option<BigRational> + 'a;

pub struct Evaluation<'p> {
    pub program: &'p Program,
    pub visit: &'p Visit<'p>,
    pub meet: &'p Meet<'p>,
}

pub type Values = Vec<Option<bool>>;

/// The value of a gate whose inputs have values.
pub fn gate_value(program: &Program, gate: usize, values: &Values) -> bool {
    let gate = &program.gates[gate];
    let mut conjuncts = program.conjuncts(gate);
    let all = conjuncts.all(|clause| clause.iter().any(|&l| holds(l, values)));
    all != gate.inverted
}

fn holds(literal: Lit, values: &Values) -> bool {
    let value = values[literal.var().index()];
    literal.holds(value.expect("items need only what earlier items define"))
}

impl Evaluation<'_> {
    /// The value of the items from an index on.
    pub fn rest(&self, index: usize, values: &mut Values) -> BigRational {
        let mut own = values.clone();
        let value = (self.meet)(index, &mut own);
        let value = value.unwrap_or_else(|| self.execute(index, &mut own));
        (self.visit)(index, values, &value);
        value
    }

    fn execute(&self, index: usize, values: &mut Values) -> BigRational {
        let Some(item) = self.program.items.get(index) else {
            return BigRational::one();
        };
        match *item {
            Item::Gate(number) => {
                let output = self.program.gates[number].output.index();
                values[output] = Some(gate_value(self.program, number, values));
                self.rest(index + 1, values)
            }
            Item::Check(number) => {
                let check = self.program.clauses.get(number);
                if check.iter().any(|&literal| holds(literal, values)) {
                    self.rest(index + 1, values)
                } else {
                    BigRational::zero()
                }
            }
            Item::Decision(number) => {
                let decision = &self.program.decisions[number];
                match &decision.listed {
                    Some(listed) => self.listed(index, decision, listed, values),
                    None => self.open(index, decision, 0, values),
                }
            }
        }
    }

    fn listed(
        &self,
        index: usize,
        decision: &Decision,
        listed: &AssignmentList,
        values: &mut Values,
    ) -> BigRational {
        let free = listed.unless.is_some_and(|literal| holds(literal, values));
        let mut found: Vec<BigRational> = Vec::new();
        for assignment in &listed.assignments {
            for (index, variable) in (0..).zip(&decision.variables) {
                values[variable.index()] = Some(assignment.contains(&index));
            }
            let mut legality = self.program.legality(decision);
            if legality.all(|clause| clause.iter().any(|&literal| holds(literal, values))) {
                found.push(self.rest(index + 1, values));
            }
        }
        let count = BigRational::from_integer(found.len().into());
        let value = match decision.quantifier {
            _ if found.is_empty() => None,
            Quantifier::Exists => found.into_iter().max(),
            _ if free => found.into_iter().max(),
            Quantifier::Forall => found.into_iter().min(),
            Quantifier::Chance => Some(found.into_iter().sum::<BigRational>() / count),
        };
        value.unwrap_or_default()
    }

    /// The value of an open decision, of which the first variables have values.
    fn open(
        &self,
        index: usize,
        decision: &Decision,
        decided: usize,
        values: &mut Values,
    ) -> BigRational {
        let Some(variable) = decision.variables.get(decided) else {
            return self.rest(index + 1, values);
        };
        let [negative, positive] = [false, true].map(|value| {
            values[variable.index()] = Some(value);
            self.open(index, decision, decided + 1, values)
        });
        match decision.quantifier {
            Quantifier::Exists => negative.max(positive),
            Quantifier::Forall => negative.min(positive),
            Quantifier::Chance => {
                let chance = decision.probabilities[decided].as_rational();
                positive * chance + negative * (BigRational::one() - chance)
            }
        }
    }
}
