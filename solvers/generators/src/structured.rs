//! Small formulas with the patterns of real ones.

use super::{and_gate, build, choice_gate, distinct, exactly_one, quantify, xor_gate};
use fastrand::Rng;
use formula::{Formula, Lit, Prefix, Quantifier, Var};
use std::ops::RangeInclusive;

/// The patterns and sizes for [`structured`]. The default has all patterns, over 3 to 11 variables.
#[derive(Clone, Debug)]
pub struct Structured {
    /// The number of variables, at least 3.
    pub variables: RangeInclusive<usize>,
    /// Whether there are universal variables.
    pub universal: bool,
    /// Whether there are chance variables.
    pub chance: bool,
    /// Whether probabilities 0 and 1 occur.
    pub certain_chance: bool,
    /// Whether some variables are left without a quantifier.
    pub free_variables: bool,
    /// Whether empty clauses, tautologies, repeated literals and opposite units occur.
    pub odd_clauses: bool,
}

impl Default for Structured {
    fn default() -> Self {
        Structured {
            variables: 3..=11,
            universal: true,
            chance: true,
            certain_chance: true,
            free_variables: true,
            odd_clauses: true,
        }
    }
}

/// A small formula with defined variables (and, exclusive or, if-then-else, equivalence),
/// exactly-one groups, one-sided definitions and loose clauses, under a shuffled prefix.
///
/// # Panics
/// If fewer than 3 variables are asked for.
pub fn structured(rng: &mut Rng, family: &Structured) -> Formula {
    let variables = rng.usize(family.variables.clone());
    assert!(
        variables >= 3,
        "a structured formula has at least 3 variables"
    );
    let mut order: Vec<Var> = (0..variables).map(Var::new).collect();
    rng.shuffle(&mut order);
    let quantifier_of = random_quantifiers(rng, family, variables);
    let mut prefix = Prefix::new();
    for (&var, &quantifier) in order.iter().zip(&quantifier_of) {
        let free = family.free_variables && rng.u32(0..25) == 0;
        if !free {
            quantify(rng, &mut prefix, quantifier, var, family.certain_chance);
        }
    }

    let mut clauses = Vec::new();
    for (position, &quantifier) in quantifier_of.iter().enumerate().skip(2) {
        // Definitions of variables that are not existential make most formulas false.
        let existential = quantifier == Quantifier::Exists;
        if rng.f64() < if existential { 0.6 } else { 0.04 } {
            clauses.extend(definition(rng, &order, position));
        }
    }
    if rng.f64() < 0.35 {
        let size = rng.usize(2..=variables.min(4));
        clauses.extend(exactly_one(&distinct(rng, variables, size)));
    }
    for _ in 0..rng.usize(0..=variables) {
        let width = *rng
            .choice(&[1, 2, 2, 2, 3, 3, 3, 3, 3, 4])
            .expect("not empty");
        clauses.push(distinct(rng, variables, width.min(variables)));
    }
    if family.odd_clauses {
        clauses.extend(odd(rng, variables));
    }
    rng.shuffle(&mut clauses);
    build(variables, prefix, clauses)
}

/// The quantifiers by position, in runs of one to three.
fn random_quantifiers(rng: &mut Rng, family: &Structured, count: usize) -> Vec<Quantifier> {
    let mut choices = vec![Quantifier::Exists, Quantifier::Exists];
    choices.extend(family.universal.then_some(Quantifier::Forall));
    choices.extend(family.chance.then_some(Quantifier::Chance));
    let mut result = Vec::with_capacity(count);
    while result.len() < count {
        let quantifier = *rng.choice(&choices).expect("not empty");
        for _ in 0..rng.usize(1..=3) {
            result.push(quantifier);
        }
    }
    result.truncate(count);
    result
}

/// Clauses that define the variable at this position of the prefix, mostly by earlier ones.
fn definition(rng: &mut Rng, order: &[Var], position: usize) -> Vec<Vec<Lit>> {
    let output = order[position].literal(rng.bool());
    let count = 2 + usize::from(position >= 3 && rng.u32(0..3) == 0);
    let mut candidates: Vec<Var> = order[..position].to_vec();
    if rng.u32(0..6) == 0 {
        candidates.extend(&order[position + 1..]);
    }
    rng.shuffle(&mut candidates);
    let inputs: Vec<Lit> = candidates[..count]
        .iter()
        .map(|var| var.literal(rng.bool()))
        .collect();
    let mut clauses = match rng.u32(0..10) {
        0..=4 => and_gate(output, &inputs),
        5 | 6 => xor_gate(output, inputs[0], inputs[1]),
        7 if count == 3 => choice_gate(output, inputs[0], inputs[1], inputs[2]),
        _ => vec![vec![!output, inputs[0]], vec![output, !inputs[0]]],
    };
    if rng.u32(0..5) == 0 {
        // A definition that is complete but for one clause tempts solvers into mistakes.
        let missing = rng.usize(0..clauses.len());
        clauses.swap_remove(missing);
    }
    clauses
}

/// Clauses that careful writers avoid.
fn odd(rng: &mut Rng, variables: usize) -> Vec<Vec<Lit>> {
    let mut clauses = Vec::new();
    let mut clause = distinct(rng, variables, 2);
    match rng.u32(0..20) {
        0..=3 => {
            let opposite = !clause[0];
            clause.push(opposite);
            clauses.push(clause);
        }
        4..=7 => {
            let repeated = clause[0];
            clause.push(repeated);
            clauses.push(clause);
        }
        8 => clauses.push(Vec::new()),
        9 => clauses.extend([vec![clause[0]], vec![!clause[0]]]),
        _ => {}
    }
    clauses
}
