//! Files of records of equal length: written in one go, in blocks with checksums ([`crate::blocks`]), and read in one go or by index.
//!
//! A file is written under a name that ends in `.part`, synced and renamed, so one with its final name is complete. Working files are
//! compressed. A footer, which has a checksum too, says what the file is (`docs/table-format.md`).

use crate::blocks::{Checksums, Packer, SUM, Unpacker, packed_block, plain_block};
use crate::error::DiskTableError;
use crate::folder::{Folder, publish};
use crate::kind::Kind;
use crate::manifest::{LayerInfo, VERSION};
use crate::part::LayerPart;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
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

/// Writes a file.
pub struct Writer {
    path: PathBuf,
    part: PathBuf,
    file: BufWriter<File>,
    subject: [u8; SUBJECT],
    checksums: Checksums,
    /// Compresses blocks, if they are to be.
    packer: Option<Packer>,
    /// The bytes of the records of a full block.
    full: usize,
    block: Vec<u8>,
    record: usize,
    /// The bytes of records, and of blocks, that were written.
    written: u64,
    stored: u64,
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
        let path = folder.shard_of(whose, kind, layer);
        let part = folder.part_of(&path);
        let file = File::create(&part).map_err(DiskTableError::file(&part, "create"))?;
        let subject = subject(whose, kind, layer, record, folder);
        let checksums = Checksums::of(&subject);
        Ok(Writer {
            packer: kind.is_packed().then(|| Packer::new(checksums.clone())),
            path,
            part,
            file: BufWriter::with_capacity(AT_ONCE, file),
            subject,
            checksums,
            full: full_block(kind, record),
            block: Vec::new(),
            record,
            written: 0,
            stored: 0,
        })
    }

    /// Writes a record, or a part of one.
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
        let (file, block) = (&mut self.file, &self.block[..]);
        let written = match &mut self.packer {
            Some(packer) => packer.pack(block).and_then(|packed| {
                self.stored += packed.len() as u64;
                file.write_all(packed)
            }),
            None => {
                self.stored += (block.len() + SUM) as u64;
                let sum = self.checksums.of_block(number, block);
                file.write_all(block).and_then(|()| file.write_all(&sum))
            }
        };
        written.map_err(DiskTableError::file(&self.part, "write"))?;
        self.written += self.block.len() as u64;
        self.block.clear();
        Ok(())
    }

    /// Ends the file and gives it its name; tells the number of records.
    pub fn finish(mut self) -> Result<u64, DiskTableError> {
        if !self.block.is_empty() {
            self.flush()?;
        }
        let records = self.written.checked_div(self.record as u64).unwrap_or(0);
        let footer = footer(&self.subject, records, self.stored);
        let written = (self.file.write_all(&footer)).and_then(|()| self.file.flush());
        written.map_err(DiskTableError::file(&self.part, "write"))?;
        publish(self.file.get_ref(), &self.part, &self.path)?;
        Ok(records)
    }
}

/// The bytes of the records of a full block.
fn full_block(kind: Kind, record: usize) -> usize {
    match kind.is_packed() {
        true => packed_block(record),
        false => plain_block(record),
    }
}

/// The first bytes of a footer: what the file is.
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

/// A footer: what the file is, its records, the bytes of its blocks, and the checksum of these.
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

/// Turns to the block with this number from the start; tells where it is.
fn skip_blocks(mut file: &File, blocks: u64) -> io::Result<u64> {
    let mut at = file.seek(SeekFrom::Start(0))?;
    for _ in 0..blocks {
        let mut length = [0; 4];
        file.read_exact(&mut length)?;
        let length = i64::from(u32::from_le_bytes(length));
        at = file.seek(SeekFrom::Current(SUM as i64 + length))?;
    }
    Ok(at)
}

/// Why something of a file was not read.
pub fn unread(path: &Path, error: io::Error) -> DiskTableError {
    match error.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
            DiskTableError::damaged(path, NOT_WRITTEN)
        }
        _ => DiskTableError::file(path, "read")(error),
    }
}

