//! Flat code for circuits.
//!
//! The values of wires live in *slots*. A slot is two words, with one bit per lane: the value, and
//! its negation. So an input is read the same way whether it is negated or not: the *literal*
//! `2 * slot`, plus 1 if negated, is the place of its word. An instruction is the literal of the
//! result, the number of inputs, and their literals. Slot 0 is never written and holds false.

use crate::circuit::{Circuit, Signal};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The place of a value, or of its negation: `2 * slot + (1 if negated)`.
pub type Literal = u32;

/// A stretch of code.
pub type Block = Range<u32>;

/// The value of a literal, in all lanes.
#[inline]
pub fn word(values: &[u64], literal: Literal) -> u64 {
    values[literal as usize]
}

/// Sets the value of a slot, in all lanes.
#[inline]
pub fn set(values: &mut [u64], slot: u32, word: u64) {
    let place = 2 * slot as usize;
    let pair = &mut values[place..place + 2];
    pair[0] = word;
    pair[1] = !word;
}

/// Which slot holds which node of a circuit.
#[derive(Clone, Default, Debug)]
pub struct Slots {
    slots: FxHashMap<usize, u32>,
    count: u32,
}

impl Slots {
    /// Only the constant has a slot.
    pub fn new() -> Self {
        Slots {
            slots: FxHashMap::from_iter([(0, 0)]),
            count: 1,
        }
    }

    /// The number of slots given so far.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there is no slot; never so.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Memory for the values of all slots; all are false.
    pub fn values(count: usize) -> Vec<u64> {
        [0, u64::MAX].repeat(count)
    }

    /// Gives the node of a signal a slot of its own, a new one if it has one already.
    pub fn add(&mut self, signal: Signal) -> u32 {
        let slot = self.count;
        self.count += 1;
        self.slots.insert(signal.node(), slot);
        slot
    }

    /// The slot of a node.
    pub fn of_node(&self, node: usize) -> Option<u32> {
        self.slots.get(&node).copied()
    }

    /// The literal of a signal.
    ///
    /// # Panics
    /// If its node has no slot.
    pub fn literal(&self, signal: Signal) -> Literal {
        2 * self.slots[&signal.node()] + u32::from(signal.is_negated())
    }
}

/// Code of circuits, in blocks.
#[derive(Clone, Default, Debug)]
pub struct Code {
    stream: Vec<u32>,
}

impl Code {
    /// Appends code that computes the given signals, and gives their nodes, and those in between,
    /// slots. Nodes that have slots are taken as computed.
    ///
    /// # Panics
    /// If an input of the circuit is needed that has no slot.
    pub fn push(
        &mut self,
        circuit: &Circuit,
        signals: impl IntoIterator<Item = Signal>,
        slots: &mut Slots,
    ) -> Block {
        let start = self.stream.len() as u32;
        let mut open: Vec<(usize, usize)> = Vec::new();
        for signal in signals {
            open.push((signal.node(), 0));
            while let Some((node, done)) = open.last_mut() {
                if slots.of_node(*node).is_some() {
                    open.pop();
                    continue;
                }
                let inputs = circuit.gate(*node);
                assert!(!inputs.is_empty(), "an input of the circuit has no slot");
                if let Some(input) = inputs.get(*done) {
                    *done += 1;
                    open.push((input.node(), 0));
                } else {
                    let node = *node;
                    let literals = inputs.iter().map(|&input| slots.literal(input));
                    let literals: Vec<u32> = literals.collect();
                    let slot = slots.add(circuit.signal(node));
                    self.stream.extend([slot, literals.len() as u32]);
                    self.stream.extend(literals);
                    open.pop();
                }
            }
        }
        start..self.stream.len() as u32
    }

    /// The number of instructions in a block.
    pub fn count(&self, block: Block) -> usize {
        let mut stream = &self.stream[block.start as usize..block.end as usize];
        let mut count = 0;
        while let [_, inputs, rest @ ..] = stream {
            stream = &rest[*inputs as usize..];
            count += 1;
        }
        count
    }

    /// Executes a block.
    #[inline]
    pub fn run(&self, block: Block, values: &mut [u64]) {
        let mut stream = &self.stream[block.start as usize..block.end as usize];
        loop {
            match *stream {
                [slot, 2, first, second, ref rest @ ..] => {
                    set(values, slot, word(values, first) & word(values, second));
                    stream = rest;
                }
                [slot, count, ref rest @ ..] => {
                    let (inputs, rest) = rest.split_at(count as usize);
                    let mut result = u64::MAX;
                    for &input in inputs {
                        result &= word(values, input);
                    }
                    set(values, slot, result);
                    stream = rest;
                }
                _ => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random circuits, evaluated word by word and bit by bit.
    #[test]
    fn all_lanes_are_evaluated_alike() {
        let seed = fastrand::u64(..);
        let mut random = fastrand::Rng::with_seed(seed);
        for round in 0..300 {
            let mut circuit = Circuit::new();
            let inputs: Vec<Signal> = (0..5).map(|_| circuit.input(0)).collect();
            let mut signals = inputs.clone();
            for _ in 0..random.usize(1..20) {
                let count = random.usize(0..5);
                let chosen: Vec<Signal> = (0..count)
                    .map(|_| signals[random.usize(..signals.len())].negated_if(random.bool()))
                    .collect();
                signals.push(circuit.and(chosen));
            }
            let mut slots = Slots::new();
            let mut code = Code::default();
            let input_slots: Vec<u32> = inputs.iter().map(|&input| slots.add(input)).collect();
            let middle = signals[random.usize(..signals.len())];
            let first = code.push(&circuit, [middle], &mut slots);
            let second = code.push(&circuit, signals.iter().copied(), &mut slots);
            let mut values = Slots::values(slots.len());
            for (number, &slot) in input_slots.iter().enumerate() {
                // Lane l has the assignment l.
                let word = (0..64).map(|lane| (lane >> number & 1) << lane).sum();
                set(&mut values, slot, word);
            }
            code.run(first, &mut values);
            code.run(second, &mut values);
            for lane in 0..32usize {
                let mut expected = vec![false; circuit.node_count()];
                for (number, input) in inputs.iter().enumerate() {
                    expected[input.node()] = lane >> number & 1 == 1;
                }
                for node in 1..circuit.node_count() {
                    let gate = circuit.gate(node);
                    if !gate.is_empty() {
                        expected[node] = gate.iter().all(|i| expected[i.node()] != i.is_negated());
                    }
                }
                for &signal in &signals {
                    let found = word(&values, slots.literal(signal)) >> lane & 1 == 1;
                    assert_eq!(
                        found,
                        expected[signal.node()] != signal.is_negated(),
                        "seed {seed}, round {round}, lane {lane}"
                    );
                }
            }
        }
    }
}
