//! One thread of the search: depth first from state to state.
//!
//! A state whose value is asked for is a [`Frame`], with a *window*: which values are told apart; all
//! up to `alpha` are alike, and all from `beta`. The search takes the successor that the question
//! needs next ([`Worker::look`]), with the window that follows for it: below a maximum alpha rises to
//! what is already sure, below a minimum beta falls, and in a sum the others' bounds say what is
//! missing (Star1, Ballard 1983). When the bounds answer the question they go to the table.
//!
//! States are expanded before they are asked about, together with their open siblings, so that the
//! lanes of a word are in use: the successors' entries in the table then often settle a state without
//! any further search (enhanced transposition cutoffs, Plaat and others 1996).
//!
//! Nothing of a search in progress is kept but bounds. All threads do the same from the same root.
//! They help each other through the tables: a state that another thread is looking at is left for
//! later where there is a choice.

use crate::arena::{Arena, NONE, Node};
use crate::compile::Compiled;
use crate::expand::{Expander, Refusal};
use crate::halt::Halt;
use crate::history::History;
use crate::options::Options;
use crate::trail::Trail;
use crate::units::{NewCount, Units};
use formula::{Clock, StopReason};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use table::{Marks, Stored, Table, Tables};
use value::Numerator;

/// What the threads of a search share.
pub struct Shared<'a> {
    /// One table for each number of steps left.
    pub tables: &'a Tables,
    /// Which states somebody is looking at.
    pub marks: Marks,
    /// Set when all threads are to come to an end.
    pub stop: AtomicBool,
    /// Set if that is only to try another way.
    pub is_paused: AtomicBool,
    /// Why the search stopped early.
    pub reason: Mutex<Option<StopReason>>,
    /// Set if a denominator is too coarse.
    pub coarse: Mutex<Option<NewCount>>,
    /// Set if a flaw was met: the facts of the states on the way there.
    pub flaw: Mutex<Option<Trail>>,
    /// Set if some play was not over after the last step.
    pub cuts_off: AtomicBool,
    /// States expanded by all threads.
    pub expanded: AtomicU64,
    /// The number of threads.
    pub threads: usize,
    /// States that the arena of a thread may hold.
    pub most_nodes: usize,
    /// When it is to end.
    pub clock: &'a Clock,
}

impl Shared<'_> {
    /// When each of the threads is to end.
    fn halt(&self) -> Halt<'_> {
        Halt::new(self.clock, Some(&self.stop))
    }

    /// Ends the search of all threads, for a reason.
    pub fn stop_for(&self, reason: StopReason) {
        let mut found = self.reason.lock().expect("no thread panics");
        found.get_or_insert(reason);
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// A state that a question is asked about.
struct Frame<N> {
    node: usize,
    steps: usize,
    alpha: N,
    beta: N,
    hash: u64,
    /// The length of the arena before.
    mark: usize,
    /// The successor that is looked at until it is settled.
    current: usize,
}

/// What to do next about a question.
enum Next<N> {
    Settled,
    Successor(usize, N, N),
}

/// All that may follow one alternative, in sum.
struct Part<N> {
    first: usize,
    end: usize,
    lower: N,
    upper: N,
}

impl<N> Part<N> {
    fn new(states: Range<usize>, (lower, upper): (N, N)) -> Self {
        Part {
            first: states.start,
            end: states.end,
            lower,
            upper,
        }
    }
}

/// One thread of the search.
pub struct Worker<'a, N> {
    compiled: &'a Compiled,
    options: &'a Options,
    units: &'a Units<N>,
    shared: &'a Shared<'a>,
    is_helper: bool,
    arena: Arena<N>,
    expander: Expander<'a>,
    history: History,
    frames: Vec<Frame<N>>,
    alternatives: Vec<Part<N>>,
    replies: Vec<Part<N>>,
    batch: Vec<u32>,
    /// About how many successors a state has.
    width: usize,
    /// A table that should grow, and where: by the hash of a state.
    crowded: Option<(usize, u64)>,
    expanded: u64,
    /// Successors made and compared since the last look at the limits.
    work: usize,
    /// How many of them are worth a look.
    work_per_look: usize,
}

