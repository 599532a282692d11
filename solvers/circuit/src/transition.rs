//! Transition code: takes many states of a transition system one step further at once.
//!
//! ```text
//! lanes of states    facts --state block--> what is asked of states, and what the step needs of them
//!                      | a lane is copied once for each move
//! lanes of moves     facts, moves --body--> results
//! ```
//!
//! Gates that depend on the state only are computed before lanes are copied, so once for all moves.

use crate::lanes::{Copies, write_rows};
use crate::{Block, Circuit, Code, Literal, Slots, set};

/// A step as code.
#[derive(Debug)]
pub struct Transition {
    code: Code,
    slots: usize,
    /// The slot of each fact, in lanes of states.
    facts: Vec<u32>,
    state_block: Block,
    /// Pairs of slots: values copied from lanes of states to lanes of moves.
    carried: Vec<(u32, u32)>,
    move_slots: Vec<u32>,
    body: Block,
    /// For each move its index among the inputs of [`Transition::step`]; none if no result depends on it.
    pub inputs: Vec<Option<u32>>,
    /// The answers about states, in lanes of states.
    pub asked: Vec<Literal>,
    /// The results, in lanes of moves.
    pub results: Vec<Literal>,
}

impl Transition {
    /// Code for results that depend on facts (inputs of level 0) and on moves (other inputs), and for what is asked of states.
    pub fn new(
        circuit: &Circuit,
        facts: impl IntoIterator<Item = Literal>,
        asked: &[Literal],
        moves: impl IntoIterator<Item = Literal>,
        results: &[Literal],
    ) -> Self {
        let (mut slots, mut code) = (Slots::new(), Code::default());
        let facts = facts.into_iter().map(|fact| slots.add(fact)).collect();
        let boundary = circuit.boundary(results).into_iter();
        let boundary: Vec<Literal> = boundary.map(|node| circuit.signal(node)).collect();
        let wanted = asked.iter().chain(&boundary).copied();
        let state_block = code.push(circuit, wanted, &mut slots);
        let asked = asked.iter().map(|&signal| slots.literal(signal)).collect();
        let carry = |&signal: &Literal| {
            let from = slots.of_node(signal.node()).expect("it was computed");
            (from, slots.add(signal))
        };
        let carried = boundary.iter().map(carry).collect();
        let used = circuit.cone(results);
        let mut move_slots = Vec::new();
        let input = |signal: Literal| {
            used.binary_search(&signal.node()).ok()?;
            move_slots.push(slots.add(signal));
            Some(move_slots.len() as u32 - 1)
        };
        let inputs = moves.into_iter().map(input).collect();
        let body = code.push(circuit, results.iter().copied(), &mut slots);
        Transition {
            results: results
                .iter()
                .map(|&signal| slots.literal(signal))
                .collect(),
            slots: slots.len(),
            code,
            facts,
            state_block,
            carried,
            move_slots,
            body,
            inputs,
            asked,
        }
    }

    /// Memory for the values of both kinds of lanes.
    pub fn values(&self) -> Vec<u64> {
        Slots::values(self.slots)
    }

    /// The number of moves that some result depends on.
    pub fn input_count(&self) -> usize {
        self.move_slots.len()
    }

    /// Puts up to 64 states into lanes, each given by its facts, one per bit; computes what is asked of them.
    #[inline]
    pub fn load<'a>(&self, states: impl Iterator<Item = &'a [u64]> + Clone, values: &mut [u64]) {
        write_rows(values, &self.facts, states);
        self.code.run(self.state_block.clone(), values);
    }

    /// For each fact the states in lanes that have it.
    pub fn facts<'a>(&'a self, values: &'a [u64]) -> impl Iterator<Item = u64> + 'a {
        self.facts.iter().map(|&slot| values[2 * slot as usize])
    }

    /// Copies lanes, makes moves there, and computes the results. `inputs` says of each input in which lanes the move is made; all are
    /// 0 afterwards.
    #[inline]
    pub fn step(&self, copies: &Copies, inputs: &mut [u64], values: &mut [u64]) {
        copies.apply(&self.carried, values);
        for (&slot, input) in self.move_slots.iter().zip(inputs) {
            set(values, slot, std::mem::take(input));
        }
        self.code.run(self.body.clone(), values);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word;

    /// Two lamps, and a move for each that switches it on; a third move changes nothing.
    #[test]
    fn each_lane_makes_its_own_move() {
        let mut circuit = Circuit::new();
        let [a, b] = [(); 2].map(|()| circuit.input(0));
        let moves = [(); 3].map(|()| circuit.input(1));
        let next = [circuit.or([a, moves[0]]), circuit.or([b, moves[1]])];
        let step = Transition::new(&circuit, [a, b], &[!a, !b], moves, &next);
        assert_eq!(step.inputs, [Some(0), Some(1), None]);
        let mut values = step.values();
        // Neither lamp is on, then the first is.
        step.load([&[0b00][..], &[0b01]].into_iter(), &mut values);
        assert_eq!(step.facts(&values).next(), Some(0b10));
        assert_eq!(word(&values, step.asked[0]) & 0b11, 0b01);
        // The first state with both moves, the second with the second move and with none.
        let mut copies = Copies::new();
        copies.push(0, 2);
        copies.push(1, 2);
        let mut inputs = vec![0b0001, 0b0110];
        step.step(&copies, &mut inputs, &mut values);
        let found = [0, 1].map(|fact| word(&values, step.results[fact]) & 0b1111);
        assert_eq!((found, inputs), ([0b1101, 0b0110], vec![0, 0]));
    }
}
