//! The case to be proved of a group: the variables that are inputs, and the gates between
//! them and the demands.
//!
//! The inputs are the variables in the base checks of the choice (is this move legal, has the game
//! ended), and whatever else the rests of the demands depend on: gates are followed back as long as
//! they depend on a variable of the base checks. All inputs are taken to be free. That is more than
//! can occur, which makes the proof no less valid; only checks that read nothing but evaluated
//! variables and stand before the choice restrict them.

use super::cone::Cone;
use super::facts::Facts;
use super::group::Group;
use super::proof::{Case, Demand};
use crate::policy::MAX_INPUTS;
use crate::program::{AssignmentList, Program};
use formula::{BigRational, Lit, Probability, Var};
use num_traits::Zero;
use rustc_hash::FxHashMap;

/// A case, and which variable is meant by each number in it.
pub struct NumberedCase {
    pub case: Case,
    /// The variable of each number.
    pub variables: Vec<Var>,
}

/// Makes the case of a group; `None` if it gets too large.
pub fn case(
    program: &Program,
    facts: &Facts<'_>,
    chances: &[Option<Probability>],
    group: &Group<'_>,
    effort: &mut u64,
) -> Option<NumberedCase> {
    let choice = group.listed;
    if choice.assignments.is_empty() {
        return None;
    }
    let indices: FxHashMap<Var, u32> = (0..).zip(&group.decided).map(|(n, &v)| (v, n)).collect();
    let own: FxHashMap<Var, u16> = (0..)
        .zip(&group.choice.variables)
        .map(|(n, &v)| (v, n))
        .collect();
    let is_rest =
        |literal: &Lit| !own.contains_key(&literal.var()) && !indices.contains_key(&literal.var());

    let mut cone = Cone::new(program, facts);
    for clause in &group.base {
        for literal in clause.iter().filter(|literal| is_rest(literal)) {
            cone.add_input(literal.var());
        }
    }
    for &check in &group.demands {
        let rest = program.clauses.get(check).iter();
        for literal in rest.filter(|literal| is_rest(literal)) {
            cone.add(literal.var())?;
        }
    }
    *effort = effort.saturating_sub(cone.visited());
    if cone.inputs.len() > MAX_INPUTS {
        return None;
    }

    let mut base = Vec::new();
    for clause in &group.base {
        let lost = lost(choice, &own, clause);
        if lost != 0 {
            let rest = clause.iter().filter(|literal| is_rest(literal));
            base.push((lost, rest.map(|&literal| cone.local(literal)).collect()));
        }
    }
    let mut cubes: Vec<Vec<u32>> = Vec::new();
    let mut numbers: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
    let mut demands = Vec::new();
    for &check in &group.demands {
        let clause = program.clauses.get(check);
        // A check demands something where all of its literals are false.
        let literals = clause.iter().filter_map(|&literal| {
            let index = indices.get(&literal.var())?;
            Some(2 * index + u32::from(!literal.is_negative()))
        });
        let mut cube: Vec<u32> = literals.collect();
        cube.sort_unstable();
        cube.dedup();
        if cube.windows(2).any(|pair| pair[0] ^ 1 == pair[1]) {
            continue;
        }
        let number = *numbers.entry(cube.clone()).or_insert(cubes.len());
        if number == cubes.len() {
            cubes.push(cube);
        }
        let rest = clause.iter().filter(|literal| is_rest(literal));
        demands.push(Demand {
            cube: number,
            lost: lost(choice, &own, clause),
            rest: rest.map(|&literal| cone.local(literal)).collect(),
        });
    }
    let known = cone.known(group.index);
    let chance = |variable: &Var| match &chances[variable.index()] {
        Some(chance) => chance.as_rational().clone(),
        None => BigRational::zero(),
    };
    Some(NumberedCase {
        case: Case {
            quantifier: group.quantifier,
            chances: group.decided.iter().map(chance).collect(),
            patterns: choice.assignments.len(),
            variables: cone.variables.len(),
            inputs: cone.inputs,
            gates: cone.gates,
            known,
            base,
            cubes,
            demands,
        },
        variables: cone.variables,
    })
}

/// The patterns under which no literal of the choice makes this clause true.
fn lost(choice: &AssignmentList, own: &FxHashMap<Var, u16>, clause: &[Lit]) -> u64 {
    let literals = clause.iter().filter_map(|&literal| {
        let index = own.get(&literal.var())?;
        Some((literal, *index))
    });
    let literals: Vec<(Lit, u16)> = literals.collect();
    let patterns = choice.assignments.iter().enumerate();
    let lost = patterns.filter(|(_, pattern)| {
        let mut literals = literals.iter();
        !literals.any(|(literal, index)| literal.holds(pattern.contains(index)))
    });
    lost.fold(0, |bits, (number, _)| bits | 1 << number)
}
