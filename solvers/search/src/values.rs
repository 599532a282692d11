//! The driver of the search: one question to all threads, values kept from one question to the next, widths of
//! numbers, denominators, windows, and the start of backward induction.

use crate::aspiration::next_alpha;
use crate::bounds::{
    BYTES_PER_LAYER, MAX_ONES, MAX_SCALE_BYTES, TABLES_PER_CHECK, TREES, UNLIMITED,
};
use crate::history::History;
use crate::policy::{Action, State, next_action};
use crate::question::Question;
use crate::random_play;
use crate::worker::{Shared, Worker};
use arena::{
    Denominators, NewShare, NoScale, Node, Refusal, Scale, StochasticGame, Sweep, Trail, find_flaw,
};
use base::table::{Table, Tables, hash};
use base::value::{Numerator, U256};
use limits::{Bounds, Limits, StopReason, Watch, fork_join};
use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::{One, Zero};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

/// Values that are stored together: their places in the table are fetched first.
const STORED_TOGETHER: usize = 32;

/// Bounds of a value, and how they were found.
#[derive(Clone, Debug)]
pub struct Valuation {
    pub bounds: Bounds,
    pub expanded: u64,
    /// The width of numbers in bits; 0 if it had no bound, or nothing was computed.
    pub value_bits: u32,
}

impl From<Bounds> for Valuation {
    /// Bounds that were found at once.
    fn from(bounds: Bounds) -> Self {
        Valuation {
            bounds,
            expanded: 0,
            value_bits: 0,
        }
    }
}

/// The result of a search with numbers of one width.
enum WidthOutcome {
    Answered(Valuation),
    /// It took longer than the caller allowed.
    Paused,
    TooNarrow,
    /// A state has no value.
    Flaw(Trail),
}

/// The tables that are kept from one question to the next, and the meaning of their numbers.
pub struct Values {
    /// Whether values in the tables may count plays that were not over after the last step.
    cuts_off: bool,
    /// One table for each layer.
    tables: Tables,
    denominators: Denominators,
    /// The number 1 of some layers; forgotten when a denominator changes.
    ones: FxHashMap<usize, BigUint>,
    /// Up to this layer the shares that occur are known.
    learned: usize,
}

impl Default for Values {
    fn default() -> Self {
        Values {
            cuts_off: false,
            tables: Tables::new(Vec::new(), None),
            denominators: Denominators::default(),
            ones: FxHashMap::default(),
            learned: 0,
        }
    }
}

