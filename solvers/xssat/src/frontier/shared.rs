//! What the threads of a search share: limits, tables, and who is looking at what.
//!
//! Each thread holds the tables for reading while it searches, and lets go of them between two
//! visits if somebody waits to grow one. That cannot end in a deadlock, nor in a thread that waits
//! for long:
//!
//! * Who waits to grow a table ([`Shared::double`]) holds nothing, and has been counted in `growing`
//!   before. So each other thread, after the visit it is at, either lets go of the tables and does
//!   not take them again before the count is 0, or comes to its end, which lets go of them too.
//!   Then one of those who wait gets the tables, and is counted out when it is done; it never waits
//!   for anybody while it has them.
//! * The number of those who wait can only grow while some thread searches; while the count is not
//!   0, soon none does. So the count falls to 0, and all go on.
//! * The order to stop is not looked at while a table grows, and need not be: nobody waits for a
//!   thread that has stopped, because it holds nothing.

use super::table::Table;
use super::units::TooCoarse;
use crate::budget::Budget;
use formula::StopReason;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock, RwLockReadGuard};
use value::Numerator;

/// Marks for states that somebody is looking at; a power of two.
const MARKS: usize = 1 << 12;

/// Memory for trees where no limit is set, in bytes.
const UNLIMITED: u64 = 1 << 33;

/// Shared by all threads of a search.
pub struct Shared {
    /// One table per segment. Locked for writing only to grow a table.
    pub tables: RwLock<Vec<Table>>,
    /// How many threads wait to grow a table, or do.
    growing: AtomicUsize,
    /// Set when all threads are to come to an end.
    pub stop: AtomicBool,
    /// Why the search stopped early.
    pub reason: Mutex<Option<StopReason>>,
    /// Set if a denominator is too coarse.
    pub coarse: Mutex<Option<TooCoarse>>,
    /// How many threads are looking at a state, by hash.
    marks: Vec<AtomicU8>,
    /// Memory that tables may take, in bytes.
    memory_limit: Option<u64>,
    /// Memory that tables take, in bytes.
    taken: AtomicU64,
    /// Segments executed by all threads.
    pub visits: AtomicU64,
    /// The number of threads.
    pub threads: usize,
}

