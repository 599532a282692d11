//! The search itself: component by component, branch by branch, with exact whole numbers. Here is the loop; `enter` says
//! what is done with a component before anything is decided, `branch` what a decision leads to, and `memory` what all that
//! may take.
//!
//! One [`Frame`] per component on the path, in a list: the depth is bounded by memory that was
//! asked for, not by the stack. When the search is stopped it merely returns through the frames,
//! with what is not known counted as between 0 and 1, so the bounds at the root are valid at any
//! moment.

use super::anytime::{Outside, Pass, Schedule};
use super::component::{Component, Splitter, product};
use super::deduction::Deduction;
use super::frame::{Bounds, Combine, Frame, Step, Window};
use super::heap::Heap;
use super::instance::Instance;
use super::residual::Residual;
use super::store::ClauseId;
use super::survey::Survey;
use super::team::Team;
use super::trace::{Proof, Trace};
use crate::Trial;
use crate::options::Options;
use formula::{Quantifier, Var};
use limits::{StopReason, Watch};
use num_bigint::BigUint;
use std::sync::Arc;
use value::Numerator;

/// What is known about a part of the problem.
pub struct Part {
    /// Bounds of the value, in parts of `one`.
    pub lower: BigUint,
    pub upper: BigUint,
    pub one: BigUint,
    /// What shows the bounds, if that was asked for.
    pub trace: Option<Trace>,
    pub proof: Proof,
    pub stopped: Option<StopReason>,
    pub numbers: [u64; 6],
    /// How many threads took part.
    pub threads: usize,
}

/// What [`Part::numbers`] are.
pub const NUMBERS: [&str; 6] = [
    "branchings",
    "conflicts",
    "learned",
    "models",
    "stored",
    "hits",
];

/// The search for the value of one instance.
pub struct Search<'a, 'b, N> {
    pub(super) options: &'a Options,
    pub(super) watch: &'a mut Watch<'b>,
    pub(super) deduction: Deduction,
    pub(super) splitter: Splitter<N>,
    pub(super) residual: Residual,
    pub(super) survey: Survey,
    /// What it shares with other threads, and whether there are others.
    pub(super) team: Arc<Team<N>>,
    pub(super) is_together: bool,
    /// The numerator of the probability of a literal, by its code; 0 if it is not of chance.
    pub(super) weights: Vec<N>,
    pub(super) frames: Vec<Frame<N>>,
    /// What shows the bounds, if that is written down.
    pub(super) trace: Option<Trace>,
    /// The clause that made the branch at work fail.
    pub(super) conflict: Option<ClauseId>,
    /// Components that are still to be solved, frame by frame.
    pub(super) pending: Vec<Component<N>>,
    pub(super) stopped: Option<StopReason>,
    /// Whether determined variables are decided by sums.
    pub(super) has_sums: bool,
    /// The order of decisions and the model before the turn in which the model is contradicted.
    pub(super) set_aside: Option<(Heap, Vec<bool>)>,
    /// Whether decisions are made in the other way: determined variables first, as if they were chance variables; where there are none,
    /// existential variables first as the known model does not have them.
    pub(super) is_other_turn: bool,
    /// The work after which that changes, and whether the search is on its way back to the root for it.
    pub(super) turn: u64,
    pub(super) is_turning: bool,
    /// How often that changed.
    pub(super) turns: u64,
    /// The context of this part of the problem, and bounds that turns have shown.
    pub(super) outside: Outside<'a>,
    pub(super) known: Bounds<N>,
    /// The pass of a limited turn, if there is one, and when these are.
    pub(super) pass: Option<Pass>,
    pub(super) schedule: Schedule,
    /// The place of a frame that another thread has settled: the search is on its way back to it.
    pub(super) return_to: usize,
    /// Components to enter before the next look at what others have settled.
    pub(super) until_look: usize,
    /// The work after which other threads are invited.
    pub(super) invites_at: u64,
    pub(super) decisions: u64,
    /// How many branches gave something else than 0.
    pub(super) returns: usize,
    /// Memory asked for, for what is not in the cache.
    pub(super) accounted: u64,
    /// Memory asked for, for the lists of other threads.
    pub(super) lent: u64,
    pub(super) stored: u64,
    pub(super) hits: u64,
    /// How many threads helped, and the sums of their numbers.
    pub(super) helpers: usize,
    pub(super) helped: [u64; 6],
}

