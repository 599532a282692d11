//! Depth-first search (DPLL with components), with exact whole numbers. Here is the loop; `evaluate` handles
//! a component before anything is decided, `branch` handles a decision, and `memory` limits the memory that all of it
//! may take.
//!
//! One [`Frame`] per component on the path, in a list: the depth is bounded by memory that was
//! asked for, not by the stack. When the search is stopped it merely returns through the frames,
//! with what is not known counted as between 0 and 1, so the bounds at the root are valid at any
//! moment.

mod anytime;
mod certainty;
mod memory;
mod modes;
mod other;
mod team;

use self::anytime::{Anytime, Schedule};
pub use self::anytime::{Outside, Pass};
use self::memory::Memory;
use self::modes::Modes;
use self::team::{Parallel, Team};
use crate::certain::CertainWin;
use crate::component::{Component, Splitter, product};
use crate::deduction::{Counts, Deduction};
use crate::derive::Derivations;
use crate::frame::{Bounds, Combine, Decisions, Frame, NextDecision, Step, Window};
use crate::instance::Instance;
use crate::options::Options;
use crate::order::Order;
use crate::recorder::Recorder;
use crate::residual::Residual;
use crate::store::ClauseId;
use crate::trace::Proof;
use base::value::Numerator;
use formula::Var;
use limits::{StopReason, Watch};
use num_bigint::BigUint;
use std::sync::Arc;
use std::time::Instant;

/// A trace that is being written: its diagrams and its clauses.
pub type Recording = (Recorder, Box<Derivations>);

/// The answer to a part of the problem.
pub struct PartAnswer {
    /// Bounds of the value, in parts of `one`.
    pub lower: BigUint,
    pub upper: BigUint,
    pub one: BigUint,
    /// The trace so far, if it was asked for.
    pub recording: Option<Recording>,
    pub proof: Proof,
    pub stopped: Option<StopReason>,
    pub counts: Counts,
    /// How many threads took part.
    pub threads: usize,
}

/// The clauses of an instance under an assignment.
pub struct State<N> {
    pub deduction: Deduction,
    pub residual: Residual,
    pub splitter: Splitter<N>,
    /// The numerator of the probability of a literal, by its code; 0 if it is not of chance.
    pub weights: Vec<N>,
}

/// The components on the path of the search.
pub struct Stack<N> {
    pub frames: Vec<Frame<N>>,
    /// Components that are still to be solved, frame by frame.
    pub waiting: Vec<Component<N>>,
    /// The keys of the frames, one after the other.
    pub keys: Vec<u8>,
}

/// The search for the value of one instance.
pub struct Search<'a, 'b, N> {
    pub(super) options: &'a Options,
    pub(super) watch: &'a mut Watch<'b>,
    pub(super) deduction: Deduction,
    pub(super) residual: Residual,
    pub(super) splitter: Splitter<N>,
    pub(super) weights: Vec<N>,
    /// Of the lists of components, and for keys.
    pub(super) order: Arc<Order>,
    /// The key of the component that was looked up last.
    pub(super) key: Vec<u8>,
    pub(super) stack: Stack<N>,
    pub(super) modes: Modes,
    pub(super) anytime: Anytime<'a, N>,
    /// The cache and the other data that threads share.
    pub(super) team: Arc<Team<N>>,
    pub(super) parallel: Parallel,
    pub(super) memory: Memory,
    /// The search for a certain win, between two turns.
    pub(super) certain: CertainWin,
    /// The trace that proves the bounds, if it is written down.
    pub(super) trace: Option<Recorder>,
    /// The clause that made the branch at work fail.
    pub(super) conflict: Option<ClauseId>,
    pub(super) stopped: Option<StopReason>,
}

impl<N: Numerator> State<N> {
    /// Nothing is assigned.
    fn new(instance: Instance) -> Self {
        let variables = instance.variables();
        let big = |number: &num_bigint::BigInt| {
            N::from_big(number.magnitude()).expect("the product of the denominators fits")
        };
        let mut weights = vec![N::zero(); 2 * variables];
        let mut denominators = vec![N::one(); variables];
        for (index, chance) in instance.chances.iter().enumerate() {
            if let Some(chance) = chance {
                let chance = chance.as_rational();
                let variable = Var::new(index);
                denominators[index] = big(chance.denom());
                weights[variable.positive().code()] = big(chance.numer());
                weights[variable.negative().code()] = big(&(chance.denom() - chance.numer()));
            }
        }
        State {
            residual: Residual::new(variables, &instance.clauses),
            splitter: Splitter::new(denominators, instance.clauses.len()),
            deduction: Deduction::new(instance),
            weights,
        }
    }
}

impl<'a, 'b, N: Numerator> Search<'a, 'b, N> {
    /// Prepares the search of an instance.
    pub fn new(
        instance: Instance,
        options: &'a Options,
        watch: &'a mut Watch<'b>,
        recording: Option<Recording>,
        outside: Outside<'a>,
    ) -> Self {
        let literals = instance.clauses.literal_count() as u64;
        // A trace is written by one thread.
        let threads = match recording {
            Some(_) => 1,
            None => limits::thread_count(options.threads),
        };
        let team = Arc::new(Team::new(threads));
        let schedule = match options.limited_turns && recording.is_none() {
            true => Schedule::new(options, &instance),
            false => Schedule::never(),
        };
        let modes = Modes::new(&instance, options);
        let variables = instance.variables();
        let mut search = Search::with(State::new(instance), options, watch, team, modes);
        if let Some((mut recorder, derivations)) = recording {
            recorder.begin(variables);
            search.trace = Some(recorder);
            search.deduction.derivations = Some(derivations);
        }
        search.anytime.outside = outside;
        search.anytime.schedule = schedule;
        search.parallel.invites_at = options.first_help + options.help_per_literal * literals;
        search
    }

