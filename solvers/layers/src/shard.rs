//! Files of records of equal length: written in one go, in blocks with checksums ([`crate::blocks`]), and read in one go or by index.
//!
//! A file is written under a name that ends in `.part`, synced and renamed, so one with its final name is complete. Working files are
//! compressed. A footer, which has a checksum too, says what the file is (`docs/table-format.md`).

use crate::blocks::{Checksums, SUM, plain_block};
use crate::error::DiskTableError;
use crate::folder::{Folder, publish};
use crate::kind::Kind;
use crate::manifest::{LayerInfo, VERSION};
use crate::part::LayerPart;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const MAGIC: &[u8; 8] = b"SQASPTBL";
/// How it shows that a file does not hold what was written.
const NOT_WRITTEN: &str = "a checksum in it does not match";
const MISSING: &str = "it is missing";
const WRONG_LENGTH: &str = "its length is wrong";
/// The bytes of a footer, and of its first fields, which say what the file is.
const FOOTER: usize = 92;
const SUBJECT: usize = 72;
/// The bytes that are written or read at once, where it is more than a block.
const AT_ONCE: usize = 1 << 16;

/// A file while it is written.
pub struct NewFile {
    path: PathBuf,
    pub part: PathBuf,
    file: BufWriter<File>,
    subject: [u8; SUBJECT],
    pub checksums: Checksums,
    /// The bytes of blocks that were written.
    stored: u64,
}

impl NewFile {
    /// Begins the file of a part of a layer whose records have this many bytes.
    pub fn create(
        folder: &Folder,
        whose: LayerPart,
        kind: Kind,
        layer: usize,
        record: usize,
    ) -> Result<Self, DiskTableError> {
        let path = folder.shard_of(whose, kind, layer);
        let part = folder.part_of(&path);
        let file = File::create(&part).map_err(DiskTableError::file(&part, "create"))?;
        let subject = subject(whose, kind, layer, record, folder);
        Ok(NewFile {
            path,
            part,
            file: BufWriter::with_capacity(AT_ONCE, file),
            subject,
            checksums: Checksums::of(&subject),
            stored: 0,
        })
    }

    /// Writes the parts of a block.
    pub fn write(&mut self, parts: [&[u8]; 2]) -> Result<(), DiskTableError> {
        for part in parts {
            let written = self.file.write_all(part);
            written.map_err(DiskTableError::file(&self.part, "write"))?;
            self.stored += part.len() as u64;
        }
        Ok(())
    }

    /// Ends the file and gives it its name.
    pub fn finish(mut self, records: u64) -> Result<(), DiskTableError> {
        let footer = footer(&self.subject, records, self.stored);
        let written = (self.file.write_all(&footer)).and_then(|()| self.file.flush());
        written.map_err(DiskTableError::file(&self.part, "write"))?;
        publish(self.file.get_ref(), &self.part, &self.path)
    }
}

/// Writes a file of keys or values.
pub struct Writer {
    file: NewFile,
    /// The bytes of the records of a full block.
    full: usize,
    block: Vec<u8>,
    record: usize,
    /// The bytes of records that were written.
    written: u64,
}

impl Writer {
    /// Begins the file of a part of a layer whose records have this many bytes.
    pub fn new(
        folder: &Folder,
        whose: LayerPart,
        kind: Kind,
        layer: usize,
        record: usize,
    ) -> Result<Self, DiskTableError> {
        Ok(Writer {
            file: NewFile::create(folder, whose, kind, layer, record)?,
            full: plain_block(record),
            block: Vec::new(),
            record,
            written: 0,
        })
    }

    /// Writes records.
    pub fn write(&mut self, mut bytes: &[u8]) -> Result<(), DiskTableError> {
        while self.block.len() + bytes.len() >= self.full {
            let (now, later) = bytes.split_at(self.full - self.block.len());
            self.block.extend_from_slice(now);
            self.flush()?;
            bytes = later;
        }
        self.block.extend_from_slice(bytes);
        Ok(())
    }

    /// Writes what waits as a block.
    fn flush(&mut self) -> Result<(), DiskTableError> {
        let number = self.written / self.full as u64;
        let sum = self.file.checksums.of_block(number, &self.block);
        self.file.write([&self.block, &sum])?;
        self.written += self.block.len() as u64;
        self.block.clear();
        Ok(())
    }

    /// Ends the file and gives it its name.
    pub fn finish(mut self) -> Result<(), DiskTableError> {
        if !self.block.is_empty() {
            self.flush()?;
        }
        let records = self.written.checked_div(self.record as u64).unwrap_or(0);
        self.file.finish(records)
    }
}

/// The first bytes of a footer: the kind of the file.
fn subject(
    whose: LayerPart,
    kind: Kind,
    layer: usize,
    record: usize,
    folder: &Folder,
) -> [u8; SUBJECT] {
    let mut subject = [0; SUBJECT];
    subject[..8].copy_from_slice(MAGIC);
    subject[8..12].copy_from_slice(&VERSION.to_le_bytes());
    subject[12..16].copy_from_slice(&(kind as u32).to_le_bytes());
    subject[16..24].copy_from_slice(&(layer as u64).to_le_bytes());
    subject[24..28].copy_from_slice(&(whose.index as u32).to_le_bytes());
    subject[28..32].copy_from_slice(&(whose.count as u32).to_le_bytes());
    subject[32..40].copy_from_slice(&(record as u64).to_le_bytes());
    subject[40..].copy_from_slice(&folder.digest());
    subject
}

