//! The successors of one state and moves under all outcomes: those that lead to the same next facts are equal.
//!
//! Live signals and exchanges do not see all that is equal: a hand that is kept in order does not say which die was thrown as which. So outcomes that
//! differ are made once, 64 at a time, and compared. That is done for a residual only when it is met again.
//!
//! ```text
//! throw two dice, keep a sorted hand     36 outcomes with different live signals lead to 21 hands
//! ```

use super::residual::{Live, Source};
use circuit::lanes::{by_lane, write_rows};
use circuit::{Block, Code, Literal, Slots, set};
use rustc_hash::FxHashMap;
use std::slice::from_ref;

/// Code for the next facts that depend on chance.
#[derive(Debug)]
pub struct Successors {
    code: Code,
    block: Block,
    slots: usize,
    facts: Vec<u32>,
    players: Vec<Vec<u32>>,
    signals: Vec<u32>,
    /// The next facts, 64 in each.
    next: Vec<Vec<Literal>>,
}

impl Successors {
    /// Code for a step, of which these next facts depend on chance.
    pub fn new(source: &Source, mixed: &[Literal]) -> Self {
        let (mut slots, mut code) = (Slots::new(), Code::default());
        let mut add = |inputs: &[Literal]| inputs.iter().map(|&input| slots.add(input)).collect();
        let facts = add(&source.facts);
        let players = source.players.iter().map(|moves| add(moves)).collect();
        let signals = add(&source.signals);
        let block = code.push(&source.circuit, mixed.iter().copied(), &mut slots);
        let literals = |bits: &[Literal]| bits.iter().map(|&it| slots.literal(it)).collect();
        Successors {
            next: mixed.chunks(64).map(literals).collect(),
            slots: slots.len(),
            code,
            block,
            facts,
            players,
            signals,
        }
    }

    /// For each outcome, by its row, the first that leads to the same. `firsts` says it as far as it is known.
    pub fn firsts(
        &self,
        state: &[u64],
        moves: [u32; 2],
        rows: &[Live],
        firsts: &[u32],
        values: &mut Vec<u64>,
    ) -> Vec<u32> {
        values.clear();
        values.extend(Slots::values(self.slots));
        write_rows(values, &self.facts, (0..64).map(|_| state));
        for (slots, number) in self.players.iter().zip(moves) {
            set(values, slots[number as usize], u64::MAX);
        }
        let all = firsts.iter().zip(0u32..);
        let differing: Vec<u32> = all
            .filter_map(|(&first, number)| (first == number).then_some(number))
            .collect();
        let mut known: FxHashMap<Vec<u64>, u32> = FxHashMap::default();
        let mut found = vec![0; firsts.len()];
        for outcomes in differing.chunks(64) {
            let rows = outcomes
                .iter()
                .map(|&number| from_ref(&rows[number as usize]));
            write_rows(values, &self.signals, rows);
            self.code.run(self.block.clone(), values);
            let next: Vec<[u64; 64]> = self.next.iter().map(|it| by_lane(values, it)).collect();
            for (lane, &number) in outcomes.iter().enumerate() {
                let next = next.iter().map(|rows| rows[lane]).collect();
                found[number as usize] = *known.entry(next).or_insert(number);
            }
        }
        let image = |&first: &u32| found[first as usize];
        firsts.iter().map(image).collect()
    }
}
