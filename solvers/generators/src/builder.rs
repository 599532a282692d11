//! The builder that all families of problems share: it writes a formula variable by variable.
//!
//! Variables are numbered and stand in the prefix in the order they are made. Gates are
//! existential variables that clauses define; they are made where they are written, so a family
//! that wants all of them innermost makes its decisions first.

use super::{and_gate, choice_gate, exactly_one, xor_gate};
use formula::{Clauses, Formula, Lit, Names, Prefix, Probability, Quantifier, Var};
use std::fmt::Display;

/// A formula in the making.
#[derive(Default)]
pub struct FormulaBuilder {
    variables: usize,
    prefix: Prefix,
    matrix: Clauses,
    names: Names,
}

impl FormulaBuilder {
    fn name(&mut self, name: impl Display) -> Var {
        let (var, name) = (Var::new(self.variables), name.to_string());
        self.variables += 1;
        if !name.is_empty() {
            self.names.set(var, name);
        }
        var
    }

    /// New variables without names of a block as in SDIMACS: `e`, `a`, or `r` with a fraction.
    ///
    /// # Panics
    /// If that is no block.
    pub fn block(&mut self, block: &str, count: usize) -> Vec<Lit> {
        let chance = block.strip_prefix("r ").map(|fraction| {
            let fraction = fraction.parse().expect("a fraction");
            Probability::new(fraction).expect("a probability")
        });
        let one = |_| match (block, &chance) {
            ("e", _) => self.exists(""),
            ("a", _) => self.player(Quantifier::Forall, ""),
            (_, Some(probability)) => self.chance("", probability),
            _ => panic!("{block} is no block"),
        };
        (0..count).map(one).collect()
    }

    /// A new variable of one of the players.
    pub(super) fn player(&mut self, quantifier: Quantifier, name: impl Display) -> Lit {
        let var = self.name(name);
        self.prefix.push(quantifier, [var]);
        var.positive()
    }

    /// A new existential variable.
    pub fn exists(&mut self, name: impl Display) -> Lit {
        self.player(Quantifier::Exists, name)
    }

    /// A new chance variable. Probabilities 0 and 1 are allowed.
    pub fn chance(&mut self, name: impl Display, probability: &Probability) -> Lit {
        let var = self.name(name);
        self.prefix.push_chance(var, probability.clone());
        var.positive()
    }

    pub fn clause(&mut self, clause: impl IntoIterator<Item = Lit>) {
        self.matrix.push(clause);
    }

    fn clauses(&mut self, clauses: Vec<Vec<Lit>>) {
        for clause in clauses {
            self.matrix.push(clause);
        }
    }

    /// A new gate: the conjunction of the inputs.
    pub fn and(&mut self, name: impl Display, inputs: &[Lit]) -> Lit {
        let output = self.exists(name);
        self.clauses(and_gate(output, inputs));
        output
    }

    /// A new gate: the first input differs from the second.
    pub fn xor(&mut self, name: impl Display, first: Lit, second: Lit) -> Lit {
        let output = self.exists(name);
        self.clauses(xor_gate(output, first, second));
        output
    }

    /// A new gate: the disjunction of the inputs.
    pub(super) fn or(&mut self, name: impl Display, inputs: &[Lit]) -> Lit {
        let output = self.exists(name);
        let negated: Vec<Lit> = inputs.iter().map(|&input| !input).collect();
        self.clauses(and_gate(!output, &negated));
        output
    }

    /// A new gate: if condition then yes else no.
    pub(super) fn choice(&mut self, name: impl Display, condition: Lit, yes: Lit, no: Lit) -> Lit {
        let output = self.exists(name);
        self.clauses(choice_gate(output, condition, yes, no));
        output
    }

    /// New existential variables of which exactly one is true.
    pub(super) fn one_of<N: Display>(&mut self, names: impl IntoIterator<Item = N>) -> Vec<Lit> {
        let options: Vec<Lit> = names.into_iter().map(|name| self.exists(name)).collect();
        self.clauses(exactly_one(&options));
        options
    }

    /// Makes one of `count` equally likely cases hold, or lets the minimizer choose the
    /// case: case `i` of all but the last is the one if its variable is the first true one.
    /// Returns the `count - 1` variables; [`FormulaBuilder::cases`] makes the cases of them.
    pub(super) fn unknown(&mut self, unknown: Unknown, count: usize, name: &str) -> Vec<Lit> {
        (0..count - 1)
            .map(|case| match unknown {
                Unknown::Adversary => {
                    self.player(Quantifier::Forall, format_args!("{name}({case})"))
                }
                Unknown::Uniform => {
                    let left = (count - case) as u64;
                    let probability = Probability::ratio(1, left);
                    self.chance(format_args!("{name}({case})"), &probability)
                }
            })
            .collect()
    }

    /// Gates of which exactly one is true: "this is the first true variable", and as the last
    /// one "no variable is true".
    pub(super) fn cases(&mut self, variables: &[Lit], name: &str) -> Vec<Lit> {
        let mut earlier: Vec<Lit> = Vec::new();
        let mut cases = Vec::new();
        for case in 0..=variables.len() {
            let mut inputs = earlier.clone();
            if let Some(&variable) = variables.get(case) {
                inputs.push(variable);
                earlier.push(!variable);
            }
            cases.push(self.and(format_args!("{name}({case})"), &inputs));
        }
        cases
    }

    pub fn finish(self) -> Formula {
        Formula::new(self.variables, self.prefix, self.matrix, self.names)
    }
}

/// The owner of the variables that the maximizer does not know.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// Chance: all cases are equally likely.
    Uniform,
    /// The minimizer: the worst case counts.
    Adversary,
}