impl Values {
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
        tables.iter().map(Table::len).sum::<usize>() as u64
    }

    /// The memory of the tables, in bytes.
    pub fn bytes(&self) -> u64 {
        self.tables.taken()
    }

    /// The memory that tables may take, in bytes.
    fn for_tables(&self, watch: &Watch<'_>) -> Option<u64> {
        let all = watch.limits().memory;
        all.map(|memory| memory - memory / TREES)
    }

    /// Answers a question; nothing if that takes more expansions than the question allows.
    ///
    /// # Errors
    /// If a state on the way has no value: the way there.
    pub fn solve<G: StochasticGame>(
        &mut self,
        question: Question<'_, G>,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Valuation>, Trail> {
        let layer = question.layer;
        let known = self.known(question);
        if known.0 == known.1 {
            return Ok(Some(Bounds::new(known, None).into()));
        }
        // There may be many questions, each of which would begin anew.
        let taken = self.bytes();
        if let Err(reason) = watch.check_and_report("searching", 0, taken, || None) {
            return Ok(Some(Bounds::new(known, Some(reason)).into()));
        }
        if layer as u64 * BYTES_PER_LAYER > watch.limits().memory.unwrap_or(UNLIMITED) / 4 {
            return Ok(Some(Bounds::new(known, Some(StopReason::Memory)).into()));
        }
        self.denominators.grow(question.game, layer);
        if layer > self.learned {
            let denominators = &self.denominators;
            let (shares, learned) = random_play::learn(question, denominators, watch);
            self.add_shares(question.game, shares, watch.limits());
            if let Err(reason) = learned {
                return Ok(Some(Bounds::new(known, Some(reason)).into()));
            }
            self.learned = layer;
        }
        macro_rules! try_widths {
            ($($number:ty),*) => {$(
                match self.try_width::<G, $number>(question, watch) {
                    WidthOutcome::Answered(found) => return Ok(Some(found)),
                    WidthOutcome::Paused => return Ok(None),
                    WidthOutcome::Flaw(trail) => return Err(trail),
                    WidthOutcome::TooNarrow => {}
                }
            )*};
        }
        try_widths!(u64, u128, U256, BigUint);
        unreachable!("the last numbers have no bound")
    }

    /// The bounds of a state's value that the tables know.
    fn known<G: StochasticGame>(
        &mut self,
        question: Question<'_, G>,
    ) -> (BigRational, BigRational) {
        let stored = self.stored(question);
        stored.unwrap_or_else(|| (BigRational::zero(), BigRational::one()))
    }

    fn stored<G: StochasticGame>(
        &mut self,
        Question {
            game, state, layer, ..
        }: Question<'_, G>,
    ) -> Option<(BigRational, BigRational)> {
        let rows = game.rows(layer);
        let mut words = state[..rows.state].to_vec();
        words.resize(rows.state + rows.key, 0);
        let (state, key) = words.split_at_mut(rows.state);
        game.write_key(layer, state, key);
        let key = &words[rows.key()];
        let hash = hash(key);
        let (lower, upper) = self.tables.get_mut().get(layer)?.get(key, hash)?;
        if self.ones.len() > MAX_ONES {
            self.ones.clear();
        }
        let one = self.ones.entry(layer);
        let one = one.or_insert_with(|| self.denominators.one(game, layer));
        let fraction = |number: BigUint| base::value::fraction(number, one.clone());
        Some((fraction(lower), fraction(upper)))
    }

    /// Makes denominators fine enough for shares. Tables that cannot be adapted in time forget what they
    /// know.
    fn add_shares(
        &mut self,
        game: &impl StochasticGame,
        new: impl IntoIterator<Item = NewShare>,
        limits: &Limits,
    ) {
        self.ones.clear();
        let go_on = || limits.check().is_ok();
        // By layer: the denominator before, then how much finer it has become.
        let mut factors: BTreeMap<usize, BigUint> = BTreeMap::new();
        let len = self.tables.get_mut().len();
        for share in new {
            if share.layer < len {
                let before = || self.denominators.of_layer(game, share.layer);
                factors.entry(share.layer).or_insert_with(before);
            }
            self.denominators.add(share);
        }
        for (&layer, factor) in &mut factors {
            *factor = self.denominators.of_layer(game, layer) / &*factor;
        }
        factors.retain(|_, factor| !factor.is_one());
        if factors.is_empty() {
            return;
        }
        let Some(bits) = self.denominators.all_bits(game, len, go_on) else {
            return self.forget();
        };
        // Higher layers have all factors of lower ones.
        let ends = factors.keys().skip(1).copied().chain([len]);
        let ends: Vec<usize> = ends.collect();
        let mut all = BigUint::from(1u8);
        for ((&layer, factor), end) in factors.iter().zip(ends) {
            all *= factor;
            self.tables
                .scale(layer..end, &all, |layer| bits[layer], go_on);
        }
    }

    /// The scale of layers up to this one: the number that stands for 1 in each. Makes a table for each layer too.
    fn prepare<N: Numerator>(
        &mut self,
        game: &impl StochasticGame,
        layer: usize,
        watch: &Watch<'_>,
    ) -> Result<Scale<N>, NoScale> {
        let limits = watch.limits();
        let memory = watch.limits().memory.unwrap_or(UNLIMITED);
        let most = (memory / 4).min(MAX_SCALE_BYTES);
        let go_on = |bytes: u64| bytes <= most && limits.check().is_ok();
        // Tables of higher layers may hold wider numbers, which are not read.
        let scale = Scale::<N>::new(game, &self.denominators, layer, go_on)?;
        let limit = self.for_tables(watch);
        self.tables.set_memory_limit(limit);
        let tables = self.tables.get_mut();
        for layer in tables.len()..scale.ones.len() {
            if layer.is_multiple_of(TABLES_PER_CHECK) && limits.check().is_err() {
                return Err(NoScale::Stopped);
            }
            let key_bits = match layer {
                0 => 1,
                _ => game.key_bits(layer),
            };
            tables.push(Table::unallocated(key_bits, scale.value_bits(layer)));
        }
        Ok(scale)
    }

    /// Answers a question with numbers of one width.
    fn try_width<G: StochasticGame, N: Numerator>(
        &mut self,
        question: Question<'_, G>,
        watch: &mut Watch<'_>,
    ) -> WidthOutcome {
        let Question {
            game,
            options,
            layer,
            patience,
            ..
        } = question;
        let mut scale = match self.prepare::<N>(game, layer, watch) {
            Ok(scale) => scale,
            Err(why) => return no_scale(why, watch),
        };
        let threads = options.threads();
        let one = |scale: &Scale<N>| scale.ones[layer].to_big();
        // Without chance the search needs a small part of all states, as it cuts off at the bounds of values.
        let may_list =
            self.denominators.has_shares() && (1..=layer).all(|layer| game.remembers(layer));
        let mut lists = State::first_list(options);
        // Bounds that the search has proved, and those from lists.
        let (mut lower, mut upper) = (N::zero(), scale.ones[layer].clone());
        let mut listed_bounds = (BigRational::zero(), BigRational::one());
        // The histories of choices of each thread serve the next question too.
        let mut histories = vec![History::new(options.order_choices); threads];
        let (mut all_expanded, mut listed) = (0, 0);
        loop {
            if patience.is_some_and(|patience| all_expanded >= patience) {
                return WidthOutcome::Paused;
            }
            let mut coarse = None;
            let state = State {
                options,
                may_list,
                expanded: all_expanded,
                lists,
                list: None,
            };
            let action = next_action(&state);
            if let Action::List(_) = action {
                match self.list(question, &scale, state, &mut listed, watch) {
                    Ok(found) => {
                        lists += 1;
                        let found =
                            found.map(|bound| base::value::fraction(bound.to_big(), one(&scale)));
                        listed_bounds = tightened(&listed_bounds, found);
                    }
                    Err(Refusal::NewShare(new)) => coarse = Some(new),
                    Err(Refusal::Flaw(_)) => match find_flaw(game, question.state, layer, watch) {
                        Ok(Some(trail)) => return WidthOutcome::Flaw(trail),
                        Ok(None) => unreachable!("the same states have the same flaws"),
                        Err(reason) => {
                            return WidthOutcome::Answered(Bounds::unknown(reason).into());
                        }
                    },
                    Err(Refusal::TooLarge | Refusal::Stopped(_)) => lists += 1,
                }
            }
            let one = scale.ones[layer].clone();
            let mut stopped = None;
            if coarse.is_none() && listed_bounds.0 != listed_bounds.1 {
                let alpha = match options.ask_for_certainty {
                    true => next_alpha(&one, &upper, |number, small| scale.times(number, small)),
                    false => N::zero(),
                };
                let memory = watch.limits().memory.unwrap_or(UNLIMITED).min(UNLIMITED);
                let max_nodes = (memory / TREES) as usize / node_bytes(question, &one);
                let until = match next_action(&State { lists, ..state }) {
                    Action::Search(until) => until.map(|until| until.saturating_sub(all_expanded)),
                    Action::List(_) => Some(0),
                };
                let pause = [until, patience].into_iter().flatten().min();
                let tables = &self.tables;
                let shared = Shared::new(tables, threads, max_nodes, pause, watch.limits());
                let (known, near) = (&mut histories, &listed_bounds);
                let found = run(question, &scale, &shared, &alpha, near, known, watch);
                all_expanded += shared.expanded.load(Ordering::Relaxed);
                self.cuts_off |= shared.cuts_off.load(Ordering::Relaxed);
                if let Some(trail) = shared.flaw.lock().expect("no thread panics").take() {
                    return WidthOutcome::Flaw(trail);
                }
                lower = lower.max(found.0);
                upper = upper.min(found.1);
                // Rather no answer than a wrong one.
                assert!(lower <= upper, "proved bounds do not cross");
                stopped = *shared.reason.lock().expect("no thread panics");
                coarse = shared.coarse.lock().expect("no thread panics").take();
            }
            if let Some(new) = coarse
                && stopped.is_none()
            {
                let checked =
                    watch.check_and_report("searching", all_expanded, self.bytes(), || None);
                stopped = checked.err();
                if stopped.is_none() {
                    self.add_shares(game, [new], watch.limits());
                    match self.prepare(game, layer, watch) {
                        Ok(finer) => scale = finer,
                        Err(why) => return no_scale(why, watch),
                    }
                    (lower, upper) = (N::zero(), scale.ones[layer].clone());
                    continue;
                }
            }
            let one = one.to_big();
            let fraction = |number: &N| base::value::fraction(number.to_big(), one.clone());
            let bounds = tightened(&listed_bounds, [fraction(&lower), fraction(&upper)]);
            if bounds.0 == bounds.1 || stopped.is_some() {
                return WidthOutcome::Answered(Valuation {
                    expanded: all_expanded + listed,
                    value_bits: N::BITS.unwrap_or(0),
                    bounds: Bounds::new(bounds, stopped),
                });
            }
        }
    }

    /// Lists states layer by layer to find the value, or bounds of it if there are too many. Values of all states go to the tables.
    fn list<G: StochasticGame, N: Numerator>(
        &mut self,
        question: Question<'_, G>,
        scale: &Scale<N>,
        state: State<'_>,
        all_listed: &mut u64,
        watch: &mut Watch<'_>,
    ) -> Result<[N; 2], Refusal> {
        let before = self.bytes();
        let memory = watch.limits().memory.unwrap_or(UNLIMITED);
        let memory = memory.saturating_sub(before);
        let limits = watch.limits().clone();
        let threads = question.options.threads();
        let mut sweep = Sweep::new(question.game, question.state, question.layer, threads);
        while !sweep.is_whole() {
            let (sizes, steps) = sweep.sizes();
            let list = Some((&sizes[..], steps));
            let Action::List(most) = next_action(&State { list, ..state }) else {
                break;
            };
            let go_on = |states: u64, bytes: u64| {
                watch.check_and_report("listing states", states, bytes + before, || None)?;
                match states > most {
                    true => Err(Refusal::TooLarge),
                    false => Ok(()),
                }
            };
            match sweep.list_layer(scale, memory, &limits, go_on) {
                Err(Refusal::TooLarge) => break,
                listed => listed?,
            }
        }
        *all_listed += sweep.listed();
        self.cuts_off |= sweep.cuts_off;
        if !sweep.is_whole() {
            return Ok(sweep.bounds(scale));
        }
        let (game, tables) = (question.game, &mut self.tables);
        let value = sweep.finish(|layer, keys, values| {
            if keys.len() > tables.get_mut()[layer].len() {
                let bits = (game.key_bits(layer), scale.value_bits(layer));
                tables.replace(layer, Table::with_room(bits.0, bits.1, keys.len()));
            }
            let table = &tables.get_mut()[layer];
            for (part, values) in values.chunks(STORED_TOGETHER).enumerate() {
                let first = part * STORED_TOGETHER;
                let keys = (first..first + values.len()).map(|number| keys.key(number));
                let hashes = keys.clone().map(hash);
                hashes.clone().for_each(|hash| table.touch(hash));
                for ((key, hash), value) in keys.zip(hashes).zip(values) {
                    table.set(key, hash, value.clone(), value.clone());
                }
            }
        });
        Ok([value.clone(), value])
    }
}

