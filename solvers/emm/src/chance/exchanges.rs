//! Exchanges of interchangeable things: the images of states and moves, and the outcomes that are one then.
//!
//! Five dice without order are one hand. If a symmetry exchanges two dice, and what chance goes on from is the same with these dice
//! exchanged, then the throws 1 2 and 2 1 of the two are worth the same. So only one of them is made, and it weighs as much as
//! both.
//!
//! ```text
//! keep nothing            throw all five     7776 throws are 252 outcomes: hands without order
//! keep 6, throw the rest  four are alike     1296 throws are 126 outcomes
//! ```
//!
//! Things are *blocks* of facts that symmetries exchange ([`circuit::automorphism::blocks`]). Only the exchanges of two blocks are used, 15 for
//! six dice: they generate all 720 orders. Those that keep the record of a state and moves ([`super::residual`]) map outcomes to outcomes that are worth
//! the same. And a state and moves are *sorted*, by exchange after exchange, so that all images of one are mostly the same.
//!
//! An exchange is a product of symmetries that were checked, of facts and of the moves of all agents; so it is a symmetry. Nothing else is
//! relied on: how well things are sorted decides how much is merged, not whether that is right.

use super::residual::Live;
use crate::keys::Permutation;
use crate::policy::{MAX_IMAGE_ENTRIES, MAX_PAIRS};
use crate::symmetry::Symmetry;
use circuit::automorphism::{MAX_BLOCK, blocks};
use std::ops::Range;

/// Some exchanges, one bit for each.
pub type ExchangeSet = u64;

/// The most blocks: labels of 4 bits for each are one number.
const MAX_BLOCKS: usize = 16;

/// Interchangeable things in a step with one agent of chance and up to two others.
#[derive(Debug)]
pub struct Exchanges {
    /// The facts of each block.
    blocks: Vec<Vec<u32>>,
    /// The blocks that may be exchanged with each other.
    systems: Vec<Range<usize>>,
    exchanges: Vec<Exchange>,
    /// The number of the exchange of two blocks, by both of their numbers.
    numbers: Vec<[usize; MAX_BLOCKS]>,
    /// For each player, for each of its choices a label of each block. Blocks whose exchange keeps the choice have one label.
    labels: Vec<Vec<u64>>,
}

/// The exchange of two blocks.
#[derive(Debug)]
struct Exchange {
    blocks: [usize; 2],
    /// The images of each player's choices, and behind them those of chance.
    choices: Vec<Permutation>,
    /// The signals in which an outcome and its image differ.
    moved: Live,
}

/// A state and the choices of players, as an image of others.
#[derive(Clone, Debug, Default)]
pub struct SortedState {
    /// The facts.
    pub state: Vec<u64>,
    /// The choices.
    pub moves: [u32; 2],
}

impl Exchanges {
    /// The blocks that some symmetries of facts and choices exchange; nothing if there are none. `rows` are those of the outcomes of chance.
    pub fn new(generators: &[Symmetry], rows: &[Live]) -> Option<Self> {
        let agents = generators.first()?.moves.len();
        let entries: usize = generators[0].moves.iter().map(Vec::len).sum();
        let most = MAX_PAIRS.min(MAX_IMAGE_ENTRIES / entries.max(1));
        let maps: Vec<Permutation> = generators.iter().map(|it| it.facts.clone()).collect();
        let mut group = Exchanges {
            blocks: Vec::new(),
            systems: Vec::new(),
            exchanges: Vec::new(),
            numbers: vec![[usize::MAX; MAX_BLOCKS]; MAX_BLOCKS],
            labels: Vec::new(),
        };
        for found in blocks(&maps) {
            let start = group.blocks.len();
            // One block more can be exchanged with each before.
            let room = |count: usize| {
                let pairs = group.exchanges.len() + count * (count - 1) / 2;
                pairs <= most && start + count <= MAX_BLOCKS
            };
            let counts = 2..=found.points.len();
            let Some(count) = counts.take_while(|&count| room(count)).last() else {
                continue;
            };
            if found.points[0].len() > MAX_BLOCK {
                continue;
            }
            // With the first block; the others are products of these.
            let mut with_first: Vec<Vec<Permutation>> = Vec::new();
            for &(before, number) in &found.exchanges[..count - 1] {
                let direct = &generators[number].moves;
                with_first.push(match before.checked_sub(1) {
                    None => direct.clone(),
                    Some(before) => conjugate(direct, &with_first[before]),
                });
            }
            for one in 0..count {
                for other in one + 1..count {
                    let choices = match one.checked_sub(1) {
                        None => with_first[other - 1].clone(),
                        Some(one) => conjugate(&with_first[other - 1], &with_first[one]),
                    };
                    let blocks = [start + one, start + other];
                    let number = group.exchanges.len();
                    group.numbers[blocks[0]][blocks[1]] = number;
                    group.numbers[blocks[1]][blocks[0]] = number;
                    let outcomes = rows.iter().zip(&choices[agents - 1]);
                    let moved =
                        outcomes.fold(0, |moved, (row, &image)| moved | row ^ rows[image as usize]);
                    group.exchanges.push(Exchange {
                        blocks,
                        choices,
                        moved,
                    });
                }
            }
            group.blocks.extend_from_slice(&found.points[..count]);
            group.systems.push(start..start + count);
        }
        if group.exchanges.is_empty() {
            return None;
        }
        group.labels = (0..agents - 1).map(|player| group.labels(player)).collect();
        Some(group)
    }

