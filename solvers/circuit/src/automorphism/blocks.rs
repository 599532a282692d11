//! Blocks of points that may be exchanged at will: the full symmetric groups that generators of a group show.
//!
//! A generator may exchange two blocks, point by point, and move nothing else. Two of them that have one block in common give all
//! permutations of three blocks, and so on:
//!
//! ```text
//! a1 a2   b1 b2   c1 c2      a1 b1, a2 b2 and b1 c1, b2 c2 are exchanged: a, b and c may come in any order
//! ```
//!
//! So the smallest image of a key is found by *sorting*: the points of each block that are set are a number, and numbers that are sorted
//! are the same for all images. A group of n! elements takes as long as the sorting of n numbers. Other symmetries are listed
//! ([`Images`]) and each image is sorted. That gives one key for all images if they map exchanges to exchanges
//! ([`Blocks::is_kept_by`]): h s for any h and s of both groups is then some s' h, so sorting undoes it.

use crate::automorphism::images::{BitMap, Images, Weight};
use std::cell::Cell;
use std::cmp::Reverse;

/// The most points of a block: they are one number.
pub const MAX_BLOCK: usize = 64;

/// The bits of a chunk of a key.
const CHUNK: usize = 8;

thread_local! {
    /// Room for all images of a key: keys are made by many threads, one after the other, and memory for each would take longer than the key.
    static SCRATCH: Cell<Vec<u64>> = const { Cell::new(Vec::new()) };
}

/// Blocks of which any two may be exchanged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blocks {
    /// The points of each. Where two are exchanged, points at one place are.
    pub points: Vec<Vec<u32>>,
    /// For each block but the first, one before it and the number of the generator that exchanges these two.
    pub exchanges: Vec<(usize, usize)>,
}

/// All blocks that some permutations of points show, those with the most blocks first. No point is in two.
pub fn blocks(generators: &[Vec<u32>]) -> Vec<Blocks> {
    let numbers = 0..generators.len();
    let exchanges: Vec<Exchange<'_>> = numbers
        .filter_map(|number| Exchange::new(&generators[number], number))
        .collect();
    let mut found: Vec<Blocks> = (exchanges.iter())
        .map(|first| Blocks::around(first, &exchanges))
        .collect();
    found.sort_by_key(|blocks| Reverse(blocks.points.len()));
    let mut is_taken = vec![false; generators.first().map_or(0, Vec::len)];
    found.retain(|blocks| {
        let mut points = blocks.points.iter().flatten();
        let is_free = points.all(|&point| !is_taken[point as usize]);
        if is_free {
            let points = blocks.points.iter().flatten();
            points.for_each(|&point| is_taken[point as usize] = true);
        }
        is_free
    });
    found
}

/// A generator that exchanges points in pairs.
struct Exchange<'a> {
    map: &'a [u32],
    number: usize,
    moved: Vec<u32>,
}

impl<'a> Exchange<'a> {
    fn new(map: &'a [u32], number: usize) -> Option<Self> {
        let points = map.iter().zip(0..);
        let moved: Vec<u32> = points
            .filter_map(|(&to, point)| (to != point).then_some(point))
            .collect();
        let returns = |&point: &u32| map[map[point as usize] as usize] == point;
        (!moved.is_empty() && moved.iter().all(returns)).then_some(Exchange { map, number, moved })
    }

    fn moves(&self, point: u32) -> bool {
        self.map[point as usize] != point
    }

    fn image(&self, points: &[u32]) -> Vec<u32> {
        let images = points.iter().map(|&point| self.map[point as usize]);
        images.collect()
    }

    /// The block that this and another exchange have in common, if it is one of two for both.
    fn common_block(&self, other: &Exchange<'_>) -> Option<Vec<u32>> {
        let both = self.moved.iter().copied();
        let both: Vec<u32> = both.filter(|&point| other.moves(point)).collect();
        let is_half = [self, other]
            .iter()
            .all(|it| it.moved.len() == 2 * both.len());
        let leaves = |one: &Exchange<'_>, other: &Exchange<'_>| {
            let mut images = both.iter().map(|&point| one.map[point as usize]);
            images.all(|image| !other.moves(image))
        };
        (is_half && leaves(self, other) && leaves(other, self)).then_some(both)
    }
}

