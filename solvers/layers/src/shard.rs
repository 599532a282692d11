//! Files of records of equal length: written in one go, with a checksum at the end, and read in one go.
//!
//! A file is written under a name that ends in `.part`, synced and renamed, so one with its final name is complete. Working files are compressed
//! ([`crate::blocks`]). The footer is described in `docs/table-format.md`.

use crate::blocks::{Packer, Unpacker, block_bytes};
use crate::error::DiskTableError;
use crate::folder::{Folder, publish};
use crate::kind::Kind;
use crate::manifest::VERSION;
use crate::part::Part;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"SQASPTBL";
/// How it shows that a file does not hold what was written.
const NOT_WRITTEN: &str = "its checksum does not match";
/// The bytes of a footer.
const FOOTER: usize = 112;

/// Writes a file.
pub struct Writer {
    path: PathBuf,
    part: PathBuf,
    file: File,
    hash: Sha256,
    /// Compresses blocks, if they are to be.
    packer: Option<Packer>,
    block: Vec<u8>,
    head: [u8; 32],
    record: usize,
    written: u64,
    table: [u8; 32],
}

impl Writer {
    /// Begins the file of a part of a layer whose records have this many bytes.
    pub fn new(
        folder: &Folder,
        whose: Part,
        kind: Kind,
        layer: usize,
        record: usize,
    ) -> Result<Self, DiskTableError> {
        let path = folder.shard_of(whose, kind, layer);
        let part = folder.part_of(&path);
        let file = File::create(&part).map_err(DiskTableError::file(&part, "create"))?;
        Ok(Writer {
            packer: kind.is_packed().then(Packer::default),
            path,
            part,
            file,
            hash: Sha256::new(),
            block: Vec::new(),
            head: head(whose, kind, layer),
            record,
            written: 0,
            table: folder.digest(),
        })
    }

    /// Writes a record, or a part of one.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), DiskTableError> {
        self.block.extend_from_slice(bytes);
        let full = block_bytes(self.record);
        while self.block.len() >= full {
            self.flush(full)?;
        }
        Ok(())
    }

    /// Writes the first bytes of what waits as a block.
    fn flush(&mut self, bytes: usize) -> Result<(), DiskTableError> {
        let write = || DiskTableError::file(&self.part, "write");
        let block = &self.block[..bytes];
        let block = match &mut self.packer {
            Some(packer) => packer.pack(block).map_err(write())?,
            None => block,
        };
        self.hash.update(block);
        self.file.write_all(block).map_err(write())?;
        self.written += bytes as u64;
        self.block.drain(..bytes);
        Ok(())
    }

    /// Ends the file and gives it its name; tells the number of records.
    pub fn finish(mut self) -> Result<u64, DiskTableError> {
        if !self.block.is_empty() {
            self.flush(self.block.len())?;
        }
        let records = self.written.checked_div(self.record as u64).unwrap_or(0);
        let mut footer = self.head.to_vec();
        footer.extend_from_slice(&(self.record as u64).to_le_bytes());
        footer.extend_from_slice(&records.to_le_bytes());
        footer.extend_from_slice(&self.table);
        self.hash.update(&footer);
        footer.extend_from_slice(&std::mem::take(&mut self.hash).finalize());
        let written = self.file.write_all(&footer);
        written.map_err(DiskTableError::file(&self.part, "write"))?;
        publish(&self.file, &self.part, &self.path)?;
        Ok(records)
    }
}

/// The first 32 bytes of a footer.
fn head(whose: Part, kind: Kind, layer: usize) -> [u8; 32] {
    let mut head = [0; 32];
    head[..8].copy_from_slice(MAGIC);
    head[8..12].copy_from_slice(&VERSION.to_le_bytes());
    head[12..16].copy_from_slice(&(kind as u32).to_le_bytes());
    head[16..24].copy_from_slice(&(layer as u64).to_le_bytes());
    head[24..28].copy_from_slice(&(whose.index as u32).to_le_bytes());
    head[28..32].copy_from_slice(&(whose.count as u32).to_le_bytes());
    head
}

/// Turns to the block with this number from the start.
fn skip_blocks(file: &mut File, blocks: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    for _ in 0..blocks {
        let mut length = [0; 4];
        file.read_exact(&mut length)?;
        file.seek(SeekFrom::Current(u32::from_le_bytes(length).into()))?;
    }
    Ok(())
}

/// Reads a file.
pub struct Reader {
    path: PathBuf,
    file: File,
    hash: Sha256,
    /// Reads blocks, if they are compressed.
    unpacker: Option<Unpacker>,
    block: Vec<u8>,
    place: usize,
    /// Where the next block begins, in bytes of records, and how many of its bytes do not count.
    at: u64,
    skipped: usize,
    /// Bytes of records that were not read from the file yet.
    left: u64,
    /// Whether all records are read.
    is_whole: bool,
    footer: [u8; FOOTER],
    record: usize,
    records: u64,
}

impl Reader {
    /// Opens the file of a layer whose records must have this many bytes; checks all but the checksum.
    pub fn open(
        folder: &Folder,
        kind: Kind,
        layer: usize,
        record: usize,
    ) -> Result<Self, DiskTableError> {
        Reader::open_part(folder, Part::WHOLE, kind, layer, record)
    }

