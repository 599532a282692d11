//! The driver of the search: one question to all threads, values kept from one question to the next, widths of
//! numbers, denominators, windows, and the start of backward induction.

use crate::aspiration::next_alpha;
use crate::backwards::{self, Expected, GivenUp, Resources};
use crate::bounds::{
    BYTES_PER_LAYER, FEW_STATES, MAX_LISTED, MAX_ONES, MAX_SCALE_BYTES, MORE_PATIENCE,
    TABLES_PER_LOOK, TREES, UNLIMITED,
};
use crate::history::History;
use crate::options::Options;
use crate::question::Question;
use crate::random_play;
use crate::trend::Trend;
use crate::worker::{Shared, Worker};
use arena::Node;
use arena::{Denominators, NewShare, NoScale, Scale};
use arena::{StochasticGame, Trail, find_flaw};
use base::table::{ExactValues, Table, Tables, hash};
use base::value::{Numerator, U256, U512};
use limits::{Limits, StopReason, Watch, fork_join};
use num_bigint::BigUint;
use num_rational::BigRational;
use num_traits::{One, Zero};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

/// After which multiples of [`Options::list_after`] expansions backward induction is tried for the value: the longer
/// the search has taken, the more states may be expected.
const FOR_VALUE: [u64; 2] = [1, 4];

/// An attempt at backward induction.
#[derive(Clone, Copy)]
struct Attempt {
    /// It is made after this multiple of [`Options::list_after`] expansions.
    times: u64,
    /// The most states that may be expected for each of these expansions; guesses are mostly too high.
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

    /// One attempt after the other: for the value, then for bounds.
    fn all(options: &Options) -> impl Iterator<Item = Attempt> {
        let [first, last] = FOR_VALUE;
        let for_value = [
            Attempt::new(first, 10, 8),
            Attempt::new(last, options.worth_listing, 200),
        ];
        let for_value = for_value.into_iter().filter(|_| options.induct_backwards);
        let powers = (0..).map_while(|power| MORE_PATIENCE.checked_pow(power));
        let later = powers.filter(move |times| *times > last && options.list_for_bounds > 0);
        for_value.chain(later.map(|times| Attempt::new(times, 0, 0)))
    }

    /// After how many expansions it is made.
    fn after(&self, options: &Options) -> u64 {
        options.list_after.saturating_mul(self.times)
    }

    /// How many states may be expected, and how many are listed.
    fn bounds(&self, options: &Options) -> Expected {
        let after = self.after(options);
        let most = after.saturating_mul(self.expected).max(FEW_STATES);
        let for_bounds = after / options.list_for_bounds.max(1);
        Expected {
            most,
            guess_from: most.checked_div(self.guess_from).unwrap_or(u64::MAX),
            max_listed: match self.expected {
                0 => for_bounds.min(MAX_LISTED),
                _ => MAX_LISTED,
            },
        }
    }
}

/// Bounds of a value, and how they were found.
#[derive(Clone, Debug)]
pub struct Valuation {
    /// A proved lower bound.
    pub lower: BigRational,
    /// A proved upper bound; equal to the lower one if the value is known.
    pub upper: BigRational,
    /// The reason why the search was cut short, if the value is not known.
    pub stopped: Option<StopReason>,
    /// About where the value may be, if it is not known and there is reason for a guess. Nothing is proved of it.
    pub estimate: Option<BigRational>,
    /// States expanded.
    pub expanded: u64,
    /// The width of numbers in bits; 0 if it had no bound, or nothing was computed.
    pub value_bits: u32,
}

impl Valuation {
    fn at_once((lower, upper): (BigRational, BigRational), stopped: Option<StopReason>) -> Self {
        Valuation {
            stopped: stopped.filter(|_| lower != upper),
            lower,
            upper,
            estimate: None,
            expanded: 0,
            value_bits: 0,
        }
    }

    /// A value that is known.
    pub fn known(value: BigRational) -> Self {
        Valuation::at_once((value.clone(), value), None)
    }

    /// Nothing is known, because of a limit.
    pub fn unknown(reason: StopReason) -> Self {
        Valuation::at_once((BigRational::zero(), BigRational::one()), Some(reason))
    }
}

/// The result of a search with numbers of one width.
enum WidthOutcome {
    Answered(Valuation),
    /// It took longer than somebody was willing to wait.
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
    /// The values that backward induction found, for each layer.
    exact: Vec<Option<ExactValues>>,
    denominators: Denominators,
    /// The number 1 of some layers; forgotten when a denominator changes.
    ones: FxHashMap<usize, BigUint>,
    /// Up to this layer the shares that occur have been looked for.
    learned: usize,
}

