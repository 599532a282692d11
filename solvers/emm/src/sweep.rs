//! All reachable states, step by step, and their values, backwards.
//!
//! Where chance has a part and hardly anything can be pruned, a search that goes from state to state pays for
//! windows it does not need. Then it is faster to list all states that can be reached in one step, in two, and
//! so on, and to compute the values from the last step to the first:
//!
//! ```text
//! forwards     states with n steps left --expand--> those with n-1, each listed once
//! backwards    values with n-1 steps left --combine--> values with n
//! ```
//!
//! Words are always full here, because which states are expanded together does not matter. Each
//! state remembers its successors by number: those that ended by a number for their value, and the
//! structure of alternatives and replies (its *shape*), which few kinds of states have, once. A state
//! that is settled by successors that ended is not followed further.
//!
//! Lists are cut into chunks, which threads take as they come. A thread numbers the states that it
//! finds first on its own: number = place in its list * threads + thread.
//!
//! All of it has to be in memory, some 100 to 300 bytes a state. If that is more than allowed, or will be
//! as far as can be told ([`crate::projection`]), or time is up, the sweep is given up; nothing is lost
//! but time. Everything that grows with the number of states counts, and a part of a table that grows
//! counts twice while it does.

use crate::arena::{Arena, Node};
use crate::compile::Compiled;
use crate::expand::{Expander, Refusal};
use crate::halt::Halt;
use crate::projection::states_to_come;
use crate::units::{NewCount, Units};
use formula::Clock;
use rustc_hash::FxHashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use table::{NUMBER_BITS, Stored, Table, Tables};
use value::Numerator;

/// States of a chunk.
const CHUNK: usize = 2048;
/// Successors that are made together, about.
const BATCH: usize = 256;
/// So many successors are looked at between two looks at the limits.
const STATES_PER_LOOK: usize = 1 << 10;
/// Numbers from here on stand for values that are known.
const KNOWN: u32 = u32::MAX - (1 << 20);

/// How many states are worth listing.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    /// It is given up when more than these are expected.
    pub most: u64,
    /// No guess how many will follow is made before so many are listed.
    pub guess_from: u64,
}

/// What a sweep may use.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    /// So many threads.
    pub threads: usize,
    /// So many bytes.
    pub memory: u64,
    /// Time.
    pub clock: &'a Clock,
}

/// Why a sweep was given up.
#[derive(Clone, Copy, Debug)]
pub enum GivenUp {
    /// Too many states.
    TooLarge,
    /// A denominator is too coarse.
    NewCount(NewCount),
    /// A state has a flaw.
    Flaw,
    /// Somebody asked to stop.
    Stopped,
}

/// The structure of a state's successors.
#[derive(Clone, PartialEq, Debug)]
struct Shape<N> {
    /// For each successor its weight, and whether it ends a reply and an alternative.
    parts: Vec<(N, bool, bool)>,
}

/// Some states with the same number of steps left, and their successors.
struct Chunk<N> {
    /// Whose list they are in, and from where on.
    owner: usize,
    first: usize,
    /// The shape of each.
    states: Vec<u32>,
    shapes: Vec<Shape<N>>,
    successors: Vec<u32>,
    known: Vec<N>,
}

/// Facts of states, in rows, for each thread that found them.
type Lists = Vec<Vec<u64>>;

/// What all threads of a sweep share.
struct Shared<'a, N> {
    compiled: &'a Compiled,
    units: &'a Units<N>,
    means: Means<'a>,
    threads: usize,
    stop: AtomicBool,
    given_up: Mutex<Option<GivenUp>>,
    cuts_off: AtomicBool,
    /// States listed, and bytes that chunks, lists and the tables of earlier layers take.
    listed: AtomicU64,
    bytes: AtomicU64,
}

/// What a sweep found.
pub struct Swept<N> {
    /// The value at the root.
    pub value: N,
    /// A table of values for each number of steps left, from 1.
    pub tables: Vec<Table>,
    /// States expanded.
    pub states: u64,
    /// Whether some play was not over after the last step.
    pub cuts_off: bool,
}

