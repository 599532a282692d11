//! One question to all threads: widths of numbers, denominators, passes, and what is kept for later.

use crate::arena::Node;
use crate::compile::Compiled;
use crate::engine::Outcome;
use crate::expand::{Expander, Refusal};
use crate::halt::Halt;
use crate::options::Options;
use crate::sweep::{self, Expected, GivenUp, Means};
use crate::trail::{self, Trail};
use crate::units::{self, Counts, NewCount, NoUnits, Units};
use crate::worker::{Shared, Worker};
use formula::{Clock, StopReason, Watch};
use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::{One, Zero};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use table::{Marks, Table, Tables, hash};
use value::{Numerator, U256, U512};

/// Memory for arenas where no limit is set, in bytes.
const UNLIMITED: u64 = 1 << 33;

/// What is kept for a step even if nothing is found there, in bytes, roughly.
const BYTES_PER_STEP: u64 = 250;

/// The most memory for what the number 1 is with so many steps left, in bytes. Numbers get longer with
/// every step, so this is quadratic in their number.
const MOST_UNITS: u64 = 1 << 30;

/// So many tables are made between two looks at the clock.
const TABLES_PER_LOOK: usize = 256;

/// The most numbers 1 that are remembered.
const MOST_ONES: usize = 64;

/// This part of the memory is for arenas, the rest for tables.
const ARENAS: u64 = 8;

/// At most so many states are listed: one or two gigabytes.
const MOST_LISTED: u64 = 8_000_000;
/// When listing them is tried: the longer the search has taken, the more states may be expected.
const SWEEPS: [Attempt; 2] = [Attempt::new(1, 10, 8), Attempt::new(4, 300, 200)];

/// An attempt to list all states instead of searching on.
struct Attempt {
    /// After so many times [`Options::sweep_after`] expansions.
    times: u64,
    /// At most so many states may be expected for each of these expansions; guesses are mostly too high.
    expected: u64,
    /// No guess is made before this part of them is listed.
    guess_from: u64,
}

impl Attempt {
    const fn new(times: u64, expected: u64, guess_from: u64) -> Self {
        Attempt {
            times,
            expected,
            guess_from,
        }
    }

    /// After how many expansions it is made.
    fn after(&self, options: &Options) -> u64 {
        options.sweep_after.saturating_mul(self.times)
    }

    /// How many states may be expected, and how many are listed before a guess.
    fn bounds(&self, options: &Options) -> Expected {
        let most = self.after(options).saturating_mul(self.expected);
        let most = most.max(FEW_STATES);
        Expected {
            most,
            guess_from: most / self.guess_from,
        }
    }
}

/// So many states are never too many.
const FEW_STATES: u64 = 100_000;

/// What was found out.
pub struct Found {
    /// The value, or bounds.
    pub outcome: Outcome,
    /// States expanded.
    pub expanded: u64,
    /// The width of numbers.
    pub value_bits: u32,
}

impl Found {
    /// Nothing but why.
    fn nothing(reason: StopReason) -> Self {
        Found {
            outcome: Outcome::unknown(reason),
            expanded: 0,
            value_bits: 0,
        }
    }
}

/// How it went with numbers of one width.
enum Tried {
    Found(Found),
    /// It took longer than somebody was willing to wait.
    Paused,
    TooNarrow,
    /// A state has no value.
    Flaw(Trail),
}

/// What is kept from one question to the next: the tables, and what their numbers mean.
pub struct Memory {
    /// Whether values in the tables may count plays that were not over after the last step.
    cuts_off: bool,
    /// One table for each number of steps left.
    tables: Tables,
    payoffs: Vec<BigRational>,
    counts: Vec<Counts>,
    /// The value 1 with so many steps left; forgotten when a denominator changes.
    ones: FxHashMap<usize, BigUint>,
    /// For so many steps left the counts that occur have been looked for.
    learned: usize,
}

impl Memory {
    /// Nothing is known, for these payoffs.
    pub fn new(payoffs: Vec<BigRational>) -> Self {
        Memory {
            cuts_off: false,
            tables: Tables::new(Vec::new(), None),
            payoffs,
            counts: Vec::new(),
            ones: FxHashMap::default(),
            learned: 0,
        }
    }

    /// Forgets all values.
    pub fn forget(&mut self) {
        self.tables = Tables::new(Vec::new(), None);
        self.cuts_off = false;
    }

    /// Takes note that a play was not over after the last step.
    pub fn note_cut_off(&mut self) {
        self.cuts_off = true;
    }

    /// Whether values may count plays that were not over after the last step, as lost.
    pub fn cuts_off(&self) -> bool {
        self.cuts_off
    }

