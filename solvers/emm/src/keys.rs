//! The key under which a state is remembered: one number for all states that are images of each other.
//!
//! Facts are weighed, and the key is the sum of the weights of those that hold. Of a group of facts of
//! which at most one holds, the first weighs 1, the second 2, and so on, times the weight of the
//! group, which is the product of the numbers of possibilities of the groups before: the digits of a
//! number, each in its own base. So nine cells with two kinds of stones take 3^9 numbers.
//!
//! ```text
//! cells     1   2   3        a stone x in cell c weighs 3^(c-1), a stone o twice that
//! state     x   .   o        key 1 + 0 + 2 * 9 = 19
//! ```
//!
//! A symmetry maps a fact to a fact, so the key of an image is a sum of weights as well, and the smallest of all is the key ([`Images`]).
//! Three interchangeable things or more are sorted instead ([`SortedImages`]). A large group of other symmetries has too many images. Then those of a
//! subgroup are compared: with any other set of images, a state and its image
//! could have different keys, and a state that play leads to could be missing among all states that were listed.
//!
//! Without groups and with one image only, the weights are the powers of two, and the key is the facts themselves.

use crate::bounds::{MAX_IMAGES, MAX_KEY_BYTES, MAX_SORTED};
use circuit::automorphism::{BitMap, Blocks, Images, MAX_BLOCK, SortedImages, blocks, is_product};

/// A permutation of the facts of a key, by place.
pub type Permutation = Vec<u32>;

/// Facts of which at most one holds; of which exactly one does, if it says so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// The facts, by place in the key.
    pub facts: Vec<usize>,
    /// Whether one of them always holds.
    pub is_exact: bool,
}

/// The bits of a chunk of facts; and where tables for all images would be too large, if that makes room for them.
const WIDE_CHUNK: usize = 8;
const NARROW_CHUNK: usize = 4;

/// How keys are made.
#[derive(Clone, Debug)]
pub struct Keys {
    /// The number of words of a key.
    words: usize,
    /// Generators of the group whose images are compared.
    generators: Vec<Permutation>,
    /// The bits that a key can take.
    bits: u32,
    /// The bits from the first of a key to the highest that can be set.
    width: usize,
    /// The number of images that are compared, the state itself included.
    images: usize,
    smallest: Smallest,
}

/// How the smallest image of a key is found.
#[derive(Clone, Debug)]
enum Smallest {
    /// There is one image, and the key is the facts themselves.
    Facts,
    Listed(Images),
    Sorted(SortedImages),
}

