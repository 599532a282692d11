//! A measure of states that falls in every step, or never rises.
//!
//! Every fact has a *weight*, and the measure of a state is the sum of the weights of its facts and a constant, which makes it at
//! least 0. If every step takes at least 1 from it, no state comes back, and states can be told apart by what they measure:
//!
//! ```text
//! a race:             (place red 3) weighs 97, (place red 4) weighs 96, ...     a throw takes what the die shows
//! a board that fills: a stone weighs -1, the constant is the number of cells    a move takes 1
//! ```
//!
//! Where play can come back, some steps keep the measure, and none may raise it: in Pig the points in the bank.
//!
//! Weights are found by *guesses and counterexamples*. A linear program finds weights that are right for the steps that are
//! known, and as small as possible at the start; a satisfiability solver looks for a step for which they are wrong, which
//! is known from then on. (Linear ranking functions: A. Podelski and A. Rybalchenko, *A complete method for the synthesis of
//! linear ranking functions*, VMCAI 2004. Counterexamples: A. Solar-Lezama and others, *Combinatorial sketching for finite
//! programs*, ASPLOS 2006.)
//!
//! Of facts that exclude each other, as the places of one piece, at most one counts. So the sum over such a *group* is a binary
//! number without an addition, and groups are added. Steps that end play may do anything.
//!
//! The proof may take longer than to list all states. Then the measure is told as a guess: who lists all states sees every step, and so
//! finds out.
//!
//! *Exactness.* The linear program is solved in floating point. Its solution is rounded to fractions, and the proof is about these:
//! nothing rests on floats but which weights are tried.

use crate::houdini::Oracle;
use crate::persistent::{PersistentFacts, always_one};
use crate::proof::{PATIENT_EFFORT, StepProver};
use crate::sums::{Bits, Sums};
use circuit::{Signal, Step};
use circuit_sat::SatLiteral;
use limits::Limits;
use microlp::{ComparisonOp, OptimizationDirection, Problem, Variable};
use std::collections::{BTreeMap, BTreeSet};

/// The most facts for which weights are looked for.
const MAX_FACTS: usize = 400;
/// The most steps of random play, of those that change different things, that the first guess is made for.
const MAX_KNOWN: usize = 300;
/// The most steps of random play that are learned after a guess.
const MAX_LEARNED: usize = 100;
/// The most guesses.
const MAX_GUESSES: usize = 60;
/// The largest weight, and the largest measure of the state where play begins.
const MAX_MEASURE: i64 = 10_000;
/// Weights are fractions with one denominator, at most this.
const MAX_DENOMINATOR: i64 = 12;
/// The most work for all guesses: in each, steps of the simplex method times the constraints. Proofs that guesses are right have an effort of
/// their own.
const MAX_GUESSING: u64 = 100_000_000;

/// A measure of states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Measure {
    /// The number that is added to the weights of the facts that hold.
    pub constant: i64,
    /// Facts and their weights; all others weigh nothing.
    pub weights: BTreeMap<usize, i64>,
    /// Constant and weights are in parts of this size.
    pub denominator: i64,
    /// Whether a step may keep the measure; else each step takes at least 1 from it.
    pub stays: bool,
    /// Whether it is proved; else it is right for all steps of the random plays that were looked at.
    pub is_proved: bool,
}

impl Measure {
    /// The measure by which nothing weighs anything: it never rises.
    pub fn of_nothing() -> Self {
        Measure {
            constant: 0,
            weights: BTreeMap::new(),
            denominator: 1,
            stays: true,
            is_proved: true,
        }
    }

    /// The measure of a state.
    pub fn of(&self, state: &[bool]) -> u32 {
        let holding = self.weights.iter().filter(|(fact, _)| state[**fact]);
        self.of_sum(holding.map(|(_, weight)| weight).sum())
    }

    /// The measure of states in which the weights of the facts add up to this.
    pub fn of_sum(&self, sum: i64) -> u32 {
        u32::try_from((self.constant + sum) / self.denominator).unwrap_or(0)
    }

    /// Whether the measure is right for a step between two states.
    pub fn allows(&self, before: &[bool], after: &[bool]) -> bool {
        let (before, after) = (self.of(before), self.of(after));
        before > after || before == after && self.stays
    }

    fn weight(&self, fact: Option<usize>) -> i64 {
        let known = fact.and_then(|fact| self.weights.get(&fact));
        known.copied().unwrap_or(0)
    }
}

