//! The smallest image of a key under a group of symmetries: one number for all states that are images of each other.
//!
//! A state is a row of bits. A symmetry permutes them, and flips some. The *key* of a state is a sum of weights of the bits that are
//! set; so the key of an image is a sum of weights as well, those of the bits that they go to. All images are computed side by side, and the
//! smallest is the answer; the first word of a key counts most.
//!
//! Bit by bit that would take longer than all else, so bits are taken some at a time: for each chunk of a few neighbouring bits there is a
//! table with, for each value of the chunk, what it adds to the images. A row holds some images side by side, so that one
//! vector operation adds to all of them. Wide chunks mean fewer additions, narrow ones smaller tables.
//!
//! A large group has too many images. Then those of a *subgroup* are compared ([`subgroup`]): with any other set of images a
//! state and its image could have different keys.

use rustc_hash::FxHashSet;

/// For each bit, where it goes, and whether it is flipped on the way.
pub type BitMap = Vec<(u32, bool)>;

/// The weight of a bit: the word of the key that it is added to, and how much.
pub type Weight = (usize, u64);

/// Words of images in one row: what fits in a cache line.
const MAX_LANES: usize = 8;

/// The products of some of these maps of `bits` bits, the identity first, and by number which maps those are. One after the other is
/// taken, unless there are more than `most` products then.
pub fn subgroup(
    generators: impl IntoIterator<Item = BitMap>,
    bits: usize,
    most: usize,
) -> (Vec<usize>, Vec<BitMap>) {
    let mut group = Group::trivial(bits);
    let (mut numbers, mut taken) = (Vec::new(), Vec::new());
    for (number, generator) in generators.into_iter().enumerate() {
        if group.known.contains(&generator) {
            numbers.push(number);
            continue;
        }
        // A larger group is at least twice as large.
        if 2 * group.maps.len() > most {
            continue;
        }
        taken.push(generator);
        match Group::of(&taken, bits, most) {
            Some(larger) => {
                group = larger;
                numbers.push(number);
            }
            None => drop(taken.pop()),
        }
    }
    (numbers, group.maps)
}

/// A group of maps.
struct Group {
    maps: Vec<BitMap>,
    known: FxHashSet<BitMap>,
}

impl Group {
    /// The identity alone.
    fn trivial(bits: usize) -> Self {
        let identity: BitMap = (0..bits as u32).map(|bit| (bit, false)).collect();
        Group {
            known: FxHashSet::from_iter([identity.clone()]),
            maps: vec![identity],
        }
    }

    /// All products of some maps; nothing if there are more than `most`.
    fn of(generators: &[BitMap], bits: usize, most: usize) -> Option<Self> {
        let mut group = Group::trivial(bits);
        let mut next = 0;
        while let Some(map) = group.maps.get(next).cloned() {
            for generator in generators {
                let product = map.iter().map(|&(index, flipped)| {
                    let (index, flipped_again) = generator[index as usize];
                    (index, flipped != flipped_again)
                });
                let product: BitMap = product.collect();
                if group.known.insert(product.clone()) {
                    if group.maps.len() >= most {
                        return None;
                    }
                    group.maps.push(product);
                }
            }
            next += 1;
        }
        Some(group)
    }
}

/// The images of keys under some maps.
#[derive(Clone, Debug, Default)]
pub struct Images {
    maps: usize,
    /// The number of words of a key.
    words: usize,
    /// The width of chunks: 4, 6 or 8 bits.
    chunk_bits: usize,
    blocks: Vec<Block>,
}

/// Tables for some maps.
#[derive(Clone, Debug)]
struct Block {
    /// The length of a row: the words of a key for each map, and more if that is not a power of two.
    lanes: usize,
    /// For each chunk from the lowest, for each value from 0: the row.
    rows: Vec<u64>,
}

impl Images {
    /// Tables for maps of bits with weights: keys have this number of words, chunks of bits this width (4, 6 or 8).
    pub fn new(maps: &[BitMap], weights: &[Weight], words: usize, chunk_bits: usize) -> Self {
        let blocks = maps.chunks((MAX_LANES / words).max(1));
        let blocks = blocks.map(|maps| Block::new(maps, weights, words, chunk_bits));
        Images {
            maps: maps.len(),
            words,
            chunk_bits,
            blocks: blocks.collect(),
        }
    }

