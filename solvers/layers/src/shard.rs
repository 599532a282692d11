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
/// The reason why a file is damaged: its bytes are not those that were written.
const NOT_WRITTEN: &str = "a checksum in it does not match";
const MISSING: &str = "it is missing";
const WRONG_LENGTH: &str = "its length is wrong";
/// The bytes of a footer, and of its first fields: the subject of the file.
const FOOTER: usize = 92;
const SUBJECT: usize = 72;
/// The bytes that are written or read at once, where it is more than a block.
const AT_ONCE: usize = 1 << 16;

/// A file of the table: the part of a layer, and the kind and the bytes of its records.
#[derive(Clone, Copy)]
pub struct Shard {
    pub part: LayerPart,
    pub kind: Kind,
    pub layer: usize,
    /// The bytes of a record.
    pub record: usize,
}

impl Shard {
    /// The files with the keys and the values of a part of a layer.
    pub fn of_states(part: LayerPart, info: &LayerInfo) -> [Self; 2] {
        let kinds = [
            (Kind::Keys, info.key_bytes),
            (Kind::Values, info.value_bytes),
        ];
        kinds.map(|(kind, record)| Shard {
            part,
            kind,
            layer: info.layer,
            record,
        })
    }

    /// The path of the file.
    pub fn path(self, folder: &Folder) -> PathBuf {
        folder.shard_of(self.part, self.kind, self.layer)
    }

    /// The first bytes of a footer: the kind of the file.
    fn subject(self, folder: &Folder) -> [u8; SUBJECT] {
        let mut subject = [0; SUBJECT];
        subject[..8].copy_from_slice(MAGIC);
        subject[8..12].copy_from_slice(&VERSION.to_le_bytes());
        subject[12..16].copy_from_slice(&(self.kind as u32).to_le_bytes());
        subject[16..24].copy_from_slice(&(self.layer as u64).to_le_bytes());
        subject[24..28].copy_from_slice(&(self.part.index as u32).to_le_bytes());
        subject[28..32].copy_from_slice(&(self.part.count as u32).to_le_bytes());
        subject[32..40].copy_from_slice(&(self.record as u64).to_le_bytes());
        subject[40..].copy_from_slice(&folder.digest());
        subject
    }
}

/// Writes blocks, one behind the other: a file of the table, or a run.
pub struct BlockWriter {
    /// The path while it is written.
    pub path: PathBuf,
    file: BufWriter<File>,
    checksums: Checksums,
    /// The number of blocks that were written, and their bytes.
    count: u64,
    bytes: u64,
}

impl BlockWriter {
    /// Begins a run, or a file whose checksums say what it is.
    pub fn create(path: PathBuf, checksums: Checksums) -> Result<Self, DiskTableError> {
        let file = File::create(&path).map_err(DiskTableError::file(&path, "create"))?;
        Ok(BlockWriter {
            path,
            file: BufWriter::with_capacity(AT_ONCE, file),
            checksums,
            count: 0,
            bytes: 0,
        })
    }

    /// Begins a file of the table.
    pub fn create_shard(folder: &Folder, shard: Shard) -> Result<Self, DiskTableError> {
        let path = folder.part_of(&shard.path(folder));
        BlockWriter::create(path, Checksums::of(&shard.subject(folder)))
    }

    /// The checksum of the next block.
    pub fn sum(&self, block: &[u8]) -> [u8; SUM] {
        self.checksums.of_block(self.count, block)
    }

    /// Writes the parts of a block.
    pub fn write(&mut self, parts: [&[u8]; 2]) -> Result<(), DiskTableError> {
        for part in parts {
            self.write_bytes(part)?;
            self.bytes += part.len() as u64;
        }
        self.count += 1;
        Ok(())
    }

    fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), DiskTableError> {
        let written = self.file.write_all(bytes);
        written.map_err(DiskTableError::file(&self.path, "write"))
    }

    /// Gives all blocks to the system.
    pub fn flush(&mut self) -> Result<(), DiskTableError> {
        let written = self.file.flush();
        written.map_err(DiskTableError::file(&self.path, "write"))
    }

    /// Ends a file of the table and gives it its name.
    pub fn finish(
        mut self,
        folder: &Folder,
        shard: Shard,
        records: u64,
    ) -> Result<(), DiskTableError> {
        self.write_bytes(&footer(&shard.subject(folder), records, self.bytes))?;
        self.flush()?;
        publish(self.file.get_ref(), &self.path, &shard.path(folder))
    }
}

