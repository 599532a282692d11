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

use crate::bounds::{CHUNK, MADE_PER_LOOK};
use crate::projection::states_to_come;
use crate::question::Question;
use arena::Batch;
use arena::MAX_BATCH;
use arena::Node;
use arena::Refusal;
use arena::{Chunk, KNOWN};
use arena::{NewShare, Scale};
use arena::{StochasticGame, set_key};
use base::table::{ExactValues, Stored, Table, Tables};
use base::value::Numerator;
use limits::{Interrupt, Limits, fork_join, share_out};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

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

/// The threads, memory and time that may be used.
#[derive(Clone, Copy)]
pub struct Resources<'a> {
    /// The number of threads.
    pub threads: usize,
    /// Memory in bytes.
    pub memory: u64,
    /// Time.
    pub limits: &'a Limits,
}

/// The reason why it was given up.
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

/// Some states of a list, and their successors.
struct Section<N> {
    /// The index of the list that they are in, and of the first of them in it.
    owner: usize,
    first: usize,
    chunk: Chunk<N>,
}

/// Words of states, for each thread that found them.
type Lists = Vec<Vec<u64>>;

/// A layer whose states have all been expanded.
struct Layer<N> {
    sections: Vec<Section<N>>,
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

/// The state that all threads share.
struct Shared<'a, G, N> {
    game: &'a G,
    scale: &'a Scale<N>,
    resources: Resources<'a>,
    threads: usize,
    max_listed: u64,
    /// Raised when it is given up.
    stop: Interrupt,
    limits: Limits,
    given_up: Mutex<Option<GivenUp>>,
    cuts_off: AtomicBool,
    /// States listed, and bytes that chunks, lists and the tables of earlier layers take.
    listed: AtomicU64,
    bytes: AtomicU64,
}

/// The result of backward induction.
pub struct Induction<N> {
    /// The value of the state asked about is at least this.
    pub lower: N,
    /// It is at most this; the same if all states were listed.
    pub upper: N,
    /// The values of each layer behind, the nearest first, if all states were listed; else nothing.
    pub layers: Vec<ExactValues>,
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
/// The reason why it was given up.
pub fn induct<G: StochasticGame, N: Numerator>(
    question: Question<'_, G>,
    scale: &Scale<N>,
    resources: Resources<'_>,
    expected: Expected,
    mut look: impl FnMut(u64, u64) -> bool,
) -> Result<Induction<N>, GivenUp> {
    let threads = resources.threads;
    let game = question.game;
    let stop = Interrupt::default();
    let shared = Shared {
        game,
        scale,
        limits: resources.limits.or_when(&stop),
        resources,
        threads,
        max_listed: expected.max_listed,
        stop,
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
        let (sections, next) = shared.forwards(&lists, layer, &numbers, &mut look);
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
            sections,
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
    let mut listed = Induction {
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
        let sections = done.sections.iter();
        bytes = bytes.saturating_sub(sections.map(|it| it.chunk.bytes() as u64).sum());
        let numbers = done.numbers.get_mut().pop().expect("there is one");
        drop(done);
        let value_bits = scale.value_bits(layer);
        listed
            .layers
            .push(ExactValues::new(numbers, &values, value_bits));
        values = found;
        layer += 1;
    }
    listed.layers.reverse();
    listed.lower = values[0][0].clone();
    listed.upper = listed.lower.clone();
    Ok(listed)
}

impl<G: StochasticGame, N: Numerator> Shared<'_, G, N> {
    /// The bytes that a chunk may take.
    fn max_bytes(&self) -> u64 {
        self.resources.memory / 8 / self.threads as u64
    }

    fn give_up(&self, why: GivenUp) {
        let mut found = self.given_up.lock().expect("no thread panics");
        found.get_or_insert(why);
        self.stop.raise();
    }

    /// Whether this much more memory may be taken, in bytes.
    fn has_room_for(&self, bytes: u64) -> bool {
        self.bytes.load(Ordering::Relaxed).saturating_add(bytes) <= self.resources.memory
    }

    /// Expands all states of a layer; gives them as chunks, and the states of the next layer.
    fn forwards(
        &self,
        lists: &Lists,
        layer: usize,
        tables: &Tables,
        look: &mut impl FnMut(u64, u64) -> bool,
    ) -> (Vec<Section<N>>, Lists) {
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
            let mut sections = Vec::new();
            while let Some(&range) = ranges.get(taken.fetch_add(1, Ordering::Relaxed)) {
                let before = lister.found.len();
                let (owner, first, end) = range;
                let states = &lists[owner][first * words..end * words];
                match lister.chunk(states, tables) {
                    Ok(chunk) => {
                        let new = lister.found.len() - before;
                        let states = (new / words_next) as u64;
                        self.listed.fetch_add(states, Ordering::Relaxed);
                        let bytes = (chunk.bytes() + 8 * new) as u64;
                        self.bytes.fetch_add(bytes, Ordering::Relaxed);
                        sections.push(Section {
                            owner,
                            first,
                            chunk,
                        });
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
                if self.stop.is_raised() {
                    break;
                }
            }
            (sections, lister.found)
        };
        let seats = 1..self.threads.min(ranges.len());
        let results = fork_join(
            seats,
            |thread| work(thread, &mut |_, _| true),
            || work(0, look),
        );
        let mut all = Vec::new();
        let mut next: Lists = vec![Vec::new(); self.threads];
        for (next, (sections, found)) in next.iter_mut().zip(results) {
            all.extend(sections);
            *next = found;
        }
        all.sort_by_key(|section| (section.owner, section.first));
        (all, next)
    }
}

/// One thread on its way forwards.
struct Lister<'a, G: StochasticGame, N> {
    shared: &'a Shared<'a, G, N>,
    thread: usize,
    layer: usize,
    batch: Batch<'a, G, N>,
    /// Words of the states found first by this thread.
    found: Vec<u64>,
    count: usize,
    /// Successors looked at.
    made: usize,
}

impl<'a, G: StochasticGame, N: Numerator> Lister<'a, G, N> {
    fn new(shared: &'a Shared<'a, G, N>, thread: usize, layer: usize) -> Self {
        let memory = shared.resources.memory / 4 / shared.threads as u64;
        let node = size_of::<Node<N>>() + 8 * shared.game.rows(layer).words();
        Lister {
            shared,
            thread,
            layer,
            batch: Batch::new(shared.game, MAX_BATCH.min(memory as usize / node)),
            found: Vec::new(),
            count: 0,
            made: 0,
        }
    }