/// Bounds of a value by two pairs of bounds.
fn tightened(
    (lower, upper): &(BigRational, BigRational),
    [other_lower, other_upper]: [BigRational; 2],
) -> (BigRational, BigRational) {
    let bounds = (
        other_lower.max(lower.clone()),
        other_upper.min(upper.clone()),
    );
    // Rather no answer than a wrong one.
    assert!(bounds.0 <= bounds.1, "proved bounds do not cross");
    bounds
}

/// How it went without a scale.
fn no_scale(why: NoScale, watch: &Watch<'_>) -> WidthOutcome {
    match (why, watch.limits().check()) {
        (NoScale::TooNarrow, _) => WidthOutcome::TooNarrow,
        (NoScale::Stopped, Err(reason)) => WidthOutcome::Answered(Bounds::unknown(reason).into()),
        (NoScale::Stopped, Ok(())) => {
            WidthOutcome::Answered(Bounds::unknown(StopReason::Memory).into())
        }
    }
}

/// The most bytes that a node of the tree takes.
fn node_bytes<G: StochasticGame, N: Numerator>(question: Question<'_, G>, one: &N) -> usize {
    let row = question.game.rows(question.layer).words();
    size_of::<Node<N>>() + 3 * one.heap_bytes() + 8 * row
}

