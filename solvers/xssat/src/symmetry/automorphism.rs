//! Permutations of literals, and the test whether one is an automorphism of a program.

use super::statements::{Definition, Statements, is_listed, sorted};
use crate::order::Decision;
use formula::{Lit, Probability, Quantifier, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// A permutation of literals that maps negations to negations.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Automorphism {
    /// The image of the positive literal, by variable.
    images: Vec<Lit>,
}

impl Automorphism {
    /// The permutation that maps each variable to this literal.
    pub fn new(images: Vec<Lit>) -> Self {
        Automorphism { images }
    }

    /// The image of a literal.
    #[inline]
    pub fn image(&self, literal: Lit) -> Lit {
        let image = self.images[literal.var().index()];
        if literal.is_negative() { !image } else { image }
    }

    /// First this, then the other.
    pub fn then(&self, other: &Automorphism) -> Automorphism {
        let images = self.images.iter();
        Automorphism::new(images.map(|&image| other.image(image)).collect())
    }

    /// Whether nothing moves.
    pub fn is_identity(&self) -> bool {
        let mut images = self.images.iter().enumerate();
        images.all(|(index, &image)| image == Var::new(index).positive())
    }

    fn clause(&self, clause: &[Lit]) -> Vec<Lit> {
        sorted(clause.iter().map(|&literal| self.image(literal)).collect())
    }
}

/// Tests permutations against one program.
pub struct Verifier<'a> {
    statements: &'a Statements<'a>,
    chances: &'a [Option<Probability>],
    /// The gate of a variable.
    definitions: FxHashMap<Var, usize>,
    checks: FxHashSet<&'a (u32, Vec<Lit>)>,
}

impl<'a> Verifier<'a> {
    /// Prepares for a program.
    pub fn new(statements: &'a Statements<'a>, chances: &'a [Option<Probability>]) -> Self {
        let definitions = statements.definitions.iter().enumerate();
        Verifier {
            statements,
            chances,
            definitions: definitions
                .map(|(index, definition)| (definition.output.var(), index))
                .collect(),
            checks: statements.checks.iter().collect(),
        }
    }

    /// Whether this is an automorphism of the program.
    pub fn accepts(&self, candidate: &Automorphism) -> bool {
        let mut met = vec![false; candidate.images.len()];
        let permutes = candidate.images.iter().all(|image| {
            let met = met.get_mut(image.var().index());
            met.is_some_and(|met| !std::mem::replace(met, true))
        });
        // Images of different statements are different, so it is enough that each is there.
        permutes
            && self
                .statements
                .decisions
                .iter()
                .all(|decision| self.keeps(candidate, decision))
            && self.statements.definitions.iter().all(|definition| {
                let mapped = definition.mapped(|literal| candidate.image(literal));
                self.definition_of(mapped.output.var())
                    .is_some_and(|definition| definition.means(&mapped))
            })
            && self.statements.checks.iter().all(|(era, clause)| {
                let mapped = (*era, candidate.clause(clause));
                self.checks.contains(&mapped)
            })
    }

    fn definition_of(&self, variable: Var) -> Option<&Definition> {
        let index = self.definitions.get(&variable)?;
        Some(&self.statements.definitions[*index])
    }

    /// Whether a decision is mapped to itself.
    fn keeps(&self, candidate: &Automorphism, decision: &Decision) -> bool {
        let places = decision.variables.iter().enumerate();
        let places: FxHashMap<Var, usize> = places.map(|(place, &var)| (var, place)).collect();
        let image = |variable: &Var| candidate.image(variable.positive());
        let stays = decision.variables.iter().all(|variable| {
            let image = image(variable);
            places.contains_key(&image.var())
                && (decision.quantifier != Quantifier::Chance
                    || self.chance(variable.positive()) == self.chance(image))
        });
        if !stays {
            return false;
        }
        let unless = decision.selection.and_then(|selection| selection.unless);
        if unless.is_some_and(|literal| candidate.image(literal) != literal) {
            return false;
        }
        if !is_listed(decision) {
            return true;
        }
        let listed: FxHashSet<Vec<u16>> = decision
            .patterns
            .iter()
            .map(|pattern| {
                let mut pattern = pattern.clone();
                pattern.sort_unstable();
                pattern.dedup();
                pattern
            })
            .collect();
        listed.iter().all(|pattern| {
            let mut mapped: Vec<u16> = Vec::new();
            for (place, variable) in decision.variables.iter().enumerate() {
                let image = image(variable);
                let value = pattern.binary_search(&(place as u16)).is_ok();
                if image.holds(value) {
                    mapped.push(places[&image.var()] as u16);
                }
            }
            mapped.sort_unstable();
            listed.contains(&mapped)
        })
    }

    /// The probability that a literal is true.
    fn chance(&self, literal: Lit) -> Option<Probability> {
        let chance = self.chances[literal.var().index()].as_ref()?;
        Some(if literal.is_negative() {
            chance.complement()
        } else {
            chance.clone()
        })
    }
}