    /// Opens the file of a part of a layer.
    pub fn open_part(
        folder: &Folder,
        whose: Part,
        kind: Kind,
        layer: usize,
        record: usize,
    ) -> Result<Self, DiskTableError> {
        let path = folder.shard_of(whose, kind, layer);
        let mut file = File::open(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => DiskTableError::damaged(&path, "it is missing"),
            _ => DiskTableError::file(&path, "open")(error),
        })?;
        let read = DiskTableError::file(&path, "read");
        let length = file.metadata().map_err(read)?.len();
        let damaged = |why: &str| Err(DiskTableError::damaged(&path, why));
        let Some(body) = length.checked_sub(FOOTER as u64) else {
            return damaged("it is too short");
        };
        let mut footer = [0; FOOTER];
        let got = (file.seek(SeekFrom::Start(body))).and_then(|_| file.read_exact(&mut footer));
        got.map_err(DiskTableError::file(&path, "read"))?;
        let number = |at: usize| u64::from_le_bytes(footer[at..at + 8].try_into().expect("eight"));
        if footer[..32] != head(whose, kind, layer) {
            return damaged("its last bytes are not those of a table's file");
        }
        if footer[48..80] != folder.digest() {
            return damaged("it belongs to another table");
        }
        let records = number(40);
        let bytes = records.checked_mul(record as u64);
        let is_wrong = |bytes| !kind.is_packed() && bytes != body;
        let Some(bytes) = bytes.filter(|bytes| number(32) == record as u64 && !is_wrong(*bytes))
        else {
            return damaged("its length is wrong");
        };
        let back = file.seek(SeekFrom::Start(0));
        back.map_err(DiskTableError::file(&path, "read"))?;
        Ok(Reader {
            path,
            file,
            hash: Sha256::new(),
            unpacker: kind.is_packed().then(Unpacker::default),
            block: Vec::new(),
            place: 0,
            at: 0,
            skipped: 0,
            left: bytes,
            is_whole: true,
            footer,
            record,
            records,
        })
    }

    /// The number of records.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Turns to some of the records: these are read next, and then the file ends. Unless all are, the checksum is not looked at.
    pub fn turn_to(&mut self, records: Range<u64>) -> Result<(), DiskTableError> {
        let start = records.start * self.record as u64;
        let moved = match self.unpacker {
            Some(_) => {
                // A compressed block is read whole.
                let full = block_bytes(self.record) as u64;
                self.skipped = (start % full) as usize;
                skip_blocks(&mut self.file, start / full)
            }
            None => self.file.seek(SeekFrom::Start(start)).map(drop),
        };
        moved.map_err(DiskTableError::file(&self.path, "read"))?;
        self.hash = Sha256::new();
        self.block.clear();
        self.place = 0;
        self.at = start - self.skipped as u64;
        self.is_whole = records == (0..self.records);
        self.left = (records.end - records.start) * self.record as u64;
        Ok(())
    }

    /// The next record; nothing at the end, where the checksum must be right.
    pub fn next(&mut self) -> Result<Option<&[u8]>, DiskTableError> {
        if self.place == self.block.len() {
            if self.left == 0 {
                self.check()?;
                return Ok(None);
            }
            self.read_block()?;
        }
        let record = &self.block[self.place..self.place + self.record];
        self.place += self.record;
        Ok(Some(record))
    }

    fn read_block(&mut self) -> Result<(), DiskTableError> {
        let full = block_bytes(self.record) as u64;
        let (file, block) = (&mut self.file, &mut self.block);
        let read = match &mut self.unpacker {
            Some(unpacker) => {
                let rest = self.records * self.record as u64 - self.at;
                unpacker.read(file, full.min(rest) as usize, block)
            }
            None => {
                block.resize(full.min(self.left) as usize, 0);
                file.read_exact(block).map(|()| &block[..])
            }
        };
        let stood = read.map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => DiskTableError::damaged(&self.path, NOT_WRITTEN),
            _ => DiskTableError::file(&self.path, "read")(error),
        })?;
        if self.is_whole {
            self.hash.update(stood);
        }
        self.at += self.block.len() as u64;
        self.place = std::mem::take(&mut self.skipped);
        let told = (self.block.len() - self.place).min(self.left as usize);
        self.block.truncate(self.place + told);
        self.left -= told as u64;
        Ok(())
    }

    fn check(&self) -> Result<(), DiskTableError> {
        if !self.is_whole {
            return Ok(());
        }
        let mut hash = self.hash.clone();
        hash.update(&self.footer[..FOOTER - 32]);
        match hash.finalize()[..] == self.footer[FOOTER - 32..] {
            true => Ok(()),
            false => Err(DiskTableError::damaged(&self.path, NOT_WRITTEN)),
        }
    }

    /// The record at a place, by itself, of a file that is not compressed. The checksum is not looked at.
    pub fn at(&mut self, place: u64) -> Result<&[u8], DiskTableError> {
        self.block.resize(self.record, 0);
        self.place = self.record;
        let start = SeekFrom::Start(place * self.record as u64);
        let read = (self.file.seek(start)).and_then(|_| self.file.read_exact(&mut self.block));
        read.map_err(DiskTableError::file(&self.path, "read"))?;
        Ok(&self.block)
    }
}
