//! Rows of words, each with a key: gathered by hash, spilled as sorted runs, merged without duplicates.
//!
//! Delayed duplicate detection (Korf, Linear-time disk-based implicit graph search, JACM 2008): what is on disk is not looked up when a row
//! is found. Rows fill buffers, one for each thread, in which each key stands once, found by its hash. A buffer that is full is sorted and
//! becomes a run on disk. In the end all buffers and runs are merged; where there are many runs, some at a time to longer runs before, since a process
//! may open a limited number of files. Of rows with one key the smallest stays, so what comes out does not
//! depend on the size or the number of buffers.

use crate::error::DiskTableError;
use crate::folder::Folder;
use crate::policy::{
    BUFFER_ROWS, MAX_OPEN_RUNS, RECENT_BYTES, ROWS_AT_ONCE, ROWS_PER_CHECK, ROWS_PER_RANGE,
    SORTED_PER_CHECK,
};
use crate::row_file::{RowReader, Run};
use crate::work::in_parallel;
use base::table::Interner;
use limits::{Limits, share_out};
use std::cmp::{Ordering, Reverse};
use std::collections::binary_heap::PeekMut;
use std::collections::{BinaryHeap, VecDeque};
use std::mem;

/// A buffer of rows, and the sorted runs that were written from it.
pub struct RowBuffer<'a> {
    folder: &'a Folder,
    /// The index of the buffer, and the number of buffers: for the names of runs.
    index: usize,
    buffers: usize,
    /// The rows that it may have.
    room: usize,
    rows: Interner,
    words: usize,
    /// A cache of recent rows: each stands behind its hash, at the slot of the hash.
    recent: Vec<u64>,
    /// Rows that are added together, and the hashes of their keys.
    pending: Vec<u64>,
    hashes: Vec<u64>,
    runs: Vec<Run>,
    limits: Limits,
}

/// Buffers for rows of some words, of which the first `key` are the key, with this much memory in bytes for all.
pub fn buffers<'a>(
    folder: &'a Folder,
    words: usize,
    key: usize,
    memory: u64,
    buffers: usize,
    limits: &Limits,
) -> Vec<RowBuffer<'a>> {
    // A buffer either grows or is sorted.
    let slots = Interner::SLOT_BYTES;
    let bytes = 9 * words + slots + order_bytes(key).max(slots);
    let memory = memory as usize / buffers;
    let room = (memory / bytes).clamp(BUFFER_ROWS[0], BUFFER_ROWS[1]);
    let recent = RECENT_BYTES.min(memory / 32) / (8 * words + 8);
    let buffer = |index| RowBuffer {
        folder,
        index,
        buffers,
        room,
        rows: Interner::of_rows(key, words, room),
        words,
        recent: vec![0; recent.max(1) * (words + 1)],
        pending: Vec::new(),
        hashes: Vec::new(),
        runs: Vec::new(),
        limits: limits.clone(),
    };
    (0..buffers).map(buffer).collect()
}

impl RowBuffer<'_> {
    /// The words of a key.
    pub fn key(&self) -> usize {
        self.rows.width()
    }

    /// The words of a row.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Adds a row: its key with a hash, always the same for a key, and the words behind it.
    #[inline]
    pub fn add(&mut self, key: &[u64], hash: u64, rest: &[u64]) {
        // Many rows were found just before: neighbours lead to the same ones. 0 says that there is none.
        let (words, mark) = (self.words + 1, hash | 1);
        let slots = self.recent.len() / words;
        let slot = ((hash >> 32) * slots as u64) >> 32;
        let recent = &mut self.recent[slot as usize * words..][..words];
        let row = key.iter().chain(rest);
        if recent[0] == mark && recent[1..].iter().eq(row.clone()) {
            return;
        }
        recent[0] = mark;
        for (to, word) in recent[1..].iter_mut().zip(row) {
            *to = *word;
        }
        self.pending.extend_from_slice(&recent[1..]);
        self.hashes.push(hash);
        if self.hashes.len() == ROWS_AT_ONCE {
            self.add_pending();
        }
    }

    /// Adds the rows that wait. Their entries are prefetched: the processor waits for many parts of memory together.
    fn add_pending(&mut self) {
        let rows = &mut self.rows;
        self.hashes.iter().for_each(|&hash| rows.touch(hash));
        self.hashes.iter().for_each(|&hash| rows.touch_key(hash));
        let pending = self.pending.chunks_exact(self.words);
        for (row, hash) in pending.zip(self.hashes.drain(..)) {
            let (key, rest) = row.split_at(rows.width());
            rows.keep_smallest(key, hash, rest);
        }
        self.pending.clear();
    }

    /// Makes room if the buffer is full.
    pub fn make_room(&mut self) -> Result<(), DiskTableError> {
        if self.rows.len() < self.room {
            return Ok(());
        }
        let number = self.runs.len() * self.buffers + self.index;
        let path = self.folder.scratch(&format!("run-{number}"));
        self.add_pending();
        let mut order = Vec::new();
        fill_in_order(&mut order, &self.rows, &self.limits)?;
        let mut rows = SortedRows {
            order: &order,
            rows: &self.rows,
        };
        let run = Run::write(path, self.words, |write| rows.try_for_each(write))?;
        self.runs.push(run);
        self.rows.clear();
        Ok(())
    }
}