/// Finds the value of a state that is not terminal, with so many steps left (at least one).
///
/// It is given up when more states follow than are worth it, by a rough guess. `look` is called now and
/// then with the number of states so far and the bytes that they take; if it says `false` the sweep is
/// given up.
///
/// # Errors
/// Why it was given up.
pub fn sweep<N: Numerator>(
    compiled: &Compiled,
    units: &Units<N>,
    means: Means<'_>,
    root: &[u64],
    steps: usize,
    expected: Expected,
    mut look: impl FnMut(u64, u64) -> bool,
) -> Result<Swept<N>, GivenUp> {
    let threads = means.threads;
    let shared = Shared {
        compiled,
        units,
        means,
        threads,
        stop: AtomicBool::new(false),
        given_up: Mutex::new(None),
        cuts_off: AtomicBool::new(false),
        listed: AtomicU64::new(1),
        bytes: AtomicU64::new(0),
    };
    let mut lists: Lists = vec![Vec::new(); threads];
    lists[0].extend_from_slice(root);
    let mut layers: Vec<Vec<Chunk<N>>> = Vec::new();
    let mut sizes: Vec<Vec<usize>> = Vec::new();
    let mut tables: Vec<Tables> = Vec::new();
    let mut totals = Vec::new();
    let row = root.len();
    let mut left = steps;
    while left > 0 && lists.iter().any(|list| !list.is_empty()) {
        sizes.push(lists.iter().map(|list| list.len() / row).collect());
        // The next layer is hardly smaller than this one.
        let room = lists.iter().map(Vec::len).sum::<usize>() / row;
        totals.push(room);
        let enough = expected.most as f64;
        if shared.listed.load(Ordering::Relaxed) >= expected.guess_from
            && states_to_come(&totals, left, enough) > enough
        {
            return Err(GivenUp::TooLarge);
        }
        let key_bits = compiled.keys.width();
        let bits = units.value_bits(left - 1).max(NUMBER_BITS);
        if !shared.has_room_for(Table::bytes_with_room(key_bits, bits, room)) {
            return Err(GivenUp::TooLarge);
        }
        let next_tables = Tables::new(vec![Table::with_room(key_bits, bits, room)], None);
        let (chunks, next) = shared.forwards(&lists, left, &next_tables, &mut look);
        if let Some(why) = *shared.given_up.lock().expect("no thread panics") {
            return Err(why);
        }
        shared
            .bytes
            .fetch_add(next_tables.taken(), Ordering::Relaxed);
        shared.bytes.fetch_sub(
            8 * lists.iter().map(Vec::len).sum::<usize>() as u64,
            Ordering::Relaxed,
        );
        layers.push(chunks);
        tables.push(next_tables);
        lists = next;
        left -= 1;
    }
    let states = shared.listed.load(Ordering::Relaxed);
    // The values of a layer exist twice while they are put in order, beside those of the layer behind.
    let one = &units.ones[steps];
    let largest = totals.iter().max().copied().unwrap_or(0);
    if !shared.has_room_for((3 * largest * (size_of::<N>() + one.heap_bytes())) as u64) {
        return Err(GivenUp::TooLarge);
    }
    // The values of the states of the layer behind; nothing is behind the last one.
    let mut values: Vec<Vec<N>> = vec![Vec::new(); threads];
    let mut done: Vec<Table> = Vec::new();
    let mut bytes = shared.bytes.load(Ordering::Relaxed);
    while let (Some(chunks), Some(sizes), Some(mut table)) =
        (layers.pop(), sizes.pop(), tables.pop())
    {
        if !look(states, bytes) {
            return Err(GivenUp::Stopped);
        }
        let number = |number: u32| {
            let number = number as usize;
            values[number % threads][number / threads].clone()
        };
        let mut table = table.get_mut().pop().expect("there is one");
        table.replace_numbers(number);
        done.push(table);
        bytes = bytes.saturating_sub(chunks.iter().map(Chunk::bytes).sum());
        values = backwards(&chunks, &sizes, &values, threads);
    }
    done.reverse();
    Ok(Swept {
        value: values[0][0].clone(),
        tables: done,
        states,
        cuts_off: shared.cuts_off.load(Ordering::Relaxed),
    })
}

impl<N: Numerator> Chunk<N> {
    fn bytes(&self) -> u64 {
        let parts = |shape: &Shape<N>| shape.parts.capacity() * size_of::<(N, bool, bool)>();
        let shapes: usize = self.shapes.iter().map(parts).sum();
        let lists = 4 * (self.states.capacity() + self.successors.capacity());
        let known = self.known.capacity() * size_of::<N>();
        (size_of::<Self>() + lists + shapes + known) as u64
    }
}

