//! What the state demands of a group of existential variables, found in one go for all
//! assignments.
//!
//! Most checks on a choice of moves have the form "if ... then this move is (not) chosen". Testing
//! them for each assignment would repeat the "if" as often as there are moves. Instead, all of them
//! are walked once per state: where the rest of a check is violated, one of its literals of the
//! group is demanded, and only the assignments that satisfy all demands are tried. Checks among the
//! variables of the group only, such as "not two moves", hold under all listed assignments and are
//! dropped.

use super::code::{Code, Tree};
use crate::order::Decision;
use formula::Lit;
use rustc_hash::FxHashMap;

/// The demands on a listed decision.
#[derive(Clone, Debug)]
pub struct Demands {
    tree: Tree,
    /// For each demand, the assignments that satisfy it, as bits. Demands are numbered by that.
    satisfying: Vec<u64>,
    all: u64,
}

impl Demands {
    /// Takes the checks that are demands out of a list of checks. `literal` gives the code of a
    /// literal that is not of the group.
    pub fn extract(
        decision: &Decision,
        checks: &mut Vec<&[Lit]>,
        literal: impl Fn(Lit) -> u32,
        code: &mut Code,
        known_at: &[u32],
    ) -> Self {
        let place_of = |literal: &Lit| {
            let mut variables = decision.variables.iter();
            variables.position(|&variable| variable == literal.var())
        };
        let satisfying = |place: usize, negative: bool| -> u64 {
            let patterns = decision.patterns.iter().enumerate();
            patterns
                .filter(|(_, pattern)| pattern.contains(&(place as u16)) != negative)
                .fold(0, |bits, (number, _)| bits | 1 << number)
        };
        let places = 0..decision.variables.len();
        let satisfying: Vec<u64> = places
            .flat_map(|place| [satisfying(place, false), satisfying(place, true)])
            .collect();
        let count = decision.patterns.len();
        let all = if count == 64 {
            u64::MAX
        } else {
            (1 << count) - 1
        };
        let mut clauses = Vec::new();
        let mut demanded: Vec<u64> = Vec::new();
        let mut numbers: FxHashMap<u64, u32> = FxHashMap::default();
        checks.retain(|check| {
            let own = check.iter().filter_map(|literal| {
                place_of(literal).map(|place| 2 * place + usize::from(literal.is_negative()))
            });
            let own: Vec<usize> = own.collect();
            let satisfied = own.iter().fold(0, |bits, &own| bits | satisfying[own]);
            if satisfied == all {
                return false;
            }
            if own.is_empty() {
                return true;
            }
            let number = *numbers.entry(satisfied).or_insert_with(|| {
                demanded.push(satisfied);
                demanded.len() as u32 - 1
            });
            let rest = check.iter().filter(|literal| place_of(literal).is_none());
            let rest = rest.map(|&other| literal(other)).collect();
            clauses.push((rest, number));
            false
        });
        Demands {
            tree: code.push_demands(clauses, known_at),
            satisfying: demanded,
            all,
        }
    }

    /// The assignments that satisfy all demands, as bits.
    #[inline]
    pub fn allowed(&self, code: &Code, values: &[u8]) -> u64 {
        let mut allowed = self.all;
        code.demands(&self.tree, values, |demand| {
            allowed &= self.satisfying[demand as usize];
            allowed != 0
        });
        allowed
    }

    /// The same with three values: the assignments that may satisfy all demands.
    pub fn possibly_allowed(&self, code: &Code, values: &[u8]) -> u64 {
        let mut allowed = self.all;
        code.certain_demands(&self.tree, values, |demand| {
            allowed &= self.satisfying[demand as usize];
            allowed != 0
        });
        allowed
    }

    /// The same with three values: the assignments that certainly satisfy all demands.
    pub fn certainly_allowed(&self, code: &Code, values: &[u8]) -> u64 {
        let mut allowed = self.all;
        code.possible_demands(&self.tree, values, |demand| {
            allowed &= self.satisfying[demand as usize];
            allowed != 0
        });
        allowed
    }
}