/// Reads a file.
pub struct Reader {
    path: PathBuf,
    file: File,
    checksums: Checksums,
    /// Reads blocks, if they are compressed.
    unpacker: Option<Unpacker>,
    /// Plain blocks as they stand in the file.
    stored: Vec<u8>,
    /// The records of some blocks, and what is read of them.
    block: Vec<u8>,
    offset: usize,
    /// Which plain block these are of, if it is one by itself.
    alone: Option<u64>,
    /// Which block is read next, and how many of its bytes do not count.
    number: u64,
    skipped: usize,
    /// Bytes of records that are to be read and were not yet.
    left: u64,
    /// The bytes of the records of a full block.
    full: u64,
    record: usize,
    records: u64,
    /// The bytes of all blocks.
    body: u64,
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
            match file.records == info.states {
                true => Ok(file),
                false => Err(DiskTableError::damaged(&file.path, WRONG_LENGTH)),
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
        let is_plain = !kind.is_packed();
        if stored != body || is_plain && plain_bytes(records, record) != Some(body) {
            return damaged(WRONG_LENGTH);
        }
        let Some(left) = records.checked_mul(record as u64) else {
            return damaged(WRONG_LENGTH);
        };
        let back = file.seek(SeekFrom::Start(0));
        back.map_err(DiskTableError::file(&path, "read"))?;
        let checksums = Checksums::of(&subject);
        Ok(Reader {
            path,
            file,
            unpacker: kind.is_packed().then(|| Unpacker::new(checksums.clone())),
            checksums,
            stored: Vec::new(),
            block: Vec::new(),
            offset: 0,
            alone: None,
            number: 0,
            skipped: 0,
            left,
            full: full_block(kind, record) as u64,
            record,
            records,
            body,
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

    /// The number of records.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Turns to some of the records: these are read next, and then the file ends.
    pub fn turn_to(&mut self, records: Range<u64>) -> Result<(), DiskTableError> {
        let start = records.start * self.record as u64;
        self.number = start / self.full;
        self.skipped = (start % self.full) as usize;
        self.left = (records.end - records.start) * self.record as u64;
        self.block.clear();
        self.offset = 0;
        self.alone = None;
        if let Some(unpacker) = &mut self.unpacker {
            unpacker.turn_to(self.number);
            let turned = skip_blocks(&self.file, self.number).map(drop);
            turned.map_err(|error| unread(&self.path, error))?;
        }
        Ok(())
    }

    /// The next record; nothing at the end.
    pub fn next(&mut self) -> Result<Option<&[u8]>, DiskTableError> {
        if self.offset == self.block.len() {
            if self.left == 0 {
                return Ok(None);
            }
            self.read_blocks()?;
        }
        let record = &self.block[self.offset..self.offset + self.record];
        self.offset += self.record;
        Ok(Some(record))
    }

    /// Reads the next blocks.
    fn read_blocks(&mut self) -> Result<(), DiskTableError> {
        let rest = self.records * self.record as u64 - self.number * self.full;
        match &mut self.unpacker {
            Some(unpacker) => {
                let bytes = self.full.min(rest) as usize;
                let read = unpacker.read(&mut self.file, bytes, &mut self.block);
                read.map_err(|error| unread(&self.path, error))?;
                self.number += 1;
            }
            None => {
                let wanted = (self.skipped as u64 + self.left).div_ceil(self.full);
                let blocks = (AT_ONCE as u64 / self.full).clamp(1, wanted);
                self.read_plain(self.number, blocks)?;
                self.number += blocks;
            }
        }
        self.offset = std::mem::take(&mut self.skipped);
        let told = (self.block.len() - self.offset).min(self.left as usize);
        self.block.truncate(self.offset + told);
        self.left -= told as u64;
        Ok(())
    }

    /// Reads some plain blocks, which must be there.
    fn read_plain(&mut self, number: u64, blocks: u64) -> Result<(), DiskTableError> {
        let stride = self.full + SUM as u64;
        let start = number * stride;
        let bytes = (blocks * stride).min(self.body - start);
        self.alone = None;
        self.stored.resize(bytes as usize, 0);
        let read = (self.file.seek(SeekFrom::Start(start)))
            .and_then(|_| self.file.read_exact(&mut self.stored));
        read.map_err(|error| unread(&self.path, error))?;
        self.block.clear();
        for (number, stored) in (number..).zip(self.stored.chunks(stride as usize)) {
            let (records, sum) = stored.split_at(stored.len() - SUM);
            let checked = self.checksums.check(number, records, sum);
            checked.map_err(|error| unread(&self.path, error))?;
            self.block.extend_from_slice(records);
        }
        Ok(())
    }

    /// Reads a plain block by itself, unless that was read last.
    fn read_alone(&mut self, number: u64) -> Result<(), DiskTableError> {
        if self.alone != Some(number) {
            self.read_plain(number, 1)?;
            self.alone = Some(number);
        }
        Ok(())
    }

    /// The record with an index, by itself, of a plain file.
    pub fn at(&mut self, index: u64) -> Result<&[u8], DiskTableError> {
        let start = index * self.record as u64;
        self.read_alone(start / self.full)?;
        Ok(&self.block[(start % self.full) as usize..][..self.record])
    }

    /// The index of a record in a plain file whose records are in order: by halves, a block at a time.
    pub fn find(&mut self, record: &[u8]) -> Result<Option<u64>, DiskTableError> {
        let all = self.records * self.record as u64;
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