/// Fills a list with all keys in order, each with its number behind it.
pub fn fill_in_order(
    order: &mut Vec<u64>,
    keys: &Interner,
    limits: &Limits,
) -> Result<(), DiskTableError> {
    let words = keys.width() + 1;
    order.clear();
    order.reserve_exact(keys.len() * words);
    for number in 0..keys.len() {
        order.extend_from_slice(keys.key(number));
        order.push(number as u64);
    }
    sort(order, words, limits)
}

/// The bytes that it takes to sort a key of some words.
pub fn order_bytes(key: usize) -> usize {
    // Wider rows are sorted by way of a copy.
    match key + 1 {
        words @ 0..=MAX_WIDTH => 8 * words,
        words => 16 * words + size_of::<&[u64]>(),
    }
}

/// The rows of a buffer in order, or some of them.
pub struct SortedRows<'a> {
    /// Keys, each with the number of its row.
    order: &'a [u64],
    rows: &'a Interner,
}

impl<'a> Iterator for SortedRows<'a> {
    type Item = &'a [u64];

    fn next(&mut self) -> Option<&'a [u64]> {
        let (here, later) = self.order.split_at_checked(self.rows.width() + 1)?;
        self.order = later;
        Some(self.rows.row(here[here.len() - 1] as usize))
    }
}

impl<'a> SortedRows<'a> {
    /// Takes the rows whose keys are below a key; all if there is none.
    fn take_below(&mut self, key: Option<&[u64]>) -> Self {
        let words = self.rows.width() + 1;
        let (mut start, mut end) = (0, self.order.len() / words);
        while let Some(key) = key
            && start < end
        {
            let middle = start + (end - start) / 2;
            match self.order[middle * words..][..words - 1] < *key {
                true => start = middle + 1,
                false => end = middle,
            }
        }
        let (now, later) = self.order.split_at(end * words);
        self.order = later;
        SortedRows {
            order: now,
            rows: self.rows,
        }
    }
}

/// Calls `visit` on every distinct row of some buffers and their runs, sorted by key.
pub fn merge(
    buffers: Vec<RowBuffer<'_>>,
    visit: impl FnMut(&[u64]) -> Result<(), DiskTableError>,
) -> Result<(), DiskTableError> {
    merge_by(MAX_OPEN_RUNS, buffers, visit)
}

/// The same, with at most this many open runs.
fn merge_by(
    max_open: usize,
    mut buffers: Vec<RowBuffer<'_>>,
    visit: impl FnMut(&[u64]) -> Result<(), DiskTableError>,
) -> Result<(), DiskTableError> {
    let Some(first) = buffers.first() else {
        return Ok(());
    };
    let (words, key, limits) = (first.words, first.rows.width(), first.limits.clone());
    let folder = first.folder;
    let runs = (buffers.iter_mut()).flat_map(|buffer| mem::take(&mut buffer.runs));
    let mut runs: VecDeque<Run> = runs.collect();
    // No run so far has such a number.
    let mut number = runs.len() * buffers.len();
    while runs.len() > max_open {
        let some: Vec<Run> = runs.drain(..max_open).collect();
        let path = folder.scratch(&format!("run-{number}"));
        number += 1;
        let mut sources = open_all(&some, words)?;
        let merged = Run::write(path, words, |write| {
            merge_sources(&mut sources, key, &limits, write)
        })?;
        drop(sources);
        runs.push_back(merged);
        some.into_iter().try_for_each(Run::remove)?;
    }
    buffers.iter_mut().for_each(RowBuffer::add_pending);
    let threads = buffers.len();
    let mut orders = vec![Vec::new(); threads];
    in_parallel(orders.iter_mut().zip(&buffers), |(order, buffer)| {
        fill_in_order(order, &buffer.rows, &buffer.limits)
    })?;
    let sorted = orders
        .iter()
        .zip(&buffers)
        .map(|(order, buffer)| SortedRows {
            order,
            rows: &buffer.rows,
        });
    let mut sorted: Vec<SortedRows<'_>> = sorted.collect();
    if runs.is_empty() {
        return merge_in_parallel(&mut sorted, words, &limits, visit);
    }
    let mut sources = open_all(&runs, words)?;
    sources.extend(sorted.into_iter().map(Source::Buffer));
    merge_sources(&mut sources, key, &limits, visit)?;
    runs.into_iter().try_for_each(Run::remove)
}

