//! Moving assignments between lanes.
//!
//! When something may happen in several ways, the lane of an assignment is copied once for each
//! way ([`Copies`]). The copies stand side by side, in the order of the lanes they come from:
//!
//! ```text
//! lanes      c b a        a in two ways, b not at all, c in three
//! copies     c c c a a
//! ```
//!
//! On processors with the instructions to gather and scatter the bits of a word (BMI2), a word
//! is copied in a few cycles: the bits of the copied lanes are gathered, and each is scattered to
//! the last bit of its copies and to its first; the difference of the two, with the former
//! doubled, is a run of ones exactly where the bit is one.

use crate::circuit::Literal;
use crate::code::{set, word};

/// The lanes that are copied, and how often.
#[derive(Clone, Copy, Default, Debug)]
pub struct Copies {
    /// The lanes that are copied at least once.
    sources: u64,
    /// The first of the copies of each lane, and the last.
    first: u64,
    last: u64,
    count: u32,
}

impl Copies {
    /// No lane is copied.
    pub fn new() -> Self {
        Copies::default()
    }

    /// The number of copies so far.
    #[inline]
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// Copies a lane, which must be above all lanes copied before, `times`; not at all if that is 0.
    /// There must be room for that: at most 64 copies in all.
    #[inline]
    pub fn push(&mut self, lane: u32, times: u32) {
        debug_assert!(self.count + times <= 64 && self.sources >> lane == 0);
        if times == 0 {
            return;
        }
        self.sources |= 1 << lane;
        self.first |= 1 << self.count;
        self.count += times;
        self.last |= 1 << (self.count - 1);
    }

    /// The lanes in use after copying, as ones.
    #[inline]
    pub fn all(&self) -> u64 {
        match self.count {
            0 => 0,
            count => u64::MAX >> (64 - count),
        }
    }

    /// Copies words: from each first slot to each second one.
    #[inline]
    pub fn apply(&self, moves: &[(u32, u32)], values: &mut [u64]) {
        if self.sources.is_power_of_two() {
            // One lane, copied to all.
            let lane = self.sources.trailing_zeros();
            for &(from, to) in moves {
                let bit = values[2 * from as usize] >> lane & 1;
                set(values, to, 0u64.wrapping_sub(bit));
            }
            return;
        }
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("bmi2") {
            // SAFETY: the processor was just found to have the instructions.
            #[allow(unsafe_code)]
            unsafe {
                self.apply_bmi2(moves, values);
            }
            return;
        }
        self.apply_plain(moves, values);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "bmi2")]
    fn apply_bmi2(&self, moves: &[(u32, u32)], values: &mut [u64]) {
        use std::arch::x86_64::{_pdep_u64, _pext_u64};
        for &(from, to) in moves {
            let bits = _pext_u64(values[2 * from as usize], self.sources);
            let ends = _pdep_u64(bits, self.last) << 1;
            set(values, to, ends.wrapping_sub(_pdep_u64(bits, self.first)));
        }
    }

    fn apply_plain(&self, moves: &[(u32, u32)], values: &mut [u64]) {
        for &(from, to) in moves {
            let (value, mut copied) = (values[2 * from as usize], 0);
            let (mut sources, mut first, mut last) = (self.sources, self.first, self.last);
            while sources != 0 {
                if value & sources & sources.wrapping_neg() != 0 {
                    let ends = (last & last.wrapping_neg()) << 1;
                    copied |= ends.wrapping_sub(first & first.wrapping_neg());
                }
                sources &= sources - 1;
                first &= first - 1;
                last &= last - 1;
            }
            set(values, to, copied);
        }
    }
}

/// Reads lanes out: for each lane in `lanes`, in ascending order, one row of `stride` words whose
/// bit n is the value of the n-th literal in that lane. `rows` must be as long as that takes.
///
/// Most bits are alike in most lanes (a move changes little of a state), so one lane is read bit by
/// bit, and of the others only what differs from it.
pub fn read_rows(
    values: &[u64],
    literals: &[Literal],
    lanes: u64,
    stride: usize,
    rows: &mut [u64],
) {
    if lanes == 0 {
        return;
    }
    let reference = lanes.trailing_zeros();
    let (first, others) = rows.split_at_mut(stride);
    for (row, literals) in first.iter_mut().zip(literals.chunks(64)) {
        *row = literals.iter().rev().fold(0, |row, &literal| {
            row << 1 | word(values, literal) >> reference & 1
        });
    }
    for row in others.chunks_exact_mut(stride) {
        row.copy_from_slice(first);
    }
    for (bit, &literal) in literals.iter().enumerate() {
        let value = word(values, literal);
        let here = 0u64.wrapping_sub(value >> reference & 1);
        let mut differs = (value ^ here) & lanes;
        while differs != 0 {
            let lane = differs.trailing_zeros();
            let row = (lanes & !(u64::MAX << lane)).count_ones() as usize;
            others[(row - 1) * stride + bit / 64] ^= 1 << (bit % 64);
            differs &= differs - 1;
        }
    }
}

