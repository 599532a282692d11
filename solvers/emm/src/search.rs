//! One question to all threads: widths of numbers, denominators, passes, and what is kept for later.

use crate::arena::Node;
use crate::compile::Compiled;
use crate::engine::Outcome;
use crate::expand::Expander;
use crate::options::Options;
use crate::sweep::{self, Expected, GivenUp};
use crate::units::{self, Counts, NewCount, Units};
use crate::worker::{Shared, Worker};
use formula::{StopReason, Watch};
use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::{One, Zero};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use table::{Marks, Table, Tables, hash};
use value::{Numerator, U256, U512};

/// Memory for arenas where no limit is set, in bytes.
const UNLIMITED: u64 = 1 << 33;

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
    fn bounds(&self, options: &Options, memory: u64) -> Expected {
        let most = self.after(options).saturating_mul(self.expected);
        let most = most.max(FEW_STATES);
        Expected {
            most,
            guess_from: most / self.guess_from,
            memory,
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

/// How it went with numbers of one width.
enum Tried {
    Found(Found),
    /// It took longer than somebody was willing to wait.
    Paused,
    TooNarrow,
}

/// What is kept from one question to the next: the tables, and what their numbers mean.
pub struct Memory {
    /// One table for each number of steps left.
    tables: Tables,
    payoffs: Vec<BigRational>,
    counts: Vec<Counts>,
    /// The value 1 for each table; forgotten when a denominator changes.
    ones: Vec<BigUint>,
    /// For so many steps left the counts that occur have been looked for.
    learned: usize,
}

impl Memory {
    /// Nothing is known, for these payoffs.
    pub fn new(payoffs: Vec<BigRational>) -> Self {
        Memory {
            tables: Tables::new(Vec::new(), None),
            payoffs,
            counts: Vec::new(),
            ones: Vec::new(),
            learned: 0,
        }
    }

    /// Forgets all values.
    pub fn forget(&mut self) {
        self.tables = Tables::new(Vec::new(), None);
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
    pub fn solve(
        &mut self,
        compiled: &Compiled,
        options: &Options,
        facts: &[u64],
        steps: usize,
        patience: Option<u64>,
        watch: &mut Watch<'_>,
    ) -> Option<Found> {
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
            return Some(at_once(known, None));
        }
        // There may be many questions, each of which would begin anew.
        let taken = self.bytes();
        if let Err(reason) = watch.look("searching", 0, taken, || None) {
            return Some(at_once(known, Some(reason)));
        }
        while self.counts.len() <= steps {
            self.counts.push(vec![1]);
        }
        let is_longer = steps > self.learned;
        self.learned = self.learned.max(steps);
        if is_longer && let Err(reason) = self.learn(compiled, facts, steps, watch) {
            return Some(at_once(known, Some(reason)));
        }
        macro_rules! try_widths {
            ($($number:ty),*) => {$(
                match self.try_width::<$number>(compiled, options, facts, steps, patience, watch) {
                    Tried::Found(found) => return Some(found),
                    Tried::Paused => return None,
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
        if self.ones.is_empty() {
            let units = Units::<BigUint>::new(&self.payoffs, &self.counts[..tables.len()]);
            self.ones = units.expect("these numbers have no bound").ones;
        }
        let one = self.ones.get(steps)?;
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
        let look = |states: u64, bytes: u64| {
            let fits = states <= MOST_LISTED;
            let bytes = bytes + before;
            fits && watch.look("listing states", states, bytes, || None).is_ok()
        };
        let swept = sweep::sweep(compiled, units, threads, facts, steps, expected, look)?;
        let tables = self.tables.get_mut();
        for (behind, table) in swept.tables.into_iter().enumerate() {
            tables[steps - 1 - behind] = table;
        }
        self.tables.set_memory_limit(for_tables(watch));
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
        const MOST_STATES: usize = 50_000;
        const ENOUGH_WITHOUT_NEWS: usize = 24;
        let mut random = fastrand::Rng::with_seed(1);
        let units = Units::<u64>::new(&[], &vec![vec![1]; steps + 1]).expect("1 fits");
        let mut arena = compiled.arena::<u64>();
        let mut expander = Expander::new(compiled, MOST_STATES);
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
                if expander.survey(&mut arena, left, &units, &mut new).is_err() {
                    return Ok(());
                }
                for new in new {
                    if !self.counts[new.steps].contains(&new.count) {
                        self.add_count(new);
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

    /// Makes the denominator with so many steps left fine enough for a count.
    fn add_count(&mut self, new: NewCount) {
        self.ones.clear();
        let counts = &mut self.counts[new.steps];
        let before = units::denominator(counts);
        counts.push(new.count);
        counts.sort_unstable();
        let factor = units::denominator(counts) / before;
        let len = self.tables.get_mut().len();
        if factor.is_one() || new.steps >= len {
            return;
        }
        let units = Units::<BigUint>::new(&self.payoffs, &self.counts[..len]);
        let units = units.expect("these numbers have no bound");
        let bits = |steps: usize| units.value_bits(steps);
        self.tables.scale(new.steps..len, &factor, bits);
    }

    /// Makes the tables fit for numbers.
    fn prepare<N: Numerator>(&mut self, compiled: &Compiled, units: &Units<N>, watch: &Watch<'_>) {
        let key_words = compiled.keys.words();
        let tables = self.tables.get_mut();
        if tables.len() < units.ones.len() {
            self.ones.clear();
        }
        for steps in tables.len()..units.ones.len() {
            tables.push(Table::new(key_words, units.value_bits(steps)));
        }
        self.tables.set_memory_limit(for_tables(watch));
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
        // Tables for more steps than these may hold wider numbers, which nobody looks at.
        let Some(mut units) = Units::<N>::new(&self.payoffs, &self.counts[..=steps]) else {
            return Tried::TooNarrow;
        };
        self.prepare(compiled, &units, watch);
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
                let memory = watch.memory_limit().unwrap_or(UNLIMITED);
                let memory = memory.saturating_sub(self.tables.taken());
                let expected = attempt.bounds(options, memory);
                match self.sweep(compiled, &units, facts, steps, threads, expected, watch) {
                    Ok(found) => return Tried::Found(found),
                    Err(GivenUp::NewCount(new)) => {
                        self.add_count(new);
                        match Units::new(&self.payoffs, &self.counts[..=steps]) {
                            Some(finer) => units = finer,
                            None => return Tried::TooNarrow,
                        }
                        (lower, upper) = (N::zero(), units.ones[steps].clone());
                        continue;
                    }
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
            let for_arenas = memory / ARENAS;
            let shared = Shared {
                tables: &self.tables,
                marks: Marks::default(),
                stop: AtomicBool::new(false),
                reason: Mutex::new(None),
                coarse: Mutex::new(None),
                expanded: AtomicU64::new(0),
                threads,
                most_nodes: for_arenas as usize / threads / node,
                is_paused: AtomicBool::new(false),
            };
            let left = sweep.map(|attempt| attempt.after(options).saturating_sub(all_expanded));
            let pause = [left, patience].into_iter().flatten().min();
            let found = run(
                compiled, options, &units, &shared, facts, steps, &alpha, pause, watch,
            );
            all_expanded += shared.expanded.load(Ordering::Relaxed);
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
                    self.add_count(new);
                    match Units::new(&self.payoffs, &self.counts[..=steps]) {
                        Some(finer) => units = finer,
                        None => return Tried::TooNarrow,
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
