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
use formula::{Lit, Var};
use rustc_hash::FxHashSet;

/// Keys of more words are left as they are.
const MOST_WORDS: usize = 4;
/// Words of images in one row: what fits in a cache line.
const MOST_LANES: usize = 8;
/// The tables of one cut should not be larger than this, in bytes, if narrower chunks help.
const ROOM: usize = 32 << 10;

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
    /// For each chunk from the lowest, for each value from 0: the row.
    rows: Vec<u64>,
}

/// Where a bit goes, and whether it is flipped on the way.
type BitMap = Vec<(usize, bool)>;

impl KeySymmetry {
    /// The symmetry of keys of which bit b is the value of the variable `key[b]`.
    ///
    /// Only automorphisms are used that permute the variables of the key among themselves, and
    /// that map each of the literals `constant` to one of them. These are the literals that code
    /// after the cut takes to be true without looking at the key.
    pub fn new(automorphisms: &[Automorphism], key: &[Var], constant: &[Lit]) -> Self {
        let words = key.len().div_ceil(64);
        if words > MOST_WORDS {
            return KeySymmetry::default();
        }
        let mut maps: Vec<BitMap> = Vec::new();
        let mut known: FxHashSet<BitMap> = FxHashSet::default();
        let mut sorted: Vec<(Var, usize)> = key.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        for automorphism in automorphisms {
            let keeps = |&literal: &Lit| constant.contains(&automorphism.image(literal));
            let place = |&variable: &Var| {
                let image = automorphism.image(variable.positive());
                let found = sorted.binary_search_by_key(&image.var(), |&(variable, _)| variable);
                found
                    .ok()
                    .map(|found| (sorted[found].1, image.is_negative()))
            };
            let map: Option<BitMap> = key.iter().map(place).collect();
            if let Some(map) = map
                && constant.iter().all(keeps)
                && map
                    .iter()
                    .enumerate()
                    .any(|(bit, &image)| image != (bit, false))
                && known.insert(map.clone())
            {
                maps.push(map);
            }
        }
        let per_block = MOST_LANES / words.max(1);
        let rows = |bits: usize| key.len().div_ceil(bits) << bits;
        let fits = |&bits: &usize| rows(bits) * 8 * words * maps.len() <= ROOM;
        let chunk_bits = [8, 6].into_iter().find(fits).unwrap_or(4);
        let blocks = maps.chunks(per_block.max(1));
        KeySymmetry {
            words,
            chunk_bits,
            blocks: blocks
                .map(|maps| Block::new(maps, words, chunk_bits))
                .collect(),
        }
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
        let mut smallest = *key;
        for block in &self.blocks {
            let bits = self.chunk_bits;
            match block.lanes {
                1 => block.images::<WORDS, 1>(key, bits, &mut smallest),
                2 => block.images::<WORDS, 2>(key, bits, &mut smallest),
                4 => block.images::<WORDS, 4>(key, bits, &mut smallest),
                _ => block.images::<WORDS, 8>(key, bits, &mut smallest),
            }
        }
        *key = smallest;
    }
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
                        for bit in bits.start..known(map) {
                            let (place, flipped) = map[bit];
                            let is_set = value >> (bit - bits.start) & 1 == 1;
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
            rows,
        }
    }

    /// Computes all images, and takes over the smallest.
    #[inline]
    fn images<const WORDS: usize, const LANES: usize>(
        &self,
        key: &[u64; WORDS],
        chunk_bits: usize,
        smallest: &mut [u64; WORDS],
    ) {
        let mut images = [0; LANES];
        let (rows, _) = self.rows.as_chunks::<LANES>();
        let mut tables = rows.chunks_exact(1 << chunk_bits);
        for &word in key {
            let mut rest = word;
            for _ in 0..64_usize.div_ceil(chunk_bits) {
                let Some(table) = tables.next() else {
                    break;
                };
                let row = &table[rest as usize & ((1 << chunk_bits) - 1)];
                for (image, bits) in images.iter_mut().zip(row) {
                    *image |= bits;
                }
                rest >>= chunk_bits;
            }
        }
        for image in images.chunks_exact(WORDS).take(self.maps) {
            if image < smallest.as_slice() {
                smallest.copy_from_slice(image);
            }
        }
    }
}
