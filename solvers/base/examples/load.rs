//! Fills a table as a search does, and tells how fast that goes, what memory it takes, and how long the
//! longest pause of a thread was.
//!
//! ```text
//! load [THREADS [ENTRIES [KEY_BITS [VALUE_BITS]]]]
//! ```
//!
//! In each round a thread looks up some random keys, all at once, and stores one of those that it did not
//! find. It lets go of the tables when a thread waits to have them alone, as searches do.

use sqasp_base::table::{Stored, Table, Tables, hash};
use std::time::{Duration, Instant};

/// Keys that are looked up in a round.
const BATCH: usize = 12;

fn main() {
    let number = |index: usize, default: usize| match std::env::args().nth(index) {
        None => default,
        Some(word) => word
            .parse()
            .expect("load [THREADS [ENTRIES [KEY_BITS [VALUE_BITS]]]]"),
    };
    let (threads, entries) = (number(1, 1), number(2, 4_000_000));
    let (key_bits, value_bits) = (number(3, 52), number(4, 23));
    let tables = Tables::new(vec![Table::unallocated(key_bits, value_bits)], None);
    let started = Instant::now();
    let work = |thread: usize| {
        fill(
            &tables,
            thread as u64,
            entries / threads,
            key_bits,
            value_bits,
        )
    };
    let all: Vec<(usize, Duration)> = std::thread::scope(|scope| {
        let started: Vec<_> = (0..threads)
            .map(|thread| scope.spawn(move || work(thread)))
            .collect();
        started
            .into_iter()
            .map(|handle| handle.join().expect("no thread panics"))
            .collect()
    });
    let seconds = started.elapsed().as_secs_f64();
    let len = tables.read()[0].len();
    let lookups: usize = all.iter().map(|(lookups, _)| lookups).sum();
    let pause = all
        .iter()
        .map(|(_, pause)| *pause)
        .max()
        .unwrap_or_default();
    println!("entries {len}");
    println!("bytes per entry {:.1}", tables.taken() as f64 / len as f64);
    println!(
        "million lookups per second {:.2}",
        lookups as f64 / seconds / 1e6
    );
    println!(
        "million entries per second {:.2}",
        len as f64 / seconds / 1e6
    );
    println!("longest pause {:.2} ms", pause.as_secs_f64() * 1e3);
}

/// Stores entries in rounds; gives the number of lookups and the longest time that one round took.
fn fill(
    shared: &Tables,
    thread: u64,
    entries: usize,
    key_bits: usize,
    value_bits: usize,
) -> (usize, Duration) {
    let mut random = fastrand::Rng::with_seed(thread);
    let mask = |bits: usize| u64::MAX >> (64 - bits.clamp(1, 64));
    let words = key_bits.div_ceil(64).max(1);
    let last = mask(key_bits - 64 * (words - 1));
    // Half of the keys asked for at the end are there.
    let states = 2 * entries as u64;
    let mut keys = vec![0; BATCH * words];
    let mut tables = shared.read();
    let (mut stored, mut lookups, mut longest) = (0, 0, Duration::ZERO);
    let mut before = Instant::now();
    while stored < entries {
        for key in keys.chunks_exact_mut(words) {
            let state = random.u64(..states);
            key.fill(state);
            key[0] = state.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            key[words - 1] &= last;
            tables[0].touch(hash(key));
        }
        lookups += BATCH;
        let mut new = None;
        for key in keys.chunks_exact(words) {
            if tables[0].get::<u64>(key, hash(key)).is_none() {
                new = Some(key);
            }
        }
        let mut crowded = None;
        if let Some(key) = new {
            let value = key[0] & mask(value_bits);
            stored += 1;
            if tables[0].set(key, hash(key), value, value).2 == Stored::Crowded {
                crowded = Some(hash(key));
            }
        }
        if crowded.is_some() || shared.is_growing() {
            drop(tables);
            if let Some(hash) = crowded {
                shared.grow(0, hash);
            }
            tables = shared.read();
        }
        let now = Instant::now();
        longest = longest.max(now - before);
        before = now;
    }
    (lookups, longest)
}