impl<N: Numerator> Shared<'_, N> {
    fn halt(&self) -> Halt<'_> {
        Halt::new(self.means.clock, Some(&self.stop))
    }

    /// What a chunk may take, in bytes.
    fn most_bytes(&self) -> u64 {
        self.means.memory / 8 / self.threads as u64
    }

    fn give_up(&self, why: GivenUp) {
        let mut found = self.given_up.lock().expect("no thread panics");
        found.get_or_insert(why);
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether so many bytes more may be taken.
    fn has_room_for(&self, bytes: u64) -> bool {
        self.bytes.load(Ordering::Relaxed).saturating_add(bytes) <= self.means.memory
    }

    /// Expands all states of a layer; gives them as chunks, and the next layer.
    fn forwards(
        &self,
        lists: &Lists,
        steps: usize,
        tables: &Tables,
        look: &mut impl FnMut(u64, u64) -> bool,
    ) -> (Vec<Chunk<N>>, Lists) {
        let row = self.compiled.facts.len().div_ceil(64).max(1);
        let ranges: Vec<(usize, usize, usize)> = (0..self.threads)
            .flat_map(|owner| {
                let len = lists[owner].len() / row;
                let firsts = (0..len).step_by(CHUNK);
                firsts.map(move |first| (owner, first, (first + CHUNK).min(len)))
            })
            .collect();
        let taken = AtomicUsize::new(0);
        let work = |thread: usize, look: &mut dyn FnMut(u64, u64) -> bool| {
            let mut sweeper = Sweeper::new(self, thread, steps);
            let mut chunks = Vec::new();
            while let Some(&range) = ranges.get(taken.fetch_add(1, Ordering::Relaxed)) {
                let before = sweeper.found.len();
                match sweeper.chunk(lists, range, tables) {
                    Ok(chunk) => {
                        let new = sweeper.found.len() - before;
                        self.listed.fetch_add((new / row) as u64, Ordering::Relaxed);
                        let bytes = chunk.bytes() + 8 * new as u64;
                        self.bytes.fetch_add(bytes, Ordering::Relaxed);
                        chunks.push(chunk);
                    }
                    Err(why) => self.give_up(why),
                }
                let states = self.listed.load(Ordering::Relaxed);
                if !self.has_room_for(tables.taken()) {
                    self.give_up(GivenUp::TooLarge);
                }
                if !look(states, self.bytes.load(Ordering::Relaxed) + tables.taken()) {
                    self.give_up(GivenUp::Stopped);
                }
                if self.stop.load(Ordering::Relaxed) {
                    break;
                }
            }
            self.cuts_off
                .fetch_or(sweeper.expander.cuts_off, Ordering::Relaxed);
            (chunks, sweeper.found)
        };
        let helpers = self.threads.min(ranges.len()).max(1);
        let mut all = Vec::new();
        let mut next: Lists = vec![Vec::new(); self.threads];
        thread::scope(|scope| {
            let start = |thread: usize| {
                let work = move || work(thread, &mut |_, _| true);
                let started = thread::Builder::new().spawn_scoped(scope, work);
                started.ok().map(|handle| (thread, handle))
            };
            let started: Vec<_> = (1..helpers).filter_map(start).collect();
            let (chunks, found) = work(0, look);
            all.extend(chunks);
            next[0] = found;
            for (thread, handle) in started {
                let (chunks, found) = handle.join().expect("no thread panics");
                all.extend(chunks);
                next[thread] = found;
            }
        });
        all.sort_by_key(|chunk| (chunk.owner, chunk.first));
        (all, next)
    }
}

/// One thread on its way forwards.
struct Sweeper<'a, N> {
    shared: &'a Shared<'a, N>,
    thread: usize,
    steps: usize,
    arena: Arena<N>,
    expander: Expander<'a>,
    batch: Vec<u32>,
    width: usize,
    /// Facts of the states found first by this thread.
    found: Vec<u64>,
    count: usize,
    /// Successors looked at.
    made: usize,
}

impl<'a, N: Numerator> Sweeper<'a, N> {
    fn new(shared: &'a Shared<'a, N>, thread: usize, steps: usize) -> Self {
        let memory = shared.means.memory / 2 / shared.threads as u64;
        let most_nodes = shared.compiled.most_nodes(Some(memory));
        Sweeper {
            shared,
            thread,
            steps,
            arena: shared.compiled.arena(),
            expander: Expander::new(shared.compiled, most_nodes, shared.halt()),
            batch: Vec::new(),
            width: 8,
            found: Vec::new(),
            count: 0,
            made: 0,
        }
    }

