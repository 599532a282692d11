//! The circuit while it is built.
//!
//! Invariants: nodes are numbered so that the inputs of a gate come before it; no two gates have
//! the same inputs; no gate has a constant, repeated, or contradictory input, or fewer than two.

use rustc_hash::FxHashMap;
use std::ops::{Not, Range};

/// A node of a circuit, a slot of its code, or a variable of a satisfiability solver; or its negation. As in the format AIGER
/// it is twice the number, plus 1 if negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Literal(u32);

impl Literal {
    /// Of a circuit or its code, the constant false.
    pub const FALSE: Literal = Literal(0);
    /// Of a circuit or its code, the constant true.
    pub const TRUE: Literal = Literal(1);

    /// A node, slot or variable, by number.
    #[inline]
    pub fn new(node: usize) -> Self {
        Literal(2 * node as u32)
    }

    /// The number of the node, slot or variable that this is, perhaps negated.
    #[inline]
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// The place in a list of all literals.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether this is the negation of a node.
    #[inline]
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Whether it is true, by the values of all nodes ([`Circuit::evaluate`]).
    #[inline]
    pub fn holds(self, values: &[bool]) -> bool {
        values[self.node()] != self.is_negated()
    }

    /// This literal, or its negation.
    #[must_use]
    #[inline]
    pub fn negated_if(self, negate: bool) -> Self {
        Literal(self.0 ^ u32::from(negate))
    }
}

impl Not for Literal {
    type Output = Literal;

    #[inline]
    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

/// A circuit of conjunctions and negations.
#[derive(Clone, Default, Debug)]
pub struct Circuit {
    /// The inputs of each node, as a range of `inputs`; empty for the constant and for inputs of
    /// the circuit.
    gates: Vec<(u32, u32)>,
    inputs: Vec<Literal>,
    levels: Vec<u32>,
    known: FxHashMap<Box<[Literal]>, u32>,
    buffer: Vec<Literal>,
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
    pub fn signal(&self, node: usize) -> Literal {
        Literal::new(node)
    }

    /// The number of nodes, with the constant.
    pub fn node_count(&self) -> usize {
        self.gates.len()
    }

    fn push(&mut self, inputs: Range<usize>, level: u32) -> Literal {
        self.gates.push((inputs.start as u32, inputs.end as u32));
        self.levels.push(level);
        Literal::new(self.gates.len() - 1)
    }

    /// Adds an input that is known from a level on. Levels are for the user; a gate has the largest
    /// level of its inputs.
    pub fn input(&mut self, level: u32) -> Literal {
        self.push(0..0, level)
    }

    /// The level from which on a signal is known. Constants are known from level 0.
    pub fn level(&self, signal: Literal) -> u32 {
        self.levels[signal.node()]
    }

    /// The inputs of a gate. Empty for inputs of the circuit and for the constant.
    pub fn gate(&self, node: usize) -> &[Literal] {
        let (start, end) = self.gates[node];
        &self.inputs[start as usize..end as usize]
    }

    pub fn and(&mut self, signals: impl IntoIterator<Item = Literal>) -> Literal {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        buffer.extend(signals);
        let result = self.and_of(&mut buffer);
        self.buffer = buffer;
        result
    }

    pub fn or(&mut self, signals: impl IntoIterator<Item = Literal>) -> Literal {
        !self.and(signals.into_iter().map(|signal| !signal))
    }

    fn and_of(&mut self, signals: &mut Vec<Literal>) -> Literal {
        signals.retain(|&signal| signal != Literal::TRUE);
        signals.sort_unstable();
        signals.dedup();
        let contradictory = signals.windows(2).any(|pair| pair[0] == !pair[1]);
        match signals.as_slice() {
            _ if contradictory => Literal::FALSE,
            // The constant has the smallest number.
            &[Literal::FALSE, ..] => Literal::FALSE,
            &[] => Literal::TRUE,
            &[single] => single,
            many => {
                if let Some(&node) = self.known.get(many) {
                    return Literal::new(node as usize);
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
    pub fn evaluate(&self, inputs: impl IntoIterator<Item = Literal>) -> Vec<bool> {
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
    pub fn cone(&self, roots: &[Literal]) -> Vec<usize> {
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
        signals: &[Literal],
        cone: &[usize],
        images: &mut FxHashMap<usize, Literal>,
    ) -> Vec<Literal> {
        for &node in cone {
            if images.contains_key(&node) {
                continue;
            }
            let changed = |input: &Literal| images.contains_key(&input.node());
            if self.gate(node).iter().any(changed) {
                let image = |input: &Literal| match images.get(&input.node()) {
                    Some(image) => image.negated_if(input.is_negated()),
                    None => *input,
                };
                let inputs: Vec<Literal> = self.gate(node).iter().map(image).collect();
                let new = self.and(inputs);
                images.insert(node, new);
            }
        }
        let image = |signal: &Literal| match images.get(&signal.node()) {
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
        assert_eq!(circuit.and([b, Literal::TRUE, a, b]), both);
        assert_eq!(circuit.and([a, !a, c]), Literal::FALSE);
        assert_eq!(circuit.and([a, Literal::FALSE]), Literal::FALSE);
        assert_eq!(circuit.and([]), Literal::TRUE);
        assert_eq!(circuit.and([!c]), !c);
        assert_eq!(circuit.or([]), Literal::FALSE);
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
        assert_eq!(with(Literal::TRUE), [c, !c]);
        let without = with(Literal::FALSE);
        assert_eq!(circuit.and([b, c]), without[0]);
    }
}