    /// The number of states in the tables.
    pub fn states(&self) -> u64 {
        let tables = self.tables.read();
        tables.iter().map(|table| table.len() as u64).sum()
    }

    /// The memory of the tables, in bytes.
    pub fn bytes(&self) -> u64 {
        self.tables.taken()
    }

    /// Finds the value of a state that is not terminal and in which everybody can move, with so many
    /// steps left (at least one). Nothing if that takes more than so many expansions (`patience`).
    ///
    /// # Errors
    /// If a state on the way has a flaw: the way there.
    pub fn solve(
        &mut self,
        compiled: &Compiled,
        options: &Options,
        facts: &[u64],
        steps: usize,
        patience: Option<u64>,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Found>, Trail> {
        let at_once =
            |(lower, upper): (BigRational, BigRational), stopped: Option<StopReason>| Found {
                outcome: Outcome {
                    stopped: stopped.filter(|_| lower != upper),
                    lower,
                    upper,
                },
                expanded: 0,
                value_bits: 0,
            };
        let known = self.known(compiled, facts, steps);
        if known.0 == known.1 {
            return Ok(Some(at_once(known, None)));
        }
        // There may be many questions, each of which would begin anew.
        let taken = self.bytes();
        if let Err(reason) = watch.look("searching", 0, taken, || None) {
            return Ok(Some(at_once(known, Some(reason))));
        }
        if let Err(reason) = watch.clock().look() {
            return Ok(Some(Found::nothing(reason)));
        }
        if steps as u64 * BYTES_PER_STEP > watch.memory_limit().unwrap_or(UNLIMITED) / 4 {
            return Ok(Some(at_once(known, Some(StopReason::Memory))));
        }
        if self.counts.len() <= steps {
            self.counts.resize(steps + 1, vec![1]);
        }
        if steps > self.learned {
            if let Err(reason) = self.learn(compiled, facts, steps, watch) {
                return Ok(Some(at_once(known, Some(reason))));
            }
            self.learned = steps;
        }
        macro_rules! try_widths {
            ($($number:ty),*) => {$(
                match self.try_width::<$number>(compiled, options, facts, steps, patience, watch) {
                    Tried::Found(found) => return Ok(Some(found)),
                    Tried::Paused => return Ok(None),
                    Tried::Flaw(trail) => return Err(trail),
                    Tried::TooNarrow => {}
                }
            )*};
        }
        try_widths!(u64, u128, U256, U512, BigUint);
        unreachable!("the last numbers have no bound")
    }

    /// The bounds of a state's value that the tables know.
    fn known(
        &mut self,
        compiled: &Compiled,
        facts: &[u64],
        steps: usize,
    ) -> (BigRational, BigRational) {
        let stored = self.stored(compiled, facts, steps);
        stored.unwrap_or_else(|| (BigRational::zero(), BigRational::one()))
    }

    fn stored(
        &mut self,
        compiled: &Compiled,
        facts: &[u64],
        steps: usize,
    ) -> Option<(BigRational, BigRational)> {
        let tables = self.tables.get_mut();
        let table = tables.get(steps)?;
        let mut key = vec![0; compiled.keys.words()];
        compiled.keys.write(&compiled.seen(facts), &mut key);
        let (lower, upper) = table.get::<BigUint>(&key, hash(&key))?;
        if self.ones.len() > MOST_ONES {
            self.ones.clear();
        }
        let (payoffs, counts) = (&self.payoffs, &self.counts);
        let one = self.ones.entry(steps);
        let one = one.or_insert_with(|| units::one(payoffs, counts, steps));
        let fraction = |number: BigUint| value::fraction(number, one.clone());
        Some((fraction(lower), fraction(upper)))
    }

    /// Lists all states to find the value, if no more are expected.
    #[expect(clippy::too_many_arguments, reason = "all of it is the question")]
    fn sweep<N: Numerator>(
        &mut self,
        compiled: &Compiled,
        units: &Units<N>,
        facts: &[u64],
        steps: usize,
        threads: usize,
        expected: Expected,
        watch: &mut Watch<'_>,
    ) -> Result<Found, GivenUp> {
        let before = self.tables.taken();
        let memory = watch.memory_limit().unwrap_or(UNLIMITED);
        let means = Means {
            threads,
            memory: memory.saturating_sub(before),
            clock: &watch.clock().clone(),
        };
        let look = |states: u64, bytes: u64| {
            let fits = states <= MOST_LISTED;
            let bytes = bytes + before;
            fits && watch.look("listing states", states, bytes, || None).is_ok()
        };
        let swept = sweep::sweep(compiled, units, means, facts, steps, expected, look)?;
        let tables = self.tables.get_mut();
        for (behind, table) in swept.tables.into_iter().enumerate() {
            tables[steps - 1 - behind] = table;
        }
        self.tables.count_memory();
        self.tables.set_memory_limit(for_tables(watch));
        self.cuts_off |= swept.cuts_off;
        let one = units.ones[steps].to_big();
        let value = value::fraction(swept.value.to_big(), one);
        Ok(Found {
            outcome: Outcome::known(value),
            expanded: swept.states,
            value_bits: N::BITS.unwrap_or(0),
        })
    }

    /// Plays at random, so that the denominators that occur are known before the search.
    fn learn(
        &mut self,
        compiled: &Compiled,
        facts: &[u64],
        steps: usize,
        watch: &mut Watch<'_>,
    ) -> Result<(), StopReason> {
        if !compiled.has_chance() {
            return Ok(());
        }
        let mut found = FxHashSet::default();
        let played = self.play(compiled, facts, steps, watch, &mut found);
        let new = found
            .into_iter()
            .map(|(steps, count)| NewCount { steps, count });
        self.add_counts(new, watch.clock());
        played
    }

    /// Plays at random and collects numbers of moves of chance that were not known.
    fn play(
        &self,
        compiled: &Compiled,
        facts: &[u64],
        steps: usize,
        watch: &mut Watch<'_>,
        found: &mut FxHashSet<(usize, u32)>,
    ) -> Result<(), StopReason> {
        const MOST_STATES: usize = 50_000;
        const ENOUGH_WITHOUT_NEWS: usize = 24;
        let mut random = fastrand::Rng::with_seed(1);
        let units = Units::<u64>::plain(2);
        let mut arena = compiled.arena::<u64>();
        let halt = Halt::new(watch.clock(), None);
        let mut expander = Expander::new(compiled, MOST_STATES, halt);
        let (mut states, mut without_news) = (0, 0);
        while states < MOST_STATES && without_news < ENOUGH_WITHOUT_NEWS {
            without_news += 1;
            let mut facts = facts.to_vec();
            for left in (1..=steps).rev() {
                watch.look("preparing", 0, 0, || None)?;
                arena.truncate(0);
                arena.push(Node::open(1));
                arena.facts_mut(0).copy_from_slice(&facts);
                let mut new = Vec::new();
                // Only whether it is the last step matters here.
                match expander.survey(&mut arena, left.min(2), &units, &mut new) {
                    Err(Refusal::Stopped(Some(reason))) => return Err(reason),
                    Err(_) => return Ok(()),
                    Ok(()) => {}
                }
                for NewCount { count, .. } in new {
                    let is_known = self.counts[left].contains(&count);
                    if !is_known && found.insert((left, count)) {
                        without_news = 0;
                    }
                }
                states += arena.nodes.len();
                let open = (1..arena.nodes.len()).filter(|&node| !arena.nodes[node].is_known());
                let open: Vec<usize> = open.collect();
                if open.is_empty() {
                    break;
                }
                facts.copy_from_slice(arena.facts(open[random.usize(..open.len())]));
            }
        }
        Ok(())
    }

    /// Makes denominators fine enough for counts. Tables that cannot be adapted in time forget what they
    /// know.
    fn add_counts(&mut self, new: impl IntoIterator<Item = NewCount>, clock: &Clock) {
        self.ones.clear();
        let go_on = || clock.look().is_ok();
        // By steps left: the denominator before, then how much finer it has become.
        let mut factors: BTreeMap<usize, BigUint> = BTreeMap::new();
        let len = self.tables.get_mut().len();
        for NewCount { steps, count } in new {
            let counts = &mut self.counts[steps];
            if steps < len {
                let before = units::denominator(counts);
                factors.entry(steps).or_insert(before);
            }
            counts.push(count);
            counts.sort_unstable();
        }
        for (&steps, factor) in &mut factors {
            *factor = units::denominator(&self.counts[steps]) / &*factor;
        }
        factors.retain(|_, factor| !factor.is_one());
        if factors.is_empty() {
            return;
        }
        let bits = units::all_bits(&self.payoffs, &self.counts[..len], go_on);
        let Some(bits) = bits else {
            return self.forget();
        };
        // With more steps left there are all factors of fewer.
        let ends = factors.keys().skip(1).copied().chain([len]);
        let ends: Vec<usize> = ends.collect();
        let mut all = BigUint::from(1u8);
        for ((&steps, factor), end) in factors.iter().zip(ends) {
            all *= factor;
            self.tables
                .scale(steps..end, &all, |steps| bits[steps], go_on);
        }
    }

    /// What the number 1 is with up to so many steps left, and a table for each.
    fn prepare<N: Numerator>(
        &mut self,
        compiled: &Compiled,
        steps: usize,
        watch: &Watch<'_>,
    ) -> Result<Units<N>, NoUnits> {
        let clock = watch.clock();
        let memory = watch.memory_limit().unwrap_or(UNLIMITED);
        let most = (memory / 4).min(MOST_UNITS);
        let go_on = |bytes: u64| bytes <= most && clock.look().is_ok();
        // Tables for more steps than these may hold wider numbers, which nobody looks at.
        let units = Units::<N>::new(&self.payoffs, &self.counts[..=steps], go_on)?;
        let key_bits = compiled.keys.width();
        self.tables.set_memory_limit(for_tables(watch));
        let tables = self.tables.get_mut();
        for steps in tables.len()..units.ones.len() {
            if steps.is_multiple_of(TABLES_PER_LOOK) && clock.look().is_err() {
                return Err(NoUnits::Stopped);
            }
            let bits = units.value_bits(steps);
            tables.push(Table::unallocated(key_bits, bits));
        }
        Ok(units)
    }

    /// Solves with numbers of one width.
    fn try_width<N: Numerator>(
        &mut self,
        compiled: &Compiled,
        options: &Options,
        facts: &[u64],
        steps: usize,
        patience: Option<u64>,
        watch: &mut Watch<'_>,
    ) -> Tried {
        let no_units = |why: NoUnits, watch: &Watch<'_>| match (why, watch.clock().look()) {
            (NoUnits::TooNarrow, _) => Tried::TooNarrow,
            (NoUnits::Stopped, Err(reason)) => Tried::Found(Found::nothing(reason)),
            (NoUnits::Stopped, Ok(())) => Tried::Found(Found::nothing(StopReason::Memory)),
        };
        let mut units = match self.prepare::<N>(compiled, steps, watch) {
            Ok(units) => units,
            Err(why) => return no_units(why, watch),
        };
        let threads = match options.threads {
            _ if options.expansion_limit.is_some() => 1,
            0 => thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        // Without chance the search needs a small part of all states, as it cuts off at the bounds of values.
        let may_sweep = options.sweep_states && compiled.has_chance();
        let mut sweeps = SWEEPS.iter().filter(|_| may_sweep);
        let mut sweep = sweeps.next();
        let mut certainty = options.ask_for_certainty;
        let (mut lower, mut upper) = (N::zero(), units.ones[steps].clone());
        let mut all_expanded = 0;
        loop {
            if patience.is_some_and(|patience| all_expanded >= patience) {
                return Tried::Paused;
            }
            if let Some(attempt) = sweep
                && all_expanded >= attempt.after(options)
            {
                let expected = attempt.bounds(options);
                match self.sweep(compiled, &units, facts, steps, threads, expected, watch) {
                    Ok(found) => return Tried::Found(found),
                    Err(GivenUp::NewCount(new)) => {
                        self.add_counts([new], watch.clock());
                        match self.prepare(compiled, steps, watch) {
                            Ok(finer) => units = finer,
                            Err(why) => return no_units(why, watch),
                        }
                        (lower, upper) = (N::zero(), units.ones[steps].clone());
                        continue;
                    }
                    Err(GivenUp::Flaw) => match trail::find(compiled, facts, steps, watch) {
                        Ok(Some(trail)) => return Tried::Flaw(trail),
                        Ok(None) => unreachable!("the same states have the same flaws"),
                        Err(reason) => return Tried::Found(Found::nothing(reason)),
                    },
                    Err(GivenUp::TooLarge | GivenUp::Stopped) => sweep = sweeps.next(),
                }
            }
            let one = units.ones[steps].clone();
            let alpha = match certainty {
                true => one.minus(&N::one()),
                false => N::zero(),
            };
            let node = size_of::<crate::arena::Node<N>>()
                + 3 * one.heap_bytes()
                + 8 * (2 * facts.len() + compiled.keys.words() + 1);
            let memory = watch.memory_limit().unwrap_or(UNLIMITED).min(UNLIMITED);
            let clock = watch.clock().clone();
            let for_arenas = memory / ARENAS;
            let shared = Shared {
                tables: &self.tables,
                marks: Marks::default(),
                stop: AtomicBool::new(false),
                reason: Mutex::new(None),
                coarse: Mutex::new(None),
                flaw: Mutex::new(None),
                cuts_off: AtomicBool::new(false),
                expanded: AtomicU64::new(0),
                threads,
                most_nodes: for_arenas as usize / threads / node,
                is_paused: AtomicBool::new(false),
                clock: &clock,
            };
            let left = sweep.map(|attempt| attempt.after(options).saturating_sub(all_expanded));
            let pause = [left, patience].into_iter().flatten().min();
            let found = run(
                compiled, options, &units, &shared, facts, steps, &alpha, pause, watch,
            );
            all_expanded += shared.expanded.load(Ordering::Relaxed);
            self.cuts_off |= shared.cuts_off.load(Ordering::Relaxed);
            if let Some(trail) = shared.flaw.lock().expect("no thread panics").take() {
                return Tried::Flaw(trail);
            }
            lower = lower.max(found.0);
            upper = upper.min(found.1);
            let mut stopped = *shared.reason.lock().expect("no thread panics");
            let coarse = shared.coarse.lock().expect("no thread panics").take();
            if let Some(new) = coarse
                && stopped.is_none()
            {
                let look = watch.look("searching", all_expanded, self.tables.taken(), || None);
                stopped = look.err();
                if stopped.is_none() {
                    self.add_counts([new], watch.clock());
                    match self.prepare(compiled, steps, watch) {
                        Ok(finer) => units = finer,
                        Err(why) => return no_units(why, watch),
                    }
                    (lower, upper) = (N::zero(), units.ones[steps].clone());
                    continue;
                }
            }
            let is_paused = shared.is_paused.load(Ordering::Relaxed);
            if is_paused && lower != upper && stopped.is_none() {
                continue;
            }
            if lower == upper || stopped.is_some() || !certainty {
                let one = one.to_big();
                let fraction = |number: &N| value::fraction(number.to_big(), one.clone());
                return Tried::Found(Found {
                    outcome: Outcome {
                        lower: fraction(&lower),
                        upper: fraction(&upper),
                        stopped: stopped.filter(|_| lower != upper),
                    },
                    expanded: all_expanded,
                    value_bits: N::BITS.unwrap_or(0),
                });
            }
            certainty = false;
        }
    }
}

/// The memory that tables may take, in bytes.
fn for_tables(watch: &Watch<'_>) -> Option<u64> {
    let all = watch.memory_limit();
    all.map(|memory| memory - memory / ARENAS)
}

/// Searches from a state with all threads; gives the best bounds any of them found.
#[expect(clippy::too_many_arguments, reason = "all of it is the question")]
fn run<N: Numerator>(
    compiled: &Compiled,
    options: &Options,
    units: &Units<N>,
    shared: &Shared<'_>,
    facts: &[u64],
    steps: usize,
    alpha: &N,
    budget: Option<u64>,
    watch: &mut Watch<'_>,
) -> (N, N) {
    let one = &units.ones[steps];
    let helper = || {
        let mut worker = Worker::new(compiled, options, units, shared, true);
        let (lower, upper, answered) = worker.solve(facts, steps, alpha, one, |_, _| {});
        if answered {
            shared.stop.store(true, Ordering::Relaxed);
        }
        (lower, upper)
    };
    let pulse = |lower: &N, upper: &N| {
        let expanded = shared.expanded.load(Ordering::Relaxed);
        let fraction = |number: &N| value::fraction(number.to_big(), one.to_big());
        let bounds = || Some((fraction(lower), fraction(upper)));
        let looked = watch.look("searching", expanded, shared.tables.taken(), bounds);
        let over = options.expansion_limit.is_some_and(|most| expanded >= most);
        let reason = looked.err().or(over.then_some(StopReason::Interrupted));
        if let Some(reason) = reason {
            shared.stop_for(reason);
        } else if budget.is_some_and(|budget| expanded >= budget) {
            shared.is_paused.store(true, Ordering::Relaxed);
            shared.stop.store(true, Ordering::Relaxed);
        }
    };
    thread::scope(|scope| {
        // Where the system has no room for another thread, those there are do the work.
        let start = |_| thread::Builder::new().spawn_scoped(scope, helper).ok();
        let helpers: Vec<_> = (1..shared.threads).map_while(start).collect();
        let mut worker = Worker::new(compiled, options, units, shared, false);
        let (mut lower, mut upper, answered) = worker.solve(facts, steps, alpha, one, pulse);
        if answered {
            shared.stop.store(true, Ordering::Relaxed);
        }
        for helper in helpers {
            let bounds = helper.join().expect("no thread panics");
            lower = lower.max(bounds.0);
            upper = upper.min(bounds.1);
        }
        (lower, upper)
    })
}
