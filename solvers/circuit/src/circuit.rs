//! The circuit while it is built.
//!
//! Invariants: nodes are numbered so that the inputs of a gate come before it; no two gates have
//! the same inputs; no gate has a constant, repeated, or contradictory input, or fewer than two.

use rustc_hash::FxHashMap;
use std::ops::{Not, Range};

/// A wire of a circuit, or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Signal(u32);

impl Signal {
    /// The wire that is always false.
    pub const FALSE: Signal = Signal(0);
    /// The wire that is always true.
    pub const TRUE: Signal = Signal(1);

    fn new(node: usize) -> Self {
        Signal(2 * node as u32)
    }

    /// The node whose output this is, perhaps negated.
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether this is the negation of a node's output.
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Whether it is true, by the values of all nodes ([`Circuit::evaluate`]).
    pub fn holds(self, values: &[bool]) -> bool {
        values[self.node()] != self.is_negated()
    }

    /// This signal, or its negation.
    pub fn negated_if(self, negate: bool) -> Self {
        Signal(self.0 ^ u32::from(negate))
    }
}

impl Not for Signal {
    type Output = Signal;

    fn not(self) -> Signal {
        Signal(self.0 ^ 1)
    }
}

/// A circuit of conjunctions and negations.
#[derive(Clone, Default, Debug)]
pub struct Circuit {
    /// The inputs of each node, as a range of `inputs`; empty for the constant and for inputs of
    /// the circuit.
    gates: Vec<(u32, u32)>,
    inputs: Vec<Signal>,
    levels: Vec<u32>,
    known: FxHashMap<Box<[Signal]>, u32>,
    buffer: Vec<Signal>,
}

impl Circuit {
    /// A circuit with nothing but the constant.
    pub fn new() -> Self {
        let mut circuit = Circuit::default();
        circuit.push(0..0, 0);
        circuit
    }

    /// Takes everything out but the constant, and keeps the memory.
    pub fn clear(&mut self) {
        self.gates.clear();
        self.inputs.clear();
        self.levels.clear();
        self.known.clear();
        self.push(0..0, 0);
    }

    /// The output of a node.
    pub fn signal(&self, node: usize) -> Signal {
        Signal::new(node)
    }

    /// The number of nodes, with the constant.
    pub fn node_count(&self) -> usize {
        self.gates.len()
    }

    fn push(&mut self, inputs: Range<usize>, level: u32) -> Signal {
        self.gates.push((inputs.start as u32, inputs.end as u32));
        self.levels.push(level);
        Signal::new(self.gates.len() - 1)
    }

    /// Adds an input that is known from a level on. Levels are for the user; a gate has the largest
    /// level of its inputs.
    pub fn input(&mut self, level: u32) -> Signal {
        self.push(0..0, level)
    }

    /// The level from which on a signal is known. Constants are known from level 0.
    pub fn level(&self, signal: Signal) -> u32 {
        self.levels[signal.node()]
    }

    /// The inputs of a gate. Empty for inputs of the circuit and for the constant.
    pub fn gate(&self, node: usize) -> &[Signal] {
        let (start, end) = self.gates[node];
        &self.inputs[start as usize..end as usize]
    }

    /// The conjunction of signals.
    pub fn and(&mut self, signals: impl IntoIterator<Item = Signal>) -> Signal {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        buffer.extend(signals);
        let result = self.and_of(&mut buffer);
        self.buffer = buffer;
        result
    }

    /// The disjunction of signals.
    pub fn or(&mut self, signals: impl IntoIterator<Item = Signal>) -> Signal {
        !self.and(signals.into_iter().map(|signal| !signal))
    }

