//! The key under which a state is remembered: one number for all states that are images of each other.
//!
//! A key is a number with one binary digit for each fact: facts weigh powers of two, and the key is the sum of the weights of those that hold.
//!
//! A symmetry maps a fact to a fact, so the key of an image is a sum of weights as well, and the smallest of all is the key ([`Images`]).
//! Three interchangeable things or more are sorted instead ([`SortedImages`]). A large group of other symmetries has too many images. Then those of a
//! subgroup are compared: with any other set of images, a state and its image
//! could have different keys, and a state that play leads to could be missing among all states that were listed.
//!
//! With one image only the key is the facts themselves.

use crate::policy::{MAX_IMAGES, MAX_KEY_BYTES, MAX_SORTED};
use circuit::automorphism::{
    BitMap, Blocks, Images, MAX_BLOCK, SortedImages, Weight, blocks, is_product,
};

/// A permutation of the facts of a key, by place.
pub type Permutation = Vec<u32>;

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
    /// The bits of a key.
    bits: usize,
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
    /// Keys for this number of facts, with automorphisms.
    pub fn new(facts: usize, generators: &[Permutation]) -> Self {
        let words = facts.div_ceil(64).max(1);
        let weights: Vec<Weight> = (0..facts)
            .map(|fact| (fact / 64, 1 << (fact % 64)))
            .collect();
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
            let smallest = match found.1.len() == 1 {
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
            bits: facts,
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

    /// The bits of a key.
    pub fn bits(&self) -> usize {
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

    #[test]
    fn states_have_one_key_if_and_only_if_they_are_images() {
        for seed in 0..300 {
            let mut random = fastrand::Rng::with_seed(seed);
            // Neighbours of two to four columns that may be exchanged, each made of some facts.
            let size = random.usize(1..6);
            let together = random.usize(2..5);
            let sets = random.usize(1..=24 / together);
            let columns = together * sets;
            let facts = columns * (size + 1);
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
            let random_state = |random: &mut fastrand::Rng| -> Vec<bool> {
                (0..facts).map(|_| random.bool()).collect()
            };
            let keys = Keys::new(facts, &generators);
            let group = close(&generators, facts);
            let known = close(keys.generators(), facts);
            assert_eq!(known.len(), keys.images());
            // The tables have room for eight images at least.
            assert!(
                known.len() == group.len() || known.len() >= 8,
                "seed {seed}"
            );
            for _ in 0..20 {
                let state = random_state(&mut random);
                let map = &known[random.usize(..known.len())];
                let mut image = vec![false; facts];
                for (fact, &to) in map.iter().enumerate() {
                    image[to as usize] = state[fact];
                }
                assert_eq!(key(&keys, &state), key(&keys, &image), "seed {seed}");
                let other = random_state(&mut random);
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
}
