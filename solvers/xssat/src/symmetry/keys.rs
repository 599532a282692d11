//! The smallest image of a key.
//!
//! An automorphism permutes the bits of a key and flips some of them. Bit by bit that would take
//! longer than the rest of a step of the search, so the bits are taken several at a time: for each
//! chunk of a few neighbouring bits there is a table that tells, for each value of the chunk, which
//! bits of the images it sets. A row holds the images under up to eight maps side by side, so that
//! one vector operation adds the contribution of a chunk to all of them.
//!
//! The width of chunks is a matter of cache: wide chunks mean fewer steps, narrow ones smaller
//! tables.

use super::automorphism::Automorphism;
use crate::bounds::{CACHE_BYTES, MAX_CUT_BYTES, MAX_KEY_WORDS, MAX_MAPS, MIN_CHUNK_BITS};
use formula::{Lit, Var};
use rustc_hash::FxHashSet;

/// Words of images in one row: what fits in a cache line.
const MAX_LANES: usize = 8;

/// The symmetry of the keys at one cut.
#[derive(Clone, Debug, Default)]
pub struct KeySymmetry {
    words: usize,
    chunk_bits: usize,
    blocks: Vec<Block>,
}

/// Some maps and their tables.
#[derive(Clone, Debug)]
struct Block {
    maps: usize,
    /// The length of a row: a power of two, at least `maps` times the words of a key.
    lanes: usize,
    /// The number of chunks of a word.
    chunks: usize,
    /// For each chunk from the lowest, for each value from 0: the row.
    rows: Vec<u64>,
}

/// Where a bit goes, and whether it is flipped on the way.
type BitMap = Vec<(u32, bool)>;

impl KeySymmetry {
    /// The symmetry of keys of which bit b is the value of the variable `key[b]`; see
    /// [`Symmetry::of_key`](super::Symmetry::of_key).
    pub fn new<'a>(
        automorphisms: impl Iterator<Item = &'a Automorphism>,
        key: &[Var],
        constant: &[Lit],
    ) -> Self {
        let words = key.len().div_ceil(64);
        if words == 0 || words > MAX_KEY_WORDS {
            return KeySymmetry::default();
        }
        let mut places: Vec<(Var, usize)> = key.iter().copied().zip(0..).collect();
        places.sort_unstable();
        let restricted = automorphisms.filter_map(|automorphism| {
            let keeps = |&literal: &Lit| constant.contains(&automorphism.image(literal));
            let image = |&variable: &Var| {
                let image = automorphism.image(variable.positive());
                let found = places.binary_search_by_key(&image.var(), |&(variable, _)| variable);
                Some((places[found.ok()?].1 as u32, image.is_negative()))
            };
            let map: Option<BitMap> = key.iter().map(image).collect();
            map.filter(|_| constant.iter().all(keeps))
        });
        let bytes =
            |bits: usize, maps: usize| (key.len().div_ceil(bits) << bits) * 8 * words * maps;
        let room = MAX_CUT_BYTES / bytes(MIN_CHUNK_BITS, 1);
        let maps = close(restricted, key.len() as u32, room.min(MAX_MAPS));
        let wide = [8, 6]
            .into_iter()
            .find(|&bits| bytes(bits, maps.len()) <= CACHE_BYTES);
        let chunk_bits = wide.unwrap_or(MIN_CHUNK_BITS);
        let blocks = maps.chunks(MAX_LANES / words);
        KeySymmetry {
            words,
            chunk_bits,
            blocks: blocks
                .map(|maps| Block::new(maps, words, chunk_bits))
                .collect(),
        }
    }

    /// The memory that the tables take.
    pub fn bytes(&self) -> usize {
        self.blocks.iter().map(|block| 8 * block.rows.len()).sum()
    }

    /// The number of maps, the identity not counted.
    pub fn maps(&self) -> usize {
        self.blocks.iter().map(|block| block.maps).sum()
    }

    /// Replaces a key by the smallest of its images: the first word counts most.
    #[inline]
    pub fn canonicalise(&self, key: &mut [u64]) {
        if self.blocks.is_empty() {
            return;
        }
        match self.words {
            1 => self.replace::<1>(key),
            2 => self.replace::<2>(key),
            3 => self.replace::<3>(key),
            _ => self.replace::<4>(key),
        }
    }

    fn replace<const WORDS: usize>(&self, key: &mut [u64]) {
        let key: &mut [u64; WORDS] = key.try_into().expect("the key has the words of this cut");
        *key = match self.chunk_bits {
            8 => self.smallest::<WORDS, 8>(key),
            6 => self.smallest::<WORDS, 6>(key),
            _ => self.smallest::<WORDS, MIN_CHUNK_BITS>(key),
        };
    }

    fn smallest<const WORDS: usize, const BITS: usize>(&self, key: &[u64; WORDS]) -> [u64; WORDS] {
        let mut smallest = *key;
        for block in &self.blocks {
            match block.lanes {
                1 => block.images::<WORDS, BITS, 1>(key, &mut smallest),
                2 => block.images::<WORDS, BITS, 2>(key, &mut smallest),
                4 => block.images::<WORDS, BITS, 4>(key, &mut smallest),
                _ => block.images::<WORDS, BITS, 8>(key, &mut smallest),
            }
        }
        smallest
    }
}

