//! Blocks of bytes, compressed: what working files and runs are made of.
//!
//! They are written in one go and read in one go, and sorted rows are much alike, so a fast compressor makes them a fifth to a twentieth of
//! their size. A block is the length of what follows (4 bytes, little-endian) and a frame of Zstandard (RFC 8878). All blocks of a
//! file but the last have one length before they are compressed, so a place is found without a directory.

use std::cell::RefCell;
use std::io::{self, Read, Write};
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::compress_bound;

/// The most bytes of a block before it is compressed, unless one record has more.
const BLOCK: usize = 1 << 16;
/// The fastest level. The next ones gain little on rows.
const LEVEL: i32 = 1;

/// The bytes of a block of records of this many bytes: whole records.
pub fn block_bytes(record: usize) -> usize {
    (BLOCK / record.max(1)).max(1) * record
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

/// Compresses blocks.
#[derive(Default)]
pub struct Packer {
    packed: Vec<u8>,
}

impl Packer {
    /// A block as it stands in a file.
    pub fn pack(&mut self, block: &[u8]) -> io::Result<&[u8]> {
        self.packed.resize(4 + compress_bound(block.len()), 0);
        let to = &mut self.packed[4..];
        let length = COMPRESSOR.with(|made| apply(made, |it| it.compress_to_buffer(block, to)))?;
        self.packed[..4].copy_from_slice(&(length as u32).to_le_bytes());
        self.packed.truncate(4 + length);
        Ok(&self.packed)
    }

    /// Writes blocks of rows of this many words, the last one perhaps shorter.
    pub fn write_rows(&mut self, rows: &[u64], words: usize, mut to: impl Write) -> io::Result<()> {
        let mut block = Vec::new();
        for rows in rows.chunks(block_bytes(8 * words) / 8) {
            block.clear();
            block.extend(rows.iter().flat_map(|word| word.to_be_bytes()));
            to.write_all(self.pack(&block)?)?;
        }
        Ok(())
    }
}

/// Reads blocks.
#[derive(Default)]
pub struct Unpacker {
    packed: Vec<u8>,
}

impl Unpacker {
    /// Reads the next block, which has this many bytes; tells what stood in the file.
    ///
    /// # Errors
    /// Those of the file; `InvalidData` if it is not such a block.
    pub fn read(
        &mut self,
        from: &mut impl Read,
        bytes: usize,
        block: &mut Vec<u8>,
    ) -> io::Result<&[u8]> {
        let mut length = [0; 4];
        from.read_exact(&mut length)?;
        let packed = u32::from_le_bytes(length) as usize;
        if packed > compress_bound(bytes) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        self.packed.resize(4 + packed, 0);
        self.packed[..4].copy_from_slice(&length);
        from.read_exact(&mut self.packed[4..])?;
        block.resize(bytes, 0);
        let from = &self.packed[4..];
        match DECOMPRESSOR.with(|made| apply(made, |it| it.decompress_to_buffer(from, block))) {
            Ok(read) if read == bytes => Ok(&self.packed),
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
        let mut file = Vec::new();
        let mut packer = Packer::default();
        packer.write_rows(&rows, 3, &mut file).expect("a vector");
        assert!(file.len() < 8 * rows.len() / 2, "{}", file.len());
        let read = |file: &[u8]| -> io::Result<Vec<u8>> {
            let (mut rest, mut all, mut block) = (file, Vec::new(), Vec::new());
            let mut unpacker = Unpacker::default();
            while all.len() < 8 * rows.len() {
                let bytes = block_bytes(24).min(8 * rows.len() - all.len());
                unpacker.read(&mut rest, bytes, &mut block)?;
                all.extend_from_slice(&block);
            }
            Ok(all)
        };
        let expected: Vec<u8> = rows.iter().flat_map(|word| word.to_be_bytes()).collect();
        assert_eq!(read(&file).expect("whole"), expected);
        assert!(read(&file[..file.len() - 1]).is_err());
        let mut damaged = file;
        damaged[..4].fill(0xff);
        assert!(read(&damaged).is_err());
    }
}
