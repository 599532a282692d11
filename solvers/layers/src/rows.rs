//! Rows of words: sorted in memory, spilled as sorted runs, merged without duplicates.
//!
//! Delayed duplicate detection (Korf, Linear-time disk-based implicit graph search, JACM 2008): nothing is looked up when it is found.
//! Rows fill buffers, one for each thread. When a buffer is full it is sorted, and rows with the key of the one before are
//! dropped; if much is left it becomes a run on disk. In the end all buffers and runs are merged. Of rows with one key the
//! smallest stays, so what comes out does not depend on the size or the number of buffers.

use crate::blocks::{Packer, Unpacker, packed_block};
use crate::codec::words_of;
use crate::error::DiskTableError;
use crate::folder::{Folder, remove};
use crate::shard::{Reader, unread};
use crate::work::{in_parallel, stopped};
use limits::Halt;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::path::PathBuf;
use std::slice::ChunksExact;

/// A buffer of rows, and the sorted runs that were written from it.
pub struct RowBuffer<'a> {
    folder: &'a Folder,
    /// Which buffer it is, and how many there are: for the names of runs.
    index: usize,
    buffers: usize,
    words: usize,
    key: usize,
    /// The words that it may have.
    room: usize,
    rows: Vec<u64>,
    runs: Vec<Run>,
    halt: Halt<'a>,
}

/// Buffers for rows of some words, of which the first `key` are the key, with this much memory in bytes for all.
pub fn buffers<'a>(
    folder: &'a Folder,
    words: usize,
    key: usize,
    memory: u64,
    buffers: usize,
    halt: &Halt<'a>,
) -> Vec<RowBuffer<'a>> {
    const FEWEST_ROWS: usize = 1 << 10;
    // Wider rows are sorted by way of a copy.
    let memory = match words {
        0..=WIDEST => memory,
        _ => memory / 5 * 2,
    };
    let buffer = |index| RowBuffer {
        folder,
        index,
        buffers,
        words,
        key,
        room: (memory as usize / 8 / buffers).max(FEWEST_ROWS * words),
        rows: Vec::new(),
        runs: Vec::new(),
        halt: halt.clone(),
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
        self.sort()?;
        if self.rows.len() <= self.room / 2 {
            return Ok(());
        }
        let number = self.runs.len() * self.buffers + self.index;
        let path = self.folder.scratch(&format!("run-{number}"));
        let file = File::create(&path).map_err(DiskTableError::file(&path, "create"))?;
        self.runs.push(Run {
            path: path.clone(),
            rows: self.rows.len() / self.words,
        });
        Packer::default()
            .write_rows(&self.rows, self.words, &file)
            .map_err(DiskTableError::file(&path, "write"))?;
        self.rows.clear();
        Ok(())
    }

    fn sort(&mut self) -> Result<(), DiskTableError> {
        sort(&mut self.rows, self.words, &self.halt)?;
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
        Ok(())
    }
}

/// Tells all rows of some buffers and their runs, sorted, each key once.
pub fn merge(
    mut buffers: Vec<RowBuffer<'_>>,
    mut tell: impl FnMut(&[u64]) -> Result<(), DiskTableError>,
) -> Result<(), DiskTableError> {
    in_parallel(buffers.iter_mut(), RowBuffer::sort)?;
    let Some(first) = buffers.first() else {
        return Ok(());
    };
    let (words, key) = (first.words, first.key);
    let halt = first.halt.clone();
    let mut told = 0u64;
    let tell = |row: &[u64]| {
        told += 1;
        if told.is_multiple_of(ROWS_PER_LOOK) {
            halt.look().map_err(stopped)?;
        }
        tell(row)
    };
    if let [buffer] = &buffers[..]
        && buffer.runs.is_empty()
    {
        return buffer.rows.chunks_exact(words).try_for_each(tell);
    }
    let mut sources = Vec::new();
    for buffer in &buffers {
        sources.push(Source::Buffer(buffer.rows.chunks_exact(words)));
        for run in &buffer.runs {
            sources.push(Source::Run(RunReader::open(run, words)?));
        }
    }
    merge_sources(&mut sources, key, tell)?;
    let mut runs = buffers.iter().flat_map(|buffer| &buffer.runs);
    runs.try_for_each(|run| remove(&run.path))
}