impl Blocks {
    /// All blocks that can be exchanged with those of one exchange.
    fn around(first: &Exchange<'_>, exchanges: &[Exchange<'_>]) -> Self {
        let mut common = exchanges
            .iter()
            .filter_map(|other| first.common_block(other));
        let block = common.next().unwrap_or_else(|| {
            let moved = first.moved.iter().copied();
            let is_lower = |point: &u32| *point < first.map[*point as usize];
            moved.filter(is_lower).collect()
        });
        let mut is_inside = vec![false; first.map.len()];
        first
            .moved
            .iter()
            .for_each(|&point| is_inside[point as usize] = true);
        let mut blocks = Blocks {
            points: vec![block.clone(), first.image(&block)],
            exchanges: vec![(0, first.number)],
        };
        let mut known = 0;
        while let Some(block) = blocks.points.get(known).cloned() {
            for exchange in exchanges {
                let is_outside = |&point: &u32| {
                    exchange.moves(point) && !is_inside[exchange.map[point as usize] as usize]
                };
                if exchange.moved.len() == 2 * block.len() && block.iter().all(is_outside) {
                    let image = exchange.image(&block);
                    image
                        .iter()
                        .for_each(|&point| is_inside[point as usize] = true);
                    blocks.points.push(image);
                    blocks.exchanges.push((known, exchange.number));
                }
            }
            known += 1;
        }
        blocks
    }

    /// Where a permutation of points maps the places in all blocks; nothing if it does not map exchanges of blocks to such.
    fn places(&self, map: &[u32]) -> Option<Vec<usize>> {
        let place = |point: u32| {
            let mut places = self.points.iter().zip(0..);
            places.find_map(|(block, number)| {
                let place = block.iter().position(|&other| other == point)?;
                Some((number, place))
            })
        };
        let image = |&point: &u32| Some(place(map[point as usize])?.1);
        let places: Vec<usize> = self.points[0].iter().map(image).collect::<Option<_>>()?;
        let fits = |block: &Vec<u32>| {
            place(map[block[0] as usize]).is_some_and(|(number, _)| {
                let expected = places.iter().map(|&place| self.points[number][place]);
                block.iter().map(|&point| map[point as usize]).eq(expected)
            })
        };
        self.points.iter().all(fits).then_some(places)
    }

    /// Whether a permutation of points maps all exchanges of blocks to such.
    pub fn is_kept_by(&self, map: &[u32]) -> bool {
        self.places(map).is_some()
    }

    /// Whether a permutation does nothing to its blocks but exchange them.
    fn is_permuted_by(&self, map: &[u32]) -> bool {
        let places = self.places(map);
        places.is_some_and(|places| places.iter().copied().eq(0..places.len()))
    }
}

/// Whether a permutation of points does nothing but exchange blocks.
pub fn is_product(map: &[u32], all: &[Blocks]) -> bool {
    let mut is_inside = vec![false; map.len()];
    let points = all.iter().flat_map(|blocks| blocks.points.iter().flatten());
    points.for_each(|&point| is_inside[point as usize] = true);
    let mut others = map
        .iter()
        .zip(0..)
        .filter(|&(_, point)| !is_inside[point as usize]);
    others.all(|(&to, point)| to == point) && all.iter().all(|blocks| blocks.is_permuted_by(map))
}

/// The smallest images of keys under some maps and all exchanges of blocks.
#[derive(Clone, Debug)]
pub struct SortedImages {
    /// For each map the numbers of all blocks, and the key of the points outside.
    parts: Images,
    /// For each system of blocks where it ends among all blocks.
    ends: Vec<usize>,
    /// The key of points inside, by the numbers of all blocks, which are written side by side.
    inside: Images,
    /// For each block the place of its number among all bits; no number reaches over the end of a word.
    places: Vec<usize>,
    words: usize,
}

impl SortedImages {
    /// Tables for keys of this number of words, by the weights of bits. No block is larger than [`MAX_BLOCK`].
    pub fn new(maps: &[BitMap], all: &[Blocks], weights: &[Weight], words: usize) -> Self {
        let blocks = || all.iter().flat_map(|blocks| &blocks.points);
        let count = blocks().count();
        let mut of_parts: Vec<Weight> = weights
            .iter()
            .map(|&(word, weight)| (count + word, weight))
            .collect();
        let mut of_inside: Vec<Weight> = Vec::new();
        let mut places = Vec::new();
        for (number, block) in blocks().enumerate() {
            let width = block.len().next_power_of_two().max(CHUNK);
            let start = of_inside.len().next_multiple_of(width);
            of_inside.resize(start + width, (0, 0));
            places.push(start);
            for (place, &point) in block.iter().enumerate() {
                of_parts[point as usize] = (number, 1 << place);
                of_inside[start + place] = weights[point as usize];
            }
        }
        let identity = (0..of_inside.len() as u32)
            .map(|bit| (bit, false))
            .collect();
        SortedImages {
            parts: Images::new(maps, &of_parts, count + words, CHUNK),
            ends: all
                .iter()
                .scan(0, |end, blocks| {
                    *end += blocks.points.len();
                    Some(*end)
                })
                .collect(),
            inside: Images::new(&[identity], &of_inside, words, CHUNK),
            places,
            words,
        }
    }

    /// The memory that tables for this number of bits, blocks and maps take, about.
    pub fn bytes_for(bits: usize, blocks: usize, maps: usize, words: usize) -> usize {
        Images::bytes_for(bits, maps, blocks + words, CHUNK)
            + Images::bytes_for(64 * blocks, 1, words, CHUNK)
    }

