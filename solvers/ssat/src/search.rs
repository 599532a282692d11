//! The search itself: component by component, branch by branch, with exact whole numbers.
//!
//! One [`Frame`] per component on the path, in a list: the depth is bounded by memory that was
//! asked for, not by the stack. When the search is stopped it merely returns through the frames,
//! with what is not known counted as between 0 and 1, so the bounds at the root are valid at any
//! moment.

use super::analyse::Lesson;
use super::cache::Cache;
use super::component::{Component, Splitter};
use super::deduction::{Deduction, Reading};
use super::frame::{Bounds, Combine, Frame, Step, Window};
use super::instance::Instance;
use super::propagate::Status;
use super::residual::Residual;
use super::store::ClauseId;
use super::survey::Survey;
use super::trace::{Proof, Trace};
use crate::Trial;
use crate::options::Options;
use formula::{Lit, Quantifier, Var};
use limits::{StopReason, Watch};
use num_bigint::BigUint;
use value::Numerator;

/// Between two looks at the clock, components with this many variables and clauses are entered.
const WORK_PER_LOOK: usize = 4_000_000;

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
    options: &'a Options,
    watch: &'a mut Watch<'b>,
    pub(super) deduction: Deduction,
    pub(super) splitter: Splitter<N>,
    residual: Residual,
    survey: Survey,
    cache: Cache<N>,
    /// The numerator of the probability of a literal, by its code; 0 if it is not of chance.
    weights: Vec<N>,
    pub(super) frames: Vec<Frame<N>>,
    /// What shows the bounds, if that is written down.
    pub(super) trace: Option<Trace>,
    /// The clause that made the branch at work fail.
    conflict: Option<ClauseId>,
    /// Components that are still to be solved, frame by frame.
    pending: Vec<Component<N>>,
    stopped: Option<StopReason>,
    /// Whether determined variables are decided as if they were chance variables; else only after conflicts.
    sums_first: bool,
    /// The work after which that changes (sums come first in a third of the work), and whether the search is on its way back to the root for it.
    turn: u64,
    is_turning: bool,
    decisions: u64,
    /// How many branches gave something else than 0.
    returns: usize,
    /// Work since the last look at the clock.
    work: usize,
    /// Memory asked for, for what is not in the cache.
    accounted: u64,
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
    fn is_leaving(&self) -> bool {
        self.stopped.is_some() || self.is_turning
    }

    fn give_memory_back(&mut self) {
        let bytes = self.accounted + self.cache.bytes + self.deduction.paid;
        self.watch.give_memory_back(bytes);
    }

    /// Begins with a component: settles it at once, or makes a frame for it.
    fn enter(&mut self, component: Component<N>, window: Window<N>) -> Step<N> {
        let one = component.one.clone();
        let unknown = Bounds::between(N::zero(), one.clone());
        if self.stopped.is_none() {
            self.stopped = self.watch.decide(self.cache.len() as u64).err();
        }
        if self.stopped.is_none() {
            self.stopped = self.pay(&component).err();
        }
        let work = component.size() + 8 * one.heap_bytes();
        self.deduction.work += work as u64;
        self.work += work;
        if self.work > WORK_PER_LOOK && self.stopped.is_none() {
            self.work = 0;
            self.stopped = self.watch.look("searching", self.cache.len() as u64).err();
        }
        self.is_turning |= self.deduction.work >= self.turn && self.options.take_turns;
        if self.is_leaving() {
            return Step::Leave(unknown, None);
        }
        if !component.forall && !component.chance {
            // There is a model of it.
            return self.leave(one, |search| search.record_model(&component));
        }
        if component.stale > 0 {
            return self.enter_stale(component, window);
        }
        let first = self.splitter.elements[component.clauses.start];
        if !component.exists && !component.chance {
            return self.leave(N::zero(), |search| search.record_clause(first));
        }
        if component.clauses.len() == 1 {
            let value = self.value_of_clause(&component);
            return self.leave(value, |search| search.record_clause(first));
        }
        let clauses = &self.splitter.elements[component.clauses.clone()];
        if self.options.try_trivial_truth
            && component.exists
            && self.deduction.is_won_by_model(clauses)
        {
            return self.leave(one, |search| search.record_model(&component));
        }
        let elements = &self.splitter.elements;
        let key = self.survey.key(
            &self.residual,
            &elements[component.variables.clone()],
            &elements[component.clauses.clone()],
        );
        if self.options.cache_components
            && let Some(bounds) = self.cache.get(&key)
            && bounds.settle(&window)
        {
            return Step::Leave(bounds, None);
        }
        let variables = &elements[component.variables.clone()];
        let pure = Survey::pure_literals(&self.deduction, &self.residual, variables);
        if !pure.is_empty() {
            for &literal in &pure {
                if !self.deduction.is_universal(literal) {
                    // A model stays one.
                    self.deduction.model[literal.var().index()] = !literal.is_negative();
                }
            }
            return self.enter_node(component, window, Combine::Alone, pure, key);
        }
        let decision = Survey::choose(&self.deduction, &self.residual, variables, self.sums_first);
        let combine = self.combine(decision);
        self.enter_node(component, window, combine, vec![decision, !decision], key)
    }

    /// Leaves a component that has this value.
    fn leave(&mut self, value: N, proof: impl FnOnce(&mut Self) -> Proof) -> Step<N> {
        let mut bounds = Bounds::exactly(value);
        bounds.proof = proof(self);
        Step::Leave(bounds, None)
    }

    /// Begins with a component of which only the old lists are known: the first open variable is
    /// decided.
    fn enter_stale(&mut self, mut component: Component<N>, window: Window<N>) -> Step<N> {
        let variable = loop {
            if component.cursor == component.variables.end {
                // All variables are assigned, and no clause is false.
                return Step::Leave(Bounds::exactly(component.one), None);
            }
            let variable = Var::new(self.splitter.elements[component.cursor] as usize);
            if self.deduction.is_open(variable.positive()) {
                break variable;
            }
            component.cursor += 1;
        };
        let decision = Survey::literal(&self.deduction, &self.residual, variable);
        let combine = self.combine(decision);
        let decisions = vec![decision, !decision];
        self.enter_node(component, window, combine, decisions, Box::default())
    }

    /// What the branches of a decision are to its node.
    fn combine(&self, decision: Lit) -> Combine {
        match self.deduction.instance.quantifier(decision) {
            _ if self.deduction.instance.is_sum[decision.var().index()] => Combine::Sum,
            Quantifier::Exists => Combine::Maximum,
            Quantifier::Forall => Combine::Minimum,
            Quantifier::Chance => Combine::Mean,
        }
    }

    /// The value of a component of one clause: 1 if there is an existential variable, else the
    /// probability that a literal of chance comes true.
    fn value_of_clause(&self, component: &Component<N>) -> N {
        if component.exists {
            return component.one.clone();
        }
        let clause = self.splitter.elements[component.clauses.start];
        let literals = self.deduction.store.get(clause).iter().copied();
        let open = literals.filter(|&literal| self.deduction.is_open(literal));
        let chance = open.filter(|&l| self.deduction.instance.quantifier(l) == Quantifier::Chance);
        let lost = chance.fold(N::one(), |lost, l| lost.times(&self.weights[(!l).code()]));
        component.one.minus(&lost)
    }

    /// Makes a frame and begins its first branch.
    fn enter_node(
        &mut self,
        component: Component<N>,
        window: Window<N>,
        combine: Combine,
        decisions: Vec<Lit>,
        key: Box<[u8]>,
    ) -> Step<N> {
        self.decisions += u64::from(combine != Combine::Alone);
        let result = |upper: N| Bounds::between(N::zero(), upper);
        let one = &component.one;
        let results = match combine {
            Combine::Alone => vec![result(one.clone())],
            Combine::Mean => {
                let denominator = &self.splitter.denominators[decisions[0].var().index()];
                let rest = one.divided_down(denominator);
                let weight = |literal: &Lit| self.weights[literal.code()].times(&rest);
                decisions.iter().map(weight).map(result).collect()
            }
            Combine::Maximum | Combine::Minimum | Combine::Sum => vec![result(one.clone()); 2],
        };
        self.frames.push(Frame {
            window,
            key,
            combine,
            decisions,
            branch: 0,
            results,
            mark: self.deduction.mark(),
            elements: self.splitter.elements.len(),
            pending: self.pending.len(),
            is_moved: false,
            branch_window: Window {
                alpha: N::zero(),
                beta: N::zero(),
            },
            product: Bounds::exactly(N::zero()),
            proofs: Default::default(),
            component,
        });
        self.begin_branch()
    }

    /// Decides, propagates, and splits what is left.
    fn begin_branch(&mut self) -> Step<N> {
        let frame = self.frames.last_mut().expect("a branch has a node");
        frame.ask();
        frame.proofs.iter_mut().for_each(Vec::clear);
        self.deduction.here = frame.component.id;
        let decided = match frame.combine {
            Combine::Alone => &frame.decisions[..],
            _ => &frame.decisions[frame.branch..=frame.branch],
        };
        for &literal in decided {
            if self.deduction.is_open(literal) {
                self.deduction.decide(literal);
            } else if self.deduction.is_false(literal) {
                // What the other branch taught excludes this one.
                return self.finish_branch(Bounds::exactly(N::zero()), None);
            }
        }
        let mut conflict = self.deduction.assign_units(Reading::Quantified);
        if conflict.is_none() {
            conflict = self.deduction.propagate(Reading::Quantified);
        }
        if conflict.is_none() && !self.has_model() {
            conflict = match self.find_model() {
                Ok(Ok(())) => None,
                Ok(Err(conflict)) => Some(conflict),
                Err(reason) => {
                    self.stopped.get_or_insert(reason);
                    let frame = self.frames.last().expect("see above");
                    let unknown = frame.results[frame.branch].clone();
                    return self.finish_branch(unknown, None);
                }
            };
        }
        if let Some(conflict) = conflict {
            let lesson = self.analyse(conflict);
            self.conflict = Some(conflict);
            return self.finish_branch(Bounds::exactly(N::zero()), lesson);
        }
        self.split()
    }

    fn analyse(&mut self, conflict: ClauseId) -> Option<ClauseId> {
        match self.deduction.analyse(conflict) {
            Lesson::Clause(clause) => Some(clause),
            Lesson::Contradiction | Lesson::Nothing => None,
        }
    }

    /// Whether a model of the component with the values assigned in this branch is at hand.
    fn has_model(&mut self) -> bool {
        let frame = self.frames.last().expect("a branch has a node");
        // Of the whole formula no model is known at first.
        self.frames.len() > 1 && self.deduction.repair_model(frame.mark)
    }

    fn find_model(&mut self) -> Result<Result<(), ClauseId>, StopReason> {
        let frame = self.frames.last().expect("a branch has a node");
        let variables = frame.component.variables.clone();
        loop {
            let variables = &self.splitter.elements[variables.clone()];
            let states = self.cache.len() as u64;
            match self.deduction.find_model(variables, states, self.watch) {
                Err(StopReason::Memory) => self.make_room().ok_or(StopReason::Memory)?,
                result => return result,
            }
        }
    }

    /// Splits what a branch has left of its component.
    fn split(&mut self) -> Step<N> {
        let frame = self.frames.last_mut().expect("a branch has a node");
        let component = &frame.component;
        let mut factor = N::one();
        let mut assigned = N::one();
        for &literal in &self.deduction.trail[frame.mark.trail..] {
            if self.deduction.place(literal) == component.id
                && self.deduction.instance.quantifier(literal) == Quantifier::Chance
            {
                factor = factor.times(&self.weights[literal.code()]);
                assigned = assigned.times(&self.splitter.denominators[literal.var().index()]);
            }
        }
        self.residual.advance(&self.deduction);
        let left = if assigned == N::one() {
            component.one.clone()
        } else {
            component.one.divided_down(&assigned)
        };
        let stale = component.stale + self.deduction.trail.len() - frame.mark.trail;
        let small = self.options.small_component + self.options.split_per_return * self.returns;
        if !component.is_worth_splitting(stale, small) {
            frame.product = Bounds::exactly(factor);
            let component = Component {
                stale,
                one: left,
                rest: N::one(),
                ..component.clone()
            };
            self.pending.push(component);
            return Step::Continue;
        }
        let (free, is_moved) = self.splitter.split(
            &mut self.deduction,
            &self.residual,
            component,
            left,
            &mut self.pending,
        );
        frame.is_moved = is_moved;
        frame.product = Bounds::exactly(factor.times(&free));
        Step::Continue
    }

    /// Goes on with the next component of a branch, if that can matter.
    fn next_component(&mut self) -> Step<N> {
        let frame = self.frames.last().expect("a branch has a node");
        if self.pending.len() == frame.pending {
            let product = frame.product.clone();
            return self.finish_branch(product, None);
        }
        let next = self.pending.pop().expect("there are more");
        let others = frame.product.upper.times(&next.rest);
        let upper = others.times(&next.one);
        if upper <= frame.branch_window.alpha || self.is_leaving() {
            let lower = N::zero();
            return self.finish_branch(Bounds::between(lower, upper), None);
        }
        let is_last = self.pending.len() == frame.pending;
        let window = Window {
            alpha: frame.branch_window.alpha.divided_down(&others),
            beta: if is_last && frame.product.lower > N::zero() {
                let beta = &frame.branch_window.beta;
                beta.divided_up(&frame.product.lower).min(next.one.clone())
            } else {
                next.one.clone()
            },
        };
        Step::Enter(next, window)
    }

    /// Takes the value of a component into the product of its branch.
    fn absorb(&mut self, bounds: Bounds<N>, lesson: Option<ClauseId>) -> Step<N> {
        let frame = self.frames.last_mut().expect("a component has a node");
        let Proof { lower, upper } = bounds.proof;
        if bounds.is_zero() {
            frame.proofs[1].clear();
            frame.proofs[1].push(upper);
            return self.finish_branch(bounds, lesson);
        }
        if self.trace.is_some() {
            frame.proofs[0].push(lower);
            frame.proofs[1].push(upper);
        }
        frame.product.lower = frame.product.lower.times(&bounds.lower);
        frame.product.upper = frame.product.upper.times(&bounds.upper);
        Step::Continue
    }

    /// Goes back to the node of a branch, and on to its next branch or out of it.
    fn finish_branch(&mut self, mut bounds: Bounds<N>, lesson: Option<ClauseId>) -> Step<N> {
        let frame = self.frames.last_mut().expect("a branch has a node");
        if std::mem::take(&mut frame.is_moved) {
            for &variable in &self.splitter.elements[frame.component.variables.clone()] {
                self.deduction.places[variable as usize] = frame.component.id;
            }
        }
        let conflict = self.conflict.take();
        self.record_branch(&mut bounds, conflict);
        let frame = self.frames.last_mut().expect("see above");
        let is_zero = bounds.is_zero();
        self.returns += usize::from(!is_zero);
        frame.results[frame.branch] = bounds;
        self.pending.truncate(frame.pending);
        self.splitter.elements.truncate(frame.elements);
        self.residual.retreat(frame.mark.trail, &self.deduction);
        self.deduction.backtrack(frame.mark);
        self.deduction.here = frame.component.id;
        let mut lesson = lesson.filter(|_| is_zero);
        // A lesson holds for the whole node, but it must not be mixed with what another branch gave.
        let alone = frame.results[..frame.branch].iter().all(Bounds::is_zero);
        if alone && let Some(clause) = lesson {
            if let Some(conflict) = self.apply(clause) {
                let lesson = self.analyse(conflict);
                let mut bounds = Bounds::exactly(N::zero());
                bounds.proof = self.record_conflict(conflict);
                return self.leave_node(bounds, lesson);
            }
        } else {
            lesson = None;
        }
        let is_leaving = self.is_leaving();
        let frame = self.frames.last_mut().expect("see above");
        if frame.is_done() || is_leaving {
            let mut bounds = frame.bounds();
            bounds.proof = self.record_node();
            let lesson = lesson.filter(|_| bounds.is_zero());
            return self.leave_node(bounds, lesson);
        }
        frame.branch += 1;
        self.begin_branch()
    }

    /// Assigns what a learned clause says; gives a clause that is false, if there is one.
    fn apply(&mut self, clause: ClauseId) -> Option<ClauseId> {
        match self.deduction.status(clause, Reading::Quantified) {
            Status::Silent => None,
            Status::Conflict => Some(clause),
            Status::Unit(literal) => {
                self.deduction.assign(literal, clause);
                self.deduction.propagate(Reading::Quantified)
            }
        }
    }

    /// Stores what a node gave and goes back to the one above.
    fn leave_node(&mut self, bounds: Bounds<N>, lesson: Option<ClauseId>) -> Step<N> {
        let frame = self.frames.pop().expect("a node has a frame");
        self.deduction.backtrack(frame.mark);
        let informative = bounds.lower > N::zero() || bounds.upper < frame.component.one;
        if informative && self.options.cache_components && !frame.key.is_empty() {
            self.store(frame.key, &bounds);
        }
        Step::Leave(bounds, lesson)
    }
}