/// Tells all rows of some sorted sources, sorted, each key once.
pub fn merge_sources(
    sources: &mut [Source<'_>],
    key: usize,
    mut tell: impl FnMut(&[u64]) -> Result<(), DiskTableError>,
) -> Result<(), DiskTableError> {
    let mut heap = BinaryHeap::new();
    for (index, source) in sources.iter_mut().enumerate() {
        let mut row = Vec::new();
        if source.next(&mut row)? {
            heap.push(Reverse((row, index)));
        }
    }
    let mut last: Vec<u64> = Vec::new();
    while let Some(mut top) = heap.peek_mut() {
        let Reverse((row, index)) = &mut *top;
        if last.is_empty() || last[..] != row[..key] {
            last.clear();
            last.extend_from_slice(&row[..key]);
            tell(row)?;
        }
        if !sources[*index].next(row)? {
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
    Run(RunReader),
    /// What a part of the work found.
    File(Reader),
    /// Rows behind a word that does not count.
    Section(Reader),
}

impl Source<'_> {
    /// Reads the next row; `false` at the end.
    fn next(&mut self, row: &mut Vec<u64>) -> Result<bool, DiskTableError> {
        match self {
            Source::Run(run) => run.next(row),
            Source::File(file) => Ok(read(file.next()?, 0, row)),
            Source::Section(file) => Ok(read(file.next()?, 1, row)),
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

/// Reads the words of a record behind some that do not count; `false` if there is none.
fn read(record: Option<&[u8]>, skipped: usize, row: &mut Vec<u64>) -> bool {
    let Some(record) = record else { return false };
    row.clear();
    row.extend(words_of(record).skip(skipped));
    true
}

/// A sorted run on disk: compressed blocks of rows.
struct Run {
    path: PathBuf,
    rows: usize,
}

/// Reads a run.
pub struct RunReader {
    path: PathBuf,
    file: File,
    unpacker: Unpacker,
    block: Vec<u8>,
    index: usize,
    /// The bytes of a row, and those of rows that were not read from the file yet.
    row: usize,
    left: usize,
}

impl RunReader {
    fn open(run: &Run, words: usize) -> Result<Self, DiskTableError> {
        let path = &run.path;
        let file = File::open(path).map_err(DiskTableError::file(path, "open"))?;
        Ok(RunReader {
            path: path.clone(),
            file,
            unpacker: Unpacker::default(),
            block: Vec::new(),
            index: 0,
            row: 8 * words,
            left: 8 * words * run.rows,
        })
    }

    /// Reads the next row; `false` at the end.
    fn next(&mut self, row: &mut Vec<u64>) -> Result<bool, DiskTableError> {
        if self.index == self.block.len() {
            if self.left == 0 {
                return Ok(false);
            }
            let bytes = self.left.min(packed_block(self.row));
            let read = (self.unpacker).read(&mut self.file, bytes, &mut self.block);
            read.map_err(|error| unread(&self.path, error))?;
            self.left -= bytes;
            self.index = 0;
        }
        row.clear();
        row.extend(words_of(&self.block[self.index..self.index + self.row]));
        self.index += self.row;
        Ok(true)
    }
}

/// The most words of rows that are sorted in place.
const WIDEST: usize = 24;

/// Rows that are sorted or written between two looks at the limits.
const ROWS_AT_ONCE: usize = 1 << 20;
pub const ROWS_PER_LOOK: u64 = 1 << 16;

/// Sorts rows of some words each.
pub fn sort(buffer: &mut Vec<u64>, words: usize, halt: &Halt<'_>) -> Result<(), DiskTableError> {
    macro_rules! by_width {
        ($($width:literal),*) => {
            match words {
                $($width => sort_rows(buffer.as_chunks_mut::<$width>().0, ROWS_AT_ONCE, halt)?,)*
                _ => {
                    let mut rows: Vec<&[u64]> = buffer.chunks_exact(words).collect();
                    sort_rows(&mut rows, ROWS_AT_ONCE, halt)?;
                    *buffer = rows.concat();
                }
            }
        };
    }
    // Up to the widest.
    by_width!(
        1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24
    );
    Ok(())
}

/// Sorts rows, and looks at the limits now and then: they are divided by pivots until few are left, which are sorted at once.
fn sort_rows<T: Ord + Copy>(
    rows: &mut [T],
    at_once: usize,
    halt: &Halt<'_>,
) -> Result<(), DiskTableError> {
    let mut open = vec![rows];
    while let Some(rows) = open.pop() {
        halt.look().map_err(stopped)?;
        if rows.len() <= at_once {
            rows.sort_unstable();
            continue;
        }
        let mut some: Vec<T> = rows
            .iter()
            .step_by((rows.len() / 64).max(1))
            .copied()
            .collect();
        some.sort_unstable();
        let pivot = some[some.len() / 2];
        // Smaller rows stand before `equal`, larger ones from `larger` on, those equal to the pivot between them and `next`.
        let (mut equal, mut next, mut larger) = (0, 0, rows.len());
        while next < larger {
            if next.is_multiple_of(at_once) {
                halt.look().map_err(stopped)?;
            }
            match rows[next].cmp(&pivot) {
                Ordering::Less => {
                    rows.swap(equal, next);
                    equal += 1;
                    next += 1;
                }
                Ordering::Equal => next += 1,
                Ordering::Greater => {
                    larger -= 1;
                    rows.swap(next, larger);
                }
            }
        }
        let (rest, after) = rows.split_at_mut(larger);
        open.push(after);
        open.push(&mut rest[..equal]);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use limits::Limits;

    #[test]
    fn rows_are_sorted_however_they_are_divided() {
        let seed = fastrand::u64(..);
        let mut random = fastrand::Rng::with_seed(seed);
        for at_once in [1, 2, 10, 1000] {
            for most in [1, 3, 1000] {
                let rows = (0..random.usize(0..500)).map(|_| [random.u64(..most), 7]);
                let mut rows: Vec<[u64; 2]> = rows.collect();
                let mut expected = rows.clone();
                expected.sort_unstable();
                let halt = Halt::at(&Limits::default());
                sort_rows(&mut rows, at_once, &halt).expect("no limit");
                assert_eq!(rows, expected, "seed {seed}");
            }
        }
    }

    #[test]
    fn a_sort_is_interrupted() {
        let limits = Limits::default();
        limits.interrupt.raise();
        let halt = Halt::at(&limits);
        let sorted = sort_rows(&mut [3, 2, 1], 1, &halt);
        assert!(matches!(sorted, Err(DiskTableError::Stopped(_))));
    }
}