    /// For each choice of a player a label of each block, so that those of images are images. Where there are no such labels, all are 0.
    fn labels(&self, player: usize) -> Vec<u64> {
        let maps = || (self.exchanges.iter()).map(|exchange| (exchange, &exchange.choices[player]));
        let mut labels: Vec<Option<u64>> = vec![None; self.exchanges[0].choices[player].len()];
        for choice in 0..labels.len() {
            if labels[choice].is_some() {
                continue;
            }
            let mut first: [usize; MAX_BLOCKS] = std::array::from_fn(|block| block);
            for (exchange, map) in maps() {
                let [one, other] = exchange.blocks;
                if map[choice] == choice as u32 {
                    first[other] = first[one].min(first[other]);
                }
            }
            let own = (first.iter().zip(0..)).map(|(&label, block)| (label as u64) << (4 * block));
            labels[choice] = Some(own.sum());
            let mut orbit = vec![choice];
            let mut are_images = true;
            let mut next = 0;
            while let Some(&known) = orbit.get(next) {
                let label = labels[known].expect("it is known");
                for (exchange, map) in maps() {
                    let image = map[known] as usize;
                    let expected = exchanged(label, exchange.blocks);
                    if labels[image].is_none() {
                        labels[image] = Some(expected);
                        orbit.push(image);
                    }
                    are_images &= labels[image] == Some(expected);
                }
                next += 1;
            }
            if !are_images {
                orbit.iter().for_each(|&known| labels[known] = Some(0));
            }
        }
        labels.into_iter().flatten().collect()
    }

    /// For each block the facts of a state in it, one per bit.
    pub fn write_numbers(&self, state: &[u64], numbers: &mut Vec<u64>) {
        numbers.clear();
        let holds = |fact: u32| state[fact as usize / 64] >> (fact % 64) & 1;
        numbers.extend(self.blocks.iter().map(|block| {
            let facts = block.iter().zip(0..);
            facts.fold(0, |number, (&fact, index)| number | holds(fact) << index)
        }));
    }

    /// Puts other facts into a block of a state.
    fn put(&self, state: &mut [u64], block: usize, number: u64) {
        for (&fact, index) in self.blocks[block].iter().zip(0..) {
            let (word, bit) = (fact as usize / 64, fact % 64);
            state[word] = state[word] & !(1 << bit) | (number >> index & 1) << bit;
        }
    }

    /// The images of a state, whose blocks are these, under all exchanges.
    pub fn write_images(&self, state: &[u64], numbers: &[u64], images: &mut Vec<u64>) {
        for exchange in &self.exchanges {
            let start = images.len();
            images.extend_from_slice(state);
            let [one, other] = exchange.blocks;
            self.put(&mut images[start..], one, numbers[other]);
            self.put(&mut images[start..], other, numbers[one]);
        }
    }

