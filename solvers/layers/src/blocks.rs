//! Blocks of records: what files and runs are made of. Each has a checksum, which is checked when the block is read.
//!
//! ```text
//! plain     records | checksum               keys and values: a block is found by its number
//! packed    length | checksum | LZ4          working files and runs: written in one go, read in one go
//! ```
//!
//! All blocks of a file but the last have the same number of records, so a record is found without a directory. Sorted rows are much alike,
//! so what is stored of a row is how its words differ from those of the row before, in columns of bytes, each column by itself, as a
//! block of LZ4, whose length goes before it in 4 bytes, little-endian.

use crc32fast::Hasher;
use lz4_flex::block::{compress, decompress, get_maximum_output_size};
use std::io;
use std::iter;

/// The bytes of a checksum.
pub const SUM: usize = 4;
/// The most bytes of a plain block with its checksum, unless one record has more: a page, for it is read whole to find one record.
const PLAIN: usize = 1 << 12;
/// The most bytes of a packed block before it is compressed, unless one record has more.
const PACKED: usize = 1 << 15;

/// The bytes of the records in a plain block: whole records of this many bytes.
pub fn plain_block(record: usize) -> usize {
    ((PLAIN - SUM) / record.max(1)).max(1) * record.max(1)
}

/// The rows in a packed block, each of this many words.
pub fn packed_rows(words: usize) -> usize {
    (PACKED / (8 * words.max(1))).max(1)
}

/// The most bytes of the frame of a packed block.
pub fn max_packed_bytes(words: usize) -> usize {
    get_maximum_output_size(words + 8 * words * packed_rows(words))
}

/// Checksums of the blocks of a file: CRC-32 (IEEE 802.3) of what the file is, of the number of the block, and of its bytes. So a block that
/// was changed does not pass, and neither does one that stands at another place or in another file.
#[derive(Clone, Default)]
pub struct Checksums(Hasher);

impl Checksums {
    /// For a file that says this of itself.
    pub fn of(file: &[u8]) -> Self {
        let mut hasher = Hasher::new();
        hasher.update(file);
        Checksums(hasher)
    }

    /// The checksum of a block.
    pub fn of_block(&self, number: u64, bytes: &[u8]) -> [u8; SUM] {
        let mut hasher = self.0.clone();
        hasher.update(&number.to_le_bytes());
        hasher.update(bytes);
        hasher.finalize().to_le_bytes()
    }

    /// Checks a block.
    ///
    /// # Errors
    /// `InvalidData`, if this is not its checksum.
    pub fn check(&self, number: u64, bytes: &[u8], sum: &[u8]) -> io::Result<()> {
        match self.of_block(number, bytes) == *sum {
            true => Ok(()),
            false => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

/// The columns of a block of rows, compressed: the differences of words that stand below each other, byte by byte. Bytes of which all are 0
/// in the block are left out.
pub fn pack(rows: &[u64], words: usize) -> Vec<u8> {
    let count = rows.len() / words;
    let mut planes = vec![0; words];
    for word in 0..words {
        let column = || rows[word..].iter().step_by(words);
        let before = || iter::once(&0).chain(column());
        let differences = || column().zip(before()).map(|(row, before)| row ^ before);
        let all = differences().fold(0, |all, difference| all | difference);
        let bytes = (u64::BITS - all.leading_zeros()).div_ceil(8) as usize;
        planes[word] = bytes as u8;
        let start = planes.len();
        planes.resize(start + count * bytes, 0);
        let mut planes = planes[start..].chunks_exact_mut(count.max(1));
        for byte in 0..bytes {
            let plane = planes.next().expect("one for each byte");
            for (to, difference) in plane.iter_mut().zip(differences()) {
                *to = (difference >> (8 * byte)) as u8;
            }
        }
    }
    compress(&planes)
}

/// Adds to a list the rows of a block that was compressed, of which there are this many.
///
/// # Errors
/// `InvalidData` if it is no such block.
pub fn unpack(frame: &[u8], words: usize, count: usize, rows: &mut Vec<u64>) -> io::Result<()> {
    let max_bytes = words + 8 * words * count;
    let planes = decompress(frame, max_bytes).map_err(|_| io::ErrorKind::InvalidData)?;
    let Some((widths, mut planes)) = planes.split_at_checked(words) else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    let start = rows.len();
    rows.resize(start + words * count, 0);
    let rows = &mut rows[start..];
    for (word, &bytes) in widths.iter().enumerate() {
        for byte in 0..bytes {
            let Some((plane, rest)) = planes.split_at_checked(count).filter(|_| byte < 8) else {
                return Err(io::ErrorKind::InvalidData.into());
            };
            planes = rest;
            for (to, &from) in rows[word..].iter_mut().step_by(words).zip(plane) {
                *to |= u64::from(from) << (8 * byte);
            }
        }
        let mut above = 0;
        for row in rows[word..].iter_mut().step_by(words) {
            *row ^= above;
            above = *row;
        }
    }
    match planes.is_empty() {
        true => Ok(()),
        false => Err(io::ErrorKind::InvalidData.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_come_back_and_damage_is_found() {
        let seed = fastrand::u64(..);
        let mut random = fastrand::Rng::with_seed(seed);
        for words in [1, 3, 9] {
            for count in [1, 2, 500] {
                let bits = random.u32(0..65);
                let word = |_| random.u64(..).checked_shr(bits).unwrap_or(0);
                let mut rows: Vec<u64> = (0..words * count).map(word).collect();
                rows[..words].fill(u64::MAX);
                let frame = pack(&rows, words);
                let mut found = vec![7];
                unpack(&frame, words, count, &mut found).expect("whole");
                assert_eq!((found[0], &found[1..]), (7, &rows[..]), "seed {seed}");
                assert!(unpack(&frame, words, count + 1, &mut found).is_err());
                assert!(unpack(&frame, words, count - 1, &mut found).is_err());
                assert!(unpack(&frame[..frame.len() - 1], words, count, &mut found).is_err());
            }
        }
        let sorted: Vec<u64> = (0..30_000).map(|n| n * n / 7).collect();
        let frame = pack(&sorted, 3);
        assert!(frame.len() < 8 * sorted.len() / 2, "{}", frame.len());
    }

    #[test]
    fn a_checksum_is_of_the_place_too() {
        let checksums = Checksums::of(b"keys");
        let sum = checksums.of_block(3, b"block");
        assert!(checksums.check(3, b"block", &sum).is_ok());
        assert!(checksums.check(4, b"block", &sum).is_err());
        assert!(checksums.check(3, b"black", &sum).is_err());
        assert!(Checksums::of(b"rows").check(3, b"block", &sum).is_err());
        // As `zlib.crc32` of Python does it.
        let sum = u32::from_le_bytes(sum);
        assert_eq!(sum, crc32fast::hash(b"keys\x03\0\0\0\0\0\0\0block"));
    }
}