impl Shared {
    /// For a new search.
    pub fn new(tables: Vec<Table>, budget: &Budget<'_>, threads: usize) -> Self {
        let taken = tables.iter().map(Table::bytes).sum();
        Shared {
            taken: AtomicU64::new(taken),
            tables: RwLock::new(tables),
            growing: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            reason: Mutex::new(None),
            coarse: Mutex::new(None),
            marks: (0..MARKS).map(|_| AtomicU8::new(0)).collect(),
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

    /// Tells that a thread begins or ends to look at a state.
    #[inline]
    pub fn mark(&self, hash: u64, begins: bool) {
        let mark = &self.marks[hash as usize % MARKS];
        if begins {
            mark.fetch_add(1, Ordering::Relaxed);
        } else {
            mark.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Whether a thread looks at a state (or at one with the same mark).
    #[inline]
    pub fn is_marked(&self, hash: u64) -> bool {
        self.marks[hash as usize % MARKS].load(Ordering::Relaxed) != 0
    }

    /// Multiplies all bounds up to a segment.
    pub fn scale<N: Numerator>(
        &mut self,
        last: usize,
        factor: &N,
        value_words: impl Fn(usize) -> usize,
    ) {
        let tables = self.tables.get_mut().expect("no thread panics");
        for (cut, table) in tables[..=last].iter_mut().enumerate() {
            table.scale(factor, value_words(cut), self.memory_limit.is_none());
        }
        let taken = tables.iter().map(Table::bytes).sum();
        self.taken.store(taken, Ordering::Relaxed);
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

    /// Memory taken by all tables, in bytes.
    pub fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Whether there is memory to double a table.
    pub fn may_double(&self, table: &Table) -> bool {
        // Both tables exist for a moment.
        let needed = self.taken() + table.bytes_when_doubled();
        self.memory_limit.is_none_or(|limit| needed <= limit)
    }

    /// Doubles a table that had this many bytes, if memory allows and nobody was faster. The caller
    /// must not hold the tables.
    pub fn double(&self, segment: usize, bytes: u64) {
        self.growing.fetch_add(1, Ordering::SeqCst);
        let mut tables = self.tables.write().expect("no thread panics");
        let table = &mut tables[segment];
        if table.bytes() == bytes && self.may_double(table) {
            table.double();
            self.taken
                .fetch_add(table.bytes() - bytes, Ordering::Relaxed);
        }
        drop(tables);
        self.growing.fetch_sub(1, Ordering::SeqCst);
    }

    /// Whether somebody waits to grow a table: then the tables are to be let go.
    #[inline]
    pub fn is_growing(&self) -> bool {
        self.growing.load(Ordering::Relaxed) != 0
    }

    /// The tables, when nobody waits to grow one.
    pub fn tables(&self) -> RwLockReadGuard<'_, Vec<Table>> {
        while self.is_growing() {
            std::thread::yield_now();
        }
        self.tables.read().expect("no thread panics")
    }
}

/// How many nodes of this size the trees of all threads may have: as much memory as half the limit.
pub fn most_nodes(memory_limit: Option<u64>, bytes: usize) -> usize {
    memory_limit.unwrap_or(UNLIMITED).min(UNLIMITED) as usize / bytes / 2
}

#[cfg(test)]
mod tests {
    use super::super::table::{Stored, hash};
    use super::*;
    use formula::Limits;

    const KEYS: u64 = 4000;

    /// More threads than cores fill and grow tables in each other's way; one of them may tell all to
    /// stop. Gives the tables.
    fn contend(memory: Option<u64>, stop_at: Option<u64>, seed: u64) -> Shared {
        let limits = Limits {
            memory,
            ..Limits::default()
        };
        let tables = (0..3).map(|words| Table::new(1 + words, 1)).collect();
        let shared = Shared::new(tables, &Budget::new(&limits, None), 8);
        let work = |thread: u64| {
            let mut random = fastrand::Rng::with_seed(seed + thread);
            let mut tables = shared.tables();
            for round in 0..2 * KEYS {
                if shared.stop.load(Ordering::Relaxed) {
                    return;
                }
                if shared.is_growing() {
                    drop(tables);
                    tables = shared.tables();
                }
                if thread == 3 && stop_at == Some(round) {
                    shared.stop_for(StopReason::Interrupted);
                }
                let number = random.usize(..3);
                let table = &tables[number];
                let state = random.u64(..KEYS);
                let key = vec![state; 1 + number];
                // The bounds close in on the number of the state.
                let slack = random.u64(0..=state);
                let bounds = (state - slack, state + slack);
                let bytes = table.bytes();
                let stored = table.set(&key, hash(&key), bounds.0, bounds.1);
                assert!(stored.0 <= state && state <= stored.1, "seed {seed}");
                let grow = stored.2 == Stored::Crowded && shared.may_double(table);
                // What was stored may be forgotten, but not loosened.
                if let Some((lower, upper)) = table.get::<u64>(&key, hash(&key)) {
                    let closes_in = stored.0 <= lower && upper <= stored.1;
                    assert!(closes_in && lower <= state && state <= upper, "seed {seed}");
                }
                if grow {
                    drop(tables);
                    shared.double(number, bytes);
                    tables = shared.tables();
                }
            }
        };
        std::thread::scope(|scope| {
            for thread in 0..shared.threads as u64 {
                scope.spawn(move || work(thread));
            }
        });
        shared
    }

    #[test]
    fn threads_that_grow_tables_do_not_wait_for_ever() {
        for round in 0..6 {
            let seed = fastrand::u64(..1 << 60);
            let memory = (round % 3 == 1).then_some(100_000);
            let stop_at = (round % 3 == 2).then_some(round * 100);
            let shared = contend(memory, stop_at, seed);
            let tables = shared.tables();
            let bytes: u64 = tables.iter().map(Table::bytes).sum();
            assert_eq!(bytes, shared.taken(), "seed {seed}");
            assert!(memory.is_none_or(|limit| bytes <= limit), "seed {seed}");
            if memory.is_none() && stop_at.is_none() {
                let states: usize = tables.iter().map(Table::len).sum();
                assert!(states > 10_000, "seed {seed}: {states}");
            }
        }
    }
}
