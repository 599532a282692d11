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
//! A symmetry maps a fact to a fact, so the key of an image is a sum of weights as well: those of the
//! images of the facts. All images are computed side by side, and the smallest is the key. To be fast,
//! facts are taken eight at a time, with a table of the sums for each of the 256 possibilities.
//!
//! Without groups and with one image only, the weights are the powers of two, and the key is the facts themselves.
//!
//! A large group has too many images. Then those of a subgroup are compared: with any other set of images, a state and its image
//! could have different keys, and a state that play leads to could be missing among all states that were listed.

use crate::bounds::{MAX_IMAGES, MAX_KEY_BYTES};
use rustc_hash::FxHashSet;

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

/// How many facts are taken at a time.
const CHUNK: usize = 8;
/// Words of images that are added at once.
const LANES: usize = 8;

/// How keys are made.
#[derive(Clone, Debug)]
pub struct Keys {
    /// The number of words of a key.
    words: usize,
    /// The number of images.
    images: usize,
    /// Generators of the group whose images are compared.
    generators: Vec<Permutation>,
    /// The length of a row: `words * images`, and more if that is not a power of two up to
    /// [`LANES`] or a multiple of it.
    row: usize,
    /// The number of chunks of facts.
    chunks: usize,
    /// The bits that a key can take.
    bits: u32,
    /// The bits from the first of a key to the highest that can be set.
    width: usize,
    /// For each chunk, for each of its values, the sums of weights for all images; nothing if keys are the facts themselves.
    rows: Vec<u64>,
    /// Whether keys are the facts themselves.
    are_facts: bool,
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
            for (place, &fact) in group.facts.iter().enumerate() {
                let digit = place as u128 + u128::from(!group.is_exact);
                weights[fact] = (words - 1, (digit * weight) as u64);
            }
            weight *= values;
        }
        let chunks = facts.div_ceil(CHUNK);
        let bytes = |images: usize| (8 * chunks * words * images) << CHUNK;
        let most = (MAX_KEY_BYTES / bytes(1).max(1)).clamp(1, MAX_IMAGES);
        let (generators, maps) = subgroup(generators, facts, most);
        let used = words * maps.len();
        let row = if used <= LANES {
            used.next_power_of_two()
        } else {
            used.next_multiple_of(LANES)
        };
        let are_facts = groups.is_empty() && maps.len() == 1;
        let rows = match are_facts {
            true => Vec::new(),
            false => sums(&weights, &maps, words, row, chunks),
        };
        Keys {
            words,
            images: maps.len(),
            generators,
            row,
            chunks,
            bits: f64::ceil(bits) as u32,
            width: 64 * (words - 1) + (u128::BITS - (weight - 1).leading_zeros()) as usize,
            rows,
            are_facts,
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
        if self.are_facts {
            key.copy_from_slice(facts);
            return;
        }
        match self.row {
            1 => self.write_row::<1>(facts, key),
            2 => self.write_row::<2>(facts, key),
            4 => self.write_row::<4>(facts, key),
            8 => self.write_row::<8>(facts, key),
            _ => self.write_long(facts, key),
        }
    }

    #[inline]
    fn write_row<const ROW: usize>(&self, facts: &[u64], key: &mut [u64]) {
        let mut sums = [0u64; ROW];
        let (rows, _) = self.rows.as_chunks::<ROW>();
        for (chunk, table) in rows.chunks_exact(1 << CHUNK).enumerate() {
            let value = facts[chunk / 8] >> (chunk % 8 * CHUNK) & 0xff;
            for (sum, part) in sums.iter_mut().zip(&table[value as usize]) {
                *sum = sum.wrapping_add(*part);
            }
        }
        self.smallest(&sums, key);
    }

    fn write_long(&self, facts: &[u64], key: &mut [u64]) {
        let mut sums = vec![0u64; self.row];
        for chunk in 0..self.chunks {
            let value = facts[chunk / 8] >> (chunk % 8 * CHUNK) & 0xff;
            let start = (chunk << CHUNK | value as usize) * self.row;
            for (sum, part) in sums.iter_mut().zip(&self.rows[start..]) {
                *sum = sum.wrapping_add(*part);
            }
        }
        self.smallest(&sums, key);
    }

    #[inline(always)]
    fn smallest(&self, sums: &[u64], key: &mut [u64]) {
        if self.words == 1 {
            // Places without an image of their own hold the state itself.
            key[0] = sums.iter().copied().fold(u64::MAX, u64::min);
        } else {
            let images = sums.chunks_exact(self.words).take(self.images);
            key.copy_from_slice(images.min().expect("there is the state itself"));
        }
    }
}