/// So many states are expanded between two looks at the limits.
const PULSE: u64 = 512;

/// And so many successors made and compared, if numbers are short.
const WORK: usize = 1 << 17;

impl<'a, N: Numerator> Worker<'a, N> {
    /// A thread that has not begun.
    pub fn new(
        compiled: &'a Compiled,
        options: &'a Options,
        units: &'a Units<N>,
        shared: &'a Shared<'a>,
        is_helper: bool,
    ) -> Self {
        let longest = units.ones.last().expect("there is one for 0 steps");
        Worker {
            compiled,
            options,
            units,
            shared,
            is_helper,
            arena: compiled.arena(),
            expander: Expander::new(compiled, shared.most_nodes, shared.halt()),
            history: History::new(options.order_moves),
            frames: Vec::new(),
            alternatives: Vec::new(),
            replies: Vec::new(),
            batch: Vec::new(),
            width: 1,
            crowded: None,
            expanded: 0,
            work: 0,
            work_per_look: WORK / (1 + longest.heap_bytes() / 8),
        }
    }

    /// Finds bounds of the value of a state that is not terminal, with so many steps left (at least
    /// one), that answer a question, or any valid bounds if the search is stopped before; says
    /// whether they answer it. `pulse` is called now and then with the bounds of the state.
    pub fn solve(
        &mut self,
        facts: &[u64],
        steps: usize,
        alpha: &N,
        beta: &N,
        mut pulse: impl FnMut(&N, &N),
    ) -> (N, N, bool) {
        let shared = self.shared;
        self.arena.truncate(0);
        self.arena.push(Node::open(self.units.ones[steps].clone()));
        self.arena.facts_mut(0).copy_from_slice(facts);
        if self.compiled.sight.is_some() {
            let seen = self.compiled.seen(facts);
            self.arena.seen_mut(0).copy_from_slice(&seen);
        }
        self.arena.set_key(0, &self.compiled.keys);
        let mut answered = false;
        let (mut looked, mut reported) = (self.expanded, self.expanded);
        let mut tables = shared.tables.read();
        self.look_up(&tables[steps], 0);
        self.batch.clear();
        self.batch.push(0);
        match self.expand_batch(&tables, steps) {
            Err(refusal) => self.refuse(refusal),
            Ok(()) => self.begin(&tables, 0, steps, alpha.clone(), beta.clone()),
        }
        while let Some(frame) = self.frames.last()
            && !shared.stop.load(Ordering::Relaxed)
        {
            let crowded = self.crowded.take();
            if crowded.is_some() || shared.tables.is_growing() {
                drop(tables);
                if let Some((number, hash)) = crowded {
                    shared.tables.grow(number, hash);
                }
                tables = shared.tables.read();
            }
            let steps = frame.steps;
            let is_time = self.expanded >= looked + PULSE || self.work >= self.work_per_look;
            if is_time || self.options.expansion_limit.is_some() {
                (looked, self.work) = (self.expanded, 0);
                shared
                    .expanded
                    .fetch_add(self.expanded - reported, Ordering::Relaxed);
                reported = self.expanded;
                let root = &self.arena.nodes[0];
                pulse(&root.lower, &root.upper);
            }
            match self.look() {
                Next::Settled => {
                    if self.frames.len() == 1 {
                        answered = true;
                        break;
                    }
                    self.end(&tables);
                }
                Next::Successor(node, alpha, beta) => {
                    let last = self.frames.last_mut().expect("it was looked at");
                    last.current = node;
                    if self.look_up(&tables[steps - 1], node) {
                        continue;
                    }
                    if self.arena.nodes[node].first != NONE {
                        self.begin(&tables, node, steps - 1, alpha, beta);
                        continue;
                    }
                    self.choose_batch(node);
                    if let Err(refusal) = self.expand_batch(&tables, steps - 1) {
                        self.refuse(refusal);
                        break;
                    }
                }
            }
        }
        drop(tables);
        let expanded = self.expanded - reported;
        shared.expanded.fetch_add(expanded, Ordering::Relaxed);
        // What is known of the states on the path counts for the root.
        while let Some(frame) = self.frames.pop() {
            shared.marks.mark(frame.hash, false);
            self.arena.combine(frame.node);
        }
        let root = &self.arena.nodes[0];
        (root.lower.clone(), root.upper.clone(), answered)
    }

