//! Partitions of outcomes, each made when it is first needed: by their live signals, then by the exchanges that keep an afterstate, then by next facts.

use super::exchanges::{ExchangeSet, Exchanges, bits};
use super::residual::Live;
use crate::policy::{MAX_PARTITION_ENTRIES, MAX_PARTITIONS, MAX_RESIDUALS};
use base::graph::UnionFind;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// A move, or a joint move of several agents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Joint {
    /// Its number, for the history.
    pub number: u32,
    /// For how many moves it stands.
    pub weight: u32,
    /// The place of its first input, the largest number if there is none.
    pub input: u32,
    /// Further inputs: where the list goes on, the largest number at the end.
    pub more: u32,
}

/// For each outcome of chance, one of those that are equal to it: the same for all of them.
type Partition = Vec<u32>;

/// The number of the partition in which all outcomes differ.
pub const ALL_DIFFER: u32 = u32::MAX;

/// The partitions so far, and the outcomes of the present state under each.
#[derive(Debug, Default)]
pub struct Partitions {
    found: IndexSet<Partition, FxBuildHasher>,
    numbers: FxHashMap<(Live, ExchangeSet), u32>,
    of_residuals: FxHashMap<Box<[u64]>, u32>,
    /// For each partition, the outcomes of which one stands for all that are equal to it; empty if they were not asked for.
    merged: Vec<Vec<Joint>>,
    /// By outcome, the place of the one that stands for it.
    indices: Vec<u32>,
}

impl Partitions {
    /// The number of the partition by live signals and by exchanges; `rows` are those of all outcomes. If there are too many, the others are forgotten.
    pub fn number(
        &mut self,
        live: Live,
        keeping: ExchangeSet,
        rows: &[Live],
        exchanges: Option<&Exchanges>,
    ) -> u32 {
        if let Some(&number) = self.numbers.get(&(live, keeping)) {
            return number;
        }
        if self.is_full(rows.len()) {
            *self = Partitions::default();
        }
        let number = self.keep(partition(live, keeping, rows, exchanges));
        self.numbers.insert((live, keeping), number);
        number
    }

    /// Whether there are too many partitions of this many outcomes.
    fn is_full(&self, outcomes: usize) -> bool {
        self.found.len() >= MAX_PARTITIONS || self.found.len() * outcomes > MAX_PARTITION_ENTRIES
    }

    fn keep(&mut self, partition: Partition) -> u32 {
        let number = self.found.insert_full(partition).0;
        self.merged.resize(self.found.len(), Vec::new());
        number as u32
    }

    /// By class of a partition, the outcome that stands for all of its outcomes.
    pub fn firsts(&self, partition: u32) -> Vec<u32> {
        let all = (0..).zip(&self.found[partition as usize]);
        let firsts = all.filter(|(outcome, first)| outcome == *first);
        firsts.map(|(outcome, _)| outcome).collect()
    }

    /// The number of the partition in which classes of another one are one that lead to the same; both are given class by class. It is the other one if there are too many.
    pub fn merged<'a>(
        &mut self,
        partition: u32,
        firsts: &[u32],
        next: impl Iterator<Item = &'a [u64]>,
    ) -> u32 {
        let mut known: FxHashMap<&[u64], u32> = FxHashMap::default();
        let images = firsts.iter().zip(next);
        let images = images.map(|(&first, next)| (first, *known.entry(next).or_insert(first)));
        let images: FxHashMap<u32, u32> = images.collect();
        let outcomes = &self.found[partition as usize];
        if known.len() == firsts.len() || self.is_full(outcomes.len()) {
            return partition;
        }
        let merged = outcomes.iter().map(|first| images[first]).collect();
        self.keep(merged)
    }

    /// The number of the partition of a residual that was met before.
    pub fn of_residual(&self, residual: &[u64]) -> Option<u32> {
        self.of_residuals.get(residual).copied()
    }

    /// Keeps the number of the partition of a residual.
    pub fn note_residual(&mut self, residual: &[u64], partition: u32) {
        if self.of_residuals.len() >= MAX_RESIDUALS {
            self.of_residuals.clear();
        }
        self.of_residuals.insert(residual.into(), partition);
    }

    /// Forgets the outcomes of a state.
    pub fn forget_outcomes(&mut self) {
        self.merged.iter_mut().for_each(Vec::clear);
    }

    /// How many outcomes of the present state differ by a partition; `all` are its outcomes.
    pub fn count(&mut self, partition: u32, all: &[Joint]) -> usize {
        let Some(firsts) = self.found.get_index(partition as usize) else {
            return all.len();
        };
        let merged = &mut self.merged[partition as usize];
        if merged.is_empty() {
            self.indices.clear();
            self.indices.resize(firsts.len(), u32::MAX);
            for joint in all {
                let index = &mut self.indices[firsts[joint.number as usize] as usize];
                match merged.get_mut(*index as usize) {
                    Some(same) => same.weight += joint.weight,
                    None => {
                        *index = merged.len() as u32;
                        merged.push(*joint);
                    }
                }
            }
        }
        merged.len()
    }

    /// The outcomes that differ by a partition, once they were counted.
    pub fn outcomes<'a>(&'a self, partition: u32, all: &'a [Joint]) -> &'a [Joint] {
        match self.merged.get(partition as usize) {
            Some(merged) => merged,
            None => all,
        }
    }
}

/// The outcomes that are equal by these signals, or that some of these exchanges map to such.
fn partition(
    live: Live,
    keeping: ExchangeSet,
    rows: &[Live],
    exchanges: Option<&Exchanges>,
) -> Partition {
    let mut known: FxHashMap<Live, u32> = FxHashMap::default();
    let firsts = rows.iter().zip(0u32..);
    let mut firsts: Vec<u32> = firsts
        .map(|(row, number)| *known.entry(row & live).or_insert(number))
        .collect();
    let Some(exchanges) = exchanges.filter(|_| keeping != 0) else {
        return firsts;
    };
    let mut union = UnionFind::new(rows.len());
    for map in bits(keeping).map(|number| exchanges.of_chance(number)) {
        for (outcome, &first) in (0..).zip(&firsts) {
            if outcome == first {
                union.join(outcome, firsts[map[outcome as usize] as usize]);
            }
        }
    }
    firsts
        .iter_mut()
        .for_each(|first| *first = union.find(*first));
    firsts
}
