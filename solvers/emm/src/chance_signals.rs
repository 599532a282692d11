//! The signals through which chance comes into a step, as inputs in the place of its moves.
//!
//! A throw of five dice is one of 7776 moves, but the next state depends on 30 signals only: whether a die shows a side. Gates that
//! depend on the move of chance and on nothing else are known for each move before the game begins. So those of them that other
//! gates, or results, depend on become inputs of the code, and a move makes some of them true:
//!
//! ```text
//! move (throw 3 1 4 1 5)     first die 3, second die 1, third die 4, fourth die 1, fifth die 5
//! ```

use circuit::{Block, Circuit, Code, Literal, Slots, set, word};
use rustc_hash::FxHashMap;

/// How many times less work the signals must be than the moves.
const FEWEST_SAVED: usize = 2;

/// Lanes of a word.
const LANES: usize = 64;

/// Inputs in the place of moves.
pub struct ChanceSignals {
    /// The inputs.
    pub inputs: Vec<Literal>,
    /// For each move the inputs that it makes true, by index.
    pub of_move: Vec<Vec<usize>>,
    /// Whether code with these inputs does much less work than code with the moves.
    pub save_work: bool,
}

impl ChanceSignals {
    /// Puts inputs in the place of an agent's moves in results that depend on them.
    pub fn put_into(
        circuit: &mut Circuit,
        moves: &[Literal],
        results: &mut [Literal],
    ) -> ChanceSignals {
        let cone = circuit.cone(results);
        let (nodes, gate_inputs) = boundary(circuit, moves, &cone, results);
        let values = Values::new(circuit, moves, &nodes);
        // A signal or its negation, whichever is true for fewer moves.
        let is_negated: Vec<bool> = (0..nodes.len())
            .map(|index| 2 * values.count(index) > moves.len())
            .collect();
        let mut of_move = vec![Vec::new(); moves.len()];
        for (index, &is_negated) in is_negated.iter().enumerate() {
            for (number, made) in of_move.iter_mut().enumerate() {
                if values.holds(index, number) != is_negated {
                    made.push(index);
                }
            }
        }
        let made: usize = of_move.iter().map(Vec::len).sum();
        let before = moves.len() + gate_inputs + LANES;
        let after = nodes.len() + LANES * made.div_ceil(moves.len().max(1));
        let level = moves.first().map_or(0, |&input| circuit.level(input));
        let inputs: Vec<Literal> = nodes.iter().map(|_| circuit.input(level)).collect();
        let images = nodes.iter().zip(inputs.iter().zip(&is_negated));
        let images = images.map(|(&node, (input, &negate))| (node, input.negated_if(negate)));
        let mut images: FxHashMap<usize, Literal> = images.collect();
        let found = circuit.substitute(results, &cone, &mut images);
        results.copy_from_slice(&found);
        ChanceSignals {
            inputs,
            of_move,
            save_work: before >= FEWEST_SAVED * after,
        }
    }
}

/// The nodes that depend on these moves and on nothing else, and that other nodes or results depend on; and how many inputs the gates
/// among nodes that depend on nothing else have.
fn boundary(
    circuit: &Circuit,
    moves: &[Literal],
    cone: &[usize],
    results: &[Literal],
) -> (Vec<usize>, usize) {
    let mut depends_only = vec![false; circuit.node_count()];
    let mut is_used = vec![false; circuit.node_count()];
    moves
        .iter()
        .for_each(|input| depends_only[input.node()] = true);
    let mut gate_inputs = 0;
    for &node in cone {
        let gate = circuit.gate(node);
        if gate.is_empty() {
            continue;
        }
        depends_only[node] = gate.iter().all(|input| depends_only[input.node()]);
        match depends_only[node] {
            true => gate_inputs += gate.len(),
            false => gate.iter().for_each(|input| is_used[input.node()] = true),
        }
    }
    results
        .iter()
        .for_each(|result| is_used[result.node()] = true);
    let nodes = cone.iter().copied();
    let nodes = nodes.filter(|&node| depends_only[node] && is_used[node]);
    (nodes.collect(), gate_inputs)
}

/// The values of some nodes after each move, 64 moves in a word.
struct Values {
    /// By node, by move.
    words: Vec<Vec<u64>>,
}

impl Values {
    fn new(circuit: &Circuit, moves: &[Literal], nodes: &[usize]) -> Self {
        let (mut slots, mut code) = (Slots::new(), Code::default());
        let inputs: Vec<u32> = moves.iter().map(|&input| slots.add(input)).collect();
        let wanted = nodes.iter().map(|&node| circuit.signal(node));
        let block: Block = code.push(circuit, wanted, &mut slots);
        let mut values = Slots::values(slots.len());
        let mut words = vec![Vec::new(); nodes.len()];
        for inputs in inputs.chunks(LANES) {
            for (lane, &slot) in inputs.iter().enumerate() {
                set(&mut values, slot, 1 << lane);
            }
            code.run(block.clone(), &mut values);
            let used = u64::MAX >> (LANES - inputs.len());
            for (words, &node) in words.iter_mut().zip(nodes) {
                let literal = slots.literal(circuit.signal(node));
                words.push(word(&values, literal) & used);
            }
            inputs.iter().for_each(|&slot| set(&mut values, slot, 0));
        }
        Values { words }
    }

    fn holds(&self, index: usize, number: usize) -> bool {
        self.words[index][number / LANES] >> (number % LANES) & 1 == 1
    }

    fn count(&self, index: usize) -> usize {
        self.words[index]
            .iter()
            .map(|word| word.count_ones() as usize)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throws_are_signals_of_dice() {
        let mut circuit = Circuit::new();
        let keeps = circuit.input(0);
        let throws: Vec<Literal> = (0..36).map(|_| circuit.input(1)).collect();
        let low = |die: usize| (0..36).filter(move |number| number / [1, 6][die] % 6 < 3);
        let [first, second] = [0, 1].map(|die| circuit.or(low(die).map(|number| throws[number])));
        let new = circuit.and([!keeps, first]);
        let old = [new, second];
        let mut results = old;
        let found = ChanceSignals::put_into(&mut circuit, &throws, &mut results);
        assert!(found.save_work);
        assert_eq!(found.inputs.len(), 2);
        for (number, made) in found.of_move.iter().enumerate() {
            let before = circuit.evaluate([throws[number]]);
            let after = circuit.evaluate(made.iter().map(|&index| found.inputs[index]));
            for (old, new) in old.iter().zip(&results) {
                assert_eq!(old.holds(&before), new.holds(&after), "throw {number}");
            }
        }
        // Here nothing is saved.
        let mut results = [throws[0], throws[1]];
        assert!(!ChanceSignals::put_into(&mut circuit, &throws[..2], &mut results).save_work);
    }
}
