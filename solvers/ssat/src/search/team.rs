//! Several threads at one part of the problem.
//!
//! All threads search the same tree from the root, each with an assignment and learned clauses of its own. They share the
//! values of components ([`crate::cache`]), and see which [are busy](crate::busy_components) and what others decide there, so that they take
//! different branches of the same decisions. The first one that is back at the root has the value, and all end.
//!
//! ```text
//! thread 1:  root - x - y - z            comes to x first, and notes it
//! thread 2:  root - x - not y            finds x at work, decides it too, and begins with the other branch
//! ```
//!
//! When one thread settles a component in which another is at work, the other one leaves it soon: now and then each
//! looks up the components on its path.
//!
//! Threads may share values because the value of a component depends on nothing else: all that a thread has learned keeps it
//! (see [`super`]). So the value found does not depend on which thread was faster; the way to it does.
//!
//! Other threads begin after some work only. Most formulas are solved before.

use super::modes::{Cuts, Modes};
use super::{Search, State};
use crate::busy_components::BusyComponents;
use crate::cache::{self, Cache};
use crate::component::Splitter;
use crate::deduction::{Counts, Mark};
use crate::frame::{Bounds, Frame};
use crate::options::Options;
use crate::policy::{ENTERED_PER_CHECK, ENTERED_PER_FRAME};
use base::value::Numerator;
use formula::Lit;
use limits::{Interrupt, Watch};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, Scope, ScopedJoinHandle};

/// The data that the threads at one part share.
pub struct Team<N> {
    pub cache: Cache<N>,
    /// Made when another thread begins.
    busy: OnceLock<BusyComponents>,
    /// Ends the work of all.
    pub stop: Interrupt,
    /// How often the first thread has switched to another mode or order, and whether the mode is the second one.
    pub switches: AtomicU64,
    pub is_second: AtomicBool,
    /// Where to cut the formula, after some work.
    pub cuts: Mutex<Option<Arc<Cuts>>>,
}

impl<N: Numerator> Team<N> {
    pub fn new(threads: usize) -> Self {
        Team {
            cache: Cache::new(threads),
            busy: OnceLock::new(),
            stop: Interrupt::default(),
            switches: AtomicU64::new(0),
            is_second: AtomicBool::new(false),
            cuts: Mutex::new(None),
        }
    }
}

/// How a thread works with others.
pub struct Parallel {
    /// Whether there are others.
    pub is_together: bool,
    /// The work after which others are invited.
    pub invites_at: u64,
    /// How many have been.
    pub helpers: usize,
    /// The index of a frame that another thread has settled: the search is on its way back to it.
    pub return_to: usize,
    /// Components to enter before the next check of what others have settled.
    until_check: usize,
}

impl Default for Parallel {
    fn default() -> Self {
        Parallel {
            is_together: false,
            invites_at: u64::MAX,
            helpers: 0,
            return_to: usize::MAX,
            until_check: 0,
        }
    }
}

/// The data that a thread needs to help.
pub(super) struct Helper<'a, N> {
    pub options: &'a Options,
    pub watch: Watch<'static>,
    pub team: Arc<Team<N>>,
    pub state: State<N>,
    pub modes: Modes,
}

/// The result of a thread.
pub struct Help<N> {
    bounds: Bounds<N>,
    counts: Counts,
}

impl<'a, 'b, N: Numerator> Search<'a, 'b, N> {
    /// Searches, and after some work asks other threads for help.
    pub(crate) fn run_together(&mut self, short_run: &mut Option<u64>) -> Option<Bounds<N>> {
        thread::scope(|scope| {
            let mut helpers = Vec::new();
            let mut invite = |search: &mut Self| helpers = search.invite(scope);
            let mut found = self.run(short_run, &mut invite);
            self.team.stop.raise();
            self.parallel.helpers = helpers.len();
            for helper in helpers {
                let help = helper.join().expect("no thread panics");
                if let Some(found) = &mut found {
                    found.narrow(&help.bounds);
                }
                self.deduction.counts.add(&help.counts);
            }
            self.watch.work_alone();
            found
        })
    }

