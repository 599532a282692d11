//! The search itself: component by component, branch by branch, with exact whole numbers. Here is the loop; `enter` says
//! what is done with a component before anything is decided, `branch` what a decision leads to, and `memory` what all that
//! may take.
//!
//! One [`Frame`] per component on the path, in a list: the depth is bounded by memory that was
//! asked for, not by the stack. When the search is stopped it merely returns through the frames,
//! with what is not known counted as between 0 and 1, so the bounds at the root are valid at any
//! moment.

use super::cache::Cache;
use super::component::{Component, Splitter};
use super::deduction::Deduction;
use super::frame::{Bounds, Combine, Frame, Step, Window};
use super::instance::Instance;
use super::residual::Residual;
use super::store::ClauseId;
use super::survey::Survey;
use super::trace::{Proof, Trace};
use crate::Trial;
use crate::options::Options;
use formula::Var;
use limits::{StopReason, Watch};
use num_bigint::BigUint;
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
    pub decisions: u64,
    pub conflicts: u64,
    pub learned: u64,
    pub checks: u64,
    pub stored: u64,
    pub hits: u64,
}

/// The search for the value of one instance.
pub struct Search<'a, 'b, N> {
    pub(super) options: &'a Options,
    pub(super) watch: &'a mut Watch<'b>,
    pub(super) deduction: Deduction,
    pub(super) splitter: Splitter<N>,
    pub(super) residual: Residual,
    pub(super) survey: Survey,
    pub(super) cache: Cache<N>,
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
    /// Whether determined variables are decided as if they were chance variables; else only after conflicts.
    pub(super) sums_first: bool,
    /// The work after which that changes (sums come first in a third of the work), and whether the search is on its way back to the root for it.
    pub(super) turn: u64,
    pub(super) is_turning: bool,
    pub(super) decisions: u64,
    /// How many branches gave something else than 0.
    pub(super) returns: usize,
    /// Work since the last look at the clock.
    pub(super) work: usize,
    /// Memory asked for, for what is not in the cache.
    pub(super) accounted: u64,
}

impl<'a, 'b, N: Numerator> Search<'a, 'b, N> {
    /// Prepares a search; `None` if the numbers are too narrow.
    pub fn new(
        instance: Instance,
        options: &'a Options,
        watch: &'a mut Watch<'b>,
        trace: Option<Trace>,
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
        let turn = match instance.is_sum.contains(&true) {
            true => options.first_turn,
            false => u64::MAX,
        };
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
            cache: Cache::new(),
            weights,
            frames: Vec::new(),
            trace,
            conflict: None,
            pending: Vec::new(),
            stopped: None,
            sums_first: false,
            turn,
            is_turning: false,
            decisions: 0,
            returns: 0,
            work: 0,
            accounted: 0,
        }
    }

    /// Finds the value; nothing if a trial ends the search.
    pub fn solve(mut self, trial: &mut Option<Trial<'_>>) -> Option<Part> {
        let whole = self.splitter.whole(&mut self.deduction);
        let one = whole.one.clone();
        let mut known = Bounds::between(N::zero(), one.clone());
        let mut step = self.enter_root(&whole);
        let bounds = loop {
            if let Some(one) = trial
                && (self.deduction.work >= one.work || self.stopped == Some(StopReason::Memory))
            {
                if !(one.goes_on)(self.watch) {
                    self.give_memory_back();
                    return None;
                }
                *trial = None;
            }
            step = match step {
                Step::Enter(component, window) => self.enter(component, window),
                Step::Continue => self.next_component(),
                Step::Leave(bounds, _) if self.frames.is_empty() => {
                    if bounds.lower > known.lower {
                        known.lower = bounds.lower;
                        known.proof.lower = bounds.proof.lower;
                    }
                    if bounds.upper < known.upper {
                        known.upper = bounds.upper;
                        known.proof.upper = bounds.proof.upper;
                    }
                    let is_turning = std::mem::take(&mut self.is_turning);
                    if !is_turning || self.stopped.is_some() || known.lower == known.upper {
                        break known;
                    }
                    self.sums_first ^= true;
                    let work = self.deduction.work;
                    self.turn = work + if self.sums_first { work / 2 } else { 2 * work };
                    self.enter_root(&whole)
                }
                Step::Leave(bounds, lesson) => self.absorb(bounds, lesson),
            };
        };
        if let Some(trial) = trial {
            trial.work = trial.work.saturating_sub(self.deduction.work);
        }
        self.give_memory_back();
        let counts = self.deduction.counts;
        Some(Part {
            lower: bounds.lower.to_big(),
            upper: bounds.upper.to_big(),
            one: one.to_big(),
            trace: self.trace,
            proof: bounds.proof,
            stopped: self.stopped,
            decisions: self.decisions,
            conflicts: counts.conflicts,
            learned: counts.learned,
            checks: counts.satisfiability_checks,
            stored: self.cache.stored,
            hits: self.cache.hits,
        })
    }

    /// The first branch of all decides nothing; it propagates what follows from no decision.
    fn enter_root(&mut self, whole: &Component<N>) -> Step<N> {
        let window = Window {
            alpha: N::zero(),
            beta: whole.one.clone(),
        };
        let key = Box::default();
        self.enter_node(whole.clone(), window, Combine::Alone, Vec::new(), key)
    }

    /// Whether the search only goes back to the root.
    pub(super) fn is_leaving(&self) -> bool {
        self.stopped.is_some() || self.is_turning
    }
}
