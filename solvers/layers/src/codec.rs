//! Keys and values as bytes: big-endian, so that the order of bytes is the order of numbers.

use arena::StochasticGame;
use base::value::Numerator;
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use std::borrow::Cow;

/// The widths of the rows of a layer.
#[derive(Clone, Copy, Debug)]
pub struct Widths {
    /// The words of a key.
    pub key: usize,
    /// The words of a state.
    pub state: usize,
    /// Whether the state is its key, so that a row has it once.
    pub is_key: bool,
    /// The bytes of a key in files.
    pub key_bytes: usize,
}

impl Widths {
    /// Those of a layer (1 or more).
    pub fn of(game: &impl StochasticGame, layer: usize) -> Self {
        let rows = game.rows(layer);
        let is_key = rows.key == 0;
        let key = if is_key { rows.state } else { rows.key };
        Widths {
            key,
            state: rows.state,
            is_key,
            key_bytes: game.key_bits(layer).div_ceil(8).clamp(1, 8 * key),
        }
    }

    /// The words of a row.
    pub fn row(self) -> usize {
        if self.is_key {
            self.state
        } else {
            self.key + self.state
        }
    }

    /// The states of some rows, one behind the other.
    pub fn states_of(self, rows: &[u64]) -> Cow<'_, [u64]> {
        if self.is_key {
            return rows.into();
        }
        let states = rows.chunks_exact(self.row());
        Cow::Owned(
            states
                .flat_map(|row| row[self.key..].iter().copied())
                .collect(),
        )
    }

    /// Adds the words of a key as bytes. The last word may have fewer.
    pub fn write_key(self, words: &[u64], bytes: &mut Vec<u8>) {
        let mut left = self.key_bytes;
        for word in words {
            let here = left.min(8);
            bytes.extend_from_slice(&word.to_be_bytes()[8 - here..]);
            left -= here;
        }
    }
}

/// Adds a number as bytes.
pub fn write_value<N: Numerator>(value: &N, length: usize, bytes: &mut Vec<u8>) {
    let byte = |index: usize| (value.word(index / 8) >> (index % 8 * 8)) as u8;
    bytes.extend((0..length).rev().map(byte));
}

/// Adds a fraction from 0 to 1 as bytes: its numerator, then its denominator, each in half of them. Whether it fits; if not, nothing is added.
pub fn write_fraction(value: &BigRational, length: usize, bytes: &mut Vec<u8>) -> bool {
    let fits = value.denom().bits().div_ceil(8) as usize <= length / 2;
    if fits {
        for number in [value.numer(), value.denom()] {
            write_value(number.magnitude(), length / 2, bytes);
        }
    }
    fits
}

/// Reads a fraction; nothing if its denominator is 0.
pub fn read_fraction(bytes: &[u8]) -> Option<BigRational> {
    let (numerator, denominator) = bytes.split_at(bytes.len() / 2);
    let number = |bytes| BigInt::from(BigUint::from_bytes_be(bytes));
    let denominator = number(denominator);
    (denominator != BigInt::ZERO).then(|| BigRational::new(number(numerator), denominator))
}

pub fn read_value<N: Numerator>(bytes: &[u8]) -> N {
    let word = |chunk: &[u8]| {
        chunk
            .iter()
            .fold(0, |all, &byte| all << 8 | u64::from(byte))
    };
    N::from_words(bytes.rchunks(8).map(word))
}