    fn and_of(&mut self, signals: &mut Vec<Signal>) -> Signal {
        signals.retain(|&signal| signal != Signal::TRUE);
        signals.sort_unstable();
        signals.dedup();
        let contradictory = signals.windows(2).any(|pair| pair[0] == !pair[1]);
        match signals.as_slice() {
            _ if contradictory => Signal::FALSE,
            // The constant has the smallest number.
            &[Signal::FALSE, ..] => Signal::FALSE,
            &[] => Signal::TRUE,
            &[single] => single,
            many => {
                if let Some(&node) = self.known.get(many) {
                    return Signal::new(node as usize);
                }
                let level = many.iter().map(|&input| self.level(input)).max();
                let start = self.inputs.len();
                self.inputs.extend_from_slice(many);
                let signal = self.push(start..self.inputs.len(), level.unwrap_or(0));
                self.known.insert(many.into(), signal.node() as u32);
                signal
            }
        }
    }

    /// The value of each node where these inputs are true, and all others false.
    pub fn evaluate(&self, inputs: impl IntoIterator<Item = Signal>) -> Vec<bool> {
        let mut values = vec![false; self.node_count()];
        for input in inputs {
            values[input.node()] = true;
        }
        for node in 1..values.len() {
            let gate = self.gate(node);
            if !gate.is_empty() {
                values[node] = gate.iter().all(|input| input.holds(&values));
            }
        }
        values
    }

    /// The nodes that some signals depend on, themselves included, in ascending order.
    pub fn cone(&self, roots: &[Signal]) -> Vec<usize> {
        let mut seen = vec![false; self.node_count()];
        for root in roots {
            seen[root.node()] = true;
        }
        for node in (0..self.node_count()).rev() {
            if seen[node] {
                for input in self.gate(node) {
                    seen[input.node()] = true;
                }
            }
        }
        (0..self.node_count()).filter(|&node| seen[node]).collect()
    }

    /// The signals after some nodes are replaced: `images` gives the replaced nodes, and
    /// the cone is that of the signals, or any larger one. New gates are added as needed.
    pub fn substitute(
        &mut self,
        signals: &[Signal],
        cone: &[usize],
        images: &mut FxHashMap<usize, Signal>,
    ) -> Vec<Signal> {
        for &node in cone {
            if images.contains_key(&node) {
                continue;
            }
            let changed = |input: &Signal| images.contains_key(&input.node());
            if self.gate(node).iter().any(changed) {
                let image = |input: &Signal| match images.get(&input.node()) {
                    Some(image) => image.negated_if(input.is_negated()),
                    None => *input,
                };
                let inputs: Vec<Signal> = self.gate(node).iter().map(image).collect();
                let new = self.and(inputs);
                images.insert(node, new);
            }
        }
        let image = |signal: &Signal| match images.get(&signal.node()) {
            Some(image) => image.negated_if(signal.is_negated()),
            None => *signal,
        };
        signals.iter().map(image).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_gates_are_one_and_constants_vanish() {
        let mut circuit = Circuit::new();
        let [a, b, c] = [0, 1, 2].map(|level| circuit.input(level));
        let both = circuit.and([a, b]);
        assert_eq!(circuit.and([b, Signal::TRUE, a, b]), both);
        assert_eq!(circuit.and([a, !a, c]), Signal::FALSE);
        assert_eq!(circuit.and([a, Signal::FALSE]), Signal::FALSE);
        assert_eq!(circuit.and([]), Signal::TRUE);
        assert_eq!(circuit.and([!c]), !c);
        assert_eq!(circuit.or([]), Signal::FALSE);
        assert_eq!(circuit.or([!a, !b]), !both);
        assert_eq!(circuit.level(both), 1);
        assert_eq!(circuit.node_count(), 5);
    }

    #[test]
    fn substitution_gives_cofactors() {
        let mut circuit = Circuit::new();
        let [a, b, c] = [0, 0, 0].map(|level| circuit.input(level));
        let either = circuit.or([a, b]);
        let all = circuit.and([either, c]);
        let cone = circuit.cone(&[all]);
        assert_eq!(cone.len(), 5);
        let mut with = |value| {
            let mut images = FxHashMap::from_iter([(a.node(), value)]);
            circuit.substitute(&[all, !all], &cone, &mut images)
        };
        assert_eq!(with(Signal::TRUE), [c, !c]);
        let without = with(Signal::FALSE);
        assert_eq!(circuit.and([b, c]), without[0]);
    }
}
