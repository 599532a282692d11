//! Anytime bounds: the bounds of the value that are proved before the search has ended.
//!
//! *On the path.* Each frame knows the bounds of its finished branches, and of the branch at work those of its finished components. Every value
//! that is not known lies between 0 and 1. Combined from the last frame to the first, that gives bounds of the whole.
//!
//! *In limited turns* (limited discrepancy search). A search that goes depth first says little for long: it is in one corner of the tree, which has a
//! tiny probability. So now and then there is a short turn in which branches of small probability are left as they are, and in which
//! one player may be *fixed*: it takes one branch wherever it decides, and the value of that branch is counted. For the maximizer this is
//! a lower bound, for the minimizer an upper bound. Turns are passes with smaller and smaller probabilities. Bounds that
//! are proved of components go into the cache, so that they help the search. A turn has an assignment of its own, so the search may go on where
//! it was.
//!
//! Where a pass ends, a component still gives bounds: a lower one is the probability of what chance must do so that the known model
//! wins; an upper one is that of clauses of chance which share no variable.

use super::{Search, Stack};
use crate::component::{Component, product};
use crate::frame::{Bounds, Combine, Frame};
use crate::instance::Instance;
use crate::options::Options;
use crate::policy::{FINER, LIMITED_SHARE};
use base::value::Numerator;
use formula::{BigRational, Lit, Quantifier};
use limits::StopReason;
use num_bigint::BigUint;
use std::time::Instant;

/// The context of the part of the problem that is searched.
#[derive(Clone, Default, Debug)]
pub struct Outside<'a> {
    /// Of the parts that are solved, their values and the value 1.
    pub values: &'a [BigUint],
    pub ones: &'a [BigUint],
    /// Whether there are others.
    pub waits: bool,
}

impl Outside<'_> {
    /// Bounds of the whole problem, by bounds in parts of `one`.
    fn whole<N: Numerator>(&self, bounds: &Bounds<N>, one: &N) -> (BigRational, BigRational) {
        let one = one.to_big() * product(self.ones.iter().cloned());
        let factor = product(self.values.iter().cloned());
        let bound = |bound: &N| base::value::fraction(bound.to_big() * &factor, one.clone());
        // Parts that wait have values from 0 to 1.
        let zero = N::zero();
        let lower = if self.waits { &zero } else { &bounds.lower };
        (bound(lower), bound(&bounds.upper))
    }
}

/// Bounds that are proved before the search ends.
#[derive(Debug)]
pub struct Anytime<'a, N> {
    /// The context of this part of the problem.
    pub outside: Outside<'a>,
    pub began: Instant,
    /// Bounds that turns have shown.
    pub known: Bounds<N>,
    /// The pass of a limited turn, if there is one, and when these are.
    pub pass: Option<Pass>,
    pub schedule: Schedule,
}

impl<N: Numerator> Anytime<'_, N> {
    /// Whether the value is known.
    pub fn is_solved(&self) -> bool {
        self.known.lower == self.known.upper
    }

    /// Goes on to the next pass of the turn; says whether there is one.
    pub fn next_pass(&mut self, work: u64) -> bool {
        let pass = self.pass.take();
        self.pass = pass.and_then(|pass| self.schedule.after(&pass, work));
        self.pass.is_some()
    }
}

/// A pass of a limited turn.
#[derive(Clone, Debug)]
pub struct Pass {
    /// The index of its kind in the schedule.
    index: usize,
    /// The player who is fixed, if one is.
    player: Option<Quantifier>,
    /// Its number; components that were counted in this pass are marked with it.
    pub number: u8,
    /// Branches of a smaller probability are left.
    least: f64,
    /// Whether there were any.
    has_left: bool,
    /// The work after which the turn ends.
    end: u64,
}