/// Writes a file of keys or values.
pub struct Writer<'a> {
    folder: &'a Folder,
    shard: Shard,
    blocks: BlockWriter,
    /// The records of the block that is not full.
    block: Vec<u8>,
    /// The bytes of the records of a full block.
    full: usize,
    /// The bytes of records that were written.
    written: u64,
}

impl<'a> Writer<'a> {
    pub fn create(folder: &'a Folder, shard: Shard) -> Result<Self, DiskTableError> {
        Ok(Writer {
            folder,
            shard,
            blocks: BlockWriter::create_shard(folder, shard)?,
            block: Vec::new(),
            full: plain_block(shard.record),
            written: 0,
        })
    }

    /// Begins the keys and the values of a part of a layer.
    pub fn create_both(
        folder: &'a Folder,
        part: LayerPart,
        info: &LayerInfo,
    ) -> Result<[Self; 2], DiskTableError> {
        let [keys, values] = Shard::of_states(part, info);
        Ok([
            Writer::create(folder, keys)?,
            Writer::create(folder, values)?,
        ])
    }

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

    /// Writes the records that wait as a block.
    fn flush(&mut self) -> Result<(), DiskTableError> {
        let sum = self.blocks.sum(&self.block);
        self.blocks.write([&self.block, &sum])?;
        self.written += self.block.len() as u64;
        self.block.clear();
        Ok(())
    }

    /// Ends the file and gives it its name.
    pub fn finish(mut self) -> Result<(), DiskTableError> {
        if !self.block.is_empty() {
            self.flush()?;
        }
        let records = self.written.checked_div(self.shard.record as u64);
        (self.blocks).finish(self.folder, self.shard, records.unwrap_or(0))
    }
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

/// A file that is read. Its footer was checked.
pub struct OldFile {
    pub path: PathBuf,
    pub file: File,
    pub checksums: Checksums,
    pub records: u64,
    /// The bytes of all blocks.
    pub body: u64,
}

impl OldFile {
    /// Opens a file, and checks its footer.
    pub fn open(folder: &Folder, shard: Shard) -> Result<Self, DiskTableError> {
        let path = shard.path(folder);
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
        let subject = shard.subject(folder);
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
        if stored != body || records.checked_mul(shard.record as u64).is_none() {
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
    /// Opens the keys and the values of a layer, which must be those of all its states.
    pub fn open_both(folder: &Folder, info: &LayerInfo) -> Result<[Self; 2], DiskTableError> {
        let open = |shard| {
            let file = Reader::open(folder, shard)?;
            match file.of.records == info.states {
                true => Ok(file),
                false => Err(DiskTableError::damaged(file.path(), WRONG_LENGTH)),
            }
        };
        let [keys, values] = Shard::of_states(LayerPart::WHOLE, info);
        Ok([open(keys)?, open(values)?])
    }

    /// Opens a file, and checks its footer.
    pub fn open(folder: &Folder, shard: Shard) -> Result<Self, DiskTableError> {
        let (of, record) = (OldFile::open(folder, shard)?, shard.record);
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

    /// Checks the lengths of the keys and the values of a layer, and nothing else of them.
    pub fn check_lengths(folder: &Folder, info: &LayerInfo) -> Result<(), DiskTableError> {
        for shard in Shard::of_states(LayerPart::WHOLE, info) {
            let path = shard.path(folder);
            let bytes = plain_bytes(info.states, shard.record);
            let expected = bytes.map(|bytes| bytes + FOOTER as u64);
            match path.metadata() {
                Ok(found) if Some(found.len()) == expected => {}
                Ok(_) => return Err(DiskTableError::damaged(&path, WRONG_LENGTH)),
                Err(_) => return Err(DiskTableError::damaged(&path, MISSING)),
            }
        }
        Ok(())
    }

    pub fn path(&self) -> &Path {
        &self.of.path
    }

    fn blocks(&self) -> u64 {
        (self.of.records * self.record as u64).div_ceil(self.full)
    }

    /// The next record; nothing at the end.
    pub fn next(&mut self) -> Result<Option<&[u8]>, DiskTableError> {
        let here = self.next_some(1)?;
        Ok((!here.is_empty()).then_some(here))
    }

    /// The next records, at most this many, and at least one if there is one.
    pub fn next_some(&mut self, count: usize) -> Result<&[u8], DiskTableError> {
        if self.offset == self.block.len() {
            self.offset = 0;
            self.block.clear();
            let rest = self.blocks().saturating_sub(self.number);
            if rest > 0 {
                let blocks = (AT_ONCE as u64 / self.full).clamp(1, rest);
                self.read_blocks(self.number, blocks)?;
                self.number += blocks;
            }
        }
        let end = (self.offset + count * self.record).min(self.block.len());
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
        let (mut from, mut to) = (0, self.blocks());
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
