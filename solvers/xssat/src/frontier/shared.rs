//! What the threads of a search share: limits, tables, and who is looking at what.

use super::units::TooCoarse;
use limits::{StopReason, Watch};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use table::{Marks, Table, Tables};

/// Memory for trees where no limit is set, in bytes.
const UNLIMITED: u64 = 1 << 33;

/// This part of the memory is for trees, the rest for tables.
const TREES: u64 = 4;

/// Shared by all threads of a search.
pub struct Shared {
    /// One table per segment.
    pub tables: Tables,
    /// Which states somebody is looking at.
    pub marks: Marks,
    /// Set when all threads are to come to an end.
    pub stop: AtomicBool,
    /// Why the search stopped early.
    pub reason: Mutex<Option<StopReason>>,
    /// Set if a denominator is too coarse.
    pub coarse: Mutex<Option<TooCoarse>>,
    /// Memory that tables may take, in bytes.
    memory_limit: Option<u64>,
    /// Segments executed by all threads.
    pub visits: AtomicU64,
    /// The number of threads.
    pub threads: usize,
}

impl Shared {
    /// For a new search.
    pub fn new(tables: Vec<Table>, budget: &Watch<'_>, threads: usize) -> Self {
        Shared {
            tables: Tables::new(tables, budget.memory_limit().map(|all| all - all / TREES)),
            marks: Marks::default(),
            stop: AtomicBool::new(false),
            reason: Mutex::new(None),
            coarse: Mutex::new(None),
            memory_limit: budget.memory_limit(),
            visits: AtomicU64::new(0),
            threads,
        }
    }

    /// Ends the search of all threads, for a reason.
    pub fn stop_for(&self, reason: StopReason) {
        self.reason
            .lock()
            .expect("no thread panics")
            .get_or_insert(reason);
        self.stop.store(true, Ordering::Relaxed);
    }

    /// How many nodes of this size the trees of a thread may have. The first thread, without which
    /// there is no answer, has as many as all its helpers.
    pub fn most_nodes(&self, bytes: usize, is_helper: bool) -> usize {
        let all = most_nodes(self.memory_limit, bytes);
        match self.threads {
            1 => all,
            threads if is_helper => all / 2 / (threads - 1),
            _ => all / 2,
        }
    }
}

/// How many nodes of this size the trees of all threads may have.
pub fn most_nodes(memory_limit: Option<u64>, bytes: usize) -> usize {
    memory_limit.unwrap_or(UNLIMITED).min(UNLIMITED) as usize / bytes / TREES as usize
}