    /// Tells the others why this thread comes to an end, if they have to know.
    fn refuse(&self, refusal: Refusal) {
        match refusal {
            Refusal::TooLarge if self.is_helper => {}
            Refusal::TooLarge => self.shared.stop_for(StopReason::Memory),
            Refusal::Stopped(Some(reason)) => self.shared.stop_for(reason),
            Refusal::Stopped(None) => {}
            Refusal::NewCount(new) => {
                let mut found = self.shared.coarse.lock().expect("no thread panics");
                found.get_or_insert(new);
                self.shared.stop.store(true, Ordering::Relaxed);
            }
            Refusal::Flaw(node) => {
                let open = self.frames.iter().map(|frame| frame.node);
                let trail = open.chain([node as usize]);
                let trail = trail.map(|node| self.arena.facts(node).into()).collect();
                let mut found = self.shared.flaw.lock().expect("no thread panics");
                found.get_or_insert(trail);
                self.shared.stop.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Looks a state up; whether anything new was learned.
    fn look_up(&mut self, table: &Table, node: usize) -> bool {
        let found = table.get::<N>(self.arena.key(node), self.arena.hash(node));
        let Some((lower, upper)) = found else {
            return false;
        };
        let node = &mut self.arena.nodes[node];
        let is_new = lower > node.lower || upper < node.upper;
        node.tighten(&lower, &upper);
        is_new
    }

    /// Looks up those of some states side by side whose values are not known, many at once.
    fn look_up_all(&mut self, table: &Table, states: Range<usize>) {
        const STATES_PER_LOOK: usize = 1 << 10;
        for first in states.clone().step_by(STATES_PER_LOOK) {
            // Those left out have no keys, so nobody may look at any state after this.
            if first > states.start
                && let Err(refusal) = self.shared.halt().look()
            {
                return self.refuse(refusal);
            }
            self.look_up_some(table, first..states.end.min(first + STATES_PER_LOOK));
        }
    }

    fn look_up_some(&mut self, table: &Table, states: Range<usize>) {
        // All entries are asked for before the first answer is waited for.
        for node in states.clone() {
            if !self.arena.nodes[node].is_known() {
                table.touch(self.arena.set_key(node, &self.compiled.keys));
            }
        }
        for node in states {
            if !self.arena.nodes[node].is_known() {
                self.look_up(table, node);
            }
        }
    }

    /// Looks up the successors of a state, and tells the table what follows for the state itself.
    fn look_up_successors(&mut self, tables: &[Table], node: usize, steps: usize) {
        let Node { first, count, .. } = self.arena.nodes[node];
        if steps > 1 {
            let successors = first as usize..(first + count) as usize;
            self.look_up_all(&tables[steps - 1], successors);
        }
        self.arena.nodes[node].is_looked_up = true;
        let before = self.arena.nodes[node].clone();
        self.arena.combine(node);
        let Node { lower, upper, .. } = &self.arena.nodes[node];
        if *lower > before.lower || *upper < before.upper {
            self.store(tables, node, steps);
        }
    }

    /// Begins to ask about a state that has been expanded.
    fn begin(&mut self, tables: &[Table], node: usize, steps: usize, alpha: N, beta: N) {
        let hash = self.arena.hash(node);
        self.shared.marks.mark(hash, true);
        let (alpha, beta) = match self.options.narrow_windows || self.frames.is_empty() {
            true => (alpha, beta),
            false => (N::zero(), self.units.ones[steps].clone()),
        };
        if !self.arena.nodes[node].is_looked_up {
            self.look_up_successors(tables, node, steps);
        }
        self.frames.push(Frame {
            node,
            steps,
            alpha,
            beta,
            hash,
            mark: self.arena.nodes.len(),
            current: usize::MAX,
        });
    }

    /// Ends the last question, which is answered.
    fn end(&mut self, tables: &[Table]) {
        let frame = self.frames.pop().expect("there is one");
        self.shared.marks.mark(frame.hash, false);
        self.arena.truncate(frame.mark);
        let Node {
            lower,
            upper,
            alternative,
            reply,
            ..
        } = &self.arena.nodes[frame.node];
        let one = self.units.ones[frame.steps].approximately();
        // One step earlier the maximizer and the adversaries chose this.
        let steps = frame.steps + 1;
        self.history
            .note(2 * steps, *alternative, lower, upper, one);
        self.history.note(2 * steps + 1, *reply, lower, upper, one);
        self.store(tables, frame.node, frame.steps);
    }

    /// Tells the table what is known of a state.
    fn store(&mut self, tables: &[Table], node: usize, steps: usize) {
        let Node { lower, upper, .. } = &self.arena.nodes[node];
        let (key, hash, table) = (self.arena.key(node), self.arena.hash(node), &tables[steps]);
        let (lower, upper, stored) = table.set(key, hash, lower.clone(), upper.clone());
        self.arena.nodes[node].tighten(&lower, &upper);
        if stored == Stored::Crowded && self.shared.tables.may_grow(table, hash) {
            self.crowded = Some((steps, hash));
        }
    }

    /// Makes a list of states to be expanded: this one, and open siblings.
    fn choose_batch(&mut self, node: usize) {
        self.batch.clear();
        self.batch.push(node as u32);
        let most = (self.options.sibling_lanes / self.width.max(1)).min(64);
        let frame = self.frames.last().expect("the state follows one");
        let Node { first, count, .. } = self.arena.nodes[frame.node];
        let (first, end) = (first as usize, (first + count) as usize);
        for sibling in (node + 1..end).chain(first..node) {
            if self.batch.len() >= most {
                break;
            }
            let found = &self.arena.nodes[sibling];
            if found.first == NONE && !found.is_known() {
                self.batch.push(sibling as u32);
            }
        }
    }

    /// Expands the states of the list, which have so many steps left.
    fn expand_batch(&mut self, tables: &[Table], steps: usize) -> Result<(), Refusal> {
        let start = self.arena.nodes.len();
        let batch = std::mem::take(&mut self.batch);
        let expanded = self
            .expander
            .expand(&mut self.arena, &batch, steps, self.units);
        if let Err(refusal) = expanded {
            self.arena.truncate(start);
            for &node in &batch {
                self.arena.nodes[node as usize].first = NONE;
            }
            return Err(refusal);
        }
        self.expanded += batch.len() as u64;
        if self.expander.cuts_off {
            self.shared.cuts_off.store(true, Ordering::Relaxed);
        }
        let successors = self.arena.nodes.len() - start;
        self.work += successors;
        let width = successors.div_ceil(batch.len());
        self.width = (3 * self.width + width).div_ceil(4);
        for &node in &batch[1..] {
            self.arena.combine(node as usize);
        }
        self.look_up_successors(tables, batch[0] as usize, steps);
        self.batch = batch;
        Ok(())
    }

    /// Brings the bounds of the last question's state up to date, and finds the successor that is
    /// needed next.
    ///
    /// While the question is open some alternative is: a maximum whose upper bound is above the
    /// window has a member whose upper bound is, and so on.
    fn look(&mut self) -> Next<N> {
        let frame = self.frames.last().expect("the caller saw it");
        let Node { first, count, .. } = self.arena.nodes[frame.node];
        let successors = first as usize..(first + count) as usize;
        self.work += successors.len();
        self.alternatives.clear();
        let (mut lower, mut upper) = (N::zero(), N::zero());
        self.arena
            .for_each_alternative(successors, |states, bounds| {
                if bounds.0 > lower {
                    lower = bounds.0.clone();
                }
                if bounds.1 > upper {
                    upper = bounds.1.clone();
                }
                self.alternatives.push(Part::new(states, bounds));
            });
        let here = &mut self.arena.nodes[frame.node];
        if count > 0 {
            here.tighten(&lower, &upper);
        }
        let (alpha, beta) = (&frame.alpha, &frame.beta);
        if here.lower >= *beta || here.upper <= *alpha || here.is_known() {
            return Next::Settled;
        }
        let alpha = alpha.max(&self.arena.nodes[frame.node].lower);
        let about_one = self.units.ones[frame.steps].approximately();
        let estimate = |turn: usize, number: u16, lower: &N, upper: &N| {
            let steps = 2 * frame.steps + turn;
            self.history
                .estimate(steps, number, lower, upper, about_one)
        };
        let alternative = choose(
            &self.alternatives,
            frame.current,
            |open| open.upper > *alpha,
            |open| {
                let number = self.arena.nodes[open.first].alternative;
                estimate(0, number, &open.lower, &open.upper)
            },
            |open| self.is_busy(open.first..open.end),
        );
        let beta = beta.min(&alternative.upper);
        self.replies.clear();
        let states = alternative.first..alternative.end;
        self.arena.for_each_reply(states, |states, bounds| {
            self.replies.push(Part::new(states, bounds));
        });
        let reply = choose(
            &self.replies,
            frame.current,
            |open| open.lower < *beta,
            |open| {
                let number = self.arena.nodes[open.first].reply;
                !estimate(1, number, &open.lower, &open.upper)
            },
            |open| self.is_busy(open.first..open.end),
        );
        self.outcome(frame.current, reply, alpha, beta)
    }

    /// Chooses what chance does, and the window for it.
    fn outcome(&self, current: usize, reply: &Part<N>, alpha: &N, beta: &N) -> Next<N> {
        let nodes = &self.arena.nodes;
        let mut chosen = usize::MAX;
        let mut best = (false, N::zero());
        for (node, found) in nodes.iter().enumerate().take(reply.end).skip(reply.first) {
            if found.is_known() {
                continue;
            }
            if node == current {
                chosen = node;
                break;
            }
            let free = !self.is_busy(node..node + 1);
            let open = found.weight.times(&found.upper.minus(&found.lower));
            if chosen == usize::MAX || (free, &open) > (best.0, &best.1) {
                chosen = node;
                best = (free, open);
            }
        }
        let found = &nodes[chosen];
        // What the others contribute at most, and at least.
        let most = reply.upper.minus(&found.weight.times(&found.upper));
        let least = reply.lower.minus(&found.weight.times(&found.lower));
        let alpha = match *alpha > most {
            true => alpha.minus(&most).divided_down(&found.weight),
            false => N::zero(),
        };
        let beta = beta.minus(&least).divided_up(&found.weight);
        Next::Successor(chosen, alpha, beta)
    }

    /// Whether another thread looks at the only open one of some states.
    fn is_busy(&self, states: Range<usize>) -> bool {
        if self.shared.threads == 1 {
            return false;
        }
        let mut open = states.filter(|&node| !self.arena.nodes[node].is_known());
        let Some(node) = open.next() else {
            return false;
        };
        open.next().is_none() && self.shared.marks.is_marked(self.arena.hash(node))
    }
}

/// Chooses among those that are open: the one that is looked at already, else one that nobody else
/// looks at, of the highest score.
fn choose<N>(
    list: &[Part<N>],
    current: usize,
    is_open: impl Fn(&Part<N>) -> bool,
    score: impl Fn(&Part<N>) -> u32,
    is_busy: impl Fn(&Part<N>) -> bool,
) -> &Part<N> {
    if let [only] = list {
        return only;
    }
    let mut best: Option<(&Part<N>, (bool, u32))> = None;
    for found in list.iter().filter(|found| is_open(found)) {
        if (found.first..found.end).contains(&current) {
            return found;
        }
        let merit = (!is_busy(found), score(found));
        if best.as_ref().is_none_or(|best| merit > best.1) {
            best = Some((found, merit));
        }
    }
    best.expect("the question is open").0
}