/// The input of the search for a measure.
#[derive(Clone, Copy)]
pub struct MeasureProblem<'a> {
    /// The step.
    pub step: &'a Step,
    /// Facts that may weigh something, each with a class: facts of one class weigh the same.
    pub classes: &'a BTreeMap<usize, usize>,
    /// The persistent facts, proved or guessed; the measure is one of states that they admit.
    pub persistent: &'a PersistentFacts,
    /// Whether they are proved; else no other proof is tried.
    pub is_proved: bool,
    /// The state where play begins.
    pub start: &'a [bool],
    /// States of random plays, in the order in which they were met.
    pub plays: &'a [Vec<Vec<bool>>],
}

impl MeasureProblem<'_> {
    /// A measure that falls in every step, if one is found. It is told whether it is proved.
    pub fn find(self, limits: &Limits) -> Option<Measure> {
        Guesses::new(self, false, limits)?.find(limits)
    }

    /// A measure that never rises, and falls in the steps of random plays where that can be. It is told whether it is proved. If none is
    /// found, nothing weighs anything: that never rises either.
    pub fn find_weak(self, limits: &Limits) -> Measure {
        let found = Guesses::new(self, true, limits).and_then(|guesses| guesses.find(limits));
        found.unwrap_or_else(Measure::of_nothing)
    }
}

/// A search for weights.
struct Guesses<'a> {
    asked: MeasureProblem<'a>,
    /// Whether steps may keep the measure.
    stays: bool,
    /// The step, with more gates.
    step: Step,
    /// Whether play is over after the step.
    ends: Signal,
    /// Facts of which at most one holds.
    groups: Vec<Vec<usize>>,
    /// The groups of which always one holds, by number.
    full: Vec<usize>,
    /// The changes of each known step: the groups that it changes, with the fact that holds before and the one after.
    known: Vec<Vec<Change>>,
}

/// The change of a group in a step: its number, the fact of the group that holds before the step, and the one after it.
type Change = (usize, Option<usize>, Option<usize>);

/// The result of the search for a step that a measure is wrong for.
enum Checked {
    Proved,
    /// The states before and after it.
    Wrong(Vec<bool>, Vec<bool>),
    Unknown,
}

impl<'a> Guesses<'a> {
    fn new(asked: MeasureProblem<'a>, stays: bool, limits: &Limits) -> Option<Self> {
        let facts: Vec<usize> = asked.classes.keys().copied().collect();
        if facts.len() > MAX_FACTS {
            return None;
        }
        let groups = asked.persistent.groups(&facts);
        let has_one = |group: &Vec<usize>, state: &Vec<bool>| group.iter().any(|&fact| state[fact]);
        let is_full = |group: &&Vec<usize>| {
            let mut states = asked.plays.iter().flatten();
            states.all(|state| has_one(group, state)) && has_one(group, &asked.start.to_vec())
        };
        let full: Vec<Vec<usize>> = groups.iter().filter(is_full).cloned().collect();
        let proved = if asked.is_proved {
            always_one(asked.step, asked.persistent, &full, limits)
        } else {
            Vec::new()
        };
        let full = proved.into_iter().map(|number| &full[number]);
        let number = |group| groups.iter().position(|other| other == group);
        let mut step = asked.step.clone();
        let cone = step.circuit.cone(&[step.terminal]);
        let pairs = step.facts.iter().zip(&step.next);
        let mut images = pairs.map(|(fact, &next)| (fact.node(), next)).collect();
        let ends = (step.circuit).substitute(&[step.terminal], &cone, &mut images)[0];
        let mut guesses = Guesses {
            asked,
            stays,
            step,
            ends,
            full: full.filter_map(number).collect(),
            groups,
            known: Vec::new(),
        };
        let mut seen = BTreeSet::new();
        let plays = asked.plays.iter();
        for pair in plays.flat_map(|play| play.windows(2)) {
            seen.insert(guesses.changes(&pair[0], &pair[1]));
        }
        let is_still = seen.remove(&Vec::new());
        if is_still && !stays {
            return None;
        }
        let every = seen.len().div_ceil(MAX_KNOWN).max(1);
        guesses.known = seen.into_iter().step_by(every).collect();
        Some(guesses)
    }

    /// Notes a step; nothing if it changes no group, so that no measure falls, but every measure must.
    fn know(&mut self, before: &[bool], after: &[bool]) -> Option<()> {
        let changes = self.changes(before, after);
        if changes.is_empty() {
            return self.stays.then_some(());
        }
        if !self.known.contains(&changes) {
            self.known.push(changes);
        }
        Some(())
    }