/// The readers of some runs.
fn open_all<'a>(
    runs: impl IntoIterator<Item = &'a Run>,
    words: usize,
) -> Result<Vec<Source<'a>>, DiskTableError> {
    let open = |run: &Run| Ok(Source::File(run.open(words)?));
    runs.into_iter().map(open).collect()
}

/// Calls `visit` on every distinct row of some buffers, sorted by key: threads merge ranges of keys.
fn merge_in_parallel(
    buffers: &mut [SortedRows<'_>],
    words: usize,
    limits: &Limits,
    mut visit: impl FnMut(&[u64]) -> Result<(), DiskTableError>,
) -> Result<(), DiskTableError> {
    let threads = buffers.len();
    let Some(longest) = buffers.iter().max_by_key(|rows| rows.order.len()) else {
        return Ok(());
    };
    let key = longest.rows.width();
    // The first keys of all ranges but the first.
    let starts = longest
        .order
        .chunks_exact(key + 1)
        .step_by(ROWS_PER_RANGE)
        .skip(1);
    let mut ends = starts.map(|row| Some(&row[..key])).chain([None]).peekable();
    while ends.peek().is_some() {
        limits.check()?;
        let ranges = ends.by_ref().take(threads).map(|end| {
            let range = buffers.iter_mut().map(|rows| rows.take_below(end));
            range.map(Source::Buffer).collect()
        });
        let ranges: Vec<Vec<Source<'_>>> = ranges.collect();
        let merged = share_out(0..threads, ranges, |_, mut range| {
            let mut rows = Vec::with_capacity(ROWS_PER_RANGE * words);
            merge_sources(&mut range, key, limits, |row| {
                rows.extend_from_slice(row);
                Ok(())
            })?;
            Ok::<_, DiskTableError>(rows)
        });
        for rows in merged {
            rows?.chunks_exact(words).try_for_each(&mut visit)?;
        }
    }
    Ok(())
}

/// Calls `visit` on every distinct row of some sorted sources, sorted by key.
pub fn merge_sources(
    sources: &mut [Source<'_>],
    key: usize,
    limits: &Limits,
    mut visit: impl FnMut(&[u64]) -> Result<(), DiskTableError>,
) -> Result<(), DiskTableError> {
    let mut heap = BinaryHeap::new();
    for (index, source) in sources.iter_mut().enumerate() {
        let mut row = Vec::new();
        if source.next(&mut row)? {
            heap.push(Reverse((row, index)));
        }
    }
    let mut last: Vec<u64> = Vec::new();
    let mut count = 0u64;
    while let Some(mut top) = heap.peek_mut() {
        let Reverse((row, index)) = &mut *top;
        if last.is_empty() || last[..] != row[..key] {
            last.clear();
            last.extend_from_slice(&row[..key]);
            count += 1;
            if count.is_multiple_of(ROWS_PER_CHECK) {
                limits.check()?;
            }
            visit(row)?;
        }
        if !sources[*index].next(row)? {
            PeekMut::pop(top);
        }
    }
    Ok(())
}

/// A source of sorted rows.
pub enum Source<'a> {
    Buffer(SortedRows<'a>),
    File(RowReader),
}

impl Source<'_> {
    /// Reads the next row; `false` at the end.
    fn next(&mut self, row: &mut Vec<u64>) -> Result<bool, DiskTableError> {
        let found = match self {
            Source::Buffer(rows) => rows.next(),
            Source::File(file) => file.next()?,
        };
        if let Some(found) = found {
            row.clear();
            row.extend_from_slice(found);
        }
        Ok(found.is_some())
    }
}

/// The most words of rows that are sorted in place.
const MAX_WIDTH: usize = 8;

/// Sorts rows of some words each.
pub fn sort(buffer: &mut Vec<u64>, words: usize, limits: &Limits) -> Result<(), DiskTableError> {
    macro_rules! by_width {
        ($($width:literal),*) => {
            match words {
                $($width => sort_rows(buffer.as_chunks_mut::<$width>().0, SORTED_PER_CHECK, limits)?,)*
                _ => {
                    let mut rows: Vec<&[u64]> = buffer.chunks_exact(words).collect();
                    sort_rows(&mut rows, SORTED_PER_CHECK, limits)?;
                    *buffer = rows.concat();
                }
            }
        };
    }
    // Up to `MAX_WIDTH`.
    by_width!(1, 2, 3, 4, 5, 6, 7, 8);
    Ok(())
}

/// Sorts rows, and checks the limits now and then: they are divided by pivots until few are left, which are sorted at once.
fn sort_rows<T: Ord + Copy>(
    rows: &mut [T],
    at_once: usize,
    limits: &Limits,
) -> Result<(), DiskTableError> {
    let mut open = vec![rows];
    while let Some(rows) = open.pop() {
        limits.check()?;
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
                limits.check()?;
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
    use crate::manifest::{FORMAT, Manifest, VERSION};
    use limits::Limits;
    use std::collections::BTreeMap;

    /// Runs are merged a few at a time where there are many, and the smallest row of each key stays.
    #[test]
    fn many_runs_are_merged_in_passes() {
        let empty = String::new;
        let manifest = Manifest {
            format: FORMAT.to_owned(),
            version: VERSION,
            rules: empty(),
            text_of_rules: empty(),
            as_written: None,
            game: empty(),
            role: empty(),
            objective: empty(),
            largest: empty(),
            depth: 1,
            keys: empty(),
            shards: 1,
            mixed: false,
            endless: false,
        };
        let seed = fastrand::u64(..);
        let mut random = fastrand::Rng::with_seed(seed);
        for max_open in [2, 3, 7, 100] {
            let path = tempfile::tempdir().expect("there is room");
            let folder = Folder::create(path.path(), &manifest).expect("it is new");
            let limits = Limits::default();
            let mut buffers = buffers(&folder, 2, 1, 0, 2, &limits);
            let mut expected: BTreeMap<u64, u64> = BTreeMap::new();
            for _ in 0..20_000 {
                let (key, rest) = (random.u64(..30_000), random.u64(..5));
                let best = expected.entry(key).or_insert(rest);
                *best = rest.min(*best);
                let buffer = &mut buffers[random.usize(..2)];
                buffer.add(&[key], key.wrapping_mul(0x9e37_79b9_7f4a_7c15), &[rest]);
                buffer.make_room().expect("there is room");
            }
            let runs: usize = buffers.iter().map(|buffer| buffer.runs.len()).sum();
            assert!(runs > 7, "{runs}");
            let mut found = Vec::new();
            let merged = merge_by(max_open, buffers, |row| {
                found.push((row[0], row[1]));
                Ok(())
            });
            merged.expect("there is room");
            assert_eq!(found, Vec::from_iter(expected), "seed {seed}");
            let left = folder.names().expect("it is there");
            assert_eq!(left, ["table.json"], "seed {seed}");
        }
    }

    #[test]
    fn rows_are_sorted_however_they_are_divided() {
        let seed = fastrand::u64(..);
        let mut random = fastrand::Rng::with_seed(seed);
        for at_once in [1, 2, 10, 1000] {
            for max in [1, 3, 1000] {
                let rows = (0..random.usize(0..500)).map(|_| [random.u64(..max), 7]);
                let mut rows: Vec<[u64; 2]> = rows.collect();
                let mut expected = rows.clone();
                expected.sort_unstable();
                let limits = Limits::default().clone();
                sort_rows(&mut rows, at_once, &limits).expect("no limit");
                assert_eq!(rows, expected, "seed {seed}");
            }
        }
    }

    #[test]
    fn rows_of_any_width_are_sorted() {
        let seed = fastrand::u64(..);
        let mut random = fastrand::Rng::with_seed(seed);
        for words in 1..=MAX_WIDTH + 3 {
            let row = |_| (0..words).map(|_| random.u64(..3)).collect();
            let mut expected: Vec<Vec<u64>> = (0..300).map(row).collect();
            let mut buffer = expected.concat();
            expected.sort();
            sort(&mut buffer, words, &Limits::default()).expect("no limit");
            assert_eq!(buffer, expected.concat(), "{words} words, seed {seed}");
        }
    }

    #[test]
    fn a_sort_is_interrupted() {
        let limits = Limits::default();
        limits.interrupt.raise();
        let limits = limits.clone();
        let sorted = sort_rows(&mut [3, 2, 1], 1, &limits);
        assert!(matches!(sorted, Err(DiskTableError::Stopped(_))));
    }
}