    /// Starts threads that help. Where there is no memory for another one, those there are do the work.
    fn invite<'scope, 'env>(
        &mut self,
        scope: &'scope Scope<'scope, 'env>,
    ) -> Vec<ScopedJoinHandle<'scope, Help<N>>>
    where
        'a: 'env,
        'b: 'env,
    {
        let threads = limits::thread_count(self.options.threads);
        if threads == 1 {
            return Vec::new();
        }
        self.parallel.is_together = true;
        let busy = self.team.busy.get_or_init(BusyComponents::new);
        for frame in &mut self.stack.frames {
            frame.hash = cache::hash(&self.stack.keys[frame.key.clone()]);
            if let (true, Some(decision)) = (frame.is_shared(), frame.decisions.one(frame.branch)) {
                busy.put(frame.hash, decision);
            }
        }
        self.watch.join(&self.team.stop);
        let start = |_| {
            let room = self.room();
            // Much must stay for the cache.
            self.watch.take_memory(8 * room).ok()?;
            self.watch.give_memory_back(7 * room);
            self.memory.lent += room;
            let helper = self.helper();
            let work = move || helper.help();
            thread::Builder::new().spawn_scoped(scope, work).ok()
        };
        (1..threads).map_while(start).collect()
    }

    /// Memory that the lists of a thread take.
    pub(crate) fn room(&self) -> u64 {
        let store = &self.deduction.store;
        let chances = &self.deduction.instance.chances;
        let lists = crate::room(chances, store.given(), store.literals_of_given());
        lists + store.bytes
    }

    /// A search of the whole with what is learned, which does not share an assignment.
    pub(super) fn helper(&self) -> Helper<'a, N> {
        let mut deduction = self.deduction.clone();
        let mut residual = self.residual.clone();
        residual.retreat(0, &deduction);
        deduction.backtrack(Mark::default());
        if deduction.has_universals {
            // With universal reduction, clauses may hold only where the same literals are false for good.
            deduction.forget_learned();
        }
        deduction.counts = Counts {
            returns: self.deduction.counts.returns,
            ..Counts::default()
        };
        deduction.paid = 0;
        let denominators = self.splitter.denominators.clone();
        let state = State {
            splitter: Splitter::new(denominators, deduction.store.given()),
            deduction,
            residual,
            weights: self.weights.clone(),
        };
        Helper {
            options: self.options,
            watch: self.watch.helper(),
            team: Arc::clone(&self.team),
            state,
            modes: self.modes.of_helper(),
        }
    }

    /// A literal of the variable that another thread has decided in this component: the branch to begin with.
    pub(crate) fn join(&self, hash: u64, component: u64, variables: &[u32]) -> Option<Lit> {
        let literal = self.team.busy.get()?.get(hash)?;
        let decided = &self.deduction.instance.decided;
        let (variable, block) = (literal.var().index(), decided[variables[0] as usize]);
        let may_be_decided = variable < decided.len()
            && decided[variable] == block
            && self.deduction.is_open(literal)
            && self.deduction.component(literal) == component;
        may_be_decided.then_some(!literal)
    }

    /// Notes what the last frame is about to try.
    pub(crate) fn note_branch(&self) {
        let frame = self.stack.frames.last().expect("a branch has a node");
        if let (Some(busy), true, Some(decision), None) = (
            self.team.busy.get(),
            frame.is_shared(),
            frame.decisions.one(frame.branch),
            &self.anytime.pass,
        ) {
            busy.put(frame.hash, decision);
        }
    }

    /// Takes back what was noted about a component.
    pub(crate) fn forget_branch(&self, hash: u64) {
        if let Some(busy) = self.team.busy.get() {
            busy.clear(hash);
        }
    }

    /// Checks now and then whether other threads have changed what is to be done.
    pub(crate) fn follow_others(&mut self) {
        if !self.parallel.is_together {
            return;
        }
        let switches = self.team.switches.load(Ordering::Relaxed);
        self.modes.is_switching |= switches != self.modes.switches;
        self.parallel.until_check = match self.parallel.until_check.checked_sub(1) {
            Some(left) => left,
            None => {
                let settled = self
                    .stack
                    .frames
                    .iter()
                    .position(|frame| self.is_settled(frame));
                self.parallel.return_to = settled.unwrap_or(usize::MAX);
                ENTERED_PER_CHECK + ENTERED_PER_FRAME * self.stack.frames.len()
            }
        };
    }

    /// Whether the cache answers the question at a frame by now.
    fn is_settled(&self, frame: &Frame<N>) -> bool {
        let known = || self.team.cache.get(&self.stack.keys[frame.key.clone()]);
        frame.is_shared() && known().is_some_and(|bounds| bounds.settle(&frame.window))
    }
}

impl<N: Numerator> Helper<'_, N> {
    fn help(mut self) -> Help<N> {
        let watch = &mut self.watch;
        let mut search = Search::with(self.state, self.options, watch, self.team, self.modes);
        search.parallel.is_together = true;
        search.follow();
        let bounds = search.run(&mut None, &mut |_| {});
        let bounds = bounds.expect("only a short run ends a search without bounds");
        if search.stopped.is_none() {
            search.team.stop.raise();
        }
        search.give_memory_back();
        Help {
            bounds,
            counts: search.deduction.counts,
        }
    }
}
