//! Backward induction: all reachable states, layer by layer, and their values from the last layer to the
//! first.
//!
//! Where chance has a part and hardly anything can be pruned, a search that goes from state to state pays for
//! windows it does not need. Then it is faster to list all states of each layer that can be reached, and to
//! compute the values backwards:
//!
//! ```text
//! forwards     states of layer n --expand--> those of layer n-1, each listed once
//! backwards    values of layer n-1 --combine--> values of layer n
//! ```
//!
//! Words are always full here, because which states are expanded together does not matter. Each
//! state remembers its successors by number: those that ended by a number for their value, and the
//! tree above them (its *shape*), which few kinds of states have, once. A state that is settled by
//! successors that ended is not followed further.
//!
//! Lists are cut into chunks, which threads take as they come. A thread numbers the states that it
//! finds first on its own: number = place in its list * threads + thread.
//!
//! All of it has to be in memory, some 100 to 300 bytes a state. If that is more than allowed, or will be
//! as far as can be told (`projection`), the states listed so far give bounds: those of the first layer
//! that was not expanded count 0 and 1. So the lower bound is the probability to win within some steps, and
//! the upper one what is left of 1 by losing within them. Everything that grows with the number of states counts, and a part of a table that grows
//! counts twice while it does.

use crate::bounds::{BATCH, CHUNK, MADE_PER_LOOK};
use crate::denominators::{NewShare, Scale};
use crate::expansion::{Expansion, Refusal};
use crate::game::{StochasticGame, set_key};
use crate::projection::states_to_come;
use crate::question::Question;
use crate::shape::{Shape, Shapes, is_leaf};
use crate::tree::{Node, Tree};
use limits::Clock;
use limits::Halt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use table::{Exact, Stored, Table, Tables};
use value::Numerator;

/// Numbers from here on stand for values that are known.
const KNOWN: u32 = u32::MAX - (1 << 20);

/// How many states are worth listing.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    /// It is given up when more than these are expected.
    pub most: u64,
    /// The number of states that are listed before anybody guesses how many will follow.
    pub guess_from: u64,
    /// It is given up when more than these are listed.
    pub max_listed: u64,
}

/// What may be used.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    /// The number of threads.
    pub threads: usize,
    /// Memory in bytes.
    pub memory: u64,
    /// Time.
    pub clock: &'a Clock,
}

/// Why it was given up.
#[derive(Clone, Copy, Debug)]
pub enum GivenUp {
    /// Too many states.
    TooLarge,
    /// A denominator is too coarse.
    NewShare(NewShare),
    /// A state has no value.
    Flaw,
    /// Somebody asked to stop.
    Stopped,
}

/// Some states of a layer, and their successors.
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

/// Words of states, for each thread that found them.
type Lists = Vec<Vec<u64>>;

/// A layer whose states have all been expanded.
struct Layer<N> {
    chunks: Vec<Chunk<N>>,
    /// The number of states in each list.
    sizes: Vec<usize>,
    /// The numbers of the states behind.
    numbers: Tables,
}

impl<N> Layer<N> {
    fn states(&self) -> usize {
        self.sizes.iter().sum()
    }
}

/// What all threads share.
struct Shared<'a, G, N> {
    game: &'a G,
    scale: &'a Scale<N>,
    means: Means<'a>,
    threads: usize,
    max_listed: u64,
    stop: AtomicBool,
    given_up: Mutex<Option<GivenUp>>,
    cuts_off: AtomicBool,
    /// States listed, and bytes that chunks, lists and the tables of earlier layers take.
    listed: AtomicU64,
    bytes: AtomicU64,
}

/// What was found.
pub struct Listed<N> {
    /// The value of the state asked about is at least this.
    pub lower: N,
    /// It is at most this; the same if all states were listed.
    pub upper: N,
    /// The values of each layer behind, the nearest first, if all states were listed; else nothing.
    pub layers: Vec<Exact>,
    /// States expanded.
    pub states: u64,
    /// Whether some play was not over after the last step.
    pub cuts_off: bool,
}

