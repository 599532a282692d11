//! The value of a program by its definition: the oracle for tests of what rewrites programs.
//!
//! Items are executed one after the other, and each decision tries all of its assignments. It takes
//! exponential time and is meant to be obviously right.

use super::{Decision, Item, Program};
use formula::{BigRational, Lit, Probability, Quantifier, Var};
use num_traits::{One, Zero};

/// Is told a place in a program, the values of variables there, and the value of what follows.
pub type Look<'a> = dyn Fn(usize, &[Option<bool>], &BigRational) + 'a;

/// The value of a program over this many variables, given the probabilities of chance variables.
pub fn evaluate(
    program: &Program,
    variables: usize,
    chances: &[Option<Probability>],
) -> BigRational {
    evaluate_and_look(program, variables, chances, &|_, _, _| ())
}

/// The same; `look` is told the value of the rest of the program wherever it is known.
pub fn evaluate_and_look(
    program: &Program,
    variables: usize,
    chances: &[Option<Probability>],
    look: &Look<'_>,
) -> BigRational {
    let evaluation = Evaluation {
        program,
        chances,
        look,
    };
    evaluation.rest(0, &mut vec![None; variables])
}

struct Evaluation<'p> {
    program: &'p Program,
    chances: &'p [Option<Probability>],
    look: &'p Look<'p>,
}

type Values = Vec<Option<bool>>;

fn holds(literal: Lit, values: &Values) -> bool {
    let value = values[literal.var().index()];
    literal.holds(value.expect("items need only what earlier items define"))
}

impl Evaluation<'_> {
    /// The value of the items from a place on.
    fn rest(&self, place: usize, values: &mut Values) -> BigRational {
        let value = self.execute(place, values);
        (self.look)(place, values, &value);
        value
    }

    fn execute(&self, place: usize, values: &mut Values) -> BigRational {
        let Some(item) = self.program.items.get(place) else {
            return BigRational::one();
        };
        match *item {
            Item::Gate(number) => {
                let gate = &self.program.gates[number];
                let mut conjuncts = self.program.conjuncts(gate);
                let all = conjuncts.all(|clause| clause.iter().any(|&l| holds(l, values)));
                values[gate.output.index()] = Some(all != gate.inverted);
                let value = self.rest(place + 1, values);
                values[gate.output.index()] = None;
                value
            }
            Item::Check(number) => {
                let check = self.program.checks.get(number);
                if check.iter().any(|&literal| holds(literal, values)) {
                    self.rest(place + 1, values)
                } else {
                    BigRational::zero()
                }
            }
            Item::Decision(number) => {
                let decision = &self.program.decisions[number];
                match decision.selection {
                    Some(selection) => {
                        let free = selection.unless.is_some_and(|l| holds(l, values));
                        self.selection(place, decision, free, values)
                    }
                    None if decision.quantifier == Quantifier::Exists => {
                        let listed = self.listed(place, decision, false, values);
                        listed.into_iter().max().unwrap_or_default()
                    }
                    None => self.unlisted(place, decision, &decision.variables, values),
                }
            }
        }
    }

    fn selection(
        &self,
        place: usize,
        decision: &Decision,
        free: bool,
        values: &mut Values,
    ) -> BigRational {
        let allowed = self.listed(place, decision, true, values);
        let count = BigRational::from_integer(allowed.len().into());
        let value = match decision.quantifier {
            _ if allowed.is_empty() => None,
            _ if free => allowed.into_iter().max(),
            Quantifier::Exists => panic!("the maximising player does not select"),
            Quantifier::Forall => allowed.into_iter().min(),
            Quantifier::Chance => Some(allowed.into_iter().sum::<BigRational>() / count),
        };
        value.unwrap_or_default()
    }

    /// The values after the listed assignments, or after those that are allowed.
    fn listed(
        &self,
        place: usize,
        decision: &Decision,
        only_allowed: bool,
        values: &mut Values,
    ) -> Vec<BigRational> {
        let mut found = Vec::new();
        for pattern in &decision.patterns {
            for (place, variable) in (0..).zip(&decision.variables) {
                values[variable.index()] = Some(pattern.contains(&place));
            }
            if !only_allowed || self.is_allowed(place, values) {
                found.push(self.rest(place + 1, values));
            }
        }
        for variable in &decision.variables {
            values[variable.index()] = None;
        }
        found
    }

    /// Whether the checks after a place hold that read only what has a value now.
    fn is_allowed(&self, place: usize, values: &Values) -> bool {
        let mut later = self.program.items[place + 1..].iter();
        later.all(|item| match *item {
            Item::Check(number) => {
                let mut check = self.program.checks.get(number).iter();
                check
                    .clone()
                    .any(|literal| values[literal.var().index()].is_none())
                    || check.any(|&literal| holds(literal, values))
            }
            _ => true,
        })
    }

    fn unlisted(
        &self,
        place: usize,
        decision: &Decision,
        variables: &[Var],
        values: &mut Values,
    ) -> BigRational {
        let Some((variable, variables)) = variables.split_first() else {
            return self.rest(place + 1, values);
        };
        let [negative, positive] = [false, true].map(|value| {
            values[variable.index()] = Some(value);
            self.unlisted(place, decision, variables, values)
        });
        values[variable.index()] = None;
        match decision.quantifier {
            Quantifier::Exists => negative.max(positive),
            Quantifier::Forall => negative.min(positive),
            Quantifier::Chance => {
                let chance = self.chances[variable.index()].as_ref();
                let chance = chance
                    .expect("a chance variable has a probability")
                    .as_rational();
                positive * chance + negative * (BigRational::one() - chance)
            }
        }
    }
}
