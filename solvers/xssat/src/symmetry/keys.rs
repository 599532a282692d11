//! The symmetry of the keys at one cut: permutations of their bits, and the smallest image of a key ([`Images`]).
//!
//! An automorphism permutes the bits of a key and flips some of them. The maps that are used form a group, so that all images of
//! a state have one key.

use super::automorphism::Automorphism;
use crate::policy::{CACHE_BYTES, MAX_CUT_BYTES, MAX_IMAGES, MAX_KEY_WORDS, MIN_CHUNK_BITS};
use circuit::automorphism::{BitMap, Images, Weight, subgroup};
use formula::{Lit, Var};

/// The symmetry of the keys at one cut.
#[derive(Clone, Debug, Default)]
pub struct KeySymmetry {
    /// Images under all maps but the identity; empty if there is no other.
    images: Images,
}

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
        let mut indices: Vec<(Var, usize)> = key.iter().copied().zip(0..).collect();
        indices.sort_unstable();
        let restricted = automorphisms.filter_map(|automorphism| {
            let keeps = |&literal: &Lit| constant.contains(&automorphism.image(literal));
            let image = |&variable: &Var| {
                let image = automorphism.image(variable.positive());
                let found = indices.binary_search_by_key(&image.var(), |&(variable, _)| variable);
                Some((indices[found.ok()?].1 as u32, image.is_negative()))
            };
            let map: Option<BitMap> = key.iter().map(image).collect();
            map.filter(|_| constant.iter().all(keeps))
        });
        let bytes = |bits: usize, maps: usize| Images::bytes_for(key.len(), maps, words, bits);
        let room = MAX_CUT_BYTES / bytes(MIN_CHUNK_BITS, 1);
        let (_, maps) = subgroup(restricted, key.len(), room.min(MAX_IMAGES));
        // The identity, which comes first, needs no table.
        let maps = &maps[1..];
        if maps.is_empty() {
            return KeySymmetry::default();
        }
        let wide = [8, 6]
            .into_iter()
            .find(|&bits| bytes(bits, maps.len()) <= CACHE_BYTES);
        let weights: Vec<Weight> = (0..key.len())
            .map(|bit| (bit / 64, 1 << (bit % 64)))
            .collect();
        KeySymmetry {
            images: Images::new(maps, &weights, words, wide.unwrap_or(MIN_CHUNK_BITS)),
        }
    }

    /// The memory that the tables take.
    pub fn bytes(&self) -> usize {
        self.images.bytes()
    }

    /// The number of maps, the identity not counted.
    pub fn maps(&self) -> usize {
        self.images.maps()
    }

    /// Replaces a key by the smallest of its images: the first word counts most.
    #[inline]
    pub fn canonicalise(&self, key: &mut [u64]) {
        if self.images.maps() > 0 {
            let mut smallest = [0; MAX_KEY_WORDS];
            let smallest = &mut smallest[..key.len()];
            self.images.write_smallest(key, smallest);
            if *smallest < *key {
                key.copy_from_slice(smallest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