/// A footer: the kind of the file, its records, the bytes of its blocks, and the checksum of these.
fn footer(subject: &[u8; SUBJECT], records: u64, stored: u64) -> Vec<u8> {
    let mut footer = subject.to_vec();
    footer.extend_from_slice(&records.to_le_bytes());
    footer.extend_from_slice(&stored.to_le_bytes());
    footer.extend_from_slice(&crc32fast::hash(&footer).to_le_bytes());
    footer
}

/// The bytes of the blocks of a plain file; nothing if there cannot be so many.
fn plain_bytes(records: u64, record: usize) -> Option<u64> {
    let bytes = records.checked_mul(record as u64)?;
    let blocks = bytes.div_ceil(plain_block(record) as u64);
    bytes.checked_add(blocks.checked_mul(SUM as u64)?)
}

/// The reason why something of a file was not read.
pub fn unread(path: &Path, error: io::Error) -> DiskTableError {
    match error.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
            DiskTableError::damaged(path, NOT_WRITTEN)
        }
        _ => DiskTableError::file(path, "read")(error),
    }
}

/// A file that is read, whose footer was.
pub struct OldFile {
    pub path: PathBuf,
    pub file: File,
    pub checksums: Checksums,
    pub records: u64,
    /// The bytes of all blocks.
    pub body: u64,
}

impl OldFile {
    /// Opens a file whose records must have this many bytes; checks what it says of itself.
    pub fn open(
        folder: &Folder,
        whose: LayerPart,
        kind: Kind,
        layer: usize,
        record: usize,
    ) -> Result<Self, DiskTableError> {
        let path = folder.shard_of(whose, kind, layer);
        let mut file = File::open(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => DiskTableError::damaged(&path, MISSING),
            _ => DiskTableError::file(&path, "open")(error),
        })?;
        let read = DiskTableError::file(&path, "read");
        let length = file.metadata().map_err(read)?.len();
        let damaged = |why: &str| Err(DiskTableError::damaged(&path, why));
        let Some(body) = length.checked_sub(FOOTER as u64) else {
            return damaged("it is too short");
        };
        let mut found = [0; FOOTER];
        let got = (file.seek(SeekFrom::Start(body))).and_then(|_| file.read_exact(&mut found));
        got.map_err(DiskTableError::file(&path, "read"))?;
        let number = |at: usize| u64::from_le_bytes(found[at..at + 8].try_into().expect("eight"));
        let subject = subject(whose, kind, layer, record, folder);
        if found[..40] != subject[..40] {
            return damaged("its last bytes are not those of a table's file");
        }
        if found[..SUBJECT] != subject {
            return damaged("it belongs to another table");
        }
        let (records, stored) = (number(SUBJECT), number(SUBJECT + 8));
        if found[..] != footer(&subject, records, stored) {
            return damaged(NOT_WRITTEN);
        }
        if stored != body || records.checked_mul(record as u64).is_none() {
            return damaged(WRONG_LENGTH);
        }
        let back = file.seek(SeekFrom::Start(0));
        back.map_err(DiskTableError::file(&path, "read"))?;
        Ok(OldFile {
            path,
            file,
            checksums: Checksums::of(&subject),
            records,
            body,
        })
    }
}

/// Reads a file of keys or values.
pub struct Reader {
    of: OldFile,
    /// Blocks as they stand in the file.
    stored: Vec<u8>,
    /// The records of some blocks, and the offset up to which they are read.
    block: Vec<u8>,
    offset: usize,
    /// The number of the block that these are of, if it is one by itself.
    alone: Option<u64>,
    /// The number of the block that is read next.
    number: u64,
    /// The bytes of the records of a full block.
    full: u64,
    record: usize,
}

impl Reader {
    /// Opens the file of a layer whose records must have this many bytes; checks what it says of itself.
    pub fn open(
        folder: &Folder,
        kind: Kind,
        layer: usize,
        record: usize,
    ) -> Result<Self, DiskTableError> {
        Reader::open_part(folder, LayerPart::WHOLE, kind, layer, record)
    }

    /// Opens the keys and the values of a layer, which must be those of all its states.
    pub fn open_layer(folder: &Folder, info: &LayerInfo) -> Result<[Self; 2], DiskTableError> {
        let open = |kind, record| {
            let file = Reader::open(folder, kind, info.layer, record)?;
            match file.of.records == info.states {
                true => Ok(file),
                false => Err(DiskTableError::damaged(file.path(), WRONG_LENGTH)),
            }
        };
        Ok([
            open(Kind::Keys, info.key_bytes)?,
            open(Kind::Values, info.value_bytes)?,
        ])
    }

