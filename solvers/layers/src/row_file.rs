//! Files of rows, and sorted runs: written in one go, read in one go, in compressed blocks ([`crate::blocks`]).
//!
//! Threads compress and unpack blocks, one each, while one thread writes and reads them.

use crate::blocks::{Checksums, SUM, max_packed_bytes, pack, packed_rows, unpack};
use crate::error::DiskTableError;
use crate::folder::{Folder, remove};
use crate::shard::{BlockWriter, OldFile, Shard, unread};
use limits::share_out;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::PathBuf;

/// Rows that are written in blocks.
struct RowBlocks {
    words: usize,
    threads: usize,
    /// Rows that wait.
    rows: Vec<u64>,
    /// The number of rows so far.
    count: u64,
}

impl RowBlocks {
    fn new(words: usize, threads: usize) -> Self {
        RowBlocks {
            words,
            threads,
            rows: Vec::new(),
            count: 0,
        }
    }

    /// Adds a row. When there are enough for all threads, whole blocks are compressed and written.
    fn add(&mut self, row: &[u64], to: &mut BlockWriter) -> Result<(), DiskTableError> {
        self.rows.extend_from_slice(row);
        self.count += 1;
        let full = packed_rows(self.words) * self.words;
        match self.rows.len() >= 2 * self.threads * full {
            true => self.write(self.rows.len() / full * full, to),
            false => Ok(()),
        }
    }

    /// Writes all rows that wait.
    fn finish(&mut self, to: &mut BlockWriter) -> Result<(), DiskTableError> {
        self.write(self.rows.len(), to)
    }

    /// Writes this many words of the rows that wait: for each block its length, its checksum and its frame.
    fn write(&mut self, words: usize, to: &mut BlockWriter) -> Result<(), DiskTableError> {
        let blocks = self.rows[..words].chunks(packed_rows(self.words) * self.words);
        let frames = share_out(0..self.threads, blocks, |_, rows| pack(rows, self.words));
        for frame in frames {
            let mut head = [0; HEAD];
            head[..4].copy_from_slice(&(frame.len() as u32).to_le_bytes());
            head[4..].copy_from_slice(&to.sum(&frame));
            to.write([&head, &frame])?;
        }
        self.rows.drain(..words);
        Ok(())
    }
}

/// The bytes before the frame of a packed block: its length and its checksum.
const HEAD: usize = 4 + SUM;

/// Writes a file of rows.
pub struct RowWriter<'a> {
    folder: &'a Folder,
    shard: Shard,
    blocks: BlockWriter,
    rows: RowBlocks,
}

impl<'a> RowWriter<'a> {
    pub fn create(
        folder: &'a Folder,
        shard: Shard,
        threads: usize,
    ) -> Result<Self, DiskTableError> {
        Ok(RowWriter {
            folder,
            shard,
            blocks: BlockWriter::create_shard(folder, shard)?,
            rows: RowBlocks::new(shard.record / 8, threads),
        })
    }

    pub fn write(&mut self, row: &[u64]) -> Result<(), DiskTableError> {
        self.rows.add(row, &mut self.blocks)
    }

    /// Ends the file and gives it its name.
    pub fn finish(mut self) -> Result<(), DiskTableError> {
        self.rows.finish(&mut self.blocks)?;
        (self.blocks).finish(self.folder, self.shard, self.rows.count)
    }
}

/// A sorted run of rows on disk, which is dropped when a run of the program ends.
pub struct Run {
    path: PathBuf,
    rows: u64,
}

impl Run {
    /// Writes the rows that a function gives to its argument, a writer of one row.
    pub fn write(
        path: PathBuf,
        words: usize,
        give: impl FnOnce(
            &mut dyn FnMut(&[u64]) -> Result<(), DiskTableError>,
        ) -> Result<(), DiskTableError>,
    ) -> Result<Self, DiskTableError> {
        let mut file = BlockWriter::create(path, Checksums::default())?;
        let mut blocks = RowBlocks::new(words, 1);
        give(&mut |row| blocks.add(row, &mut file))?;
        blocks.finish(&mut file)?;
        file.flush()?;
        Ok(Run {
            path: file.path,
            rows: blocks.count,
        })
    }

    pub fn open(&self, words: usize) -> Result<RowReader, DiskTableError> {
        let path = self.path.clone();
        let file = File::open(&path).map_err(DiskTableError::file(&path, "open"))?;
        Ok(RowReader::new(
            OldFile {
                path,
                file,
                checksums: Checksums::default(),
                records: self.rows,
                body: 0,
            },
            words,
        ))
    }

    pub fn remove(self) -> Result<(), DiskTableError> {
        remove(&self.path)
    }
}

