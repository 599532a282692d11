//! Rows of words: sorted in memory, spilled as sorted runs, merged without duplicates.
//!
//! Delayed duplicate detection (Korf, Linear-time disk-based implicit graph search, JACM 2008): nothing is looked up when it is found.
//! Rows fill buffers, one for each thread. When a buffer is full it is sorted, and rows with the key of the one before are
//! dropped; if much is left it becomes a run on disk. In the end all buffers and runs are merged. Of rows with one key the
//! smallest stays, so what comes out does not depend on the size or the number of buffers.

use crate::codec::words_of;
use crate::error::DiskTableError;
use crate::folder::{Folder, remove};
use crate::shard::Reader;
use crate::threads::in_parallel;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::slice::ChunksExact;

/// A buffer of rows, and the sorted runs that were written from it.
pub struct RowBuffer<'a> {
    folder: &'a Folder,
    /// Which buffer it is, and how many there are: for the names of runs.
    place: usize,
    buffers: usize,
    words: usize,
    key: usize,
    /// The words that it may have.
    room: usize,
    rows: Vec<u64>,
    runs: Vec<PathBuf>,
}

/// Buffers for rows of some words, of which the first `key` are the key, with this much memory in bytes for all.
pub fn buffers(
    folder: &Folder,
    words: usize,
    key: usize,
    memory: u64,
    buffers: usize,
) -> Vec<RowBuffer<'_>> {
    const FEWEST_ROWS: usize = 1 << 10;
    // Wider rows are sorted by way of a copy.
    let memory = match words {
        0..=WIDEST => memory,
        _ => memory / 5 * 2,
    };
    let buffer = |place| RowBuffer {
        folder,
        place,
        buffers,
        words,
        key,
        room: (memory as usize / 8 / buffers).max(FEWEST_ROWS * words),
        rows: Vec::new(),
        runs: Vec::new(),
    };
    (0..buffers).map(buffer).collect()
}

impl RowBuffer<'_> {
    /// Adds the next part of a row.
    pub fn add(&mut self, words: &[u64]) {
        if self.rows.capacity() - self.rows.len() < words.len() {
            // In few and large steps: what is not used yet takes no memory, but a copy does. Doubling would take up to twice
            // the memory allowed.
            const FIRST: usize = 1 << 25;
            let slack = self.room / 8;
            let more = match self.rows.capacity() {
                0 => (self.room + slack).min(FIRST),
                _ => slack,
            };
            self.rows.reserve_exact(more.max(words.len()));
        }
        self.rows.extend_from_slice(words);
    }

    /// Makes room if the buffer is full.
    pub fn make_room(&mut self) -> Result<(), DiskTableError> {
        if self.rows.len() < self.room {
            return Ok(());
        }
        self.sort();
        if self.rows.len() <= self.room / 2 {
            return Ok(());
        }
        let number = self.runs.len() * self.buffers + self.place;
        let path = self.folder.scratch(&format!("run-{number}"));
        let file = File::create(&path).map_err(DiskTableError::file(&path, "create"))?;
        self.runs.push(path.clone());
        let mut file = BufWriter::with_capacity(1 << 18, file);
        let mut words = self.rows.iter();
        words
            .try_for_each(|word| file.write_all(&word.to_be_bytes()))
            .and_then(|()| file.flush())
            .map_err(DiskTableError::file(&path, "write"))?;
        self.rows.clear();
        Ok(())
    }

    fn sort(&mut self) {
        sort(&mut self.rows, self.words);
        let (words, key) = (self.words, self.key);
        let rows = self.rows.len() / words;
        let mut kept = 0;
        for row in 0..rows {
            let is_new = kept == 0
                || self.rows[(kept - 1) * words..][..key] != self.rows[row * words..][..key];
            if is_new {
                self.rows
                    .copy_within(row * words..(row + 1) * words, kept * words);
                kept += 1;
            }
        }
        self.rows.truncate(kept * words);
    }
}