impl Default for Values {
    fn default() -> Self {
        Values {
            cuts_off: false,
            tables: Tables::new(Vec::new(), None),
            exact: Vec::new(),
            denominators: Denominators::default(),
            ones: FxHashMap::default(),
            learned: 0,
        }
    }
}

impl Values {
    /// Forgets all values.
    pub fn forget(&mut self) {
        self.tables = Tables::new(Vec::new(), None);
        self.exact.clear();
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
        let exact = self.exact.iter().flatten().map(ExactValues::len);
        let states = tables.iter().map(Table::len).chain(exact).sum::<usize>();
        states as u64
    }

    /// The memory of the tables, in bytes.
    pub fn bytes(&self) -> u64 {
        self.tables.taken() + self.exact_bytes()
    }

    fn exact_bytes(&self) -> u64 {
        self.exact.iter().flatten().map(ExactValues::bytes).sum()
    }

    /// The memory that tables may take, in bytes.
    fn for_tables(&self, watch: &Watch<'_>) -> Option<u64> {
        let all = watch.limits().memory;
        all.map(|memory| (memory - memory / TREES).saturating_sub(self.exact_bytes()))
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
            return Ok(Some(Valuation::at_once(known, None)));
        }
        // There may be many questions, each of which would begin anew.
        let taken = self.bytes();
        if let Err(reason) = watch.look_and_tell("searching", 0, taken, || None) {
            return Ok(Some(Valuation::at_once(known, Some(reason))));
        }
        if layer as u64 * BYTES_PER_LAYER > watch.limits().memory.unwrap_or(UNLIMITED) / 4 {
            return Ok(Some(Valuation::at_once(known, Some(StopReason::Memory))));
        }
        self.denominators.grow(question.game, layer);
        if layer > self.learned {
            let denominators = &self.denominators;
            let (shares, learned) = random_play::learn(question, denominators, watch);
            self.add_shares(question.game, shares, watch.limits());
            if let Err(reason) = learned {
                return Ok(Some(Valuation::at_once(known, Some(reason))));
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
        try_widths!(u64, u128, U256, U512, BigUint);
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
        let (lower, upper) = match self.exact.get(layer).and_then(Option::as_ref) {
            Some(exact) => exact
                .get(key, hash)
                .map(|value: BigUint| (value.clone(), value)),
            None => None,
        }
        .or_else(|| self.tables.get_mut().get(layer)?.get(key, hash))?;
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
        let go_on = || limits.look().is_ok();
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
            for (exact, &bits) in self.exact.iter_mut().zip(&bits).take(end).skip(layer) {
                match exact {
                    Some(values) if go_on() => values.scale(&all, bits),
                    _ => *exact = None,
                }
            }
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
        let go_on = |bytes: u64| bytes <= most && limits.look().is_ok();
        // Tables of higher layers may hold wider numbers, which nobody looks at.
        let scale = Scale::<N>::new(game, &self.denominators, layer, go_on)?;
        let limit = self.for_tables(watch);
        self.tables.set_memory_limit(limit);
        let tables = self.tables.get_mut();
        for layer in tables.len()..scale.ones.len() {
            if layer.is_multiple_of(TABLES_PER_LOOK) && limits.look().is_err() {
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
        // Without chance the search needs a small part of all states, as it cuts off at the bounds of values.
        let may_list =
            self.denominators.has_shares() && (1..=layer).all(|layer| game.remembers(layer));
        let mut attempts = Attempt::all(options).filter(|_| may_list);
        let mut attempt = attempts.next();
        // Bounds that the search has proved; those from listing are in `trend`.
        let (mut lower, mut upper) = (N::zero(), scale.ones[layer].clone());
        let mut trend = Trend::default();
        // The histories of choices of each thread serve the next question too.
        let mut histories = vec![History::new(options.order_choices); threads];
        // States listed are not worth attempts at listing more.
        let (mut all_expanded, mut listed) = (0, 0);
        loop {
            if patience.is_some_and(|patience| all_expanded >= patience) {
                return WidthOutcome::Paused;
            }
            let mut coarse = None;
            if let Some(now) = attempt
                && all_expanded >= now.after(options)
            {
                match self.induct_backwards(
                    question,
                    &scale,
                    now.bounds(options),
                    &mut listed,
                    watch,
                ) {
                    Ok(found) => {
                        attempt = attempts.next();
                        let one = scale.ones[layer].to_big();
                        let fraction =
                            |number: &N| base::value::fraction(number.to_big(), one.clone());
                        trend.note(fraction(&found.0), fraction(&found.1));
                    }
                    Err(GivenUp::NewShare(new)) => coarse = Some(new),
                    Err(GivenUp::Flaw) => match find_flaw(game, question.state, layer, watch) {
                        Ok(Some(trail)) => return WidthOutcome::Flaw(trail),
                        Ok(None) => unreachable!("the same states have the same flaws"),
                        Err(reason) => return WidthOutcome::Answered(Valuation::unknown(reason)),
                    },
                    Err(GivenUp::TooLarge | GivenUp::Stopped) => attempt = attempts.next(),
                }
            }
            let one = scale.ones[layer].clone();
            let mut stopped = None;
            if coarse.is_none() && !trend.is_value() {
                let alpha = match options.ask_for_certainty {
                    true => next_alpha(&one, &upper, |number, small| scale.times(number, small)),
                    false => N::zero(),
                };
                let memory = watch.limits().memory.unwrap_or(UNLIMITED).min(UNLIMITED);
                let max_nodes = (memory / TREES) as usize / node_bytes(question, &one);
                let left = attempt.map(|next| next.after(options).saturating_sub(all_expanded));
                let pause = [left, patience].into_iter().flatten().min();
                let (tables, exact) = (&self.tables, &self.exact);
                let shared = Shared::new(tables, exact, threads, max_nodes, pause, watch.limits());
                let known = &mut histories;
                let found = run(question, &scale, &shared, &alpha, &trend, known, watch);
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
                let look = watch.look_and_tell("searching", all_expanded, self.bytes(), || None);
                stopped = look.err();
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
            let bounds = trend.tighten(fraction(&lower), fraction(&upper));
            if bounds.0 == bounds.1 || stopped.is_some() {
                return WidthOutcome::Answered(Valuation {
                    expanded: all_expanded + listed,
                    value_bits: N::BITS.unwrap_or(0),
                    estimate: trend.estimate(&bounds.0, &bounds.1),
                    ..Valuation::at_once(bounds, stopped)
                });
            }
        }
    }

    /// Lists states to find the value, or bounds of it if there are too many.
    fn induct_backwards<G: StochasticGame, N: Numerator>(
        &mut self,
        question: Question<'_, G>,
        scale: &Scale<N>,
        expected: Expected,
        all_listed: &mut u64,
        watch: &mut Watch<'_>,
    ) -> Result<(N, N), GivenUp> {
        let layer = question.layer;
        let before = self.bytes();
        let memory = watch.limits().memory.unwrap_or(UNLIMITED);
        let resources = Resources {
            threads: question.options.threads(),
            memory: memory.saturating_sub(before),
            limits: &watch.limits().clone(),
        };
        let look = |states: u64, bytes: u64| {
            watch
                .look_and_tell("listing states", states, bytes + before, || None)
                .is_ok()
        };
        let listed = backwards::induct(question, scale, resources, expected, look)?;
        *all_listed += listed.states;
        self.exact
            .resize_with(scale.ones.len().max(self.exact.len()), || None);
        for (behind, values) in listed.layers.into_iter().enumerate() {
            self.exact[layer - 1 - behind] = Some(values);
        }
        self.cuts_off |= listed.cuts_off;
        Ok((listed.lower, listed.upper))
    }
}

/// How it went without a scale.
fn no_scale(why: NoScale, watch: &Watch<'_>) -> WidthOutcome {
    match (why, watch.limits().look()) {
        (NoScale::TooNarrow, _) => WidthOutcome::TooNarrow,
        (NoScale::Stopped, Err(reason)) => WidthOutcome::Answered(Valuation::unknown(reason)),
        (NoScale::Stopped, Ok(())) => {
            WidthOutcome::Answered(Valuation::unknown(StopReason::Memory))
        }
    }
}

/// The most bytes that a node of the tree takes.
fn node_bytes<G: StochasticGame, N: Numerator>(question: Question<'_, G>, one: &N) -> usize {
    let row = question.game.rows(question.layer).words();
    size_of::<Node<N>>() + 3 * one.heap_bytes() + 8 * row
}

/// Searches with all threads; gives the best bounds any of them found. Those found by listing are only told: the
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
    listed: &Trend,
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
    let exact_bytes: u64 = shared.exact.iter().flatten().map(ExactValues::bytes).sum();
    let mut pulse = |lower: &N, upper: &N| {
        let expanded = shared.expanded.load(Ordering::Relaxed);
        let fraction = |number: &N| base::value::fraction(number.to_big(), one.to_big());
        let bounds = || Some(listed.tighten(fraction(lower), fraction(upper)));
        let bytes = exact_bytes + shared.tables.taken();
        let looked = watch.look_and_tell("searching", expanded, bytes, bounds);
        let over = options.expansion_limit.is_some_and(|most| expanded >= most);
        let reason = looked.err().or(over.then_some(StopReason::Interrupted));
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