/// Finds the value that a question asks for, or bounds of it if there are too many states.
///
/// The listing ends when more states follow than are worth it, by a rough guess. Then a state of the first layer
/// that was not expanded counts 0 for the lower bound, and 1 for the upper one. `look` is called now and then with
/// the number of states so far and the bytes that they take; if it says `false`, all is given up.
///
/// # Errors
/// Why it was given up.
pub fn induct<G: StochasticGame, N: Numerator>(
    question: Question<'_, G>,
    scale: &Scale<N>,
    means: Means<'_>,
    expected: Expected,
    mut look: impl FnMut(u64, u64) -> bool,
) -> Result<Listed<N>, GivenUp> {
    let threads = means.threads;
    let game = question.game;
    let shared = Shared {
        game,
        scale,
        means,
        threads,
        max_listed: expected.max_listed,
        stop: AtomicBool::new(false),
        given_up: Mutex::new(None),
        cuts_off: AtomicBool::new(false),
        listed: AtomicU64::new(1),
        bytes: AtomicU64::new(0),
    };
    let mut lists: Lists = vec![Vec::new(); threads];
    let words = game.rows(question.layer).state;
    lists[0].extend_from_slice(&question.state[..words]);
    let mut layers: Vec<Layer<N>> = Vec::new();
    let mut layer = question.layer;
    let is_whole = loop {
        let words = game.rows(layer).state;
        let sizes: Vec<usize> = lists.iter().map(|list| list.len() / words).collect();
        // The next layer is hardly smaller than this one.
        let room = sizes.iter().sum();
        if layer == 0 || room == 0 {
            break true;
        }
        let totals = layers.iter().map(Layer::states).chain([room]);
        let enough = expected.most as f64;
        let is_large = shared.listed.load(Ordering::Relaxed) >= expected.guess_from
            && states_to_come(&totals.collect::<Vec<_>>(), layer, enough) > enough;
        let key_bits = game.key_bits(layer - 1);
        if is_large || !shared.has_room_for(Table::bytes_for_numbers(key_bits, room)) {
            break false;
        }
        let numbers = Tables::new(vec![Table::for_numbers(key_bits, room)], None);
        let (chunks, next) = shared.forwards(&lists, layer, &numbers, &mut look);
        match *shared.given_up.lock().expect("no thread panics") {
            Some(GivenUp::TooLarge) => break false,
            Some(why) => return Err(why),
            None => {}
        }
        let bytes = &shared.bytes;
        bytes.fetch_add(numbers.taken(), Ordering::Relaxed);
        let done: usize = lists.iter().map(Vec::len).sum();
        bytes.fetch_sub(8 * done as u64, Ordering::Relaxed);
        layers.push(Layer {
            chunks,
            sizes,
            numbers,
        });
        lists = next;
        layer -= 1;
    };
    let words = game.rows(layer).state;
    let sizes: Vec<usize> = lists.iter().map(|list| list.len() / words).collect();
    drop(lists);
    let states = shared.listed.load(Ordering::Relaxed);
    // The values of a layer exist twice while they are put in order, beside those of the layer behind; in the
    // end all of them are there, packed.
    let one = &scale.ones[question.layer];
    let largest = layers.iter().map(Layer::states).max().unwrap_or(0);
    let largest = largest.max(sizes.iter().sum());
    let unpacked = 3 * largest * (size_of::<N>() + one.heap_bytes());
    let packed = states * scale.value_bits(question.layer) as u64 / 8;
    if layers.is_empty() || !shared.has_room_for(unpacked as u64 + packed) {
        return Err(GivenUp::TooLarge);
    }
    // All states of the layer behind are worth the same; if all were listed, there are none.
    let all_worth = |worth: &N| -> Vec<Vec<N>> {
        let list = |&size: &usize| vec![worth.clone(); size];
        sizes.iter().map(list).collect()
    };
    let mut bytes = shared.bytes.load(Ordering::Relaxed);
    let mut keep_on = |bytes: u64| match look(states, bytes) {
        true => Ok(()),
        false => Err(GivenUp::Stopped),
    };
    let mut listed = Listed {
        lower: N::zero(),
        upper: N::zero(),
        layers: Vec::new(),
        states,
        cuts_off: shared.cuts_off.load(Ordering::Relaxed),
    };
    if !is_whole {
        for (bound, worth) in [
            (&mut listed.lower, &N::zero()),
            (&mut listed.upper, &scale.ones[layer]),
        ] {
            let mut values = all_worth(worth);
            for layer in layers.iter().rev() {
                keep_on(bytes)?;
                values = backwards(layer, &values);
            }
            *bound = values[0][0].clone();
        }
        return Ok(listed);
    }
    let mut values = all_worth(&N::zero());
    while let Some(mut done) = layers.pop() {
        keep_on(bytes)?;
        let found = backwards(&done, &values);
        bytes = bytes.saturating_sub(done.chunks.iter().map(Chunk::bytes).sum());
        let numbers = done.numbers.get_mut().pop().expect("there is one");
        drop(done);
        let value_bits = scale.value_bits(layer);
        listed.layers.push(Exact::new(numbers, &values, value_bits));
        values = found;
        layer += 1;
    }
    listed.layers.reverse();
    listed.lower = values[0][0].clone();
    listed.upper = listed.lower.clone();
    Ok(listed)
}