/// Tells all rows of some buffers and their runs, sorted, each key once.
pub fn merge(
    mut buffers: Vec<RowBuffer<'_>>,
    tell: impl FnMut(&[u64]) -> Result<(), DiskTableError>,
) -> Result<(), DiskTableError> {
    in_parallel(buffers.iter_mut(), |buffer| {
        buffer.sort();
        Ok(())
    })?;
    let Some(first) = buffers.first() else {
        return Ok(());
    };
    let (words, key) = (first.words, first.key);
    if let [buffer] = &buffers[..]
        && buffer.runs.is_empty()
    {
        return buffer.rows.chunks_exact(words).try_for_each(tell);
    }
    let mut sources = Vec::new();
    for buffer in &buffers {
        sources.push(Source::Buffer(buffer.rows.chunks_exact(words)));
        for path in &buffer.runs {
            sources.push(Source::Run(Run::open(path, words)?));
        }
    }
    merge_sources(&mut sources, key, tell)?;
    let mut runs = buffers.iter().flat_map(|buffer| &buffer.runs);
    runs.try_for_each(|path| remove(path))
}

/// Tells all rows of some sorted sources, sorted, each key once.
pub fn merge_sources(
    sources: &mut [Source<'_>],
    key: usize,
    mut tell: impl FnMut(&[u64]) -> Result<(), DiskTableError>,
) -> Result<(), DiskTableError> {
    let mut heap = BinaryHeap::new();
    for (place, source) in sources.iter_mut().enumerate() {
        let mut row = Vec::new();
        if source.next(&mut row)? {
            heap.push(Reverse((row, place)));
        }
    }
    let mut last: Vec<u64> = Vec::new();
    while let Some(mut top) = heap.peek_mut() {
        let Reverse((row, place)) = &mut *top;
        if last.is_empty() || last[..] != row[..key] {
            last.clear();
            last.extend_from_slice(&row[..key]);
            tell(row)?;
        }
        if !sources[*place].next(row)? {
            PeekMut::pop(top);
        }
    }
    Ok(())
}

/// Where sorted rows come from.
pub enum Source<'a> {
    /// A sorted buffer.
    Buffer(ChunksExact<'a, u64>),
    /// What a buffer wrote.
    Run(Run),
    /// What a part of the work found.
    File(Reader),
}

impl Source<'_> {
    /// Reads the next row; `false` at the end.
    fn next(&mut self, row: &mut Vec<u64>) -> Result<bool, DiskTableError> {
        match self {
            Source::Run(run) => run.next(row),
            Source::File(file) => {
                let found = file.next()?;
                if let Some(found) = found {
                    row.clear();
                    row.extend(words_of(found));
                }
                Ok(found.is_some())
            }
            Source::Buffer(rows) => {
                let found = rows.next();
                if let Some(found) = found {
                    row.clear();
                    row.extend_from_slice(found);
                }
                Ok(found.is_some())
            }
        }
    }
}

/// A sorted run on disk.
pub struct Run {
    path: PathBuf,
    file: BufReader<File>,
    left: u64,
    bytes: Vec<u8>,
}

impl Run {
    fn open(path: &Path, words: usize) -> Result<Self, DiskTableError> {
        let file = File::open(path).map_err(DiskTableError::file(path, "open"))?;
        let read = DiskTableError::file(path, "read");
        let left = file.metadata().map_err(read)?.len() / (8 * words as u64);
        Ok(Run {
            path: path.to_owned(),
            file: BufReader::with_capacity(1 << 18, file),
            left,
            bytes: vec![0; 8 * words],
        })
    }

    /// Reads the next row; `false` at the end.
    fn next(&mut self, row: &mut Vec<u64>) -> Result<bool, DiskTableError> {
        if self.left == 0 {
            return Ok(false);
        }
        self.left -= 1;
        let read = self.file.read_exact(&mut self.bytes);
        read.map_err(DiskTableError::file(&self.path, "read"))?;
        row.clear();
        row.extend(words_of(&self.bytes));
        Ok(true)
    }
}

/// The most words of rows that are sorted in place.
const WIDEST: usize = 24;

/// Sorts rows of some words each.
pub fn sort(buffer: &mut Vec<u64>, words: usize) {
    macro_rules! by_width {
        ($($width:literal),*) => {
            match words {
                $($width => buffer.as_chunks_mut::<$width>().0.sort_unstable(),)*
                _ => {
                    let mut rows: Vec<&[u64]> = buffer.chunks_exact(words).collect();
                    rows.sort_unstable();
                    *buffer = rows.concat();
                }
            }
        };
    }
    // Up to the widest.
    by_width!(
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24
    );
}