    /// Expands some states, one behind the other in `states`.
    fn chunk(&mut self, mut states: &[u64], tables: &Tables) -> Result<Chunk<N>, GivenUp> {
        let (shared, layer) = (self.shared, self.layer);
        let mut chunk = Chunk::default();
        let one = &shared.scale.ones[layer];
        while self.batch.load_next(&mut states, layer, one) {
            let batch = &mut self.batch;
            let expanded = batch.expand(shared.scale, layer, &shared.limits, None);
            if batch.cuts_off {
                shared.cuts_off.store(true, Ordering::Relaxed);
            }
            expanded?;
            let first = batch.roots.len();
            batch.tree.combine_all(first..batch.tree.nodes.len());
            (0..first).for_each(|state| batch.tree.combine(state));
            self.record(tables, &mut chunk)?;
            if chunk.bytes() as u64 > shared.max_bytes() {
                return Err(GivenUp::TooLarge);
            }
        }
        chunk.seal();
        Ok(chunk)
    }

    /// Notes the successors of the states of a batch.
    fn record(&mut self, tables: &Tables, chunk: &mut Chunk<N>) -> Result<(), GivenUp> {
        let (shared, threads, thread) = (self.shared, self.shared.threads, self.thread);
        let (game, layer, batch) = (shared.game, self.layer - 1, &mut self.batch);
        let mut read = None;
        let keys = &read.get_or_insert_with(|| tables.read())[0];
        for node in batch.roots.len()..batch.tree.nodes.len() {
            self.made += 1;
            if self.made.is_multiple_of(MADE_PER_LOOK) && shared.limits.is_over() {
                return Err(GivenUp::Stopped);
            }
            if batch.tree.nodes[node].is_open() {
                keys.touch(set_key(game, &mut batch.tree, node, layer));
            }
        }
        let rows = game.rows(layer);
        let (found, count) = (&mut self.found, &mut self.count);
        chunk.add_all(batch, |tree, node| {
            let new = *count * threads + thread;
            if new >= KNOWN as usize {
                return Err(GivenUp::TooLarge);
            }
            let (key, hash) = (tree.key(node, rows), tree.hash(node, rows));
            let keys = &read.get_or_insert_with(|| tables.read())[0];
            let (number, stored) = keys.set_number(key, hash, new as u32);
            if number == new as u32 {
                found.extend_from_slice(tree.state(node, rows));
                *count += 1;
            }
            if stored == Stored::Crowded || tables.is_growing() {
                let both = keys.bytes() + keys.bytes_to_grow(hash);
                if stored == Stored::Crowded && !shared.has_room_for(both) {
                    return Err(GivenUp::TooLarge);
                }
                read = None;
                if stored == Stored::Crowded {
                    tables.grow(0, hash);
                }
            }
            Ok(number)
        })
    }
}

impl From<Refusal> for GivenUp {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NewShare(new) => GivenUp::NewShare(new),
            Refusal::TooLarge => GivenUp::TooLarge,
            Refusal::Flaw(_) => GivenUp::Flaw,
            Refusal::Stopped(_) => GivenUp::Stopped,
        }
    }
}

/// The values of a layer from those of the layer behind, one list for each thread.
fn backwards<N: Numerator>(layer: &Layer<N>, behind: &[Vec<N>]) -> Vec<Vec<N>> {
    let threads = behind.len();
    let value = |number: u32| &behind[number as usize % threads][number as usize / threads];
    let found = share_out(0..threads, &layer.sections, |_, section| {
        let mut values = Vec::with_capacity(section.chunk.len());
        section.chunk.values(value, |value| values.push(value));
        values
    });
    let sizes = layer.sizes.iter();
    let mut values: Vec<Vec<N>> = sizes.map(|&size| Vec::with_capacity(size)).collect();
    for (section, found) in layer.sections.iter().zip(found) {
        values[section.owner].extend(found);
    }
    values
}
