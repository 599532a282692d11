//! A disjunction of conjunctions with few gates.
//!
//! The instances of a rule often have a literal in common: a cell stays as it is if *some* move is
//! made elsewhere. Taking it out saves the gates of all but one conjunction, and the rest (some
//! of these moves is made) is the same for many cells, and so one gate for all of them:
//!
//! ```text
//! (cell and a) or (cell and b) or (cell and c)   =   cell and (a or b or c)
//! ```
//!
//! Each conjunction goes to the group of its most frequent literal; the literals that all of the group have in
//! common are taken out, and the rest is treated in the same way. This is quick factoring of logic
//! synthesis, not the best one.

use circuit::{Circuit, Literal};
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::hash::BuildHasher;

/// A group of this number of conjunctions is always worth a factor; a smaller one only if that leaves some
/// of them as single literals, which need no gate.
const MANY: usize = 8;

/// How often factors are taken out of factors. Deeper conjunctions stay as they are.
const MAX_LEVELS: usize = 32;

/// The disjunction of some conjunctions.
pub(super) fn factored(circuit: &mut Circuit, bodies: Vec<Vec<Literal>>) -> Literal {
    at_level(circuit, bodies, 0)
}

fn at_level(circuit: &mut Circuit, mut bodies: Vec<Vec<Literal>>, level: usize) -> Literal {
    bodies.sort_unstable();
    bodies.dedup();
    // For each signal, how often it occurs, and a hash of where.
    let mut occurrences: FxHashMap<Literal, (usize, u64)> = FxHashMap::default();
    for (number, body) in (1..).zip(&bodies) {
        let hash = FxBuildHasher.hash_one(number);
        for &signal in body {
            let (count, indexes) = occurrences.entry(signal).or_default();
            *count += 1;
            *indexes = indexes.wrapping_add(hash);
        }
    }
    let mut terms = Vec::new();
    let mut groups: BTreeMap<Literal, Vec<Vec<Literal>>> = BTreeMap::new();
    for body in bodies {
        // A signal known early goes first among equals: it can be computed once for many moves.
        let rank = |signal: &Literal| (occurrences[signal].0, Reverse(circuit.level(*signal)));
        let factor = body.iter().copied().max_by_key(rank).filter(|factor| {
            let is_alike = |other: &Literal| {
                rank(other) != rank(factor) || occurrences[other] == occurrences[factor]
            };
            level < MAX_LEVELS && occurrences[factor].0 > 1 && body.iter().all(is_alike)
        });
        match factor {
            Some(factor) => groups.entry(factor).or_default().push(body),
            None => terms.push(circuit.and(body)),
        }
    }
    for mut bodies in groups.into_values() {
        let mut common = bodies[0].clone();
        common.retain(|signal| bodies.iter().all(|body| body.binary_search(signal).is_ok()));
        let alone = |body: &&Vec<Literal>| body.len() == common.len() + 1;
        if bodies.len() < MANY && bodies.iter().filter(alone).count() < 2 {
            terms.extend(bodies.into_iter().map(|body| circuit.and(body)));
            continue;
        }
        for body in &mut bodies {
            body.retain(|signal| common.binary_search(signal).is_err());
        }
        let rest = at_level(circuit, bodies, level + 1);
        terms.push(circuit.and(common.into_iter().chain([rest])));
    }
    circuit.or(terms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_literals_are_taken_out() {
        let mut circuit = Circuit::new();
        let [a, b, c, d, e] = [0, 0, 1, 1, 1].map(|level| circuit.input(level));
        let bodies = vec![
            vec![a, c],
            vec![a, d],
            vec![b, c, e],
            vec![a, e],
            vec![b, d, e],
        ];
        let found = factored(&mut circuit, bodies);
        let some = circuit.or([c, d, e]);
        let left = circuit.and([a, some]);
        let other = circuit.or([c, d]);
        let right = circuit.and([b, e, other]);
        assert_eq!(found, circuit.or([left, right]));
        // Nothing is gained here.
        let found = factored(&mut circuit, vec![vec![a, b, c], vec![a, d, e]]);
        let [left, right] = [circuit.and([a, b, c]), circuit.and([a, d, e])];
        assert_eq!(found, circuit.or([left, right]));
        assert_eq!(Literal::FALSE, factored(&mut circuit, vec![]));
        assert_eq!(Literal::TRUE, factored(&mut circuit, vec![vec![a], vec![]]));
    }
}