    /// A search of one thread, without others, which writes nothing down.
    pub(super) fn with(
        state: State<N>,
        options: &'a Options,
        watch: &'a mut Watch<'b>,
        team: Arc<Team<N>>,
        modes: Modes,
    ) -> Self {
        let one = product(state.splitter.denominators.iter().cloned());
        let (variables, clauses) = (
            state.splitter.denominators.len(),
            state.deduction.store.given(),
        );
        let order = Arc::new(Order::given(variables, clauses));
        Search {
            options,
            watch,
            deduction: state.deduction,
            residual: state.residual,
            splitter: state.splitter,
            weights: state.weights,
            order,
            key: Vec::new(),
            stack: Stack {
                frames: Vec::new(),
                waiting: Vec::new(),
                keys: Vec::new(),
            },
            modes,
            anytime: Anytime {
                outside: Outside::default(),
                began: Instant::now(),
                known: Bounds::between(N::zero(), one),
                pass: None,
                schedule: Schedule::never(),
            },
            team,
            parallel: Parallel::default(),
            memory: Memory::default(),
            certain: CertainWin::default(),
            trace: None,
            conflict: None,
            stopped: None,
        }
    }

    /// Finds the value; nothing if a short run ends the search.
    pub fn solve(mut self, short_run: &mut Option<u64>) -> Option<PartAnswer> {
        let one = self.anytime.known.upper.clone();
        // A trace is written down in one order, so one thread works alone.
        let found = match self.options.threads == 1 || self.trace.is_some() {
            true => self.run(short_run, &mut |_| {}),
            false => self.run_together(short_run),
        };
        self.give_memory_back();
        self.watch.give_memory_back(self.team.cache.bytes());
        let found = found?;
        if let Some(work) = short_run {
            *work = work.saturating_sub(self.deduction.work);
        }
        let is_known = found.lower == found.upper;
        Some(PartAnswer {
            lower: found.lower.to_big(),
            upper: found.upper.to_big(),
            one: one.to_big(),
            proof: found.proof,
            stopped: self.stopped.filter(|_| !is_known),
            counts: self.deduction.counts,
            threads: 1 + self.parallel.helpers,
            recording: self.trace.zip(self.deduction.derivations),
        })
    }

    /// Searches from the root. After some work other threads are invited.
    pub(super) fn run(
        &mut self,
        short_run: &mut Option<u64>,
        invite: &mut dyn FnMut(&mut Self),
    ) -> Option<Bounds<N>> {
        let mut whole = self.splitter.whole(&mut self.deduction, &self.order);
        let mut step = self.enter_root(&whole);
        loop {
            if let Some(work) = *short_run
                && (self.deduction.work >= work || self.stopped == Some(StopReason::Memory))
            {
                self.learn();
                return None;
            }
            if self.deduction.work >= self.parallel.invites_at && short_run.is_none() {
                self.parallel.invites_at = u64::MAX;
                invite(self);
                // All begin at the root with the same units, so they meet the same components.
                self.modes.is_switching |= self.parallel.is_together;
            }
            step = match step {
                Step::Enter(component, window) => self.enter(component, window),
                Step::Continue => self.next_component(),
                Step::Leave(bounds, _) if self.stack.frames.is_empty() => {
                    self.anytime.known.narrow(&bounds);
                    let is_switching = std::mem::take(&mut self.modes.is_switching);
                    let is_pass = self.anytime.pass.is_some();
                    let goes_on = match self.stopped.is_some() || self.anytime.is_solved() {
                        true => false,
                        false if is_pass => self.anytime.next_pass(self.deduction.work),
                        false => is_switching,
                    };
                    if !goes_on {
                        return Some(self.anytime.known.clone());
                    }
                    if !is_pass {
                        self.switch();
                    }
                    whole = self.splitter.whole(&mut self.deduction, &self.order);
                    self.enter_root(&whole)
                }
                Step::Leave(bounds, lesson) => self.absorb(bounds, lesson),
            };
        }
    }

    /// The first branch of all decides nothing; it propagates what follows from no decision.
    fn enter_root(&mut self, whole: &Component<N>) -> Step<N> {
        let Bounds { lower, upper, .. } = self.anytime.known.clone();
        let window = Window {
            alpha: lower,
            beta: upper,
        };
        let nothing = NextDecision {
            combine: Combine::Alone,
            decisions: Decisions::All(Vec::new()),
            is_won: false,
        };
        self.enter_node(whole.clone(), window, nothing, false)
    }

    /// Whether the search only goes back, to the root or to a frame that another thread has settled.
    pub(super) fn is_leaving(&self) -> bool {
        self.stopped.is_some()
            || self.modes.is_switching
            || self.stack.frames.len() > self.parallel.return_to
    }
}
