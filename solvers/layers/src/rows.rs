//! Rows of words: sorted in memory, spilled as sorted runs, merged without duplicates.
//!
//! Delayed duplicate detection (Korf, Linear-time disk-based implicit graph search, JACM 2008): nothing is looked up when it is found.
//! Rows fill a buffer. When it is full it is sorted, and rows with the key of the one before are dropped; if much is left
//! it becomes a run on disk. In the end all runs are merged. Of rows with one key the smallest stays, so what comes
//! out does not depend on the size of the buffer.

use crate::error::DiskTableError;
use crate::folder::Folder;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::PathBuf;

/// Collects rows.
pub struct Sorter<'a> {
    folder: &'a Folder,
    words: usize,
    key: usize,
    /// The words that the buffer may have.
    room: usize,
    buffer: Vec<u64>,
    /// How many of them are sorted, without duplicates.
    runs: Vec<PathBuf>,
}

impl<'a> Sorter<'a> {
    /// For rows of some words, of which the first `key` are the key, with this much memory in bytes.
    pub fn new(folder: &'a Folder, words: usize, key: usize, memory: u64) -> Self {
        const FEWEST_ROWS: usize = 1 << 10;
        Sorter {
            folder,
            words,
            key,
            room: (memory as usize / 8).max(FEWEST_ROWS * words),
            buffer: Vec::new(),
            runs: Vec::new(),
        }
    }

    /// Adds the next part of a row.
    pub fn add(&mut self, words: &[u64]) {
        self.buffer.extend_from_slice(words);
    }

    /// Whether it is time to [`Sorter::spill`].
    pub fn is_full(&self) -> bool {
        self.buffer.len() >= self.room
    }

    /// Makes room in the buffer.
    pub fn spill(&mut self) -> Result<(), DiskTableError> {
        self.sort();
        if self.buffer.len() <= self.room / 2 {
            return Ok(());
        }
        let path = self.folder.scratch(&format!("run-{}", self.runs.len()));
        let file = File::create(&path).map_err(DiskTableError::file(&path, "create"))?;
        let mut file = BufWriter::with_capacity(1 << 18, file);
        let words = self.buffer.iter();
        let written = words
            .map(|word| file.write_all(&word.to_be_bytes()))
            .find(Result::is_err);
        let written = written.unwrap_or(Ok(())).and_then(|()| file.flush());
        self.runs.push(path.clone());
        written.map_err(DiskTableError::file(&path, "write"))?;
        self.buffer.clear();
        Ok(())
    }

    fn sort(&mut self) {
        sort(&mut self.buffer, self.words);
        let (words, key) = (self.words, self.key);
        let rows = self.buffer.len() / words;
        let mut kept = 0;
        for row in 0..rows {
            let is_new = kept == 0
                || self.buffer[(kept - 1) * words..][..key] != self.buffer[row * words..][..key];
            if is_new {
                self.buffer
                    .copy_within(row * words..(row + 1) * words, kept * words);
                kept += 1;
            }
        }
        self.buffer.truncate(kept * words);
    }

    /// Tells all rows, sorted, each key once.
    pub fn finish(
        mut self,
        mut tell: impl FnMut(&[u64]) -> Result<(), DiskTableError>,
    ) -> Result<(), DiskTableError> {
        self.sort();
        if self.runs.is_empty() {
            return self.buffer.chunks_exact(self.words).try_for_each(tell);
        }
        let mut runs = Vec::new();
        for path in &self.runs {
            runs.push(Run::open(path, self.words)?);
        }
        let mut rest = self.buffer.chunks_exact(self.words);
        let own = runs.len();
        let mut heap: BinaryHeap<Reverse<(Vec<u64>, usize)>> = BinaryHeap::new();
        let mut next = |from: usize, row: &mut Vec<u64>| -> Result<bool, DiskTableError> {
            match runs.get_mut(from) {
                Some(run) => run.next(row),
                None => {
                    let found = rest.next();
                    row.clear();
                    row.extend_from_slice(found.unwrap_or_default());
                    Ok(found.is_some())
                }
            }
        };
        for from in 0..=own {
            let mut row = Vec::new();
            if next(from, &mut row)? {
                heap.push(Reverse((row, from)));
            }
        }
        let mut last: Vec<u64> = Vec::new();
        while let Some(Reverse((mut row, from))) = heap.pop() {
            if last.is_empty() || last[..] != row[..self.key] {
                last.clear();
                last.extend_from_slice(&row[..self.key]);
                tell(&row)?;
            }
            if next(from, &mut row)? {
                heap.push(Reverse((row, from)));
            }
        }
        for path in &self.runs {
            fs::remove_file(path).map_err(DiskTableError::file(path, "remove"))?;
        }
        Ok(())
    }
}

/// A sorted run on disk.
struct Run {
    path: PathBuf,
    file: BufReader<File>,
    left: u64,
    bytes: Vec<u8>,
}

impl Run {
    fn open(path: &PathBuf, words: usize) -> Result<Self, DiskTableError> {
        let file = File::open(path).map_err(DiskTableError::file(path, "open"))?;
        let read = DiskTableError::file(path, "read");
        let left = file.metadata().map_err(read)?.len() / (8 * words as u64);
        Ok(Run {
            path: path.clone(),
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
        let (words, _) = self.bytes.as_chunks::<8>();
        row.extend(words.iter().map(|bytes| u64::from_be_bytes(*bytes)));
        Ok(true)
    }
}

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
    by_width!(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
}