/// Writes rows of bits into lanes, the n-th row into lane n: bit b of a row into the b-th slot. There may be up to 64 rows.
#[inline]
pub fn write_rows<'a>(
    values: &mut [u64],
    slots: &[u32],
    rows: impl Iterator<Item = &'a [u64]> + Clone,
) {
    for (number, slots) in slots.chunks(64).enumerate() {
        let mut matrix = [0; 64];
        for (word, row) in matrix.iter_mut().zip(rows.clone()) {
            *word = row[number];
        }
        transpose(&mut matrix);
        for (&slot, &word) in slots.iter().zip(&matrix) {
            set(values, slot, word);
        }
    }
}

/// Up to 64 literals in all lanes: for each lane a word whose bit n is the value of the n-th literal there.
#[inline]
pub fn by_lane(values: &[u64], literals: &[Literal]) -> [u64; 64] {
    let mut matrix = [0; 64];
    for (row, &literal) in matrix.iter_mut().zip(literals) {
        *row = word(values, literal);
    }
    transpose(&mut matrix);
    matrix
}

/// Turns rows into columns: bit `c` of row `r` becomes bit `r` of row `c`.
///
/// Blocks of half the size are exchanged, then blocks in them, and so on.
pub fn transpose(rows: &mut [u64; 64]) {
    let mut width = 32;
    let mut mask = u64::MAX >> 32;
    while width != 0 {
        for block in rows.chunks_exact_mut(2 * width) {
            let (upper, lower) = block.split_at_mut(width);
            for (up, low) in upper.iter_mut().zip(lower) {
                let exchanged = (*up >> width ^ *low) & mask;
                *up ^= exchanged << width;
                *low ^= exchanged;
            }
        }
        width /= 2;
        mask ^= mask << width;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        let mut random = fastrand::Rng::with_seed(1);
        let rows: [u64; 64] = std::array::from_fn(|_| random.u64(..));
        let mut columns = rows;
        transpose(&mut columns);
        for (row, &word) in rows.iter().enumerate() {
            for (column, &turned) in columns.iter().enumerate() {
                assert_eq!(word >> column & 1, turned >> row & 1);
            }
        }
    }

    #[test]
    fn copies_stand_side_by_side() {
        for (seed, mut random) in generators::seeds(fastrand::u64(..1 << 60), 2000) {
            let mut copies = Copies::new();
            let mut expected_sources = Vec::new();
            let mut lane = random.u32(0..8);
            while lane < 64 && copies.count() < 64 {
                let room = (64 - copies.count() as u32).min(9);
                let times = random.u32(0..=room);
                copies.push(lane, times);
                expected_sources.extend((0..times).map(|_| lane));
                lane += random.u32(1..9);
            }
            let mut values: Vec<u64> = (0..12).map(|_| random.u64(..)).collect();
            let original = values.clone();
            copies.apply(&[(0, 3), (1, 4), (2, 5)], &mut values);
            let mut plain = original.clone();
            copies.apply_plain(&[(0, 3), (1, 4), (2, 5)], &mut plain);
            for (from, to) in [(0, 3), (1, 4), (2, 5)] {
                for (lane, source) in expected_sources.iter().enumerate() {
                    let expected = original[2 * from] >> source & 1;
                    for copied in [values[2 * to], !values[2 * to + 1], plain[2 * to]] {
                        assert_eq!(copied >> lane & 1, expected, "seed {seed}");
                    }
                }
            }
            assert_eq!(copies.all().count_ones() as usize, expected_sources.len());
        }
    }

    #[test]
    fn rows_are_columns_read_across() {
        for (seed, mut random) in generators::seeds(fastrand::u64(..1 << 60), 500) {
            let values: Vec<u64> = (0..100).map(|_| random.u64(..) & random.u64(..)).collect();
            let count = random.usize(1..80);
            let literals: Vec<Literal> = (0..count)
                .map(|_| Literal::new(random.usize(0..50)).negated_if(random.bool()))
                .collect();
            let lanes = random.u64(..) & random.u64(..);
            let stride = literals.len().div_ceil(64);
            let mut rows = vec![u64::MAX; stride * lanes.count_ones() as usize];
            read_rows(&values, &literals, lanes, stride, &mut rows);
            let used = (0..64).filter(|lane| lanes >> lane & 1 == 1);
            for (row, lane) in rows.chunks(stride).zip(used) {
                for (bit, &literal) in literals.iter().enumerate() {
                    let expected = word(&values, literal) >> lane & 1;
                    assert_eq!(row[bit / 64] >> (bit % 64) & 1, expected, "seed {seed}");
                }
            }
        }
    }
}