    /// Expands the states of a chunk.
    fn chunk(
        &mut self,
        lists: &Lists,
        (owner, first, end): (usize, usize, usize),
        tables: &Tables,
    ) -> Result<Chunk<N>, GivenUp> {
        let row = self.arena.fact_words();
        let mut chunk = Chunk {
            owner,
            first,
            states: Vec::with_capacity(end - first),
            shapes: Vec::new(),
            successors: Vec::with_capacity((end - first) * self.width),
            known: Vec::new(),
        };
        let mut shapes = Shapes::default();
        let mut place = first;
        while place < end {
            let states = (BATCH / self.width).clamp(1, 64).min(end - place);
            self.arena.truncate(0);
            self.batch.clear();
            for state in 0..states {
                let one = self.shared.units.ones[self.steps].clone();
                self.arena.push(Node::open(one));
                let facts = &lists[owner][(place + state) * row..][..row];
                self.arena.facts_mut(state).copy_from_slice(facts);
                self.batch.push(state as u32);
            }
            let units = self.shared.units;
            self.expander
                .expand(&mut self.arena, &self.batch, self.steps, units)
                .map_err(|refusal| match refusal {
                    Refusal::NewCount(new) => GivenUp::NewCount(new),
                    Refusal::TooLarge => GivenUp::TooLarge,
                    Refusal::Flaw(_) => GivenUp::Flaw,
                    Refusal::Stopped(_) => GivenUp::Stopped,
                })?;
            let width = (self.arena.nodes.len() - states).div_ceil(states);
            self.width = (3 * self.width + width).div_ceil(4).max(1);
            self.record(states, tables, &mut chunk, &mut shapes)?;
            if chunk.bytes() > self.shared.most_bytes() {
                return Err(GivenUp::TooLarge);
            }
            place += states;
        }
        chunk.successors.shrink_to_fit();
        Ok(chunk)
    }

    /// Notes the successors of the states of a batch.
    fn record(
        &mut self,
        states: usize,
        tables: &Tables,
        chunk: &mut Chunk<N>,
        shapes: &mut Shapes,
    ) -> Result<(), GivenUp> {
        let keys = &self.shared.compiled.keys;
        let mut table = tables.read();
        for state in 0..states {
            self.arena.combine(state);
            let node = &self.arena.nodes[state];
            if node.is_known() {
                continue;
            }
            let successors = node.first as usize..(node.first + node.count) as usize;
            for successor in successors {
                self.made += 1;
                if self.made.is_multiple_of(STATES_PER_LOOK) && !self.shared.halt().go_on() {
                    return Err(GivenUp::Stopped);
                }
                if !self.arena.nodes[successor].is_known() {
                    table[0].touch(self.arena.set_key(successor, keys));
                }
            }
        }
        for state in 0..states {
            let node = &self.arena.nodes[state];
            let (first, count) = (node.first as usize, node.count as usize);
            if node.is_known() {
                let value = node.lower.clone();
                let shape = shapes.settled(chunk);
                chunk.states.push(shape);
                let value = known(&mut chunk.known, &value)?;
                chunk.successors.push(value);
                continue;
            }
            let shape = shapes.of(&self.arena.nodes[first..first + count], &mut chunk.shapes);
            chunk.states.push(shape);
            for successor in first..first + count {
                let node = &self.arena.nodes[successor];
                if node.is_known() {
                    let value = known(&mut chunk.known, &node.lower)?;
                    chunk.successors.push(value);
                    continue;
                }
                let threads = self.shared.threads;
                let new = self.count * threads + self.thread;
                if new >= KNOWN as usize {
                    return Err(GivenUp::TooLarge);
                }
                let (key, hash) = (self.arena.key(successor), self.arena.hash(successor));
                let (number, stored) = table[0].number::<N>(key, hash, new as u32);
                chunk.successors.push(number);
                if number == new as u32 {
                    self.found.extend_from_slice(self.arena.facts(successor));
                    self.count += 1;
                }
                if stored == Stored::Crowded || tables.is_growing() {
                    let both = table[0].bytes() + table[0].bytes_to_grow(hash);
                    if stored == Stored::Crowded && !self.shared.has_room_for(both) {
                        return Err(GivenUp::TooLarge);
                    }
                    drop(table);
                    if stored == Stored::Crowded {
                        tables.grow(0, hash);
                    }
                    table = tables.read();
                }
            }
        }
        Ok(())
    }
}

