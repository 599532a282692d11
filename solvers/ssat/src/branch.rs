//! Branching: a decision is propagated, given a model, and split; the values of its components are multiplied; and the node
//! combines the values of its branches. A branch that fails leaves a learned clause.

use super::analyse::Lesson;
use super::cache;
use super::component::Component;
use super::deduction::Reading;
use super::frame::{Bounds, Combine, Decisions, Frame, NextDecision, Step, Window};
use super::propagate::Status;
use super::search::Search;
use super::store::ClauseId;
use super::trace::Proof;
use base::value::Numerator;
use formula::Quantifier;
use limits::StopReason;

impl<N: Numerator> Search<'_, '_, N> {
    /// Makes a frame and begins its first branch, which is searched unless the known model wins it.
    pub(super) fn enter_node(
        &mut self,
        component: Component<N>,
        window: Window<N>,
        next: NextDecision,
        has_key: bool,
    ) -> Step<N> {
        let NextDecision {
            combine,
            decisions,
            is_won,
        } = next;
        self.deduction.counts.branchings += u64::from(combine != Combine::Alone);
        let result = |upper: N| Bounds::between(N::zero(), upper);
        let one = &component.one;
        let results = match (combine, &decisions) {
            (Combine::Mean, Decisions::Either(pair)) => {
                let denominator = &self.splitter.denominators[pair[0].var().index()];
                let rest = one.divided_down(denominator);
                pair.map(|literal| result(self.weights[literal.code()].times(&rest)))
            }
            (_, Decisions::Either(_)) => [one.clone(), one.clone()].map(result),
            (_, Decisions::All(_)) => [one.clone(), N::zero()].map(result),
        };
        let hash = match self.parallel.is_together && has_key {
            true => cache::hash(&self.key),
            false => 0,
        };
        let start = self.stack.keys.len();
        if has_key {
            self.stack.keys.extend_from_slice(&self.key);
        }
        let key = start..self.stack.keys.len();
        let probability = self.probability();
        self.stack.frames.push(Frame {
            probability,
            window,
            key,
            hash,
            combine,
            decisions,
            branch: 0,
            is_won,
            results,
            mark: self.deduction.mark(),
            elements: self.splitter.elements.len(),
            pending: self.stack.waiting.len(),
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
        self.note_branch();
        let frame = self.stack.frames.last_mut().expect("a branch has a node");
        if frame.is_won && frame.branch == 0 {
            return self.win_branch();
        }
        frame.ask();
        frame.proofs.iter_mut().for_each(Vec::clear);
        self.deduction.here = frame.component.id;
        let is_pure = frame.combine == Combine::Alone && self.trace.is_some();
        for &literal in frame.decisions.of(frame.branch) {
            if self.deduction.is_open(literal) {
                self.deduction.decide(literal);
                self.deduction.is_pure[literal.var().index()] |=
                    is_pure && !self.deduction.is_universal(literal);
            } else if self.deduction.is_false(literal) {
                // A clause learned in the other branch excludes this one.
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
                    let frame = self.stack.frames.last().expect("see above");
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

    /// Takes the first branch as won by the known model.
    fn win_branch(&mut self) -> Step<N> {
        let frame = self.stack.frames.last().expect("a branch has a node");
        let value = frame.results[0].upper.clone();
        let variables = frame.component.variables.clone();
        let [decision] = *frame.decisions.of(0) else {
            unreachable!("one literal is enough")
        };
        self.deduction.decide(decision);
        let proof = self.record_model(variables).lower;
        let frame = self.stack.frames.last_mut().expect("see above");
        frame.proofs[0].push(proof);
        self.finish_branch(Bounds::exactly(value), None)
    }

    fn analyse(&mut self, conflict: ClauseId) -> Option<ClauseId> {
        match self.deduction.analyse(conflict) {
            Lesson::Clause(clause) => Some(clause),
            Lesson::Contradiction | Lesson::Nothing => None,
        }
    }

    /// Whether a model of the component with the values assigned in this branch is at hand.
    fn has_model(&mut self) -> bool {
        let frame = self.stack.frames.last().expect("a branch has a node");
        // Of the whole formula no model is known at first.
        self.stack.frames.len() > 1 && self.deduction.repair_model(frame.mark)
    }

    fn find_model(&mut self) -> Result<Result<(), ClauseId>, StopReason> {
        let frame = self.stack.frames.last().expect("a branch has a node");
        let variables = frame.component.variables.clone();
        loop {
            let variables = &self.splitter.elements[variables.clone()];
            match self.deduction.find_model(variables, self.watch) {
                Err(StopReason::Memory) => self.make_room().ok_or(StopReason::Memory)?,
                result => return result,
            }
        }
    }

    /// Splits what a branch has left of its component.
    fn split(&mut self) -> Step<N> {
        let frame = self.stack.frames.last_mut().expect("a branch has a node");
        let component = &frame.component;
        let mut factor = N::one();
        let mut assigned = N::one();
        for &literal in &self.deduction.assignment.trail[frame.mark.trail..] {
            if self.deduction.component(literal) == component.id
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
        let stale = component.stale + self.deduction.assignment.trail.len() - frame.mark.trail;
        let small = self.options.small_component
            + self.options.split_per_return * self.deduction.counts.returns as usize;
        if !component.is_worth_splitting(stale, small) {
            frame.product = Bounds::exactly(factor);
            let component = Component {
                stale,
                one: left,
                rest: N::one(),
                ..component.clone()
            };
            self.stack.waiting.push(component);
            return Step::Continue;
        }
        let (free, is_moved) = self.splitter.split(
            &mut self.deduction,
            &self.residual,
            component,
            left,
            &mut self.stack.waiting,
        );
        frame.is_moved = is_moved;
        frame.product = Bounds::exactly(factor.times(&free));
        Step::Continue
    }

    /// Goes on with the next component of a branch, if that can matter.
    pub(super) fn next_component(&mut self) -> Step<N> {
        let frame = self.stack.frames.last().expect("a branch has a node");
        if self.stack.waiting.len() == frame.pending {
            let product = frame.product.clone();
            return self.finish_branch(product, None);
        }
        let next = self.stack.waiting.pop().expect("there are more");
        let others = frame.product.upper.times(&next.rest);
        let upper = others.times(&next.one);
        if upper <= frame.branch_window.alpha || self.is_leaving() {
            let lower = N::zero();
            return self.finish_branch(Bounds::between(lower, upper), None);
        }
        let is_last = self.stack.waiting.len() == frame.pending;
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
    pub(super) fn absorb(&mut self, bounds: Bounds<N>, lesson: Option<ClauseId>) -> Step<N> {
        let frame = self
            .stack
            .frames
            .last_mut()
            .expect("a component has a node");
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
        let frame = self.stack.frames.last_mut().expect("a branch has a node");
        if std::mem::take(&mut frame.is_moved) {
            for &variable in &self.splitter.elements[frame.component.variables.clone()] {
                self.deduction.component_of[variable as usize] = frame.component.id;
            }
        }
        let conflict = self.conflict.take();
        self.record_branch(&mut bounds, conflict);
        let frame = self.stack.frames.last_mut().expect("see above");
        if frame.combine == Combine::Alone {
            for literal in frame.decisions.of(0) {
                self.deduction.is_pure[literal.var().index()] = false;
            }
        }
        let is_zero = bounds.is_zero();
        self.deduction.counts.returns += u64::from(!is_zero);
        frame.results[frame.branch] = bounds;
        self.stack.waiting.truncate(frame.pending);
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
        let frame = self.stack.frames.last_mut().expect("see above");
        let is_fixed = self
            .anytime
            .pass
            .as_ref()
            .is_some_and(|pass| pass.is_done(frame));
        if frame.is_done() || is_fixed || is_leaving {
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
    fn leave_node(&mut self, mut bounds: Bounds<N>, lesson: Option<ClauseId>) -> Step<N> {
        let frame = self.stack.frames.pop().expect("a node has a frame");
        self.deduction.backtrack(frame.mark);
        if frame.is_shared() {
            self.forget_branch(frame.hash);
        }
        if self.parallel.return_to >= self.stack.frames.len()
            && self.parallel.return_to != usize::MAX
        {
            // Another thread has settled this component.
            self.parallel.return_to = usize::MAX;
            let key = &self.stack.keys[frame.key.clone()];
            if let Some(known) = self.team.cache.get(key) {
                bounds.narrow(&known);
            }
        }
        let mark = self.anytime.pass.as_ref().map(|pass| pass.number);
        let mark = mark.filter(|_| !self.is_leaving());
        let informative = bounds.lower > N::zero() || bounds.upper < frame.component.one;
        let is_stored = (informative || mark.is_some()) && self.options.cache_components;
        let start = frame.key.start;
        if is_stored && !frame.key.is_empty() {
            // A better bound of the cache may be proved elsewhere only.
            match self.trace.is_some() {
                true => self.store(frame.key, &mut bounds.clone(), mark),
                false => self.store(frame.key, &mut bounds, mark),
            }
        }
        self.stack.keys.truncate(start);
        Step::Leave(bounds, lesson)
    }
}