impl Pass {
    /// Whether the player who is fixed has seen enough of a node.
    pub fn is_done<N: Numerator>(&self, frame: &Frame<N>) -> bool {
        let last = &frame.results[frame.branch];
        let (zero, one) = (&N::zero(), &frame.component.one);
        match (self.player, frame.combine) {
            (Some(Quantifier::Exists), Combine::Maximum) => last.lower > *zero,
            (Some(Quantifier::Exists), Combine::Minimum) => last.lower == *zero,
            (Some(Quantifier::Forall), Combine::Minimum) => last.upper < *one,
            (Some(Quantifier::Forall), Combine::Maximum) => last.upper == *one,
            _ => false,
        }
    }
}

/// How bounds are found in a limited turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// This player is fixed.
    Fixed(Quantifier),
    /// No player is fixed.
    Free,
    /// This player decides last: see `other`.
    Relaxed(Quantifier),
    /// Universal variables are expanded: see `other`.
    Expanded,
    /// A choice that wins for certain is searched for: see `certain`.
    Certain,
}

/// When there are limited turns.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The work after which the next one begins.
    pub next: u64,
    /// The turn, and the least probability of the next pass; 0 if no other pass would give more.
    kinds: Vec<(Kind, f64)>,
    /// How much work each kind may take in the present turn.
    share: u64,
    passes: u64,
}

impl Schedule {
    /// There are none.
    pub const fn never() -> Self {
        Schedule {
            next: u64::MAX,
            kinds: Vec::new(),
            share: 0,
            passes: 0,
        }
    }

    /// The first turn begins after this work.
    pub fn new(options: &Options, instance: &Instance) -> Self {
        let variables = 0..instance.variables();
        let decides = |player: Quantifier, variable: &usize| {
            instance.quantifiers[*variable] == player && !instance.is_defined[*variable]
        };
        let last = variables.clone().rev();
        let last = last
            .into_iter()
            .find(|&v| instance.quantifiers[v] == Quantifier::Chance);
        let first = instance.quantifiers.first();
        let is_first = options.wins_for_certain && first == Some(&Quantifier::Exists);
        let mut kinds = vec![Kind::Free];
        kinds.extend(is_first.then_some(Kind::Certain));
        let last_other = instance.quantifiers.iter().rev();
        let last_other = last_other.clone().find(|&&who| who != Quantifier::Exists);
        let is_universal = options.expands && last_other == Some(&Quantifier::Forall);
        kinds.extend(is_universal.then_some(Kind::Expanded));
        for player in [Quantifier::Exists, Quantifier::Forall] {
            let first = variables.clone().find(|variable| decides(player, variable));
            kinds.extend(first.map(|_| Kind::Fixed(player)));
            // A player who decides after all chances cannot know more.
            let is_early = options.relaxes && first.is_some() && first < last;
            kinds.extend(is_early.then_some(Kind::Relaxed(player)));
        }
        Schedule {
            next: options.first_limited,
            kinds: kinds.into_iter().map(|kind| (kind, 1.0 / FINER)).collect(),
            ..Schedule::never()
        }
    }

    fn begin(&mut self, work: u64) {
        self.next = work.saturating_mul(2);
        self.share = work / LIMITED_SHARE;
        self.kinds.retain(|&(_, least)| least > 0.0);
    }

    /// The next pass of a kind.
    fn pass(&mut self, index: usize, end: u64) -> Pass {
        let (kind, least) = &mut self.kinds[index];
        self.passes += 1;
        let pass = Pass {
            index,
            player: match *kind {
                Kind::Fixed(player) => Some(player),
                _ => None,
            },
            number: (self.passes % 255) as u8 + 1,
            least: *least,
            has_left: false,
            end,
        };
        *least /= FINER;
        pass
    }

    /// The pass of the same kind that comes after one, if there is one.
    fn after(&mut self, pass: &Pass, work: u64) -> Option<Pass> {
        match (work >= pass.end, pass.has_left) {
            (false, true) => return Some(self.pass(pass.index, pass.end)),
            // It was not finished.
            (true, _) => self.kinds[pass.index].1 = pass.least,
            (false, false) => self.kinds[pass.index].1 = 0.0,
        }
        None
    }
}