/// Memory.
impl<N: Numerator> Search<'_, '_, N> {
    /// Asks for memory; makes room in the cache if there is none.
    fn take_memory(&mut self, bytes: u64) -> Result<(), StopReason> {
        while let Err(reason) = self.watch.take_memory(bytes) {
            self.make_room().ok_or(reason)?;
        }
        Ok(())
    }

    fn store(&mut self, key: Box<[u8]>, bounds: &Bounds<N>) {
        let cost = Cache::cost(&key, bounds);
        // If there is no room even in an empty cache, the search goes on without.
        if self.take_memory(cost).is_ok() {
            let before = self.cache.bytes;
            self.cache.set(key, bounds.clone());
            self.watch
                .give_memory_back(before + cost - self.cache.bytes);
        }
    }

    /// Asks for the memory of what was learned, and of what a component further down may need.
    fn pay(&mut self, component: &Component<N>) -> Result<(), StopReason> {
        while let Err(reason) = self.deduction.pay(self.watch) {
            self.make_room().ok_or(reason)?;
        }
        // Vectors grow by doubling.
        let elements = self.splitter.elements.len() + component.size();
        let numbers = 8 * component.one.heap_bytes();
        let frame = size_of::<Frame<N>>() + size_of::<Component<N>>() + numbers;
        let lists = 2 * (elements * size_of::<u32>() + (self.frames.len() + 1) * frame) as u64;
        let trace = self.trace.as_ref();
        if trace.is_some_and(Trace::is_full) {
            return Err(StopReason::Memory);
        }
        let bytes = lists + trace.map_or(0, Trace::bytes);
        if bytes > self.accounted {
            self.take_memory(bytes - self.accounted)?;
            self.accounted = bytes;
        }
        Ok(())
    }

    fn make_room(&mut self) -> Option<()> {
        let freed = self.cache.drop_half();
        self.watch.give_memory_back(freed);
        (freed > 0).then_some(())
    }
}