    /// Opens the file of a part of a layer.
    pub fn open_part(
        folder: &Folder,
        whose: LayerPart,
        kind: Kind,
        layer: usize,
        record: usize,
    ) -> Result<Self, DiskTableError> {
        let of = OldFile::open(folder, whose, kind, layer, record)?;
        if plain_bytes(of.records, record) != Some(of.body) {
            return Err(DiskTableError::damaged(&of.path, WRONG_LENGTH));
        }
        Ok(Reader {
            of,
            stored: Vec::new(),
            block: Vec::new(),
            offset: 0,
            alone: None,
            number: 0,
            full: plain_block(record) as u64,
            record,
        })
    }

    /// Checks the length of a file with a record for each state of a layer, and nothing else of it.
    pub fn check_length(
        folder: &Folder,
        kind: Kind,
        info: &LayerInfo,
        record: usize,
    ) -> Result<(), DiskTableError> {
        let path = folder.shard(kind, info.layer);
        let expected = plain_bytes(info.states, record).map(|bytes| bytes + FOOTER as u64);
        match path.metadata() {
            Ok(found) if Some(found.len()) == expected => Ok(()),
            Ok(_) => Err(DiskTableError::damaged(&path, WRONG_LENGTH)),
            Err(_) => Err(DiskTableError::damaged(&path, MISSING)),
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.of.path
    }

    /// The next record; nothing at the end.
    pub fn next(&mut self) -> Result<Option<&[u8]>, DiskTableError> {
        let here = self.next_some(1)?;
        Ok((!here.is_empty()).then_some(here))
    }

    /// The next records, at most this many, and at least one if there is one.
    pub fn next_some(&mut self, most: usize) -> Result<&[u8], DiskTableError> {
        if self.offset == self.block.len() {
            self.offset = 0;
            self.block.clear();
            let blocks = (self.of.records * self.record as u64).div_ceil(self.full);
            let blocks = (AT_ONCE as u64 / self.full).clamp(1, (blocks - self.number).max(1));
            if self.number * self.full < self.of.records * self.record as u64 {
                self.read_blocks(self.number, blocks)?;
                self.number += blocks;
            }
        }
        let end = (self.offset + most * self.record).min(self.block.len());
        let records = &self.block[self.offset..end];
        self.offset = end;
        Ok(records)
    }

    /// Whether the next records are these.
    pub fn has_next(&mut self, mut records: &[u8]) -> Result<bool, DiskTableError> {
        while !records.is_empty() {
            let here = self.next_some(records.len() / self.record)?;
            if here.is_empty() || !records.starts_with(here) {
                return Ok(false);
            }
            records = &records[here.len()..];
        }
        Ok(true)
    }

    /// Reads some blocks, which must be there.
    fn read_blocks(&mut self, number: u64, blocks: u64) -> Result<(), DiskTableError> {
        let of = &mut self.of;
        let stride = self.full + SUM as u64;
        let start = number * stride;
        let bytes = (blocks * stride).min(of.body - start);
        self.alone = None;
        self.stored.resize(bytes as usize, 0);
        let read = (of.file.seek(SeekFrom::Start(start)))
            .and_then(|_| of.file.read_exact(&mut self.stored));
        read.map_err(|error| unread(&of.path, error))?;
        self.block.clear();
        for (number, stored) in (number..).zip(self.stored.chunks(stride as usize)) {
            let (records, sum) = stored.split_at(stored.len() - SUM);
            let checked = of.checksums.check(number, records, sum);
            checked.map_err(|error| unread(&of.path, error))?;
            self.block.extend_from_slice(records);
        }
        Ok(())
    }

    /// Reads a block by itself, unless that was read last.
    fn read_alone(&mut self, number: u64) -> Result<(), DiskTableError> {
        if self.alone != Some(number) {
            self.read_blocks(number, 1)?;
            self.alone = Some(number);
        }
        Ok(())
    }

    /// The record with an index, by itself.
    pub fn at(&mut self, index: u64) -> Result<&[u8], DiskTableError> {
        let start = index * self.record as u64;
        self.read_alone(start / self.full)?;
        Ok(&self.block[(start % self.full) as usize..][..self.record])
    }

    /// The index of a record, if records are in order: by halves, a block at a time.
    pub fn find(&mut self, record: &[u8]) -> Result<Option<u64>, DiskTableError> {
        let all = self.of.records * self.record as u64;
        let (mut from, mut to) = (0, all.div_ceil(self.full));
        while from < to {
            let middle = from + (to - from) / 2;
            self.read_alone(middle)?;
            let count = self.block.len() / self.record;
            let at = |index: usize| &self.block[index * self.record..][..self.record];
            let (mut first, mut end) = (0, count);
            while first < end {
                let half = first + (end - first) / 2;
                match at(half) < record {
                    true => first = half + 1,
                    false => end = half,
                }
            }
            match first {
                first if first == count => from = middle + 1,
                first if at(first) == record => {
                    let before = middle * (self.full / self.record as u64);
                    return Ok(Some(before + first as u64));
                }
                0 => to = middle,
                _ => return Ok(None),
            }
        }
        Ok(None)
    }
}