    /// Writes the smallest image of the key of some bits.
    pub fn write_smallest(&self, bits: &[u64], key: &mut [u64]) {
        let count = self.ends.last().copied().unwrap_or(0);
        let mut scratch = SCRATCH.take();
        scratch.clear();
        self.parts.write_all(bits, &mut scratch);
        let parts = scratch.len();
        let end = self.places.last().map_or(0, |place| place / 64 + 1);
        scratch.resize(parts + self.words + end, 0);
        let (parts, rest) = scratch.split_at_mut(parts);
        let (image, side_by_side) = rest.split_at_mut(self.words);
        key.fill(u64::MAX);
        for parts in parts.chunks_exact_mut(count + self.words) {
            let (numbers, outside) = parts.split_at_mut(count);
            let mut start = 0;
            for &end in &self.ends {
                numbers[start..end].sort_unstable();
                start = end;
            }
            side_by_side.fill(0);
            for (&number, place) in numbers.iter().zip(&self.places) {
                side_by_side[place / 64] |= number << (place % 64);
            }
            self.inside.write_smallest(side_by_side, image);
            let sums = image.iter_mut().zip(outside);
            sums.for_each(|(sum, part)| *sum = sum.wrapping_add(*part));
            if *image < *key {
                key.copy_from_slice(image);
            }
        }
        SCRATCH.set(scratch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automorphism::subgroup;
    use base::graph::UnionFind;
    use generators::seeds;

    /// Exchanges of random blocks, in random order and between random points; perhaps those of places in all of them, and of points outside.
    fn random_exchanges(random: &mut fastrand::Rng, points: usize) -> (Vec<usize>, Vec<Vec<u32>>) {
        let mut order: Vec<u32> = (0..points as u32).collect();
        random.shuffle(&mut order);
        let mut free = order.as_slice();
        let (mut sizes, mut maps) = (Vec::new(), Vec::new());
        let exchange = |pairs: &mut dyn Iterator<Item = (u32, u32)>| {
            let mut map: Vec<u32> = (0..points as u32).collect();
            pairs.for_each(|(one, other)| map.swap(one as usize, other as usize));
            map
        };
        loop {
            let (count, width) = (random.usize(2..5), random.usize(1..4));
            if count * width > free.len() {
                break;
            }
            let (inside, rest) = free.split_at(count * width);
            let blocks: Vec<&[u32]> = inside.chunks(width).collect();
            for number in 1..count {
                let other = blocks[random.usize(..number)];
                let mut pairs = other.iter().copied().zip(blocks[number].iter().copied());
                maps.push(exchange(&mut pairs));
            }
            if width > 1 && random.bool() {
                maps.push(exchange(
                    &mut blocks.iter().map(|block| (block[0], block[1])),
                ));
            }
            sizes.push(count);
            free = rest;
        }
        if let [one, other, ..] = free {
            maps.push(exchange(&mut std::iter::once((*one, *other))));
        }
        random.shuffle(&mut maps);
        (sizes, maps)
    }

    #[test]
    fn states_have_one_key_if_and_only_if_they_are_images() {
        let mut sorted = 0;
        for (seed, mut random) in seeds(0, 200) {
            let points = random.usize(4..13);
            let (sizes, generators) = random_exchanges(&mut random, points);
            let mut found = blocks(&generators);
            let largest = found.iter().map(|blocks| blocks.points.len()).max();
            assert!(largest >= sizes.iter().copied().max(), "seed {seed}");
            found.retain(|blocks| generators.iter().all(|map| blocks.is_kept_by(map)));
            sorted += u32::from(found.iter().any(|blocks| blocks.points.len() > 2));
            let others = generators.iter().filter(|map| !is_product(map, &found));
            let others = others.map(|map| map.iter().map(|&to| (to, false)).collect::<BitMap>());
            let (_, maps) = subgroup(others, points, usize::MAX);
            let weights: Vec<Weight> = (0..points).map(|point| (point % 2, 1 << point)).collect();
            let images = SortedImages::new(&maps, &found, &weights, 2);
            let states = 1_u64 << points;
            let mut orbits = UnionFind::new(states as usize);
            for map in &generators {
                for state in 0..states {
                    let image = map.iter().zip(0..points);
                    let image = image.map(|(&to, point)| (state >> point & 1) << to);
                    orbits.join(state as u32, image.sum::<u64>() as u32);
                }
            }
            let mut keys = std::collections::HashMap::new();
            for state in 0..states {
                let mut key = [0; 2];
                images.write_smallest(&[state], &mut key);
                let orbit = orbits.find(state as u32);
                assert_eq!(*keys.entry(key).or_insert(orbit), orbit, "seed {seed}");
            }
            let orbit_count = (0..states as u32)
                .filter(|&it| orbits.find(it) == it)
                .count();
            assert_eq!(keys.len(), orbit_count, "seed {seed}");
        }
        assert!(sorted > 50, "only {sorted} with three blocks");
    }

    #[test]
    fn boards_are_not_blocks() {
        // A square: its reflections are exchanges, but turned they are others.
        let generators = [vec![1, 0, 3, 2], vec![0, 2, 1, 3]];
        let found = blocks(&generators);
        let is_kept = |blocks: &Blocks| generators.iter().all(|map| blocks.is_kept_by(map));
        assert!(!found.is_empty() && !found.iter().any(is_kept));
    }
}