impl Keys {
    /// Keys for this number of facts, of which each must be in one group at most, with automorphisms.
    pub fn new(facts: usize, groups: &[Group], generators: &[Permutation]) -> Self {
        let mut single = vec![true; facts];
        for group in groups {
            group.facts.iter().for_each(|&fact| single[fact] = false);
        }
        let singles = (0..facts).filter(|&fact| single[fact]).map(|fact| Group {
            facts: vec![fact],
            is_exact: false,
        });
        // The first word of a key has the weights of the first groups, and so on.
        let mut weights = vec![(0, 0); facts];
        let (mut words, mut weight) = (1, 1u128);
        let mut bits = 0.0;
        for group in groups.iter().cloned().chain(singles) {
            let values = group.facts.len() as u128 + u128::from(!group.is_exact);
            bits += (values as f64).log2();
            if weight * values > 1 << 64 {
                words += 1;
                weight = 1;
            }
            for (index, &fact) in group.facts.iter().enumerate() {
                let digit = index as u128 + u128::from(!group.is_exact);
                weights[fact] = (words - 1, (digit * weight) as u64);
            }
            weight *= values;
        }
        let sorted = interchangeable(generators);
        // The last generators come first, because they fix most.
        let (exchanges, others): (Vec<&Permutation>, Vec<_>) = (generators.iter().rev())
            .partition(|map| !sorted.is_empty() && is_product(map, &sorted));
        let maps = others
            .iter()
            .map(|map| map.iter().map(|&to| (to, false)).collect());
        let maps: Vec<BitMap> = maps.collect();
        let subgroup = |bytes: usize| {
            let most = (MAX_KEY_BYTES / bytes.max(1)).clamp(1, MAX_IMAGES);
            circuit::automorphism::subgroup(maps.clone(), facts, most)
        };
        let is_whole = |found: &(Vec<usize>, _)| found.0.len() == maps.len();
        let count: usize = sorted.iter().map(|blocks| blocks.points.len()).sum();
        let ((mut taken, maps), smallest) = if sorted.is_empty() {
            let of_chunk = |chunk| (subgroup(Images::bytes_for(facts, 1, words, chunk)), chunk);
            let wide = of_chunk(WIDE_CHUNK);
            let (found, chunk) = match is_whole(&wide.0) {
                true => wide,
                false => Some(of_chunk(NARROW_CHUNK))
                    .filter(|narrow| is_whole(&narrow.0))
                    .unwrap_or(wide),
            };
            let smallest = match groups.is_empty() && found.1.len() == 1 {
                true => Smallest::Facts,
                false => Smallest::Listed(Images::new(&found.1, &weights, words, chunk)),
            };
            (found, smallest)
        } else {
            let found = subgroup(SortedImages::bytes_for(facts, count, 1, words));
            let images = SortedImages::new(&found.1, &sorted, &weights, words);
            (found, Smallest::Sorted(images))
        };
        taken.reverse();
        let exchanges = exchanges.into_iter().rev().cloned();
        let taken = taken.iter().map(|&number| others[number].clone());
        let orders = sorted.iter().map(|blocks| factorial(blocks.points.len()));
        Keys {
            words,
            generators: exchanges.chain(taken).collect(),
            bits: f64::ceil(bits) as u32,
            width: 64 * (words - 1) + (u128::BITS - (weight - 1).leading_zeros()) as usize,
            images: orders.fold(maps.len(), usize::saturating_mul),
            smallest,
        }
    }

    /// The number of words of a key.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The number of images that are compared.
    pub fn images(&self) -> usize {
        self.images
    }

    /// Generators of the group of symmetries whose images are compared: if that is small enough, of all.
    pub fn generators(&self) -> &[Permutation] {
        &self.generators
    }

    /// The bits from the first of a key to the highest that can be set.
    pub fn width(&self) -> usize {
        self.width
    }

    /// About how many bits a key takes.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Writes the key of a state, whose facts are given one per bit.
    #[inline]
    pub fn write(&self, facts: &[u64], key: &mut [u64]) {
        match &self.smallest {
            Smallest::Facts => key.copy_from_slice(facts),
            Smallest::Listed(images) => images.write_smallest(facts, key),
            Smallest::Sorted(images) => images.write_smallest(facts, key),
        }
    }
}

/// Three blocks of facts or more that may be exchanged at will. They are sorted only if all symmetries map exchanges to exchanges: else states that are
/// images of each other could have different keys.
fn interchangeable(generators: &[Permutation]) -> Vec<Blocks> {
    let mut found = blocks(generators);
    found.retain(|blocks| {
        (3..=MAX_SORTED).contains(&blocks.points.len())
            && blocks.points[0].len() <= MAX_BLOCK
            && generators.iter().all(|map| blocks.is_kept_by(map))
    });
    found
}

