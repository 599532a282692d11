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
//! The elements that keep what chance goes on from are the *stabiliser* (`afterstates`).

use crate::bounds::{MAX_ELEMENTS, MAX_IMAGE_ENTRIES};
use crate::equal_outcomes::Partition;
use crate::keys::Permutation;
use crate::symmetry::Symmetry;
use automorphism::{BitMap, Images, subgroup};
use graph::UnionFind;
use rustc_hash::FxHashMap;

/// Some elements of a group, one bit for each.
pub type Elements = u128;

/// The identity alone, which is the first element.
pub const IDENTITY: Elements = 1;

/// A group of symmetries of a step with one agent of chance and up to two others.
#[derive(Debug)]
pub struct SymmetryGroup {
    /// The facts of the images of a state.
    images: Images,
    /// For each player, for each of its choices the images under all elements.
    players: Vec<Vec<u32>>,
    /// For each element the images of the choices of chance.
    chance: Vec<Permutation>,
}

impl SymmetryGroup {
    /// The group that some symmetries of facts and choices generate, or a subgroup if it is large; nothing if there is only the identity.
    pub fn new(facts: usize, generators: &[Symmetry]) -> Option<Self> {
        let (_, with_players) = generators.first()?.moves.split_last()?;
        let players: Vec<usize> = with_players.iter().map(Vec::len).collect();
        let bits = facts + players.iter().sum::<usize>();
        // Facts and the choices of players stand in one row. Those of chance follow from the elements before.
        let row = |symmetry: &Symmetry| -> BitMap {
            let mut row = Vec::with_capacity(bits);
            let of_players = symmetry.moves.iter().take(players.len());
            for map in [&symmetry.facts].into_iter().chain(of_players) {
                let start = row.len() as u32;
                row.extend(map.iter().map(|&to| (start + to, false)));
            }
            row
        };
        // The last generators come first, because they fix most.
        let rows: Vec<BitMap> = generators.iter().rev().map(row).collect();
        let outcomes = generators[0].moves[players.len()].len();
        let most = (MAX_IMAGE_ENTRIES / (bits + outcomes)).clamp(1, MAX_ELEMENTS);
        let (taken, elements) = subgroup(rows.iter().cloned(), bits, most);
        if elements.len() == 1 {
            return None;
        }
        let of_chance = |number: usize| -> &Permutation {
            &generators[generators.len() - 1 - number].moves[players.len()]
        };
        let numbers: FxHashMap<&BitMap, usize> = elements.iter().zip(0..).collect();
        let mut chance: Vec<Permutation> = vec![Permutation::new(); elements.len()];
        chance[0] = (0..outcomes as u32).collect();
        let mut known = vec![0];
        let mut next = 0;
        while let Some(&element) = known.get(next) {
            for &number in &taken {
                let product = elements[element].iter();
                let product = product.map(|&(to, _)| rows[number][to as usize]);
                let product: BitMap = product.collect();
                let product = numbers[&product];
                if chance[product].is_empty() {
                    let images = chance[element].iter();
                    let images = images.map(|&to| of_chance(number)[to as usize]).collect();
                    chance[product] = images;
                    known.push(product);
                }
            }
            next += 1;
        }
        let mut start = facts;
        let of_player = |&count: &usize| {
            let choices = start..start + count;
            let images = choices.flat_map(|choice| {
                let images = elements.iter().map(move |element| element[choice].0);
                images.map(move |to| to - start as u32)
            });
            let images = images.collect();
            start += count;
            images
        };
        let players = players.iter().map(of_player).collect();
        let weights = (0..facts).map(|fact| (fact / 64, 1 << (fact % 64)));
        let weights: Vec<(usize, u64)> = weights.collect();
        let maps = elements.iter().map(|element| element[..facts].to_vec());
        let maps: Vec<BitMap> = maps.collect();
        Some(SymmetryGroup {
            images: Images::new(&maps, &weights, facts.div_ceil(64).max(1), 4),
            players,
            chance,
        })
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.chance.len()
    }

    /// The facts of the images of a state under all elements, one row behind the other.
    pub fn write_images(&self, facts: &[u64], images: &mut Vec<u64>) {
        images.clear();
        self.images.write_all(facts, images);
    }

    /// The images of the first player's choice, and of that of the second if there is one, under all elements.
    pub fn images_of_choices(&self, [first, second]: [u32; 2]) -> impl Iterator<Item = [u32; 2]> {
        let of = |player: usize, choice: u32| {
            let images = self.players.get(player)?;
            Some(&images[choice as usize * self.len()..][..self.len()])
        };
        let (firsts, seconds) = (of(0, first), of(1, second));
        (0..self.len()).map(move |element| {
            let image = |images: Option<&[u32]>, choice| images.map_or(choice, |it| it[element]);
            [image(firsts, first), image(seconds, second)]
        })
    }

    /// For each outcome of chance the first that one of these elements maps to it, or that is equal to such a one by a partition.
    pub fn orbits(&self, elements: Elements, partition: Option<&Partition>) -> Partition {
        let outcomes = self.chance[0].len();
        let mut union = UnionFind::new(outcomes);
        let mut firsts: Vec<u32> = (0..outcomes as u32).collect();
        if let Some(partition) = partition {
            firsts.copy_from_slice(partition);
        }
        let elements = (1..self.len()).filter(|element| elements >> element & 1 == 1);
        for map in elements.map(|element| &self.chance[element]) {
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