impl<N: Numerator> Search<'_, '_, N> {
    /// Checks the limits, and reports the bounds that are known.
    pub(crate) fn check_limits(&mut self) -> Result<(), StopReason> {
        let (states, memory) = (self.team.cache.len(), self.watch.taken());
        let Search {
            watch,
            stack: Stack { frames, .. },
            anytime: Anytime { known, outside, .. },
            ..
        } = self;
        let bounds = || {
            let mut bounds = known.clone();
            bounds.narrow(&on_path(frames)?);
            Some(outside.whole(&bounds, &frames[0].component.one))
        };
        watch.check_and_report("searching", states, memory, bounds)
    }

    /// Keeps what is known for whoever goes on with the question.
    pub(crate) fn learn(&mut self) {
        let mut bounds = self.anytime.known.clone();
        if let (Some(found), Some(frame)) = (on_path(&self.stack.frames), self.stack.frames.first())
        {
            bounds.narrow(&found);
            let (lower, upper) = self.anytime.outside.whole(&bounds, &frame.component.one);
            self.watch.learn(lower, upper);
        }
    }

    /// The work after which the present turn ends.
    pub(crate) fn end_of_turn(&self) -> u64 {
        match &self.anytime.pass {
            Some(pass) => pass.end,
            None => self.modes.switch_at,
        }
    }

    /// Takes a limited turn of each kind, and then goes back to the root if the value is known or the path matters little.
    pub(crate) fn take_limited_turns(&mut self) {
        self.anytime.schedule.begin(self.deduction.work);
        let share = self.anytime.schedule.share;
        for index in 0..self.anytime.schedule.kinds.len() {
            let is_over = match self.anytime.schedule.kinds[index].0 {
                Kind::Relaxed(player) => self.relax(player, share),
                Kind::Expanded => self.expand(share),
                Kind::Certain => self.find_certain_win(),
                Kind::Fixed(_) | Kind::Free => {
                    self.search_limited(index, share);
                    false
                }
            };
            if is_over {
                self.anytime.schedule.kinds[index].1 = 0.0;
            }
            if self.anytime.is_solved() || self.watch.limits().is_over() {
                break;
            }
        }
        // All branches of chance count, so the work on the path would be lost. But a player may have begun with a bad choice.
        let chance_begins =
            self.deduction.instance.quantifiers.first() == Some(&Quantifier::Chance);
        self.modes.is_switching |= !chance_begins || self.meets_again() || self.anytime.is_solved();
    }

    /// Searches from the root in passes of one kind, for this much work, while the assignment of the path stays.
    fn search_limited(&mut self, index: usize, share: u64) {
        let room = self.room();
        if self.watch.take_memory(room).is_err() {
            return;
        }
        self.watch.join(&self.team.stop);
        let mut helper = self.helper();
        let mut search = Search::with(
            helper.state,
            self.options,
            &mut helper.watch,
            helper.team,
            helper.modes,
        );
        search.follow();
        search.deduction.take_model(&self.certain.choice);
        search.anytime.outside = self.anytime.outside.clone();
        search.anytime.known = self.anytime.known.clone();
        search.anytime.schedule = std::mem::replace(&mut self.anytime.schedule, Schedule::never());
        let next = std::mem::replace(&mut search.anytime.schedule.next, u64::MAX);
        let end = search.deduction.work + share;
        search.anytime.pass = Some(search.anytime.schedule.pass(index, end));
        search.run(&mut None, &mut |_| {});
        search.give_memory_back();
        let Search {
            anytime,
            mut deduction,
            ..
        } = search;
        deduction.counts.returns -= self.deduction.counts.returns;
        self.deduction.counts.add(&deduction.counts);
        self.deduction.work = deduction.work;
        self.anytime.known = anytime.known;
        self.anytime.schedule = anytime.schedule;
        self.anytime.schedule.next = next;
        self.watch.give_memory_back(room);
    }