/// All products of maps but the identity, or the first `most` of them.
fn close(generators: impl Iterator<Item = BitMap>, bits: u32, most: usize) -> Vec<BitMap> {
    let mut known: FxHashSet<BitMap> = FxHashSet::default();
    known.insert((0..bits).map(|bit| (bit, false)).collect());
    let mut maps: Vec<BitMap> = generators
        .filter(|map| known.insert(map.clone()))
        .take(most)
        .collect();
    let generators = maps.clone();
    let mut next = 0;
    while let Some(map) = maps.get(next).cloned() {
        for generator in &generators {
            if maps.len() >= most {
                return maps;
            }
            let product = map.iter().map(|&(place, flipped)| {
                let (place, flipped_again) = generator[place as usize];
                (place, flipped != flipped_again)
            });
            let product: BitMap = product.collect();
            if known.insert(product.clone()) {
                maps.push(product);
            }
        }
        next += 1;
    }
    maps
}

impl Block {
    fn new(maps: &[BitMap], words: usize, chunk_bits: usize) -> Self {
        let lanes = (maps.len() * words).next_power_of_two();
        let mut rows = Vec::new();
        for word in 0..words {
            // The chunks of a word do not reach over its end.
            for first in (0..64).step_by(chunk_bits) {
                let bits = 64 * word + first..64 * word + (first + chunk_bits).min(64);
                let known = |map: &BitMap| bits.end.min(map.len());
                if bits.start >= known(&maps[0]) {
                    break;
                }
                for value in 0..1_u64 << chunk_bits {
                    let start = rows.len();
                    rows.resize(start + lanes, 0);
                    for (lane, map) in maps.iter().enumerate() {
                        let images = &map[bits.start..known(map)];
                        for (bit, &(place, flipped)) in images.iter().enumerate() {
                            let place = place as usize;
                            let is_set = value >> bit & 1 == 1;
                            rows[start + lane * words + place / 64] |=
                                u64::from(is_set != flipped) << (place % 64);
                        }
                    }
                }
            }
        }
        Block {
            maps: maps.len(),
            lanes,
            chunks: 64_usize.div_ceil(chunk_bits),
            rows,
        }
    }