    /// The memory that tables for this number of bits and maps take, about.
    pub fn bytes_for(bits: usize, maps: usize, words: usize, chunk_bits: usize) -> usize {
        (bits.div_ceil(chunk_bits) << chunk_bits) * 8 * words * maps
    }

    /// The memory that the tables take.
    pub fn bytes(&self) -> usize {
        self.blocks.iter().map(|block| 8 * block.rows.len()).sum()
    }

    pub fn maps(&self) -> usize {
        self.maps
    }

    /// Writes the smallest image of the key of some bits.
    #[inline]
    pub fn write_smallest(&self, bits: &[u64], key: &mut [u64]) {
        match self.words {
            1 => self.write::<1>(bits, key),
            2 => self.write::<2>(bits, key),
            3 => self.write::<3>(bits, key),
            4 => self.write::<4>(bits, key),
            _ => self.write_long(bits, key),
        }
    }

    #[inline]
    fn write<const WORDS: usize>(&self, bits: &[u64], key: &mut [u64]) {
        let smallest = match self.chunk_bits {
            8 => self.smallest::<WORDS, 8>(bits),
            6 => self.smallest::<WORDS, 6>(bits),
            _ => self.smallest::<WORDS, 4>(bits),
        };
        key.copy_from_slice(&smallest);
    }

    #[inline]
    fn smallest<const WORDS: usize, const BITS: usize>(&self, bits: &[u64]) -> [u64; WORDS] {
        let mut smallest = [u64::MAX; WORDS];
        for block in &self.blocks {
            match block.lanes {
                1 => block.images::<WORDS, BITS, 1>(bits, &mut smallest),
                2 => block.images::<WORDS, BITS, 2>(bits, &mut smallest),
                4 => block.images::<WORDS, BITS, 4>(bits, &mut smallest),
                _ => block.images::<WORDS, BITS, 8>(bits, &mut smallest),
            }
        }
        smallest
    }

    /// The same for keys of any number of words.
    fn write_long(&self, bits: &[u64], key: &mut [u64]) {
        key.fill(u64::MAX);
        let mut sums = Vec::new();
        for block in &self.blocks {
            sums.clear();
            block.add_images(bits, self.chunk_bits, &mut sums);
            for image in sums.chunks_exact(self.words) {
                if image < &*key {
                    key.copy_from_slice(image);
                }
            }
        }
    }

    /// Adds the images of the key of some bits to a list, in the order of the maps.
    pub fn write_all(&self, bits: &[u64], images: &mut Vec<u64>) {
        let mut left = self.words * self.maps;
        for block in &self.blocks {
            let start = images.len();
            block.add_images(bits, self.chunk_bits, images);
            // The rest of a row repeats images.
            let images_of_block = self.words * (MAX_LANES / self.words).max(1);
            images.truncate(start + images_of_block.min(left));
            left -= images.len() - start;
        }
    }
}

impl Block {
    fn new(maps: &[BitMap], weights: &[Weight], words: usize, chunk_bits: usize) -> Self {
        let lanes = match maps.len() * words {
            lanes if lanes <= MAX_LANES => lanes.next_power_of_two(),
            lanes => lanes,
        };
        let bits = weights.len();
        let mut rows = Vec::new();
        // Chunks do not reach over the end of a word.
        let of_word = |word| (64 * word..64 * word + 64).step_by(chunk_bits);
        let firsts = (0..bits.div_ceil(64)).flat_map(of_word);
        for first in firsts.take_while(|&first| first < bits) {
            let end = bits.min(first + chunk_bits).min(first / 64 * 64 + 64);
            for value in 0..1_u64 << chunk_bits {
                let start = rows.len();
                rows.resize(start + lanes, 0u64);
                for (lane, row) in rows[start..].chunks_exact_mut(words).enumerate() {
                    // Places without an image of their own repeat one.
                    let map = &maps[lane % maps.len()];
                    for (bit, &(index, flipped)) in map[first..end].iter().enumerate() {
                        let (word, weight) = weights[index as usize];
                        if (value >> bit & 1 == 1) != flipped {
                            row[word] = row[word].wrapping_add(weight);
                        }
                    }
                }
            }
        }
        Block { lanes, rows }
    }

