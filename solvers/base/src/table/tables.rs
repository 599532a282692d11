//! Several transposition tables that grow while threads use them.
//!
//! Each thread holds the tables for reading while it searches. A part of a table that gets full is copied
//! by one of the threads ([`Tables::grow`]), while the others go on. The memory that the part took before
//! can be given back only when no thread may read it any more: at once if no other thread holds the tables, else now and
//! then, when there is some of it, a thread waits to have the tables alone for a moment, and the others let go of them. That cannot end in a
//! deadlock, nor in a thread that waits for long:
//!
//! * A thread that waits to have the tables alone holds none, and has been counted in `waiting`
//!   before. So each other thread, soon, either lets go of the tables and does not take them again
//!   before the count is 0, or comes to its end, which lets go of them too. Then one of the threads that
//!   wait gets the tables, and is counted out when it is done; it never waits for another thread while it
//!   has them.
//! * The number of threads that wait can only grow while some thread searches; while the count is not
//!   0, soon none does. So the count falls to 0, and all go on.
//! * A thread that copies a part waits only for threads that write into one of its buckets, which takes a few
//!   nanoseconds; a thread that wants to write into that part waits for the one that copies it.

use crate::table::bounds::{GrowthOutcome, Table};
use crate::value::Numerator;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock, RwLockReadGuard};

/// Memory that can be given back is given back when it is more than this, in bytes,
const MIN_RETIRED: u64 = 1 << 20;
/// and more than this part of all.
const RETIRED: u64 = 32;

/// Several tables within one limit of memory.
pub struct Tables {
    /// Locked for writing only to give back memory.
    tables: RwLock<Vec<Table>>,
    /// How many threads wait to have the tables alone, or have them.
    waiting: AtomicUsize,
    /// Memory that tables may take, in bytes.
    memory_limit: Option<u64>,
    /// Memory that tables take, in bytes.
    taken: AtomicU64,
    /// Memory of parts of tables that have grown, which can be given back.
    retired_bytes: AtomicU64,
    /// Where these parts are: the number of a table and a hash.
    retired: Mutex<Vec<(usize, u64)>>,
}

impl Tables {
    /// These tables, which may take this many bytes.
    pub fn new(tables: Vec<Table>, memory_limit: Option<u64>) -> Self {
        let taken = tables.iter().map(Table::bytes).sum();
        Tables {
            tables: RwLock::new(tables),
            waiting: AtomicUsize::new(0),
            memory_limit,
            taken: AtomicU64::new(taken),
            retired_bytes: AtomicU64::new(0),
            retired: Mutex::default(),
        }
    }

    /// The tables, for a thread that has them alone.
    pub fn get_mut(&mut self) -> &mut Vec<Table> {
        self.free();
        self.tables.get_mut().expect("no thread panics")
    }

    /// Puts another table in the place of one, if there is memory for it.
    pub fn replace(&mut self, number: usize, table: Table) {
        let old = self.get_mut()[number].bytes();
        let taken = self.taken() - old + table.bytes();
        if self.memory_limit.is_none_or(|limit| taken <= limit) {
            self.get_mut()[number] = table;
            *self.taken.get_mut() = taken;
        }
    }

    /// Sets how many bytes the tables may take.
    pub fn set_memory_limit(&mut self, memory_limit: Option<u64>) {
        self.memory_limit = memory_limit;
    }

    /// Multiplies all bounds in some of the tables; `value_bits` says how many bits the bounds of
    /// a table take then. Where memory is limited, tables rather forget. They forget all if `go_on`, asked now and
    /// then, says `false`.
    pub fn scale<N: Numerator>(
        &mut self,
        which: impl Iterator<Item = usize>,
        factor: &N,
        value_bits: impl Fn(usize) -> usize,
        go_on: impl Fn() -> bool,
    ) {
        let limit = self.memory_limit;
        for number in which {
            let room = limit.map(|limit| limit.saturating_sub(self.taken()));
            let table = &mut self.get_mut()[number];
            let before = table.bytes();
            table.scale(factor, value_bits(number), room, &go_on);
            let after = table.bytes();
            *self.taken.get_mut() += after;
            *self.taken.get_mut() -= before;
        }
    }

    /// Memory taken by all tables, in bytes.
    pub fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Whether there is memory to let the crowded part of a table with this hash grow.
    pub fn may_grow(&self, table: &Table, hash: u64) -> bool {
        // Both copies exist for a moment.
        let retired = self.retired_bytes.load(Ordering::Relaxed);
        let needed = (self.taken() + table.bytes_to_grow(hash)).saturating_sub(retired);
        let may = self.memory_limit.is_none_or(|limit| needed <= limit);
        if !may {
            table.confine(hash);
        }
        may
    }

    /// Takes memory if the limit allows.
    fn take(&self, bytes: u64) -> bool {
        let order = Ordering::Relaxed;
        let sum = |taken: u64| {
            let taken = taken + bytes;
            self.memory_limit
                .is_none_or(|limit| taken <= limit)
                .then_some(taken)
        };
        self.taken.fetch_update(order, order, sum).is_ok()
    }