    /// Computes all images, and takes over the smallest.
    #[inline]
    fn images<const WORDS: usize, const BITS: usize, const LANES: usize>(
        &self,
        key: &[u64; WORDS],
        smallest: &mut [u64; WORDS],
    ) {
        let mut images = [0; LANES];
        let (rows, _) = self.rows.as_chunks::<LANES>();
        let mut tables = rows.chunks_exact(1 << BITS);
        for &word in key {
            let mut rest = word;
            for table in tables.by_ref().take(self.chunks) {
                let row = &table[rest as usize % (1 << BITS)];
                for (image, bits) in images.iter_mut().zip(row) {
                    *image |= bits;
                }
                rest >>= BITS;
            }
        }
        for image in images.chunks_exact(WORDS).take(self.maps) {
            if image < smallest.as_slice() {
                smallest.copy_from_slice(image);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The image of a key, bit by bit.
    fn image(map: &BitMap, key: &[u64]) -> Vec<u64> {
        let mut image = vec![0; key.len()];
        for (bit, &(place, flipped)) in map.iter().enumerate() {
            let is_set = key[bit / 64] >> (bit % 64) & 1 == 1;
            let place = place as usize;
            image[place / 64] |= u64::from(is_set != flipped) << (place % 64);
        }
        image
    }

    fn random_key(random: &mut fastrand::Rng, bits: usize) -> Vec<u64> {
        let words = 0..bits.div_ceil(64);
        let word = |word: usize| random.u64(..) >> (64 - (bits - 64 * word).min(64));
        words.map(word).collect()
    }

    #[test]
    fn tables_against_bit_by_bit() {
        let mut groups = 0;
        for seed in 0..generators::rounds(400) {
            let mut random = fastrand::Rng::with_seed(seed);
            let bits = random.usize(1..=256);
            let key: Vec<Var> = (0..bits).map(|bit| Var::new(3 * bit)).collect();
            // Exchanges of neighbouring stretches, some with flips.
            let mut generators = Vec::new();
            for _ in 0..random.usize(0..4) {
                let width = random.usize(0..=bits / 2);
                let start = random.usize(0..=bits - 2 * width);
                let sign = random.bool();
                let pairs = (start..start + width).map(|bit| (key[bit], key[bit + width]));
                let both = pairs.flat_map(|(left, right)| {
                    [(left, right.literal(sign)), (right, left.literal(sign))]
                });
                generators.push(Automorphism::new(both.collect()));
            }
            let symmetry = KeySymmetry::new(generators.iter(), &key, &[]);
            let maps: Vec<BitMap> = generators
                .iter()
                .map(|generator| {
                    let image = |variable: &Var| generator.image(variable.positive());
                    let images = key.iter().map(image);
                    images
                        .map(|l| (l.var().index() as u32 / 3, l.is_negative()))
                        .collect()
                })
                .collect();
            let maps = close(maps.into_iter(), bits as u32, 1_000);
            let is_group = symmetry.maps() == maps.len();
            groups += usize::from(is_group && !maps.is_empty());
            for _ in 0..20 {
                let key = random_key(&mut random, bits);
                let images = maps.iter().map(|map| image(map, &key));
                let smallest = images.chain([key.clone()]).min().expect("there is the key");
                let mut canonical = key.clone();
                symmetry.canonicalise(&mut canonical);
                if is_group {
                    assert_eq!(canonical, smallest, "seed {seed}");
                } else {
                    let is_image = maps.iter().any(|map| image(map, &key) == canonical);
                    assert!(canonical <= key, "seed {seed}");
                    assert!(
                        canonical == key || is_image || maps.len() == 1_000,
                        "seed {seed}"
                    );
                }
            }
        }
        assert!(groups > 100, "only {groups} groups");
    }

    #[test]
    fn maps_that_do_not_fit_a_cut_are_left_out() {
        let [a, b, c, d] = [0, 1, 2, 3].map(Var::new);
        let exchange = Automorphism::new(vec![
            (a, b.positive()),
            (b, a.positive()),
            (c, d.negative()),
            (d, c.negative()),
        ]);
        let maps = |key: &[Var], constant: &[Lit]| {
            KeySymmetry::new([&exchange].into_iter(), key, constant).maps()
        };
        assert_eq!(maps(&[a, b], &[]), 1);
        assert_eq!(maps(&[a, c, d, b], &[]), 1);
        assert_eq!(maps(&[c, d, Var::new(7)], &[]), 1);
        assert_eq!(maps(&[Var::new(7)], &[]), 0);
        assert_eq!(maps(&[a, b, c], &[]), 0);
        assert_eq!(maps(&[a, b], &[c.positive()]), 0);
        assert_eq!(maps(&[a, b], &[c.positive(), d.positive()]), 0);
        assert_eq!(maps(&[a, b], &[c.positive(), d.negative()]), 1);
        assert_eq!(maps(&[], &[]), 0);
    }
}