    /// Sorts the blocks of a state, which are these, and the choices of players with them: by the labels that choices give them, then by their facts.
    pub fn sort(&self, state: &[u64], numbers: &[u64], moves: [u32; 2], sorted: &mut SortedState) {
        let labels = |player: usize| {
            self.labels
                .get(player)
                .map_or(0, |of| of[moves[player] as usize])
        };
        let (first, second) = (labels(0), labels(1));
        let mut order = [(0, 0); MAX_BLOCKS];
        for (block, &number) in numbers.iter().enumerate() {
            let label = |labels: u64| labels >> (4 * block) & 15;
            order[block] = (label(first) << 4 | label(second), number);
        }
        sorted.state.clear();
        sorted.state.extend_from_slice(state);
        sorted.moves = moves;
        for system in &self.systems {
            for index in system.clone() {
                let rest = index..system.end;
                let least = rest.min_by_key(|&other| order[other]).unwrap_or(index);
                if least != index {
                    order.swap(index, least);
                    let exchange = &self.exchanges[self.numbers[index][least]];
                    for (choice, map) in sorted
                        .moves
                        .iter_mut()
                        .zip(&exchange.choices[..self.labels.len()])
                    {
                        *choice = map[*choice as usize];
                    }
                }
                let number = order[index].1;
                if number != numbers[index] {
                    self.put(&mut sorted.state, index, number);
                }
            }
        }
    }

    /// The images of the choices of players under all exchanges.
    pub fn write_moves(&self, moves: [u32; 2], images: &mut Vec<[u32; 2]>) {
        images.extend(self.exchanges.iter().map(|exchange| {
            let mut images = moves;
            let players = images
                .iter_mut()
                .zip(&exchange.choices[..self.labels.len()]);
            players.for_each(|(choice, map)| *choice = map[*choice as usize]);
            images
        }));
    }

    /// The exchanges that change some of these signals. The others map each outcome to one that is equal to it where only these are live.
    pub fn that_move(&self, live: Live) -> ExchangeSet {
        let exchanges = self.exchanges.iter().zip(0..);
        exchanges.fold(0, |all, (exchange, number)| {
            all | u64::from(exchange.moved & live != 0) << number
        })
    }

    /// Whether some exchange moves a fact.
    pub fn moves_fact(&self, fact: u32) -> bool {
        self.blocks.iter().any(|block| block.contains(&fact))
    }

    /// The images of the choices of chance under an exchange.
    pub fn of_chance(&self, number: usize) -> &Permutation {
        &self.exchanges[number].choices[self.labels.len()]
    }
}

/// The numbers of some exchanges.
pub fn bits(mut exchanges: ExchangeSet) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let number = exchanges.trailing_zeros() as usize;
        exchanges &= exchanges.wrapping_sub(1);
        (number < 64).then_some(number)
    })
}

/// The labels of blocks where two of them are exchanged.
fn exchanged(labels: u64, [one, other]: [usize; 2]) -> u64 {
    let differs = (labels >> (4 * one) ^ labels >> (4 * other)) & 15;
    labels ^ (differs << (4 * one) | differs << (4 * other))
}

/// The second, then the first, then the second again.
fn conjugate(first: &[Permutation], second: &[Permutation]) -> Vec<Permutation> {
    let conjugate = |(first, second): (&Permutation, &Permutation)| -> Permutation {
        let images = second.iter().map(|&to| second[first[to as usize] as usize]);
        images.collect()
    };
    first.iter().zip(second).map(conjugate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Dice with two sides; neighbours may be exchanged. Outcomes are numbers of a bit for each die; so are choices.
    fn dice(count: usize) -> Vec<Symmetry> {
        let exchange = |die: usize| {
            let image = |row: u32| {
                let differs = (row >> die ^ row >> (die + 1)) & 1;
                row ^ (differs << die | differs << (die + 1))
            };
            let mut facts: Permutation = (0..count as u32).collect();
            facts.swap(die, die + 1);
            let rows: Permutation = (0..1 << count).map(image).collect();
            Symmetry {
                facts,
                moves: vec![rows.clone(), rows],
            }
        };
        (0..count - 1).map(exchange).collect()
    }

    #[test]
    fn sorted_images_of_a_state_and_a_choice_are_the_same() {
        let group = Exchanges::new(&dice(6), &[]).expect("a group");
        assert_eq!(group.exchanges.len(), 15);
        let mut found = std::collections::HashMap::new();
        for state in 0..1_u64 << 6 {
            for choice in 0..1_u32 << 6 {
                let (mut numbers, mut sorted) = (Vec::new(), SortedState::default());
                group.write_numbers(&[state], &mut numbers);
                group.sort(&[state], &numbers, [choice, 0], &mut sorted);
                let both = (state & u64::from(choice)).count_ones();
                let counts = (state.count_ones(), choice.count_ones(), both);
                let image = (sorted.state[0], sorted.moves[0]);
                let of_image = image.0 & u64::from(image.1);
                assert_eq!(counts.2, of_image.count_ones());
                assert_eq!(*found.entry(counts).or_insert(image), image);
            }
        }
    }
}