    /// Adds a row of images to a list.
    fn add_images(&self, bits: &[u64], chunk_bits: usize, images: &mut Vec<u64>) {
        let start = images.len();
        images.resize(start + self.lanes, 0);
        let mut tables = self.rows.chunks_exact(self.lanes << chunk_bits);
        for &word in bits {
            let mut rest = word;
            for table in tables.by_ref().take(64_usize.div_ceil(chunk_bits)) {
                let value = rest as usize % (1 << chunk_bits);
                let row = &table[value * self.lanes..][..self.lanes];
                for (image, part) in images[start..].iter_mut().zip(row) {
                    *image = image.wrapping_add(*part);
                }
                rest >>= chunk_bits;
            }
        }
    }

    /// Computes all images, and takes over the smallest.
    #[inline]
    fn images<const WORDS: usize, const BITS: usize, const LANES: usize>(
        &self,
        bits: &[u64],
        smallest: &mut [u64; WORDS],
    ) {
        let mut images = [0u64; LANES];
        let (rows, _) = self.rows.as_chunks::<LANES>();
        let mut tables = rows.chunks_exact(1 << BITS);
        for &word in bits {
            let mut rest = word;
            for table in tables.by_ref().take(64_usize.div_ceil(BITS)) {
                let row = &table[rest as usize % (1 << BITS)];
                for (image, part) in images.iter_mut().zip(row) {
                    *image = image.wrapping_add(*part);
                }
                rest >>= BITS;
            }
        }
        let (images, _) = images.as_chunks::<WORDS>();
        for image in images {
            *smallest = *image.min(&*smallest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use generators::seeds;

    /// The key of an image, bit by bit.
    fn image(map: &BitMap, weights: &[Weight], words: usize, bits: &[u64]) -> Vec<u64> {
        let mut image = vec![0u64; words];
        for (bit, &(index, flipped)) in map.iter().enumerate() {
            let (word, weight) = weights[index as usize];
            if (bits[bit / 64] >> (bit % 64) & 1 == 1) != flipped {
                image[word] = image[word].wrapping_add(weight);
            }
        }
        image
    }

    /// Exchanges of neighbouring stretches, some with flips.
    fn random_maps(random: &mut fastrand::Rng, bits: usize) -> Vec<BitMap> {
        let exchange = |random: &mut fastrand::Rng| {
            let width = random.usize(0..=bits / 2);
            let start = random.usize(0..=bits - 2 * width);
            let flips = random.bool();
            let mut map: BitMap = (0..bits as u32).map(|bit| (bit, false)).collect();
            for bit in start..start + width {
                map[bit] = ((bit + width) as u32, flips);
                map[bit + width] = (bit as u32, flips);
            }
            map
        };
        (0..random.usize(0..5)).map(|_| exchange(random)).collect()
    }

    #[test]
    fn tables_against_bit_by_bit() {
        let (mut groups, mut parts) = (0, 0);
        for (seed, mut random) in seeds(0, 300) {
            let bits = random.usize(1..=200);
            let words = random.usize(1..=6);
            let mut weight = || (random.usize(..words), random.u64(..));
            let weights: Vec<Weight> = (0..bits).map(|_| weight()).collect();
            let generators = random_maps(&mut random, bits);
            let most = random.usize(1..=64);
            let (taken, maps) = subgroup(generators.iter().cloned(), bits, most);
            assert!(maps.len() <= most, "seed {seed}");
            let all_taken: Vec<BitMap> = taken.iter().map(|&n| generators[n].clone()).collect();
            let closed = Group::of(&all_taken, bits, most).expect("it fits");
            assert_eq!(closed.maps, maps, "seed {seed}");
            let is_whole = generators.iter().all(|map| maps.contains(map));
            groups += u32::from(is_whole && maps.len() > 1);
            parts += u32::from(!is_whole && maps.len() > 1);
            let chunk_bits = [4, 6, 8][random.usize(..3)];
            let images = Images::new(&maps, &weights, words, chunk_bits);
            assert_eq!(images.maps(), maps.len());
            for _ in 0..10 {
                let word = |word: usize| random.u64(..) >> (64 - (bits - 64 * word).min(64));
                let state: Vec<u64> = (0..bits.div_ceil(64)).map(word).collect();
                let expected = maps.iter().map(|map| image(map, &weights, words, &state));
                let expected: Vec<Vec<u64>> = expected.collect();
                let mut all = Vec::new();
                images.write_all(&state, &mut all);
                assert_eq!(all, expected.concat(), "seed {seed}");
                let mut key = vec![0; words];
                images.write_smallest(&state, &mut key);
                assert_eq!(Some(key), expected.into_iter().min(), "seed {seed}");
            }
        }
        assert!(groups > 50 && parts > 20, "{groups} groups, {parts} parts");
    }
}