    fn changes(&self, before: &[bool], after: &[bool]) -> Vec<Change> {
        let holds =
            |group: &Vec<usize>, state: &[bool]| group.iter().copied().find(|&fact| state[fact]);
        let of_group = |(number, group)| (number, holds(group, before), holds(group, after));
        let changes = self.groups.iter().enumerate().map(of_group);
        changes.filter(|(_, from, to)| from != to).collect()
    }

    fn find(mut self, limits: &Limits) -> Option<Measure> {
        let (mut guessing, mut effort) = (MAX_GUESSING, PATIENT_EFFORT);
        for _ in 0..MAX_GUESSES {
            let mut measure = self.guess(limits, &mut guessing)?;
            // A guess is for some of the steps that were seen.
            let wrong = self.seen_wrong(&measure);
            if !wrong.is_empty() {
                self.known.extend(wrong);
                continue;
            }
            if !self.asked.is_proved {
                return Some(measure);
            }
            match self.check(&measure, &mut effort, limits) {
                Checked::Wrong(before, after) => self.know(&before, &after)?,
                checked => {
                    measure.is_proved = matches!(checked, Checked::Proved);
                    return Some(measure);
                }
            }
        }
        None
    }

    /// The changes of some steps of random plays that a measure is wrong for.
    fn seen_wrong(&self, measure: &Measure) -> BTreeSet<Vec<Change>> {
        let pairs = self.asked.plays.iter().flat_map(|play| play.windows(2));
        let wrong = pairs.filter(|pair| !measure.allows(&pair[0], &pair[1]));
        let changes = wrong.map(|pair| self.changes(&pair[0], &pair[1]));
        changes.take(MAX_LEARNED).collect()
    }

    /// The smallest measure of the start that falls with all known steps, or with as many as can be if it may stay; nothing if there is
    /// none, or no work is left.
    fn guess(&self, limits: &Limits, work: &mut u64) -> Option<Measure> {
        if *work == 0 || limits.is_over() {
            return None;
        }
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        if let Some(time) = limits.time_left() {
            problem.set_time_limit(time);
        }
        let mut constraints = self.known.len();
        let most = MAX_MEASURE as f64;
        let mut at_start: BTreeMap<usize, f64> = BTreeMap::new();
        for (&fact, &class) in self.asked.classes {
            let counts = f64::from(u8::from(self.asked.start[fact]));
            *at_start.entry(class).or_default() += counts;
        }
        // Of a group that always has a fact nothing needs to weigh less than nothing.
        let is_full = |number: &usize| self.full.contains(number);
        let open = (0..self.groups.len()).filter(|number| !is_full(number));
        let open = open.flat_map(|number| &self.groups[number]);
        let open: BTreeSet<usize> = open.map(|fact| self.asked.classes[fact]).collect();
        let of_class = at_start.into_iter().map(|(class, counts)| {
            let least = if open.contains(&class) { -most } else { 0.0 };
            (class, problem.add_var(counts, (least, most)))
        });
        let of_class: BTreeMap<usize, Variable> = of_class.collect();
        let weight = |fact: usize| of_class[&self.asked.classes[&fact]];
        for group in &self.groups {
            // The sum over a group is not negative.
            let constant = problem.add_var(1.0, (0.0, most));
            constraints += group.len();
            for &fact in group {
                let sum = [(constant, 1.0), (weight(fact), 1.0)];
                problem.add_constraint(sum, ComparisonOp::Ge, 0.0);
            }
        }
        let mut falling = Vec::new();
        for changes in &self.known {
            let mut fall: BTreeMap<usize, f64> = BTreeMap::new();
            for &(_, from, to) in changes {
                for (fact, sign) in [(from, 1.0), (to, -1.0)] {
                    if let Some(fact) = fact {
                        *fall.entry(self.asked.classes[&fact]).or_default() += sign;
                    }
                }
            }
            let fall = fall
                .into_iter()
                .map(|(class, counts)| (of_class[&class], counts));
            let mut fall: Vec<(Variable, f64)> = fall.collect();
            if self.stays {
                // By how much of 1 it falls counts more than any measure.
                let falls = problem.add_var(-most, (0.0, 1.0));
                fall.push((falls, -1.0));
                problem.add_constraint(fall, ComparisonOp::Ge, 0.0);
                falling.push(Some(falls));
            } else {
                problem.add_constraint(fall, ComparisonOp::Ge, 1.0);
                falling.push(None);
            }
        }
        let solution = problem.solve().ok()?.into_solution().ok()?;
        let steps = solution.stats().lp_iterations;
        *work = work.saturating_sub(steps * constraints as u64);
        (1..=MAX_DENOMINATOR).find_map(|denominator| {
            let rounded = |&fact: &usize| {
                let parts = solution.var_value(weight(fact)) * denominator as f64;
                (fact, parts.round() as i64)
            };
            let weights = self.asked.classes.keys().map(rounded);
            let mut measure = Measure {
                constant: 0,
                weights: weights.filter(|(_, weight)| *weight != 0).collect(),
                denominator,
                stays: self.stays,
                is_proved: false,
            };
            measure.constant = self
                .groups
                .iter()
                .map(|group| -least(&measure, group))
                .sum();
            let fall = |changes: &Vec<Change>| {
                let falls = changes.iter();
                let falls = falls.map(|&(_, from, to)| measure.weight(from) - measure.weight(to));
                falls.sum::<i64>()
            };
            let least_fall = |falls: &Option<Variable>| match falls {
                Some(falls) if solution.var_value(*falls) < 0.5 => 0,
                _ => denominator,
            };
            let mut known = self.known.iter().zip(&falling);
            let is_right = known.all(|(changes, falls)| fall(changes) >= least_fall(falls));
            let is_small = i64::from(measure.of(self.asked.start)) <= MAX_MEASURE;
            (is_right && is_small).then_some(measure)
        })
    }