    /// About which part of the whole probability leads to the branch at work. It assumes that a player who is not fixed takes either branch
    /// with the same chance.
    pub(crate) fn probability(&self) -> f64 {
        let (Some(pass), Some(frame)) = (&self.anytime.pass, self.stack.frames.last()) else {
            return 1.0;
        };
        let part = match frame.combine {
            Combine::Alone => 1.0,
            Combine::Mean => {
                let literal = frame.decisions.of(frame.branch)[0];
                let denominator = &self.splitter.denominators[literal.var().index()];
                self.weights[literal.code()].approximately() / denominator.approximately()
            }
            Combine::Maximum if pass.player == Some(Quantifier::Exists) => 1.0,
            Combine::Minimum if pass.player == Some(Quantifier::Forall) => 1.0,
            _ => 0.5,
        };
        frame.probability * part
    }

    /// Whether a component is left in this pass.
    pub(crate) fn is_left(&mut self) -> bool {
        let probability = self.probability();
        let Some(pass) = &mut self.anytime.pass else {
            return false;
        };
        let is_left = probability < pass.least;
        pass.has_left |= is_left;
        is_left
    }

    /// Bounds of a component without a search. `needed` is what others must do so that the known model wins.
    pub(crate) fn glance(&self, component: &Component<N>, needed: Option<&[Lit]>) -> Bounds<N> {
        let one = &component.one;
        let chance =
            |literal: Lit| self.deduction.instance.quantifier(literal) == Quantifier::Chance;
        // The parts of a denominator in which all these literals are true.
        let all = |literals: &mut dyn Iterator<Item = Lit>| {
            literals.fold((N::one(), N::one()), |(weight, denominator), literal| {
                let denominators = &self.splitter.denominators[literal.var().index()];
                (
                    weight.times(&self.weights[literal.code()]),
                    denominator.times(denominators),
                )
            })
        };
        let lower = match needed {
            Some(needed) if needed.iter().all(|&literal| chance(literal)) => {
                let (weight, denominator) = all(&mut needed.iter().copied());
                one.divided_down(&denominator).times(&weight)
            }
            _ => N::zero(),
        };
        let (mut upper, mut taken) = (one.clone(), Vec::new());
        for &clause in &self.splitter.elements[component.clauses.clone()] {
            let literals = self.deduction.store.get(clause).iter().copied();
            let open = literals.filter(|&literal| self.deduction.is_open(literal));
            let is_free = |literal: Lit| {
                let is_player = self.deduction.instance.quantifier(literal) == Quantifier::Exists;
                !is_player && !taken.contains(&literal.var())
            };
            if open.clone().all(is_free) {
                taken.extend(open.clone().map(Lit::var));
                let (lost, denominator) =
                    all(&mut open.filter(|&literal| chance(literal)).map(|l| !l));
                let kept = denominator.minus(&lost);
                upper = upper.divided_down(&denominator).times(&kept);
            }
        }
        Bounds::between(lower, upper)
    }
}

/// Bounds of the whole from the frames of a path.
fn on_path<N: Numerator>(frames: &[Frame<N>]) -> Option<Bounds<N>> {
    let mut above: Option<(Bounds<N>, &Frame<N>)> = None;
    for frame in frames.iter().rev() {
        let unknown = &frame.results[frame.branch];
        let branch = match &above {
            None => unknown.clone(),
            Some((bounds, next)) => {
                let rest = &next.component.rest;
                let upper = frame.product.upper.times(&bounds.upper).times(rest);
                let lower = match next.pending == frame.pending {
                    true => frame.product.lower.times(&bounds.lower),
                    // Other components wait.
                    false => N::zero(),
                };
                Bounds::between(lower, upper.min(unknown.upper.clone()))
            }
        };
        above = Some((frame.bounds_with(&branch), frame));
    }
    above.map(|(bounds, _)| bounds)
}