/// Searches with all threads; gives the best bounds any of them found. Those found by listing are only published: the
/// search does better when it narrows its questions down itself.
fn run<G: StochasticGame, N: Numerator>(
    Question {
        game,
        options,
        state,
        layer,
        ..
    }: Question<'_, G>,
    scale: &Scale<N>,
    shared: &Shared<'_>,
    alpha: &N,
    listed: &(BigRational, BigRational),
    histories: &mut [History],
    watch: &mut Watch<'_>,
) -> (N, N) {
    let one = &scale.ones[layer];
    let work = |is_helper: bool, history: &mut History, pulse: &mut dyn FnMut(&N, &N)| {
        let mut worker = Worker::new(game, options, scale, shared, is_helper, history);
        let (lower, upper, answered) = worker.solve(state, layer, alpha, one, pulse);
        if answered {
            shared.stop.raise();
        }
        (lower, upper)
    };
    let mut pulse = |lower: &N, upper: &N| {
        let expanded = shared.expanded.load(Ordering::Relaxed);
        let fraction = |number: &N| base::value::fraction(number.to_big(), one.to_big());
        let bounds = || Some(tightened(listed, [fraction(lower), fraction(upper)]));
        let bytes = shared.tables.taken();
        let checked = watch.check_and_report("searching", expanded, bytes, bounds);
        let over = options.expansion_limit.is_some_and(|most| expanded >= most);
        let reason = checked.err().or(over.then_some(StopReason::Interrupted));
        if let Some(reason) = reason {
            shared.stop_for(reason);
        } else if shared.pause.is_some_and(|pause| expanded >= pause) {
            shared.stop.raise();
        }
    };
    let (own, others) = histories.split_first_mut().expect("one for each thread");
    let help = |history| work(true, history, &mut |_, _| {});
    let found = fork_join(others, help, || work(false, own, &mut pulse)).into_iter();
    let best = found.reduce(|one, other| (one.0.max(other.0), one.1.min(other.1)));
    best.expect("this thread found bounds")
}