/// For each chunk of facts, for each of its values, the sums of weights for all images. `weights` are those of facts: word and weight.
fn sums(
    weights: &[(usize, u64)],
    maps: &[Permutation],
    words: usize,
    row: usize,
    chunks: usize,
) -> Vec<u64> {
    let mut rows = vec![0u64; (chunks * row) << CHUNK];
    for (chunk, table) in rows.chunks_exact_mut(row << CHUNK).enumerate() {
        for value in 1..1usize << CHUNK {
            // What is known of the value without its highest bit, and the weight of this one.
            let bit = value.ilog2() as usize;
            let (known, rest) = table.split_at_mut(row << bit);
            let place = value - (1 << bit);
            let sums = &mut rest[place * row..][..row];
            sums.copy_from_slice(&known[place * row..][..row]);
            for (image, sums) in sums.chunks_exact_mut(words).enumerate() {
                // Places without an image of their own hold the state itself.
                let map = maps.get(image).unwrap_or(&maps[0]);
                if let Some(&fact) = map.get(CHUNK * chunk + bit) {
                    let (word, weight) = weights[fact as usize];
                    sums[word] = sums[word].wrapping_add(weight);
                }
            }
        }
    }
    rows
}

/// Generators of a group of at most this many permutations, and all of these, the identity first: of the given generators one
/// after the other is taken, unless there are too many permutations then. The last ones come first, because they fix most.
fn subgroup(
    generators: &[Permutation],
    places: usize,
    most: usize,
) -> (Vec<Permutation>, Vec<Permutation>) {
    let mut taken = Vec::new();
    let mut maps = vec![(0..places as u32).collect()];
    for generator in generators.iter().rev() {
        taken.push(generator.clone());
        match close(&taken, places, most) {
            Some(closed) => maps = closed,
            None => drop(taken.pop()),
        }
    }
    taken.reverse();
    (taken, maps)
}

/// All products of permutations, the identity first; nothing if there are more than `most`.
fn close(generators: &[Permutation], places: usize, most: usize) -> Option<Vec<Permutation>> {
    let identity: Permutation = (0..places as u32).collect();
    let mut known = FxHashSet::from_iter([identity.clone()]);
    let mut maps = vec![identity];
    let mut next = 0;
    while let Some(map) = maps.get(next).cloned() {
        for generator in generators {
            let product: Permutation = map.iter().map(|&place| generator[place as usize]).collect();
            if known.insert(product.clone()) {
                if maps.len() >= most {
                    return None;
                }
                maps.push(product);
            }
        }
        next += 1;
    }
    Some(maps)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            // Pairs of columns that may be exchanged, each made of a group and a fact beside it.
            let size = random.usize(1..6);
            let columns = 2 * random.usize(1..12);
            let facts = columns * (size + 1);
            let is_exact = random.bool();
            let groups: Vec<Group> = (0..columns)
                .map(|column| Group {
                    facts: (0..size).map(|n| column * (size + 1) + n).collect(),
                    is_exact,
                })
                .collect();
            let exchanged: Vec<usize> = (0..columns / 2)
                .filter(|_| random.usize(0..4) == 0)
                .collect();
            let generators: Vec<Permutation> = exchanged
                .iter()
                .map(|pair| {
                    let places = (0..facts).map(|fact| {
                        let column = fact / (size + 1);
                        let other = if column / 2 == *pair {
                            column ^ 1
                        } else {
                            column
                        };
                        (other * (size + 1) + fact % (size + 1)) as u32
                    });
                    places.collect()
                })
                .collect();
            let keys = Keys::new(facts, &groups, &generators);
            let group = close(&generators, facts, usize::MAX).expect("all");
            let known = close(keys.generators(), facts, keys.images()).expect("no more");
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
                    let mut places = map.iter().enumerate();
                    places.all(|(fact, &to)| state[fact] == other[to as usize])
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