fn factorial(number: usize) -> usize {
    (1..=number).fold(1, usize::saturating_mul)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashSet;

    /// All products of permutations.
    fn close(generators: &[Permutation], facts: usize) -> Vec<Permutation> {
        let identity: Permutation = (0..facts as u32).collect();
        let mut known = FxHashSet::from_iter([identity.clone()]);
        let mut left = vec![identity];
        while let Some(map) = left.pop() {
            for generator in generators {
                let product = map.iter().map(|&index| generator[index as usize]);
                let product: Permutation = product.collect();
                if known.insert(product.clone()) {
                    left.push(product);
                }
            }
        }
        known.into_iter().collect()
    }

    fn key(keys: &Keys, facts: &[bool]) -> Vec<u64> {
        let mut words = vec![0; facts.len().div_ceil(64)];
        for (fact, _) in facts.iter().enumerate().filter(|(_, holds)| **holds) {
            words[fact / 64] |= 1 << (fact % 64);
        }
        let mut key = vec![0; keys.words()];
        keys.write(&words, &mut key);
        key
    }

    /// A random state of groups, and some facts beside.
    fn random_state(random: &mut fastrand::Rng, facts: usize, groups: &[Group]) -> Vec<bool> {
        let mut state: Vec<bool> = (0..facts).map(|_| random.bool()).collect();
        for group in groups {
            group.facts.iter().for_each(|&fact| state[fact] = false);
            if group.is_exact || random.usize(0..4) > 0 {
                state[group.facts[random.usize(..group.facts.len())]] = true;
            }
        }
        state
    }

    #[test]
    fn states_have_one_key_if_and_only_if_they_are_images() {
        for seed in 0..300 {
            let mut random = fastrand::Rng::with_seed(seed);
            // Neighbours of two to four columns that may be exchanged, each made of a group and a fact beside it.
            let size = random.usize(1..6);
            let together = random.usize(2..5);
            let sets = random.usize(1..=24 / together);
            let columns = together * sets;
            let facts = columns * (size + 1);
            let is_exact = random.bool();
            let groups: Vec<Group> = (0..columns)
                .map(|column| Group {
                    facts: (0..size).map(|n| column * (size + 1) + n).collect(),
                    is_exact,
                })
                .collect();
            let most = [12, 4, 2][together - 2];
            let exchanged: Vec<usize> = (0..sets)
                .filter(|_| random.usize(0..4) == 0)
                .take(most)
                .collect();
            let neighbours = exchanged.iter().flat_map(|set| {
                let first = set * together;
                first..first + together - 1
            });
            let generators: Vec<Permutation> = neighbours
                .map(|one| {
                    let indices = (0..facts).map(|fact| {
                        let column = fact / (size + 1);
                        let other = match column {
                            _ if column == one => one + 1,
                            _ if column == one + 1 => one,
                            _ => column,
                        };
                        (other * (size + 1) + fact % (size + 1)) as u32
                    });
                    indices.collect()
                })
                .collect();
            let keys = Keys::new(facts, &groups, &generators);
            let group = close(&generators, facts);
            let known = close(keys.generators(), facts);
            assert_eq!(known.len(), keys.images());
            // The tables have room for eight images at least.
            assert!(
                known.len() == group.len() || known.len() >= 8,
                "seed {seed}"
            );
            for _ in 0..20 {
                let state = random_state(&mut random, facts, &groups);
                let map = &known[random.usize(..known.len())];
                let mut image = vec![false; facts];
                for (fact, &to) in map.iter().enumerate() {
                    image[to as usize] = state[fact];
                }
                assert_eq!(key(&keys, &state), key(&keys, &image), "seed {seed}");
                let other = random_state(&mut random, facts, &groups);
                let is_image = group.iter().any(|map| {
                    let mut indices = map.iter().enumerate();
                    indices.all(|(fact, &to)| state[fact] == other[to as usize])
                });
                if !is_image {
                    assert_ne!(key(&keys, &state), key(&keys, &other), "seed {seed}");
                }
            }
        }
    }

    #[test]
    fn groups_take_less_room() {
        let cells: Vec<Group> = (0..36)
            .map(|cell| Group {
                facts: vec![2 * cell, 2 * cell + 1],
                is_exact: false,
            })
            .collect();
        assert_eq!(Keys::new(72, &cells, &[]).words(), 1);
        assert_eq!(Keys::new(72, &cells, &[]).bits(), 58);
        assert_eq!(Keys::new(72, &[], &[]).words(), 2);
    }
}
