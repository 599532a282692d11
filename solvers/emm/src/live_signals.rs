//! The signals of chance that make a difference in a state once moves are made.
//!
//! Some dice were set aside, and a move sets others aside: the throw of all these makes no difference. Which they are depends on
//! the state. So the circuit is run with the state and the moves put in, and nothing known of chance. The signals of chance
//! ([`chance_signals`](crate::chance_signals)) from which a way through unknown gates leads to a next fact are *live*. Outcomes with the same live signals lead to
//! the same next facts.
//!
//! ```text
//! 5 5 aside, take 1 of 1 2 3 4      live are the sides of three dice: 46,656 throws of six dice are 216 outcomes
//! ```
//!
//! Where moves alone tell what is thrown, as in Yahtzee, that gains nothing ([`equal_outcomes`](crate::equal_outcomes)), so after a trial it ends.

use crate::chance_signals::ChanceSignals;
use crate::equal_outcomes::Partition;
use base::graph::UnionFind;
use circuit::{Circuit, Literal, May};
use rustc_hash::FxHashMap;

/// Some signals of chance, one bit for each.
pub type Live = u64;

/// A step with signals in the place of chance's moves.
#[derive(Debug)]
pub struct LiveSignals {
    circuit: Circuit,
    /// The nodes that the next facts depend on, in ascending order.
    cone: Vec<usize>,
    facts: Vec<Literal>,
    next: Vec<Literal>,
    /// For each player the inputs of its moves.
    players: Vec<Vec<Literal>>,
    signals: Vec<Literal>,
    /// For each move of chance the signals that it makes true.
    made: Vec<Live>,
}

/// Working memory: by node the values that it may have, and whether it is live.
#[derive(Debug, Default)]
pub struct NodeMemory {
    values: Vec<May>,
    is_live: Vec<bool>,
}

impl LiveSignals {
    /// For next facts that depend on chance through signals; nothing if there are too many of these.
    pub fn new(
        circuit: &Circuit,
        facts: Vec<Literal>,
        next: &[Literal],
        players: &[Vec<Literal>],
        signals: &ChanceSignals,
    ) -> Option<Self> {
        if signals.inputs.len() > Live::BITS as usize {
            return None;
        }
        let made = |made: &Vec<usize>| made.iter().fold(0, |live, &index| live | 1 << index);
        Some(LiveSignals {
            circuit: circuit.clone(),
            cone: circuit.cone(next),
            facts,
            next: next.to_vec(),
            players: players.to_vec(),
            signals: signals.inputs.clone(),
            made: signals.of_move.iter().map(made).collect(),
        })
    }

    /// How many moves chance has.
    pub fn moves(&self) -> usize {
        self.made.len()
    }

    /// Those that make a difference in a state, given by its facts, once players have made these moves.
    pub fn of(&self, state: &[u64], moves: [u32; 2], memory: &mut NodeMemory) -> Live {
        let NodeMemory { values, is_live } = memory;
        values.resize(self.circuit.node_count(), May::known(false));
        is_live.resize(self.circuit.node_count(), false);
        for (index, fact) in self.facts.iter().enumerate() {
            values[fact.node()] = May::known(state[index / 64] >> (index % 64) & 1 == 1);
        }
        for (inputs, made) in self.players.iter().zip(moves) {
            for (input, number) in inputs.iter().zip(0..) {
                values[input.node()] = May::known(number == made);
            }
        }
        for signal in &self.signals {
            values[signal.node()] = May::EITHER;
        }
        (self.circuit).propagate(self.cone.iter().copied(), values);
        self.cone.iter().for_each(|&node| is_live[node] = false);
        for next in &self.next {
            is_live[next.node()] = values[next.node()] == May::EITHER;
        }
        for &node in self
            .cone
            .iter()
            .rev()
            .filter(|&&node| values[node] == May::EITHER)
        {
            if is_live[node] {
                let inputs = self.circuit.gate(node).iter().map(|input| input.node());
                inputs.for_each(|input| is_live[input] |= values[input] == May::EITHER);
            }
        }
        let signals = self.signals.iter().zip(0..);
        let live = signals.filter(|(signal, _)| is_live[signal.node()]);
        live.fold(0, |all, (_, index)| all | 1 << index)
    }

    /// The outcomes that are equal by these signals or by another partition.
    pub fn partition(&self, live: Live, other: Option<&Partition>) -> Partition {
        let mut union = UnionFind::new(self.made.len());
        let mut firsts: FxHashMap<Live, u32> = FxHashMap::default();
        for (made, number) in self.made.iter().zip(0..) {
            union.join(*firsts.entry(made & live).or_insert(number), number);
        }
        for (&first, number) in other.into_iter().flatten().zip(0..) {
            union.join(first, number);
        }
        (0..self.made.len() as u32)
            .map(|number| union.find(number))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_die_that_lies_aside_is_not_thrown() {
        let mut circuit = Circuit::new();
        let aside: Vec<Literal> = (0..2).map(|_| circuit.input(0)).collect();
        let [keep, throw] = [0, 1].map(|_| circuit.input(1));
        let throws: Vec<Literal> = (0..9).map(|_| circuit.input(1)).collect();
        let mut next = Vec::new();
        for die in 0..2 {
            // The move `keep` sets the first die aside.
            let lies = match die {
                0 => circuit.or([aside[0], keep]),
                _ => aside[1],
            };
            for side in 0..3 {
                let shown = (0..9).filter(|throw| throw / [1, 3][die] % 3 == side);
                let shown = circuit.or(shown.map(|throw| throws[throw]));
                next.push(circuit.and([shown, !lies]));
            }
        }
        let signals = ChanceSignals::put_into(&mut circuit, &throws, &mut next);
        let players = [vec![keep, throw]];
        let them = LiveSignals::new(&circuit, aside, &next, &players, &signals);
        let them = them.expect("six signals");
        let mut memory = NodeMemory::default();
        let mut classes = |state: u64, number: u32| {
            let live = them.of(&[state], [number, 0], &mut memory);
            let mut firsts = Vec::from(them.partition(live, None));
            firsts.sort_unstable();
            firsts.dedup();
            firsts.len()
        };
        assert_eq!([classes(0, 0), classes(0, 1)], [3, 9]);
        assert_eq!([classes(1, 0), classes(1, 1)], [3, 3]);
        assert_eq!([classes(2, 0), classes(2, 1)], [1, 3]);
    }
}