/// Reads a file of rows, or a run.
pub struct RowReader {
    of: OldFile,
    words: usize,
    /// The number of the block that is read next, and the rows that are read.
    number: u64,
    range: Range<u64>,
    /// The rows of a block, and the offset up to which they are read.
    rows: Vec<u64>,
    offset: usize,
}

/// A block of rows as it stands in a file.
pub struct PackedRows {
    path: PathBuf,
    checksums: Checksums,
    words: usize,
    number: u64,
    sum: [u8; SUM],
    frame: Vec<u8>,
    /// The number of rows in it, and those that are read.
    rows: usize,
    range: Range<usize>,
}

impl PackedRows {
    /// The number of rows that are read.
    pub fn rows(&self) -> u64 {
        self.range.len() as u64
    }

    /// Adds the rows to a list.
    pub fn unpack(&self, rows: &mut Vec<u64>) -> Result<(), DiskTableError> {
        let (start, words) = (rows.len(), self.words);
        (self.checksums.check(self.number, &self.frame, &self.sum))
            .and_then(|()| unpack(&self.frame, words, self.rows, rows))
            .map_err(|error| unread(&self.path, error))?;
        rows.truncate(start + words * self.range.end);
        rows.drain(start..start + words * self.range.start);
        Ok(())
    }
}

impl RowReader {
    /// Opens a file, and checks its footer.
    pub fn open(folder: &Folder, shard: Shard) -> Result<Self, DiskTableError> {
        let of = OldFile::open(folder, shard)?;
        Ok(RowReader::new(of, shard.record / 8))
    }

    fn new(of: OldFile, words: usize) -> Self {
        RowReader {
            words,
            number: 0,
            range: 0..of.records,
            of,
            rows: Vec::new(),
            offset: 0,
        }
    }

    /// The number of rows in the file.
    pub fn rows(&self) -> u64 {
        self.of.records
    }

    /// Turns to some of the rows: these are read next, and then the file ends. Returns the number of blocks that they are in.
    pub fn turn_to(&mut self, rows: Range<u64>) -> Result<u64, DiskTableError> {
        let full = packed_rows(self.words) as u64;
        self.number = rows.start / full;
        let blocks = match rows.is_empty() {
            true => 0,
            false => rows.end.div_ceil(full) - self.number,
        };
        self.range = rows;
        self.rows.clear();
        self.offset = 0;
        let mut skip = || {
            self.of.file.seek(SeekFrom::Start(0))?;
            for _ in 0..self.number {
                let mut length = [0; 4];
                self.of.file.read_exact(&mut length)?;
                let frame = i64::from(u32::from_le_bytes(length));
                (self.of.file).seek(SeekFrom::Current(SUM as i64 + frame))?;
            }
            Ok(())
        };
        skip().map_err(|error| unread(&self.of.path, error))?;
        Ok(blocks)
    }

    /// Reads the next block as it stands in the file; nothing at the end.
    pub fn next_block(&mut self) -> Result<Option<PackedRows>, DiskTableError> {
        let full = packed_rows(self.words) as u64;
        let start = self.number * full;
        if start >= self.range.end {
            return Ok(None);
        }
        let rows = full.min(self.of.records - start);
        let range = self.range.start.saturating_sub(start)..rows.min(self.range.end - start);
        let mut read = || {
            let mut head = [0; HEAD];
            self.of.file.read_exact(&mut head)?;
            let [a, b, c, d, sum @ ..] = head;
            let length = u32::from_le_bytes([a, b, c, d]) as usize;
            if length > max_packed_bytes(self.words) {
                return Err(io::ErrorKind::InvalidData.into());
            }
            let mut frame = vec![0; length];
            self.of.file.read_exact(&mut frame)?;
            Ok((sum, frame))
        };
        let (sum, frame) = read().map_err(|error| unread(&self.of.path, error))?;
        let block = PackedRows {
            path: self.of.path.clone(),
            checksums: self.of.checksums.clone(),
            words: self.words,
            number: self.number,
            sum,
            frame,
            rows: rows as usize,
            range: range.start as usize..range.end as usize,
        };
        self.number += 1;
        Ok(Some(block))
    }

    /// The next row; nothing at the end.
    pub fn next(&mut self) -> Result<Option<&[u64]>, DiskTableError> {
        if self.offset == self.rows.len() {
            self.rows.clear();
            self.offset = 0;
            match self.next_block()? {
                Some(block) => block.unpack(&mut self.rows)?,
                None => return Ok(None),
            }
        }
        let row = &self.rows[self.offset..self.offset + self.words];
        self.offset += self.words;
        Ok(Some(row))
    }
}