impl<N: Numerator> Chunk<N> {
    fn bytes(&self) -> u64 {
        let shapes: usize = self.shapes.iter().map(Shape::bytes).sum();
        let lists = 4 * (self.states.capacity() + self.successors.capacity());
        let known = self.known.capacity() * size_of::<N>();
        (size_of::<Self>() + lists + shapes + known) as u64
    }
}

impl<G: StochasticGame, N: Numerator> Shared<'_, G, N> {
    fn halt(&self) -> Halt<'_> {
        Halt::new(self.means.clock, Some(&self.stop))
    }

    /// What a chunk may take, in bytes.
    fn max_bytes(&self) -> u64 {
        self.means.memory / 8 / self.threads as u64
    }

    fn give_up(&self, why: GivenUp) {
        let mut found = self.given_up.lock().expect("no thread panics");
        found.get_or_insert(why);
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether this much more memory may be taken, in bytes.
    fn has_room_for(&self, bytes: u64) -> bool {
        self.bytes.load(Ordering::Relaxed).saturating_add(bytes) <= self.means.memory
    }

    /// Expands all states of a layer; gives them as chunks, and the states of the next layer.
    fn forwards(
        &self,
        lists: &Lists,
        layer: usize,
        tables: &Tables,
        look: &mut impl FnMut(u64, u64) -> bool,
    ) -> (Vec<Chunk<N>>, Lists) {
        let words = self.game.rows(layer).state;
        let words_next = self.game.rows(layer - 1).state;
        let ranges: Vec<(usize, usize, usize)> = (0..self.threads)
            .flat_map(|owner| {
                let len = lists[owner].len() / words;
                let firsts = (0..len).step_by(CHUNK);
                firsts.map(move |first| (owner, first, (first + CHUNK).min(len)))
            })
            .collect();
        let taken = AtomicUsize::new(0);
        let work = |thread: usize, look: &mut dyn FnMut(u64, u64) -> bool| {
            let mut lister = Lister::new(self, thread, layer);
            let mut chunks = Vec::new();
            while let Some(&range) = ranges.get(taken.fetch_add(1, Ordering::Relaxed)) {
                let before = lister.found.len();
                match lister.chunk(lists, range, tables) {
                    Ok(chunk) => {
                        let new = lister.found.len() - before;
                        let states = (new / words_next) as u64;
                        self.listed.fetch_add(states, Ordering::Relaxed);
                        let bytes = chunk.bytes() + 8 * new as u64;
                        self.bytes.fetch_add(bytes, Ordering::Relaxed);
                        chunks.push(chunk);
                    }
                    Err(why) => self.give_up(why),
                }
                let states = self.listed.load(Ordering::Relaxed);
                if states > self.max_listed || !self.has_room_for(tables.taken()) {
                    self.give_up(GivenUp::TooLarge);
                }
                if !look(states, self.bytes.load(Ordering::Relaxed) + tables.taken()) {
                    self.give_up(GivenUp::Stopped);
                }
                if self.stop.load(Ordering::Relaxed) {
                    break;
                }
            }
            (chunks, lister.found)
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
struct Lister<'a, G: StochasticGame, N> {
    shared: &'a Shared<'a, G, N>,
    thread: usize,
    layer: usize,
    max_nodes: usize,
    workspace: G::Workspace,
    tree: Tree<N>,
    batch: Vec<u32>,
    width: usize,
    /// Words of the states found first by this thread.
    found: Vec<u64>,
    count: usize,
    /// Successors looked at.
    made: usize,
}

impl<'a, G: StochasticGame, N: Numerator> Lister<'a, G, N> {
    fn new(shared: &'a Shared<'a, G, N>, thread: usize, layer: usize) -> Self {
        const MAX_NODES: usize = 1 << 22;
        let memory = shared.means.memory / 4 / shared.threads as u64;
        let node = size_of::<Node<N>>() + 8 * shared.game.rows(layer).words();
        Lister {
            shared,
            thread,
            layer,
            max_nodes: MAX_NODES.min(memory as usize / node),
            workspace: shared.game.workspace(),
            tree: Tree::default(),
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
        let shared = self.shared;
        let rows = shared.game.rows(self.layer);
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
            self.batch.clear();
            self.tree.clear();
            for state in place..place + states {
                let words = &lists[owner][state * rows.state..][..rows.state];
                let one = shared.scale.ones[self.layer].clone();
                self.batch.push(self.tree.add_root(words, rows, one));
            }
            self.expand()?;
            let width = (self.tree.nodes.len() - states).div_ceil(states);
            self.width = (3 * self.width + width).div_ceil(4).max(1);
            self.record(tables, &mut chunk, &mut shapes)?;
            if chunk.bytes() > shared.max_bytes() {
                return Err(GivenUp::TooLarge);
            }
            place += states;
        }
        chunk.successors.shrink_to_fit();
        Ok(chunk)
    }

    /// Expands the states of a batch, and computes what is known of them.
    fn expand(&mut self) -> Result<(), GivenUp> {
        let shared = self.shared;
        let halt = shared.halt();
        let rows = shared.game.rows(self.layer - 1);
        let (tree, max_nodes) = (&mut self.tree, self.max_nodes);
        let mut expansion = Expansion::new(tree, shared.scale, self.layer, rows, &halt, max_nodes);
        let expanded = shared
            .game
            .expand(&self.batch, &mut self.workspace, &mut expansion);
        if expansion.cuts_off {
            shared.cuts_off.store(true, Ordering::Relaxed);
        }
        expanded.map_err(|refusal| match refusal {
            Refusal::NewShare(new) => GivenUp::NewShare(new),
            Refusal::TooLarge => GivenUp::TooLarge,
            Refusal::Flaw(_) => GivenUp::Flaw,
            Refusal::Stopped(_) => GivenUp::Stopped,
        })?;
        self.tree.note_ends(&self.batch);
        self.tree
            .combine_all(self.batch.len()..self.tree.nodes.len());
        (0..self.batch.len()).for_each(|state| self.tree.combine(state));
        Ok(())
    }

    /// Notes the successors of the states of a batch.
    fn record(
        &mut self,
        tables: &Tables,
        chunk: &mut Chunk<N>,
        shapes: &mut Shapes,
    ) -> Result<(), GivenUp> {
        let mut table = tables.read();
        for node in self.batch.len()..self.tree.nodes.len() {
            self.made += 1;
            if self.made.is_multiple_of(MADE_PER_LOOK) && !self.shared.halt().go_on() {
                return Err(GivenUp::Stopped);
            }
            let found = &self.tree.nodes[node];
            if found.is_state() && !found.is_known() {
                let (game, layer) = (self.shared.game, self.layer - 1);
                table[0].touch(set_key(game, &mut self.tree, node, layer));
            }
        }
        let rows = self.shared.game.rows(self.layer - 1);
        let threads = self.shared.threads;
        for state in 0..self.batch.len() {
            let here = &self.tree.nodes[state];
            if here.is_known() {
                let value = here.lower.clone();
                let shape = shapes.settled(&mut chunk.shapes);
                chunk.states.push(shape);
                chunk.successors.push(known(&mut chunk.known, &value)?);
                continue;
            }
            let shape = shapes.of(&self.tree, state, &mut chunk.shapes);
            chunk.states.push(shape);
            for node in self.tree.all_below(state) {
                let found = &self.tree.nodes[node];
                if !is_leaf(found) {
                    continue;
                }
                if found.is_known() {
                    chunk
                        .successors
                        .push(known(&mut chunk.known, &found.lower)?);
                    continue;
                }
                let new = self.count * threads + self.thread;
                if new >= KNOWN as usize {
                    return Err(GivenUp::TooLarge);
                }
                let (key, hash) = (self.tree.key(node, rows), self.tree.hash(node, rows));
                let (number, stored) = table[0].set_number(key, hash, new as u32);
                chunk.successors.push(number);
                if number == new as u32 {
                    self.found.extend_from_slice(self.tree.state(node, rows));
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

/// The values of a layer from those of the layer behind, one list for each thread.
fn backwards<N: Numerator>(layer: &Layer<N>, behind: &[Vec<N>]) -> Vec<Vec<N>> {
    let Layer { chunks, sizes, .. } = layer;
    let threads = behind.len();
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
        let value = |number: u32| match number.checked_sub(KNOWN) {
            Some(place) => &self.known[place as usize],
            None => &behind[number as usize % threads][number as usize / threads],
        };
        let (mut place, mut values) = (0, Vec::new());
        let state = |&shape: &u32| {
            let shape = &self.shapes[shape as usize];
            let successors = &self.successors[place..place + shape.leaves];
            place += shape.leaves;
            shape.value(successors.iter().map(|&number| value(number)), &mut values)
        };
        self.states.iter().map(state).collect()
    }
}
