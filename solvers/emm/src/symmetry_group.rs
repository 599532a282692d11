//! A group of symmetries, element by element: the images of states and moves, and the outcomes that are one then.
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
//! The elements that keep what chance goes on from are the *stabiliser*; [`Afterstates`](crate::afterstates::Afterstates) finds it.

use crate::bounds::{MAX_ELEMENTS, MAX_IMAGE_ENTRIES};
use crate::equal_outcomes::Partition;
use crate::keys::Permutation;
use crate::symmetry::Symmetry;
use automorphism::{BitMap, Images, subgroup};
use graph::UnionFind;

/// Some elements of a group, one bit for each.
pub type Elements = u128;

/// The identity alone, which is the first element.
pub const IDENTITY: Elements = 1;

/// A group of symmetries of a step with one agent of chance and up to two others.
#[derive(Debug)]
pub struct SymmetryGroup {
    /// The facts of the images of a state.
    images: Images,
    /// For each element the images of the choices of each player, then of chance.
    moves: Vec<Vec<Permutation>>,
}

impl SymmetryGroup {
    /// The group that some symmetries of facts and choices generate, or a subgroup if it is large; nothing if there is only the identity.
    pub fn new(facts: usize, generators: &[Symmetry]) -> Option<Self> {
        let counts = generators.first()?.moves.iter().map(Vec::len);
        let counts: Vec<usize> = counts.collect();
        let bits = facts + counts.iter().sum::<usize>();
        // Facts and choices stand in one row.
        let row = |symmetry: &Symmetry| -> BitMap {
            let mut row = Vec::with_capacity(bits);
            for map in [&symmetry.facts].into_iter().chain(&symmetry.moves) {
                let start = row.len() as u32;
                row.extend(map.iter().map(|&to| (start + to, false)));
            }
            row
        };
        // The last generators come first, because they fix most.
        let rows = generators.iter().rev().map(row);
        let most = (MAX_IMAGE_ENTRIES / bits).clamp(1, MAX_ELEMENTS);
        let (_, elements) = subgroup(rows, bits, most);
        if elements.len() == 1 {
            return None;
        }
        let split = |element: &BitMap| {
            let mut start = facts;
            let of_agent = counts.iter().map(|count| {
                let images = element[start..start + count].iter();
                let images = images.map(|&(to, _)| to - start as u32).collect();
                start += count;
                images
            });
            of_agent.collect()
        };
        let weights: Vec<(usize, u64)> = (0..facts)
            .map(|fact| (fact / 64, 1 << (fact % 64)))
            .collect();
        let maps: Vec<BitMap> = elements
            .iter()
            .map(|element| element[..facts].to_vec())
            .collect();
        Some(SymmetryGroup {
            images: Images::new(&maps, &weights, facts.div_ceil(64).max(1), 4),
            moves: elements.iter().map(split).collect(),
        })
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.moves.len()
    }

    /// The facts of the images of a state under all elements, one row behind the other.
    pub fn write_images(&self, facts: &[u64], images: &mut Vec<u64>) {
        images.clear();
        self.images.write_all(facts, images);
    }

    /// The images of the first player's choice, and of that of the second if there is one, under an element.
    pub fn choices(&self, element: usize, choices: [u32; 2]) -> [u32; 2] {
        match self.moves[element].as_slice() {
            [first, second, _] => [first[choices[0] as usize], second[choices[1] as usize]],
            [first, ..] => [first[choices[0] as usize], choices[1]],
            [] => choices,
        }
    }

    /// For each outcome of chance the first that one of these elements maps to it, or that is equal to such a one by a partition.
    pub fn orbits(&self, elements: Elements, partition: Option<&Partition>) -> Partition {
        let outcomes = self.moves[0].last().map_or(0, Vec::len);
        let mut union = UnionFind::new(outcomes);
        let mut firsts: Vec<u32> = (0..outcomes as u32).collect();
        if let Some(partition) = partition {
            firsts.copy_from_slice(partition);
        }
        let elements = (0..self.len()).filter(|element| elements >> element & 1 == 1);
        for map in elements.filter_map(|element| self.moves[element].last()) {
            for (outcome, &first) in (0..).zip(&firsts) {
                if outcome == first {
                    union.join(outcome, firsts[map[outcome as usize] as usize]);
                }
            }
        }
        firsts
            .iter_mut()
            .for_each(|first| *first = union.find(*first));
        firsts.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throws_without_order_are_one_outcome() {
        // Three dice with two sides; neighbours may be exchanged. Outcomes are numbers of three bits.
        let exchange = |die: usize| {
            let image = |row: u32| {
                let differs = (row >> die ^ row >> (die + 1)) & 1;
                row ^ (differs << die | differs << (die + 1))
            };
            let mut facts: Permutation = vec![0, 1, 2];
            facts.swap(die, die + 1);
            let outcomes: Permutation = (0..8).map(image).collect();
            Symmetry {
                facts,
                moves: vec![vec![0], outcomes],
            }
        };
        let group = SymmetryGroup::new(3, &[exchange(0), exchange(1)]).expect("a group");
        assert_eq!(group.len(), 6);
        assert_eq!(*group.orbits(IDENTITY, None), [0, 1, 2, 3, 4, 5, 6, 7]);
        let all = (1 << 6) - 1;
        assert_eq!(*group.orbits(all, None), [0, 1, 1, 3, 1, 3, 3, 7]);
        // The third die does not matter.
        let partition: Partition = [0, 1, 2, 3, 0, 1, 2, 3].into();
        let mut images = Vec::new();
        group.write_images(&[0b100], &mut images);
        let keeps_third = (0..6).filter(|&element| images[element] == 0b100);
        let stabiliser = keeps_third.fold(0, |all, element| all | 1 << element);
        assert_eq!(
            *group.orbits(stabiliser, Some(&partition)),
            [0, 1, 1, 3, 0, 1, 1, 3]
        );
    }
}
