//! Permutations of literals, and the test whether one is an automorphism of a program.

use super::statements::{Condition, Statements, sorted};
use crate::program::Decision;
use base::graph::Graph;
use formula::{Lit, Probability, Var};
use rustc_hash::{FxHashMap, FxHashSet};

/// A permutation of literals that maps negations to negations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automorphism {
    /// The variables that do not stay, each with the image of its positive literal; sorted.
    moves: Vec<(Var, Lit)>,
}

impl Automorphism {
    /// The permutation that maps these variables to these literals, and keeps all others.
    pub fn new(mut moves: Vec<(Var, Lit)>) -> Self {
        moves.retain(|&(variable, image)| image != variable.positive());
        moves.sort_unstable();
        Automorphism { moves }
    }

    /// The variables that do not stay, each with the image of its positive literal; sorted.
    pub fn moves(&self) -> &[(Var, Lit)] {
        &self.moves
    }

    /// The image of a literal.
    pub fn image(&self, literal: Lit) -> Lit {
        let variable = literal.var();
        match self
            .moves
            .binary_search_by_key(&variable, |&(variable, _)| variable)
        {
            Ok(index) if literal.is_negative() => !self.moves[index].1,
            Ok(index) => self.moves[index].1,
            Err(_) => literal,
        }
    }

    /// Whether no two variables have one image.
    fn is_permutation(&self) -> bool {
        let mut images: Vec<Var> = self.moves.iter().map(|(_, image)| image.var()).collect();
        images.sort_unstable();
        images
            .into_iter()
            .eq(self.moves.iter().map(|&(variable, _)| variable))
    }
}

/// Tests permutations against one program.
///
/// A statement without a variable that moves is its own image, so only the others are tested.
pub struct Verifier<'a> {
    statements: &'a Statements<'a>,
    /// The probabilities that decisions of chance give, by variable.
    chances: Vec<Option<Probability>>,
    /// The gate of a variable.
    definitions: FxHashMap<Var, usize>,
    conditions: FxHashSet<&'a Condition>,
    /// From variables to gates, clauses and decisions with them.
    in_definitions: Graph,
    in_conditions: Graph,
    in_decisions: Graph,
}

impl<'a> Verifier<'a> {
    pub fn new(statements: &'a Statements<'a>, chances: Vec<Option<Probability>>) -> Self {
        let variables = chances.len();
        let definitions = statements.definitions.iter().enumerate();
        Verifier {
            statements,
            chances,
            definitions: definitions
                .map(|(index, definition)| (definition.output.var(), index))
                .collect(),
            conditions: statements.conditions.iter().collect(),
            in_definitions: Graph::new(variables, |edge| {
                for (index, definition) in statements.definitions.iter().enumerate() {
                    edge(definition.output.var().index(), index);
                    let inputs = definition.clauses.iter().flatten();
                    inputs.for_each(|input| edge(input.var().index(), index));
                }
            }),
            in_conditions: Graph::new(variables, |edge| {
                for (index, condition) in statements.conditions.iter().enumerate() {
                    let literals = condition.clause.iter();
                    literals.for_each(|literal| edge(literal.var().index(), index));
                }
            }),
            in_decisions: Graph::new(variables, |edge| {
                for (index, decision) in statements.decisions.iter().enumerate() {
                    let variables = decision.variables.iter();
                    variables.for_each(|variable| edge(variable.index(), index));
                    if let Some(literal) = decision.unless() {
                        edge(literal.var().index(), index);
                    }
                }
            }),
        }
    }

    /// Whether this is an automorphism of the program.
    pub fn accepts(&self, candidate: &Automorphism) -> bool {
        let touched = |occurrences: &Graph| -> Vec<usize> {
            let variables = candidate.moves.iter();
            let mut touched: Vec<usize> = variables
                .flat_map(|(variable, _)| occurrences.targets(variable.index()))
                .map(|&index| index as usize)
                .collect();
            touched.sort_unstable();
            touched.dedup();
            touched
        };
        // Images of different statements are different, so it is enough that each is there.
        candidate.is_permutation()
            && touched(&self.in_decisions)
                .into_iter()
                .all(|index| self.keeps(candidate, &self.statements.decisions[index]))
            && touched(&self.in_definitions).into_iter().all(|index| {
                let definition = &self.statements.definitions[index];
                let mapped = definition.mapped(|literal| candidate.image(literal));
                self.definitions
                    .get(&mapped.output.var())
                    .is_some_and(|&index| self.statements.definitions[index].means(&mapped))
            })
            && touched(&self.in_conditions).into_iter().all(|index| {
                let condition = &self.statements.conditions[index];
                let clause = condition.clause.iter();
                let mapped = clause.map(|&literal| candidate.image(literal)).collect();
                self.conditions.contains(&Condition {
                    clause: sorted(mapped),
                    ..*condition
                })
            })
    }

    /// Whether a decision is mapped to itself.
    fn keeps(&self, candidate: &Automorphism, decision: &Decision) -> bool {
        let positions = decision.variables.iter().enumerate();
        let positions: FxHashMap<Var, usize> =
            positions.map(|(position, &var)| (var, position)).collect();
        let image = |variable: &Var| candidate.image(variable.positive());
        let stays = decision.variables.iter().all(|variable| {
            let image = image(variable);
            positions.contains_key(&image.var())
                && self.chance(variable.positive()) == self.chance(image)
        });
        if !stays {
            return false;
        }
        let unless = decision.unless();
        if unless.is_some_and(|literal| candidate.image(literal) != literal) {
            return false;
        }
        let Some(listed) = &decision.listed else {
            return true;
        };
        let listed: FxHashSet<&Vec<u16>> = listed.assignments.iter().collect();
        listed.iter().all(|assignment| {
            let mut mapped: Vec<u16> = Vec::new();
            for (position, variable) in decision.variables.iter().enumerate() {
                let image = image(variable);
                let value = assignment.binary_search(&(position as u16)).is_ok();
                if image.holds(value) {
                    mapped.push(positions[&image.var()] as u16);
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