impl<'a, 'b, N: Numerator> Search<'a, 'b, N> {
    /// Prepares a search; `None` if the numbers are too narrow.
    pub fn new(
        instance: Instance,
        options: &'a Options,
        watch: &'a mut Watch<'b>,
        trace: Option<Trace>,
        outside: Outside<'a>,
    ) -> Self {
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
        let has_sums = instance.is_sum.contains(&true);
        let one = product(denominators.iter().cloned());
        let schedule = match options.limited_turns && trace.is_none() {
            true => Schedule::new(options.first_limited, options.relaxes, &instance),
            false => Schedule::never(),
        };
        let begins = instance.quantifiers.first() == Some(&Quantifier::Exists);
        let takes_turns = has_sums || begins && options.contradict_model;
        let turn = match takes_turns && options.take_turns {
            true => options.first_turn,
            false => u64::MAX,
        };
        let literals = instance.clauses.literal_count() as u64;
        let residual = Residual::new(variables, &instance.clauses);
        let splitter = Splitter::new(denominators, instance.clauses.len());
        let mut deduction = Deduction::new(instance);
        deduction.keeps_all = trace.is_some() && deduction.has_universals;
        Search {
            options,
            watch,
            survey: Survey::default(),
            splitter,
            residual,
            deduction,
            team: Arc::new(Team::new(options.threads != 1 && trace.is_none())),
            is_together: false,
            weights,
            frames: Vec::new(),
            trace,
            conflict: None,
            pending: Vec::new(),
            stopped: None,
            has_sums,
            set_aside: None,
            is_other_turn: false,
            turn,
            is_turning: false,
            turns: 0,
            outside,
            known: Bounds::between(N::zero(), one),
            pass: None,
            schedule,
            invites_at: options.first_help + options.help_per_literal * literals,
            return_to: usize::MAX,
            until_look: 0,
            decisions: 0,
            returns: 0,
            accounted: 0,
            lent: 0,
            stored: 0,
            hits: 0,
            helpers: 0,
            helped: [0; 6],
        }
    }

    /// Finds the value; nothing if a trial ends the search.
    pub fn solve(mut self, trial: &mut Option<Trial<'_>>) -> Option<Part> {
        let one = self.known.upper.clone();
        // What shows the bounds is written down in one order.
        let found = match self.options.threads == 1 || self.trace.is_some() {
            true => self.run(trial, &mut |_| {}),
            false => self.run_together(trial),
        };
        self.give_memory_back();
        self.watch.give_memory_back(self.team.cache.bytes());
        let found = found?;
        if let Some(trial) = trial {
            trial.work = trial.work.saturating_sub(self.deduction.work);
        }
        let is_known = found.lower == found.upper;
        Some(Part {
            lower: found.lower.to_big(),
            upper: found.upper.to_big(),
            one: one.to_big(),
            proof: found.proof,
            stopped: self.stopped.filter(|_| !is_known),
            numbers: self.numbers(),
            threads: 1 + self.helpers,
            trace: self.trace,
        })
    }

    /// Searches from the root. After some work other threads are invited.
    pub(super) fn run(
        &mut self,
        trial: &mut Option<Trial<'_>>,
        invite: &mut dyn FnMut(&mut Self),
    ) -> Option<Bounds<N>> {
        let whole = self.splitter.whole(&mut self.deduction);
        let mut step = self.enter_root(&whole);
        loop {
            if let Some(one) = trial
                && (self.deduction.work >= one.work || self.stopped == Some(StopReason::Memory))
            {
                if !(one.goes_on)(self.watch) {
                    self.learn();
                    return None;
                }
                *trial = None;
            }
            if self.deduction.work >= self.invites_at && trial.is_none() {
                self.invites_at = u64::MAX;
                invite(self);
            }
            step = match step {
                Step::Enter(component, window) => self.enter(component, window),
                Step::Continue => self.next_component(),
                Step::Leave(bounds, _) if self.frames.is_empty() => {
                    self.known.narrow(&bounds);
                    let is_turning = std::mem::take(&mut self.is_turning) || self.pass.is_some();
                    let is_known = |search: &Self| search.known.lower == search.known.upper;
                    let goes_on = is_turning && self.stopped.is_none() && !is_known(self);
                    if goes_on {
                        self.take_turn();
                    }
                    if !goes_on || is_known(self) {
                        return Some(self.known.clone());
                    }
                    self.enter_root(&whole)
                }
                Step::Leave(bounds, lesson) => self.absorb(bounds, lesson),
            };
        }
    }

    /// What is told in the end, with that of other threads.
    pub(super) fn numbers(&self) -> [u64; 6] {
        let counts = self.deduction.counts;
        let mut numbers = [
            self.decisions,
            counts.conflicts,
            counts.learned,
            counts.satisfiability_checks,
            self.stored,
            self.hits,
        ];
        for (number, helped) in numbers.iter_mut().zip(self.helped) {
            *number += helped;
        }
        numbers
    }

    /// The first branch of all decides nothing; it propagates what follows from no decision.
    fn enter_root(&mut self, whole: &Component<N>) -> Step<N> {
        let Bounds { lower, upper, .. } = self.known.clone();
        let window = Window {
            alpha: lower,
            beta: upper,
        };
        let key = Box::default();
        self.enter_node(
            whole.clone(),
            window,
            Combine::Alone,
            Vec::new(),
            key,
            false,
        )
    }

    /// Whether the search only goes back, to the root or to what another thread has settled.
    pub(super) fn is_leaving(&self) -> bool {
        self.stopped.is_some() || self.is_turning || self.frames.len() > self.return_to
    }
}
