//! State abstraction: the view that keys have of a state in which some facts may no longer matter ([`crate::dead_facts`]).

use crate::keys::Permutation;
use crate::plain::pack;
use circuit::{Circuit, Literal};
use rustc_hash::FxHashMap;

/// A map from states to the views that keys have of them.
#[derive(Debug)]
pub struct Abstraction {
    /// The circuit of the step, with more gates.
    pub circuit: Circuit,
    /// The facts that matter.
    pub inputs: Vec<Literal>,
    /// For each of these facts the signal that the key sees instead.
    pub facts: Vec<Literal>,
}

impl Abstraction {
    /// The abstraction as text: the facts that matter, the signals that are seen instead of them, and their gates.
    pub fn form(&self) -> String {
        let gates = self.circuit.cone(&self.facts);
        let gates: Vec<(usize, &[Literal])> = gates
            .iter()
            .map(|&node| (node, self.circuit.gate(node)))
            .collect();
        format!("{:?} {:?} {gates:?}", self.inputs, self.facts)
    }

    /// How many facts may be dead.
    pub fn dead_facts(&self) -> usize {
        let pairs = self.inputs.iter().zip(&self.facts);
        pairs.filter(|(input, seen)| input != seen).count()
    }

    /// Whether the fact with this place is always seen as it is.
    pub fn shows(&self, index: usize) -> bool {
        self.inputs[index] == self.facts[index]
    }

    /// The view that the key has of a state; the view and the facts have one bit per fact.
    pub fn of(&self, facts: &[u64]) -> Vec<u64> {
        let indices = 0..self.inputs.len();
        let holding = indices.filter(|bit| facts[bit / 64] >> (bit % 64) & 1 == 1);
        let values = (self.circuit).evaluate(holding.map(|bit| self.inputs[bit]));
        let mut words = vec![0; facts.len()];
        for (bit, &signal) in self.facts.iter().enumerate() {
            words[bit / 64] |= u64::from(signal.holds(&values)) << (bit % 64);
        }
        words
    }

    /// How many facts it sees as something else, summed over some states.
    pub fn differences(&self, facts: &[usize], states: &[Vec<bool>]) -> usize {
        let mut found = 0;
        for state in states {
            let words = pack(facts, state);
            let seen = self.of(&words);
            let pairs = seen.iter().zip(&words);
            found += pairs
                .map(|(one, other)| (one ^ other).count_ones())
                .sum::<u32>();
        }
        found as usize
    }

    /// Whether its view of the image of a state is the image of its view of the state.
    pub fn respects(&self, map: &Permutation) -> bool {
        let mut circuit = self.circuit.clone();
        let cone = circuit.cone(&self.facts);
        let pairs = self.inputs.iter().zip(map);
        let mut images: FxHashMap<usize, Literal> = pairs
            .map(|(input, &to)| (input.node(), self.inputs[to as usize]))
            .collect();
        let found = circuit.substitute(&self.facts, &cone, &mut images);
        let mut expected = map.iter().map(|&to| self.facts[to as usize]);
        found.iter().all(|&signal| expected.next() == Some(signal))
    }
}
