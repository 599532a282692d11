//! Evaluation of a component before a decision: trivial cases, the cache, and pure literals. If they do not settle it, a variable
//! is chosen, and the component gets a frame.

use super::component::Component;
use super::frame::{Bounds, Decisions, Step, Window};
use super::policy::HITS_TO_KEEP_ORDER;
use super::search::Pass;
use super::search::Search;
use super::trace::{OPEN, Proof};
use base::value::Numerator;
use formula::{Lit, Quantifier, Var};

impl<N: Numerator> Search<'_, '_, N> {
    /// Begins with a component: settles it at once, or makes a frame for it.
    pub(super) fn enter(&mut self, component: Component<N>, window: Window<N>) -> Step<N> {
        let unknown = |component: &Component<N>| Bounds::between(N::zero(), component.one.clone());
        if self.stopped.is_none() {
            self.stopped = self.watch.decide().err();
        }
        if self.stopped.is_none() {
            self.stopped = self.pay(&component).err();
        }
        self.deduction.work += (component.size() + 8 * component.one.heap_bytes()) as u64;
        if self.deduction.is_time_to_check() && self.stopped.is_none() {
            self.stopped = self.check_limits().err();
        }
        if self.deduction.work >= self.anytime.schedule.next && self.stopped.is_none() {
            self.take_limited_turns();
        }
        let ends = self.deduction.work >= self.end_of_turn();
        let is_late = self.deduction.work >= self.modes.decompose_at && self.anytime.pass.is_none();
        self.modes.is_switching |= ends || is_late && self.decompose();
        self.follow_others();
        if self.is_leaving() {
            return Step::Leave(unknown(&component), None);
        }
        debug_assert!(
            self.deduction
                .is_model(&self.splitter.elements[component.clauses.clone()]),
            "no component is entered without a model of it"
        );
        if !component.forall && !component.chance {
            // There is a model of it.
            return self.leave(component.one, |search| {
                search.record_model(component.variables)
            });
        }
        let is_left = self.is_left();
        if component.stale > 0 {
            if is_left {
                return Step::Leave(unknown(&component), None);
            }
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
        let needed = self.needed_to_win(&component);
        if needed.as_ref().is_some_and(Vec::is_empty) {
            return self.leave(component.one, |search| {
                search.record_model(component.variables)
            });
        }
        let elements = &self.splitter.elements;
        self.order.write_key(
            &mut self.key,
            &self.residual,
            &elements[component.variables.clone()],
            &elements[component.clauses.clone()],
        );
        let mut known = None;
        if self.options.cache_components
            && let Some((mut found, mark)) = self.team.cache.get_marked(&self.key)
        {
            if !self.is_proved_here(found.proof.upper) {
                found.upper = component.one.clone();
                found.proof.upper = OPEN;
            }
            let was_counted = |pass: &Pass| pass.number == mark;
            if found.settle(&window) || self.anytime.pass.as_ref().is_some_and(was_counted) {
                self.deduction.counts.hits += 1;
                return Step::Leave(found, None);
            }
            known = Some(found);
        }
        if is_left {
            let mut bounds = known.unwrap_or_else(|| unknown(&component));
            bounds.narrow(&self.glance(&component, needed.as_deref()));
            return Step::Leave(bounds, None);
        }
        let next = self.next_decision(&component, needed.as_deref());
        if let Decisions::All(pure) = &next.decisions {
            for &literal in pure {
                let variable = literal.var().index();
                if !self.deduction.is_universal(literal)
                    && !literal.holds(self.deduction.model[variable])
                {
                    // A model stays one.
                    self.deduction.flip(variable);
                }
            }
        }
        self.enter_node(component, window, next, true)
    }

    /// The literals that chance or the opponent must set in the outermost block so that the maximizer wins by the known model;
    /// `None` if that does not pay, or is not enough.
    fn needed_to_win(&mut self, component: &Component<N>) -> Option<Vec<Lit>> {
        if !self.options.try_trivial_truth || !component.exists {
            return None;
        }
        let first = Var::new(self.splitter.elements[component.variables.start] as usize);
        let instance = &self.deduction.instance;
        let is_ours = instance.quantifiers[first.index()] == Quantifier::Exists;
        let aims = self.options.generalize_minterms
            && !is_ours
            && (!self.meets_again() || self.anytime.pass.is_some());
        let block = aims.then(|| instance.decided[first.index()]);
        let clauses = &self.splitter.elements[component.clauses.clone()];
        self.deduction.generalize(clauses, block)
    }

    /// Whether components are met again often.
    pub(crate) fn meets_again(&self) -> bool {
        self.deduction.counts.hits * HITS_TO_KEEP_ORDER > self.deduction.counts.stored
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
                let nothing = component.cursor..component.cursor;
                return self.leave(component.one, |search| search.record_model(nothing));
            }
            let variable = Var::new(self.splitter.elements[component.cursor] as usize);
            if self.deduction.is_open(variable.positive()) {
                break variable;
            }
            component.cursor += 1;
        };
        let next = self.next_of_stale(variable);
        self.enter_node(component, window, next, false)
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
}
