//! The values of all states of a layer, each once: a number for each key, and a list of values by number.
//!
//! ```text
//! key --Table--> 2   values | 5 of 9 | 0 of 9 | 7 of 9 | ...
//! ```
//!
//! It takes half the memory of bounds, as there is one number for each state, not two.

use crate::table::bounds::Table;
use crate::value::Numerator;

/// Values of states that are all known.
pub struct ExactValues {
    numbers: Table,
    /// Values of the states with number t, t + n, t + 2n, ..., for each t below some n.
    values: Vec<PackedNumbers>,
}

impl ExactValues {
    /// Values of at most `bits` bits. `values[t]` has those of the states numbered t, t + n, t + 2n, ...
    /// where n is `values.len()`.
    pub fn new<N: Numerator>(numbers: Table, values: &[Vec<N>], bits: usize) -> Self {
        let values = values
            .iter()
            .map(|list| PackedNumbers::new(list.iter().cloned(), bits));
        ExactValues {
            numbers,
            values: values.collect(),
        }
    }

    /// The value of a state, if it is there.
    pub fn get<N: Numerator>(&self, key: &[u64], hash: u64) -> Option<N> {
        let number = self.numbers.number(key, hash)? as usize;
        Some(self.values[number % self.values.len()].get(number / self.values.len()))
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether there is no state.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Memory taken, in bytes.
    pub fn bytes(&self) -> u64 {
        self.numbers.bytes() + self.values.iter().map(PackedNumbers::bytes).sum::<u64>()
    }

    /// Multiplies all values, which then have at most `bits` bits.
    pub fn scale<N: Numerator>(&mut self, factor: &N, bits: usize) {
        for list in &mut self.values {
            let scaled = (0..list.len).map(|index| list.get::<N>(index).times(factor));
            *list = PackedNumbers::new(scaled, bits);
        }
    }
}

/// A list of numbers of one width, without gaps between them.
struct PackedNumbers {
    words: Vec<u64>,
    bits: usize,
    len: usize,
}

impl PackedNumbers {
    /// # Panics
    /// If a number has more than `bits` bits.
    fn new<N: Numerator>(numbers: impl ExactSizeIterator<Item = N>, bits: usize) -> Self {
        let (bits, len) = (bits.max(1), numbers.len());
        let mut words = vec![0; (len * bits).div_ceil(64)];
        for (index, number) in numbers.enumerate() {
            for (word, width, first) in fields(index, bits) {
                let field = number.word(word);
                assert!(width == 64 || field >> width == 0, "a number is too wide");
                let shift = first % 64;
                words[first / 64] |= field << shift;
                if shift + width > 64 {
                    words[first / 64 + 1] |= field >> (64 - shift);
                }
            }
        }
        PackedNumbers { words, bits, len }
    }

    fn get<N: Numerator>(&self, index: usize) -> N {
        N::from_words(fields(index, self.bits).map(|(_, width, first)| {
            let shift = first % 64;
            let mut field = self.words[first / 64] >> shift;
            if shift + width > 64 {
                field |= self.words[first / 64 + 1] << (64 - shift);
            }
            field & u64::MAX >> (64 - width)
        }))
    }

    fn bytes(&self) -> u64 {
        (self.words.capacity() * size_of::<u64>()) as u64
    }
}

/// The words of a number: which one, its bits, and the first of these in the list.
fn fields(index: usize, bits: usize) -> impl ExactSizeIterator<Item = (usize, usize, usize)> {
    (0..bits.div_ceil(64)).map(move |word| {
        let width = (bits - 64 * word).min(64);
        (word, width, index * bits + 64 * word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Stored, hash};
    use crate::value::U256;

    #[test]
    fn values_of_all_widths_are_found_and_scaled() {
        let mut random = fastrand::Rng::with_seed(3);
        for bits in (1..250).chain([64, 128, 192]) {
            let (threads, count) = (random.usize(1..4), random.usize(0..300));
            let numbers = Table::for_numbers(30, count);
            let mut values = vec![Vec::new(); threads];
            for state in 0..count {
                let words: Vec<u64> = (0..4).map(|_| random.u64(..)).collect();
                let value = U256::from_words(words.into_iter()) >> (256 - bits);
                values[state % threads].push(value);
                let key = [state as u64 * 7919];
                let (number, stored) = numbers.set_number(&key, hash(&key), state as u32);
                assert_eq!((number as usize, stored), (state, Stored::Done));
                assert_eq!(numbers.set_number(&key, hash(&key), 77).0, number);
            }
            let mut exact = ExactValues::new(numbers, &values, bits);
            assert_eq!(exact.len(), count);
            let check = |exact: &ExactValues, factor: u64| {
                for state in 0..count {
                    let key = [state as u64 * 7919];
                    let value = values[state % threads][state / threads] * U256::from(factor);
                    assert_eq!(exact.get(&key, hash(&key)), Some(value), "{bits} bits");
                }
                assert_eq!(exact.get::<U256>(&[1], hash(&[1])), None);
            };
            check(&exact, 1);
            exact.scale(&U256::from(5u64), bits + 3);
            check(&exact, 5);
        }
    }
}
