//! Flat code for circuits.
//!
//! The values of wires live in *slots*. A slot is two words, with one bit per lane: the value, and
//! its negation. So an input is read the same way whether it is negated or not: the *literal*
//! `2 * slot`, plus 1 if negated, is the index of its word. An instruction is the slot of the result
//! and the literals of the inputs. Slot 0 is never written and holds false.
//!
//! Instructions that need nothing of each other and have equally many inputs stand side by side, in
//! a *run*: first the number of inputs and the number of instructions, then the instructions. Within
//! a run the processor has nothing to guess.

use crate::circuit::{Circuit, Literal};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// A stretch of code.
pub type Block = Range<u32>;

/// The value of a literal, in all lanes.
#[inline]
pub fn word(values: &[u64], literal: Literal) -> u64 {
    values[literal.index()]
}

/// Sets the value of a slot, in all lanes.
#[inline]
pub fn set(values: &mut [u64], slot: u32, word: u64) {
    let first = 2 * slot as usize;
    let pair = &mut values[first..first + 2];
    pair[0] = word;
    pair[1] = !word;
}

/// The slot that holds each node of a circuit.
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
    pub fn add(&mut self, signal: Literal) -> u32 {
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
    pub fn literal(&self, signal: Literal) -> Literal {
        Literal::new(self.slots[&signal.node()] as usize).negated_if(signal.is_negated())
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
        signals: impl IntoIterator<Item = Literal>,
        slots: &mut Slots,
    ) -> Block {
        let start = self.stream.len() as u32;
        let nodes = schedule(circuit, signals, slots);
        for run in nodes.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
            self.stream.extend([run[0].1, run.len() as u32]);
            for &(.., node) in run {
                let literals: Vec<u32> = circuit
                    .gate(node)
                    .iter()
                    .map(|&input| slots.literal(input).index() as u32)
                    .collect();
                self.stream.push(slots.add(circuit.signal(node)));
                self.stream.extend(literals);
            }
        }
        start..self.stream.len() as u32
    }

    /// The number of instructions in a block.
    pub fn count(&self, block: Block) -> usize {
        let mut stream = &self.stream[block.start as usize..block.end as usize];
        let mut instructions = 0;
        while let [inputs, count, rest @ ..] = stream {
            stream = &rest[(1 + *inputs as usize) * *count as usize..];
            instructions += *count as usize;
        }
        instructions
    }

    #[inline]
    pub fn run(&self, block: Block, values: &mut [u64]) {
        let mut stream = &self.stream[block.start as usize..block.end as usize];
        while let &[inputs, count, ref rest @ ..] = stream {
            let length = 1 + inputs as usize;
            let (instructions, rest) = rest.split_at(length * count as usize);
            match inputs {
                2 => execute::<3>(instructions, values),
                3 => execute::<4>(instructions, values),
                4 => execute::<5>(instructions, values),
                _ => {
                    for instruction in instructions.chunks_exact(length) {
                        let and = |result, &input| result & values[input as usize];
                        let result = instruction[1..].iter().fold(u64::MAX, and);
                        set(values, instruction[0], result);
                    }
                }
            }
            stream = rest;
        }
    }
}

/// Executes instructions of a length that is known to the compiler.
#[inline]
fn execute<const LENGTH: usize>(instructions: &[u32], values: &mut [u64]) {
    let (instructions, _) = instructions.as_chunks::<LENGTH>();
    for instruction in instructions {
        let and = |result, &input| result & values[input as usize];
        let result = instruction[1..].iter().fold(u64::MAX, and);
        set(values, instruction[0], result);
    }
}

/// The nodes to compute for some signals, each with its depth above what has a slot and its number
/// of inputs, sorted by these.
fn schedule(
    circuit: &Circuit,
    signals: impl IntoIterator<Item = Literal>,
    slots: &Slots,
) -> Vec<(u32, u32, usize)> {
    let mut depths: FxHashMap<usize, u32> = FxHashMap::default();
    let mut nodes = Vec::new();
    let mut open: Vec<(usize, usize)> = Vec::new();
    for signal in signals {
        open.push((signal.node(), 0));
        while let Some((node, done)) = open.last_mut() {
            if slots.of_node(*node).is_some() || depths.contains_key(node) {
                open.pop();
                continue;
            }
            let inputs = circuit.gate(*node);
            assert!(!inputs.is_empty(), "an input of the circuit has no slot");
            if let Some(input) = inputs.get(*done) {
                *done += 1;
                open.push((input.node(), 0));
            } else {
                let below = inputs.iter().map(|input| depths.get(&input.node()));
                let depth = below.flatten().max().map_or(0, |depth| depth + 1);
                depths.insert(*node, depth);
                nodes.push((depth, inputs.len() as u32, *node));
                open.pop();
            }
        }
    }
    nodes.sort_unstable();
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Random circuits, evaluated word by word and bit by bit.
    #[test]
    fn all_lanes_are_evaluated_alike() {
        for (seed, mut random) in generators::seeds(fastrand::u64(..1 << 60), 300) {
            let mut circuit = Circuit::new();
            let inputs: Vec<Literal> = (0..5).map(|_| circuit.input(0)).collect();
            let mut signals = inputs.clone();
            for _ in 0..random.usize(1..20) {
                let count = random.usize(0..5);
                let chosen: Vec<Literal> = (0..count)
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
                let numbered = inputs.iter().enumerate();
                let true_inputs = numbered.filter(|(number, _)| lane >> number & 1 == 1);
                let expected = circuit.evaluate(true_inputs.map(|(_, &input)| input));
                for &signal in &signals {
                    let found = word(&values, slots.literal(signal)) >> lane & 1 == 1;
                    assert_eq!(found, signal.holds(&expected), "seed {seed}, lane {lane}");
                }
            }
        }
    }
}