/// The number that stands for a known value.
fn known<N: Numerator>(known: &mut Vec<N>, value: &N) -> Result<u32, GivenUp> {
    let place = match known.iter().position(|other| other == value) {
        Some(place) => place,
        None => {
            known.push(value.clone());
            known.len() - 1
        }
    };
    match KNOWN.checked_add(place as u32) {
        Some(number) if place < (1 << 20) => Ok(number),
        _ => Err(GivenUp::TooLarge),
    }
}

/// Finds shapes that were seen before.
#[derive(Default)]
struct Shapes {
    by_hash: FxHashMap<u64, Vec<u32>>,
    settled: Option<u32>,
}

impl Shapes {
    /// The shape of a state with one successor, whose value is its own.
    fn settled<N: Numerator>(&mut self, chunk: &mut Chunk<N>) -> u32 {
        *self.settled.get_or_insert_with(|| {
            chunk.shapes.push(Shape {
                parts: vec![(N::one(), true, true)],
            });
            chunk.shapes.len() as u32 - 1
        })
    }

    /// The shape of a state with these successors.
    fn of<N: Numerator>(&mut self, nodes: &[Node<N>], shapes: &mut Vec<Shape<N>>) -> u32 {
        let mut hash = nodes.len() as u64;
        for node in nodes {
            let ends = u64::from(node.ends_reply) + u64::from(node.ends_alternative);
            hash = (hash.rotate_left(7) ^ node.weight.word(0) ^ ends)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15);
        }
        let same = |shape: &Shape<N>| {
            let parts = nodes.iter().zip(&shape.parts);
            shape.parts.len() == nodes.len()
                && parts
                    .into_iter()
                    .all(|(node, (weight, reply, alternative))| {
                        node.weight == *weight
                            && node.ends_reply == *reply
                            && node.ends_alternative == *alternative
                    })
        };
        let numbers = self.by_hash.entry(hash).or_default();
        if let Some(&number) = numbers.iter().find(|&&n| same(&shapes[n as usize])) {
            return number;
        }
        let part = |node: &Node<N>| (node.weight.clone(), node.ends_reply, node.ends_alternative);
        shapes.push(Shape {
            parts: nodes.iter().map(part).collect(),
        });
        let number = shapes.len() as u32 - 1;
        numbers.push(number);
        number
    }
}

/// The values of a layer from those of the layer behind.
fn backwards<N: Numerator>(
    chunks: &[Chunk<N>],
    sizes: &[usize],
    behind: &[Vec<N>],
    threads: usize,
) -> Vec<Vec<N>> {
    let taken = AtomicUsize::new(0);
    let work = || {
        let mut results = Vec::new();
        loop {
            let number = taken.fetch_add(1, Ordering::Relaxed);
            let Some(chunk) = chunks.get(number) else {
                return results;
            };
            results.push((number, chunk.values(behind)));
        }
    };
    let mut results = thread::scope(|scope| {
        let helpers = threads.min(chunks.len()).max(1);
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let started: Vec<_> = (1..helpers).filter_map(start).collect();
        let mut results = work();
        for handle in started {
            results.extend(handle.join().expect("no thread panics"));
        }
        results
    });
    results.sort_by_key(|(number, _)| *number);
    let mut values: Vec<Vec<N>> = sizes.iter().map(|&size| Vec::with_capacity(size)).collect();
    for (number, found) in results {
        values[chunks[number].owner].extend(found);
    }
    values
}

impl<N: Numerator> Chunk<N> {
    /// The values of the states, in order.
    fn values(&self, behind: &[Vec<N>]) -> Vec<N> {
        let threads = behind.len();
        let mut successors = self.successors.iter();
        let state = |&shape: &u32| {
            let (mut best, mut worst) = (N::zero(), None::<N>);
            let mut sum = N::zero();
            for (weight, ends_reply, ends_alternative) in &self.shapes[shape as usize].parts {
                let number = *successors.next().expect("each part has one");
                let value = match number.checked_sub(KNOWN) {
                    Some(place) => &self.known[place as usize],
                    None => &behind[number as usize % threads][number as usize / threads],
                };
                sum = sum.plus(&weight.times(value));
                if *ends_reply {
                    let sum = std::mem::replace(&mut sum, N::zero());
                    let smallest = match worst.take() {
                        Some(worst) => worst.min(sum),
                        None => sum,
                    };
                    if *ends_alternative {
                        best = best.max(smallest);
                    } else {
                        worst = Some(smallest);
                    }
                }
            }
            best
        };
        self.states.iter().map(state).collect()
    }
}
