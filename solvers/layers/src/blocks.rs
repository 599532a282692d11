//! Blocks of records: what files and runs are made of. Each has a checksum, which is looked at when the block is read.
//!
//! ```text
//! plain     records | checksum               keys and values: a block is found by its number
//! packed    length | checksum | frame        working files and runs: written in one go, read in one go
//! ```
//!
//! All blocks of a file but the last have one length before they are compressed, so a record is found without a directory. Sorted rows are
//! much alike, so a fast compressor makes them a fifth to a twentieth of their size: a frame of Zstandard (RFC 8878), whose length
//! goes before it in 4 bytes, little-endian.

use crc32fast::Hasher;
use std::cell::RefCell;
use std::io::{self, Read, Write};
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::compress_bound;

/// The bytes of a checksum.
pub const SUM: usize = 4;
/// The most bytes of a plain block with its checksum, unless one record has more: a page, for it is read whole to find one record.
const PLAIN: usize = 1 << 12;
/// The most bytes of a packed block before it is compressed, unless one record has more.
const PACKED: usize = 1 << 16;
/// The fastest level. The next ones gain little on rows.
const LEVEL: i32 = 1;

/// The bytes of the records in a plain block: whole records of this many bytes.
pub fn plain_block(record: usize) -> usize {
    ((PLAIN - SUM) / record.max(1)).max(1) * record.max(1)
}

/// The bytes of the records in a packed block before they are compressed.
pub fn packed_block(record: usize) -> usize {
    (PACKED / record.max(1)).max(1) * record.max(1)
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

/// What is made once, if there is memory for it.
type Made<T> = io::Result<RefCell<T>>;

// One for each thread, not for each file: they take 0.1 to 1 MB, and many files are merged at once.
thread_local! {
    static COMPRESSOR: Made<Compressor<'static>> = Compressor::new(LEVEL).map(RefCell::new);
    static DECOMPRESSOR: Made<Decompressor<'static>> = Decompressor::new().map(RefCell::new);
}

/// Uses what was made, if that went well.
fn apply<T, R>(made: &Made<T>, apply: impl FnOnce(&mut T) -> io::Result<R>) -> io::Result<R> {
    match made {
        Ok(made) => apply(&mut made.borrow_mut()),
        Err(error) => Err(error.kind().into()),
    }
}

/// Compresses the blocks of one file, in their order.
#[derive(Default)]
pub struct Packer {
    checksums: Checksums,
    number: u64,
    packed: Vec<u8>,
}

impl Packer {
    /// For a file with these checksums.
    pub fn new(checksums: Checksums) -> Self {
        Packer {
            checksums,
            ..Packer::default()
        }
    }

    /// The next block as it stands in the file.
    pub fn pack(&mut self, block: &[u8]) -> io::Result<&[u8]> {
        const HEAD: usize = 4 + SUM;
        self.packed.resize(HEAD + compress_bound(block.len()), 0);
        let to = &mut self.packed[HEAD..];
        let length = COMPRESSOR.with(|made| apply(made, |it| it.compress_to_buffer(block, to)))?;
        self.packed.truncate(HEAD + length);
        let (head, frame) = self.packed.split_at_mut(HEAD);
        head[..4].copy_from_slice(&(length as u32).to_le_bytes());
        head[4..].copy_from_slice(&self.checksums.of_block(self.number, frame));
        self.number += 1;
        Ok(&self.packed)
    }

    /// Writes blocks of rows of this many words, the last one perhaps shorter.
    pub fn write_rows(&mut self, rows: &[u64], words: usize, mut to: impl Write) -> io::Result<()> {
        let mut block = Vec::new();
        for rows in rows.chunks(packed_block(8 * words) / 8) {
            block.clear();
            block.extend(rows.iter().flat_map(|word| word.to_be_bytes()));
            to.write_all(self.pack(&block)?)?;
        }
        Ok(())
    }
}

/// Reads the blocks of one file, in their order.
#[derive(Default)]
pub struct Unpacker {
    checksums: Checksums,
    number: u64,
    packed: Vec<u8>,
}

impl Unpacker {
    /// For a file with these checksums.
    pub fn new(checksums: Checksums) -> Self {
        Unpacker {
            checksums,
            ..Unpacker::default()
        }
    }

    /// The block with this number is read next.
    pub fn turn_to(&mut self, number: u64) {
        self.number = number;
    }

    /// Reads the next block, which has this many bytes.
    ///
    /// # Errors
    /// Those of the file; `InvalidData` if it is not such a block.
    pub fn read(
        &mut self,
        from: &mut impl Read,
        bytes: usize,
        block: &mut Vec<u8>,
    ) -> io::Result<()> {
        let mut head = [0; 4 + SUM];
        from.read_exact(&mut head)?;
        let [a, b, c, d, sum @ ..] = head;
        let packed = u32::from_le_bytes([a, b, c, d]) as usize;
        if packed > compress_bound(bytes) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        self.packed.resize(packed, 0);
        from.read_exact(&mut self.packed)?;
        self.checksums.check(self.number, &self.packed, &sum)?;
        self.number += 1;
        block.resize(bytes, 0);
        let from = &self.packed[..];
        match DECOMPRESSOR.with(|made| apply(made, |it| it.decompress_to_buffer(from, block))) {
            Ok(read) if read == bytes => Ok(()),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_come_back_and_damage_is_found() {
        let rows: Vec<u64> = (0..30_000).map(|n| n * n / 7).collect();
        let checksums = Checksums::of(b"rows");
        let mut file = Vec::new();
        let mut packer = Packer::new(checksums.clone());
        packer.write_rows(&rows, 3, &mut file).expect("a vector");
        assert!(file.len() < 8 * rows.len() / 2, "{}", file.len());
        let read_as = |checksums: &Checksums, file: &[u8]| -> io::Result<Vec<u8>> {
            let (mut rest, mut all, mut block) = (file, Vec::new(), Vec::new());
            let mut unpacker = Unpacker::new(checksums.clone());
            while all.len() < 8 * rows.len() {
                let bytes = packed_block(24).min(8 * rows.len() - all.len());
                unpacker.read(&mut rest, bytes, &mut block)?;
                all.extend_from_slice(&block);
            }
            Ok(all)
        };
        let read = |file: &[u8]| read_as(&checksums, file);
        let expected: Vec<u8> = rows.iter().flat_map(|word| word.to_be_bytes()).collect();
        assert_eq!(read(&file).expect("whole"), expected);
        assert!(read(&file[..file.len() - 1]).is_err());
        assert!(read_as(&Checksums::of(b"keys"), &file).is_err());
        for index in 0..file.len().min(200) {
            let mut damaged = file.clone();
            damaged[index] ^= 1;
            assert!(read(&damaged).is_err(), "{index}");
        }
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
