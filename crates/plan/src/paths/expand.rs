//! Expansion: all successors of up to 64 states at once.
//!
//! States are loaded into lanes, one each. One run of code says what is legal in each. Each lane is
//! copied once for each legal move, so that the lanes of a word are successors of several states;
//! another run of code gives the next facts of all, and says which of them are terminal.

use super::compile::Compiled;
use base::table::Interner;
use circuit::lanes::{Copies, read_rows};
use circuit::{Literal, word};

pub const LANES: usize = 64;

pub struct Successor<'a> {
    /// The place of the state in the list that was expanded.
    pub parent: usize,
    pub action: u32,
    /// If it is terminal, its level plus 1, or 0 if it reaches none.
    pub end: Option<usize>,
    /// The key; of terminal states it means nothing.
    pub key: &'a [u64],
}

/// Working memory for expansions.
pub struct Expander<'a> {
    compiled: &'a Compiled,
    values: Vec<u64>,
    /// For each input the lanes in which its move is made.
    inputs: Vec<u64>,
    /// The parent and the move in each lane of moves.
    lanes: Vec<(usize, u32)>,
    /// Legal moves by lane of states.
    legal: Vec<Vec<u32>>,
    rows: Vec<u64>,
}

impl<'a> Expander<'a> {
    pub fn new(compiled: &'a Compiled) -> Self {
        Expander {
            compiled,
            values: compiled.transition.values(),
            inputs: vec![0; compiled.transition.input_count()],
            lanes: Vec::with_capacity(LANES),
            legal: vec![Vec::new(); LANES],
            rows: Vec::new(),
        }
    }

    /// For each of up to 64 states, how many moves are legal.
    pub fn count_moves(&mut self, states: &Interner, chosen: &[u32], counts: &mut Vec<u32>) {
        self.load(states, chosen);
        counts.clear();
        counts.resize(chosen.len(), 0);
        let all = lanes_of(chosen.len());
        for &literal in &self.compiled.transition.asked {
            let mut left = word(&self.values, literal) & all;
            while left != 0 {
                counts[left.trailing_zeros() as usize] += 1;
                left &= left - 1;
            }
        }
    }

    /// Lists all successors of up to 64 states.
    pub fn expand(
        &mut self,
        states: &Interner,
        chosen: &[u32],
        mut visit: impl FnMut(Successor<'_>),
    ) {
        self.load(states, chosen);
        let all = lanes_of(chosen.len());
        for moves in &mut self.legal[..chosen.len()] {
            moves.clear();
        }
        for (action, &literal) in self.compiled.transition.asked.iter().enumerate() {
            let mut left = word(&self.values, literal) & all;
            while left != 0 {
                self.legal[left.trailing_zeros() as usize].push(action as u32);
                left &= left - 1;
            }
        }
        let mut copies = Copies::new();
        for parent in 0..chosen.len() {
            let mut first = 0;
            while first < self.legal[parent].len() {
                let room = LANES - copies.count();
                let last = self.legal[parent].len().min(first + room);
                copies.push(parent as u32, (last - first) as u32);
                let moves = &self.legal[parent][first..last];
                self.lanes
                    .extend(moves.iter().map(|&action| (parent, action)));
                first = last;
                if copies.count() == LANES {
                    self.flush(&copies, &mut visit);
                    copies = Copies::new();
                }
            }
        }
        self.flush(&copies, &mut visit);
    }

    /// Puts keys into lanes and finds out what is legal.
    fn load(&mut self, states: &Interner, chosen: &[u32]) {
        let keys = chosen.iter().map(|&state| states.key(state as usize));
        self.compiled.transition.load(keys, &mut self.values);
    }

    /// Executes the lanes that wait.
    fn flush(&mut self, copies: &Copies, visit: &mut impl FnMut(Successor<'_>)) {
        let all = copies.all();
        if all == 0 {
            return;
        }
        let compiled = self.compiled;
        let values = &mut self.values;
        let transition = &compiled.transition;
        for (lane, &(_, action)) in self.lanes.iter().enumerate() {
            if let Some(input) = transition.inputs[action as usize] {
                self.inputs[input as usize] |= 1 << lane;
            }
        }
        transition.step(copies, &mut self.inputs, values);
        let words = compiled.words();
        self.rows.resize(LANES * words, 0);
        let rows = &mut self.rows[..self.lanes.len() * words];
        read_rows(values, &compiled.next, all, words, rows);
        let terminal = word(values, compiled.terminal);
        for (lane, &(parent, action)) in self.lanes.iter().enumerate() {
            let reaches = |literal: &Literal| word(values, *literal) >> lane & 1 == 1;
            let ends = terminal >> lane & 1 == 1;
            visit(Successor {
                parent,
                action,
                end: ends.then(|| {
                    let level = compiled.levels.iter().rposition(reaches);
                    level.map_or(0, |level| level + 1)
                }),
                key: &rows[lane * words..(lane + 1) * words],
            });
        }
        self.lanes.clear();
    }
}

/// A word with a one for each of the first `count` lanes.
fn lanes_of(count: usize) -> u64 {
    match count {
        0 => 0,
        count => u64::MAX >> (LANES - count),
    }
}
