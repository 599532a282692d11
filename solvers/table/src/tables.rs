//! Several tables that grow while threads use them.
//!
//! Each thread holds the tables for reading while it searches, and lets go of them now and then if
//! somebody waits to grow one. That cannot end in a deadlock, nor in a thread that waits for long:
//!
//! * Who waits to grow a table ([`Tables::double`]) holds nothing, and has been counted in `growing`
//!   before. So each other thread, soon, either lets go of the tables and does not take them again
//!   before the count is 0, or comes to its end, which lets go of them too. Then one of those who
//!   wait gets the tables, and is counted out when it is done; it never waits for anybody while it
//!   has them.
//! * The number of those who wait can only grow while some thread searches; while the count is not
//!   0, soon none does. So the count falls to 0, and all go on.

use crate::bounds::Table;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{RwLock, RwLockReadGuard};
use value::Numerator;

/// Several tables within one limit of memory.
pub struct Tables {
    /// Locked for writing only to grow a table.
    tables: RwLock<Vec<Table>>,
    /// How many threads wait to grow a table, or do.
    growing: AtomicUsize,
    /// Memory that tables may take, in bytes.
    memory_limit: Option<u64>,
    /// Memory that tables take, in bytes.
    taken: AtomicU64,
}

impl Tables {
    /// These tables, which may take this many bytes.
    pub fn new(tables: Vec<Table>, memory_limit: Option<u64>) -> Self {
        let taken = tables.iter().map(Table::bytes).sum();
        Tables {
            tables: RwLock::new(tables),
            growing: AtomicUsize::new(0),
            memory_limit,
            taken: AtomicU64::new(taken),
        }
    }

    /// The tables, for who has them alone.
    pub fn get_mut(&mut self) -> &mut Vec<Table> {
        self.tables.get_mut().expect("no thread panics")
    }

    /// Sets how many bytes the tables may take.
    pub fn set_memory_limit(&mut self, memory_limit: Option<u64>) {
        self.memory_limit = memory_limit;
    }

    /// Counts the memory again, after [`Tables::get_mut`].
    pub fn count_memory(&mut self) {
        let taken = self.get_mut().iter().map(Table::bytes).sum();
        self.taken.store(taken, Ordering::Relaxed);
    }

    /// Multiplies all bounds in some of the tables; `value_bits` says how many bits the bounds of
    /// a table take then. Under a limit of memory tables do not grow for it, and rather forget: the old and
    /// the new table have to find room side by side. They forget all if `go_on`, asked now and then, says
    /// `false`.
    pub fn scale<N: Numerator>(
        &mut self,
        which: impl Iterator<Item = usize>,
        factor: &N,
        value_bits: impl Fn(usize) -> usize,
        go_on: impl Fn() -> bool,
    ) {
        let limit = self.memory_limit;
        for number in which {
            let taken = self.taken();
            let table = &mut self.get_mut()[number];
            let most = limit.map(|limit| limit.saturating_sub(taken).min(table.bytes()));
            table.scale(factor, value_bits(number), most, &go_on);
            self.count_memory();
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
    /// must not hold the tables. The table stays as it is if `go_on`, asked now and then, says `false`.
    pub fn double(&self, number: usize, bytes: u64, go_on: impl Fn() -> bool) {
        self.growing.fetch_add(1, Ordering::SeqCst);
        let mut tables = self.tables.write().expect("no thread panics");
        let table = &mut tables[number];
        if table.bytes() == bytes && self.may_double(table) {
            table.double(go_on);
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
    pub fn read(&self) -> RwLockReadGuard<'_, Vec<Table>> {
        while self.is_growing() {
            std::thread::yield_now();
        }
        self.tables.read().expect("no thread panics")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Stored, hash};
    use std::sync::atomic::AtomicBool;

    const KEYS: u64 = 4000;

    /// More threads than cores fill and grow tables in each other's way; one of them may tell all to
    /// stop. Gives the tables.
    fn contend(memory: Option<u64>, stop_at: Option<u64>, seed: u64) -> Tables {
        let tables = (0..3)
            .map(|words| Table::new(1 + words, 12 * (words + 1)))
            .collect();
        let shared = Tables::new(tables, memory);
        let stop = AtomicBool::new(false);
        let work = |thread: u64| {
            let mut random = fastrand::Rng::with_seed(seed + thread);
            let mut tables = shared.read();
            for round in 0..2 * KEYS {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                if shared.is_growing() {
                    drop(tables);
                    tables = shared.read();
                }
                if thread == 3 && stop_at == Some(round) {
                    stop.store(true, Ordering::Relaxed);
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
                // It may be forgotten at once, and stored again, looser, by another thread.
                if let Some((lower, upper)) = table.get::<u64>(&key, hash(&key)) {
                    assert!(lower <= state && state <= upper, "seed {seed}");
                }
                if grow {
                    drop(tables);
                    shared.double(number, bytes, || true);
                    tables = shared.read();
                }
            }
        };
        std::thread::scope(|scope| {
            for thread in 0..8 {
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
            let tables = shared.read();
            let bytes: u64 = tables.iter().map(Table::bytes).sum();
            assert_eq!(bytes, shared.taken(), "seed {seed}");
            assert!(memory.is_none_or(|limit| bytes <= limit), "seed {seed}");
            if memory.is_none() && stop_at.is_none() {
                let states: usize = tables.iter().map(Table::len).sum();
                assert!(states > 10_000, "seed {seed}: {states}");
            }
        }
    }

    #[test]
    fn a_scaled_table_finds_room_beside_the_old_one() {
        let table = Table::with_room(1, 64, 1000);
        for key in 0..1000u64 {
            table.set(&[key], hash(&[key]), key, key);
        }
        let before = table.bytes();
        let limit = before + before / 4;
        let mut shared = Tables::new(vec![table], Some(limit));
        shared.scale(0..1, &(1u64 << 40), |_| 128, || true);
        assert!(before + shared.taken() <= limit, "{}", shared.taken());
        let found = |key: &u64| {
            let known = shared.read()[0].get::<u64>(&[*key], hash(&[*key]));
            known.inspect(|known| assert_eq!(*known, (key << 40, key << 40)))
        };
        assert!((0..1000).filter_map(|key| found(&key)).count() > 0);
    }
}