    /// Looks for a step with which a measure does not fall by 1, or rises if it may stay.
    fn check(&self, measure: &Measure, effort: &mut u64, limits: &Limits) -> Checked {
        let step = &self.step;
        // A fact that weighs nothing may exclude one that does.
        let after = self.groups.iter().flatten().map(|&fact| step.next[fact]);
        let named = step.facts.iter().copied().chain(after).chain([self.ends]);
        let mut prover = StepProver::of_step(step, named, limits);
        prover.allow(*effort);
        prover.assume_exclusive(step, &self.asked.persistent.exclusive);
        let goes_on = !prover.literal(self.ends);
        prover.require(&[goes_on]);
        for &number in &self.full {
            let holds = self.groups[number].iter();
            let holds: Vec<SatLiteral> = holds
                .map(|&fact| prover.literal(step.facts[fact]))
                .collect();
            prover.require(&holds);
        }
        let [mut before, mut after]: [Vec<Bits>; 2] = [Vec::new(), Vec::new()];
        for group in &self.groups {
            let weights: Vec<i64> = group
                .iter()
                .map(|&fact| measure.weight(Some(fact)))
                .collect();
            if weights.iter().all(|weight| *weight == 0) {
                continue;
            }
            let least = least(measure, group);
            let numbers: Vec<u64> = weights.iter().map(|w| (w - least) as u64).collect();
            for (signals, sums) in [(&step.facts, &mut before), (&step.next, &mut after)] {
                let holds = group.iter().map(|&fact| prover.literal(signals[fact]));
                let holds: Vec<SatLiteral> = holds.collect();
                let none = least.unsigned_abs();
                sums.push(Sums::one_of(&mut prover, &holds, &numbers, none));
            }
        }
        let mut sums = Sums::new(&mut prover);
        // Numbers added to both sides: the measure is wrong for the step if the first sum is not larger then.
        let added = if self.stays {
            [1, 0]
        } else {
            [0, measure.denominator.unsigned_abs() - 1]
        };
        let before = sums.add_all(&mut prover, before, added[0]);
        let after = sums.add_all(&mut prover, after, added[1]);
        let is_wrong = sums.at_most(&mut prover, &before, &after);
        let found = prover.can_hold(&[is_wrong]);
        *effort = prover.effort_left();
        match found {
            Err(_) => return Checked::Unknown,
            Ok(false) => return Checked::Proved,
            Ok(true) => {}
        }
        let state = |signals: &[Signal]| {
            let mut state = vec![false; signals.len()];
            for &fact in self.groups.iter().flatten() {
                state[fact] = prover.is_true(prover.literal(signals[fact]));
            }
            state
        };
        Checked::Wrong(state(&step.facts), state(&step.next))
    }
}

/// The least sum over a group: that of no fact, or of the lightest one.
fn least(measure: &Measure, group: &[usize]) -> i64 {
    let weights = group.iter().map(|&fact| measure.weight(Some(fact)));
    weights.min().unwrap_or(0).min(0)
}