    /// Lets the part of a table with this hash grow, if it is crowded, memory allows, and no other thread was faster. The caller
    /// must not hold the tables.
    pub fn grow(&self, number: usize, hash: u64) {
        let grown = self.read()[number].grow(hash, |bytes| self.take(bytes));
        if let GrowthOutcome::Done(bytes) = grown {
            self.retired_bytes.fetch_add(bytes, Ordering::Relaxed);
            let mut retired = self.retired.lock().expect("no thread panics");
            retired.push((number, hash));
        }
        let most = match grown {
            GrowthOutcome::NoRoom => 0,
            _ => MIN_RETIRED.max(self.taken() / RETIRED),
        };
        if self.retired_bytes.load(Ordering::Relaxed) > most {
            self.free();
        } else if let Ok(mut tables) = self.tables.try_write() {
            // No thread reads the tables, so it costs nothing; and the way to an entry is shorter then.
            self.free_in(&mut tables);
        }
    }

    /// Gives back what can be given back, when all others have let go of the tables.
    fn free(&self) {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        self.free_in(&mut self.tables.write().expect("no thread panics"));
        self.waiting.fetch_sub(1, Ordering::SeqCst);
    }

    /// Gives back memory that can be given back, for a thread that has the tables alone.
    fn free_in(&self, tables: &mut [Table]) {
        let mut retired = self.retired.lock().expect("no thread panics");
        let parts = retired.drain(..);
        let freed = parts.map(|(number, hash)| tables[number].free(hash)).sum();
        self.taken.fetch_sub(freed, Ordering::Relaxed);
        self.retired_bytes.store(0, Ordering::Relaxed);
    }

    /// Whether a thread waits to have the tables alone: then they are to be let go.
    #[inline]
    pub fn is_growing(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) != 0
    }

    /// The tables, when no thread waits to have them alone.
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
    use crate::table::{Stored, hash};
    use std::collections::HashMap;
    use std::sync::atomic::AtomicBool;

    /// Fewer where Miri runs the tests, some thousand times slower.
    const KEYS: u64 = if cfg!(miri) { 12 } else { 4000 };

    /// The bounds of a state in one of the tables.
    type Oracle = HashMap<(usize, u64), (u64, u64)>;

    /// More threads than cores fill and grow tables in each other's way; one of them may stop
    /// all. Gives the tables, and for each of them the tightest bounds that were stored for a key.
    fn contend(memory: Option<u64>, stop_at: Option<u64>, seed: u64) -> (Tables, Oracle) {
        let tables = (0..3).map(|words| match words {
            0 => Table::unallocated(12, 13),
            words => Table::new(64 * words + 12, 12 * (words + 1)),
        });
        let shared = Tables::new(tables.collect(), memory);
        let stop = AtomicBool::new(false);
        let oracle: Mutex<Oracle> = Mutex::default();
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
                let hash = hash(&key);
                // The bounds close in on the number of the state.
                let slack = random.u64(0..=state);
                let bounds = (state - slack, state + slack);
                let stored = table.set(&key, hash, bounds.0, bounds.1);
                assert!(stored.0 <= state && state <= stored.1, "seed {seed}");
                let grow = stored.2 == Stored::Crowded && shared.may_grow(table, hash);
                if table.bytes() > 0 {
                    let mut oracle = oracle.lock().expect("no thread panics");
                    let tightest = oracle.entry((number, state)).or_insert(bounds);
                    *tightest = (tightest.0.max(bounds.0), tightest.1.min(bounds.1));
                }
                // It may be forgotten at once, and stored again, looser, by another thread.
                if let Some((lower, upper)) = table.get::<u64>(&key, hash) {
                    assert!(lower <= state && state <= upper, "seed {seed}");
                }
                if grow {
                    drop(tables);
                    shared.grow(number, hash);
                    tables = shared.read();
                }
            }
        };
        std::thread::scope(|scope| {
            for thread in 0..if cfg!(miri) { 3 } else { 8 } {
                scope.spawn(move || work(thread));
            }
        });
        (shared, oracle.into_inner().expect("no thread panics"))
    }

    #[test]
    fn threads_that_grow_tables_do_not_wait_for_ever_and_lose_nothing() {
        for round in 0..if cfg!(miri) { 1 } else { 9 } {
            let seed = fastrand::u64(..1 << 60);
            let memory = (round % 3 == 1).then_some(100_000);
            let stop_at = (round % 3 == 2).then_some(round * 100);
            let (shared, oracle) = contend(memory, stop_at, seed);
            let tables = shared.read();
            let bytes: u64 = tables.iter().map(Table::bytes).sum();
            assert_eq!(bytes, shared.taken(), "seed {seed}");
            assert!(memory.is_none_or(|limit| bytes <= limit), "seed {seed}");
            let mut lost = 0;
            for (&(number, state), &(lower, upper)) in &oracle {
                let key = vec![state; 1 + number];
                match tables[number].get::<u64>(&key, hash(&key)) {
                    None => lost += 1,
                    // With little memory it may have been forgotten and stored again.
                    Some(found) if memory.is_some() => {
                        assert!(found.0 <= lower && upper <= found.1, "seed {seed}");
                    }
                    // The first entry of a table without memory may be lost in part.
                    Some(found) => lost += usize::from(found != (lower, upper)),
                }
            }
            let states: usize = tables.iter().map(Table::len).sum();
            if memory.is_none() {
                assert!(lost <= 20, "seed {seed}: {lost} of {}", oracle.len());
            } else {
                assert!(lost > 0 && states > 1000, "seed {seed}: {lost}, {states}");
            }
            if memory.is_none() && stop_at.is_none() && !cfg!(miri) {
                assert!(states > 11_000, "seed {seed}: {states}");
            }
        }
    }

    #[test]
    fn a_scaled_table_finds_room_beside_the_old_one() {
        let table = Table::with_room(10, 64, 1000);
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
