//! The recorder of the [trace](super::trace) of a search: each bound of a component has a node of a diagram.
//!
//! All functions do nothing if no trace is asked for.
//!
//! **Nodes that are used again.** A component that is met again has the same open variables and clauses, so literals of the formula's clauses that were
//! false outside of it are false again. A learned clause may join more than the component, and be true the next time. So each node of an upper bound has a list of what
//! it *needs*: the literals of learned clauses that must be false above it. Where they are not, the stored upper bound is not used.
//!
//! **Literals of other components.** A learned clause may also assign variables of components that wait. Nothing is written down about them where
//! they are not at work; a clause that rests on such a literal is resolved with its reasons until none is left.
//!
//! **Pure literals** are no steps of an upper bound, since what holds with them holds without. For this no learned clause may rest on
//! one: while a trace is written, those with the negation of a pure literal say nothing.

use super::deduction::NO_REASON;
use super::frame::{Bounds, Combine};
use super::recorder::Recorder;
use super::search::Search;
use super::store::ClauseId;
use super::trace::{Failure, Node, NodeId, OPEN, Proof, Step};
use base::value::Numerator;
use formula::{Lit, Quantifier, Var};
use std::ops::Range;

impl<N: Numerator> Search<'_, '_, N> {
    fn name(&self, literal: Lit) -> Lit {
        let derivations = self.deduction.derivations.as_deref();
        derivations
            .expect("they are written down with the trace")
            .name(literal)
    }

    /// A component has the value 1 because of the existential variables of its model, or because nothing of it is left.
    pub fn record_model(&mut self, variables: Range<usize>) -> Proof {
        if self.trace.is_none() {
            return Proof::default();
        }
        let mut steps = Vec::new();
        for &variable in &self.splitter.elements[variables] {
            let variable = Var::new(variable as usize);
            let set = variable.literal(self.deduction.model[variable.index()]);
            if self.deduction.is_open(set)
                && self.deduction.instance.quantifier(set) == Quantifier::Exists
            {
                steps.push(self.step(set));
            }
        }
        let trace = self.trace.as_mut().expect("see above");
        Proof {
            lower: trace.lower.branch(&steps, &[]),
            upper: OPEN,
        }
    }

    fn step(&self, literal: Lit) -> Step {
        Step {
            literal: self.name(literal),
            otherwise: None,
        }
    }

    /// A component of one clause: the chance that a literal of it comes true. One of universal variables has the value 0.
    pub fn record_clause(&mut self, clause: ClauseId) -> Proof {
        if self.trace.is_none() {
            return Proof::default();
        }
        let (mut chance, mut falsified) = (Vec::new(), Vec::new());
        for index in 0..self.deduction.store.get(clause).len() {
            let literal = self.deduction.store.get(clause)[index];
            if !self.deduction.is_open(literal) {
                continue;
            }
            match self.deduction.instance.quantifier(literal) {
                Quantifier::Exists => {
                    let step = self.step(literal);
                    let trace = self.trace.as_mut().expect("see above");
                    let lower = trace.lower.branch(&[step], &[]);
                    return Proof { lower, upper: OPEN };
                }
                Quantifier::Forall => falsified.push(self.step(!literal)),
                Quantifier::Chance => chance.push(self.name(literal)),
            }
        }
        let Search {
            trace, deduction, ..
        } = self;
        let derivations = deduction.derivations.as_deref_mut().expect("see above");
        let clause = derivations.number(clause, &deduction.store);
        let trace = trace.as_mut().expect("see above");
        let mut proof = Proof::default();
        if !chance.is_empty() {
            let won = trace.lower.branch(&[], &[]);
            for &literal in &chance {
                proof.lower = trace.lower.test(literal, [won, proof.lower]);
            }
        }
        proof.upper = trace.upper.push(Node::False(Failure {
            clause,
            made_false: (0, 0),
        }));
        for literal in chance {
            proof.upper = trace.upper.test(literal, [OPEN, proof.upper]);
        }
        if !falsified.is_empty() {
            proof.upper = trace.upper.branch(&falsified, &[proof.upper]);
        }
        proof
    }

    /// The branch at work has given these bounds. Its assignments are still on the trail.
    pub fn record_branch(&mut self, bounds: &mut Bounds<N>, conflict: Option<ClauseId>) {
        if self.trace.is_none() {
            return;
        }
        let frame = self.stack.frames.last().expect("a branch has a node");
        bounds.proof = Proof::default();
        let is_upper = bounds.upper < frame.results[frame.branch].upper;
        if bounds.lower > N::zero() {
            bounds.proof.lower = self.guarantee();
        }
        if is_upper {
            bounds.proof.upper = self.refute(conflict, true);
        }
    }

    /// The node at work has the value 0, because what was learned is false.
    pub fn record_conflict(&mut self, conflict: ClauseId) -> Proof {
        let mut proof = Proof::default();
        if self.trace.is_some() {
            proof.upper = self.refute(Some(conflict), false);
        }
        proof
    }

    /// The proof of the bounds of the last node, from the proofs of its branches.
    pub fn record_node(&mut self) -> Proof {
        let Some(frame) = self.stack.frames.last().filter(|_| self.trace.is_some()) else {
            return Proof::default();
        };
        let results = &frame.results;
        if frame.combine == Combine::Alone {
            return results[0].proof;
        }
        let lowers = [results[0].proof.lower, results[1].proof.lower];
        let uppers = [results[0].proof.upper, results[1].proof.upper];
        let tested = frame.decisions.of(0)[0];
        let (combine, decision) = (frame.combine, self.name(tested));
        let better = [
            lowers[usize::from(results[1].lower > results[0].lower)],
            uppers[usize::from(results[1].upper < results[0].upper)],
        ];
        let trace = self.trace.as_mut().expect("see above");
        let mut proof = Proof {
            lower: better[0],
            upper: better[1],
        };
        if combine != Combine::Maximum {
            proof.lower = match lowers == [OPEN; 2] {
                true => OPEN,
                false => trace.lower.test(decision, lowers),
            };
        }
        if combine != Combine::Minimum {
            proof.upper = match uppers == [OPEN; 2] {
                true => OPEN,
                false => {
                    let node = trace.upper.test(decision, uppers);
                    trace.note_needs(node, &uppers, &[tested, !tested]);
                    node
                }
            };
        }
        proof
    }

    /// Whether the upper bound of a component that was met before is proved here too.
    pub fn is_proved_here(&self, upper: NodeId) -> bool {
        let Some(trace) = &self.trace else {
            return true;
        };
        let needs = trace.needs(upper).iter();
        needs.copied().all(|literal| {
            self.deduction.is_false(literal)
                && !self.deduction.is_pure[literal.var().index()]
                && self.is_on_path(literal)
        })
    }

    /// The literal of the decision that a test of the node at work is about; of the player of a diagram there is none.
    fn tested(&self, player: Quantifier) -> Option<Lit> {
        let frame = self.stack.frames.last().expect("a branch has a node");
        let decision = frame.decisions.one(frame.branch);
        decision.filter(|_| match frame.combine {
            Combine::Alone => false,
            Combine::Maximum => player != Quantifier::Exists,
            Combine::Minimum => player != Quantifier::Forall,
            Combine::Mean | Combine::Sum => true,
        })
    }

    /// Writes down what the maximizer does in the branch at work, and the chances that it requires.
    fn guarantee(&mut self) -> NodeId {
        let frame = self.stack.frames.last().expect("a branch has a node");
        let tested = self.tested(Quantifier::Exists);
        let path = self.deduction.assignment.trail[frame.mark.trail..].iter();
        let steps = path.copied().filter(|&literal| {
            self.deduction.component(literal) == frame.component.id
                && Some(literal) != tested
                && self.deduction.instance.quantifier(literal) != Quantifier::Forall
        });
        let steps: Vec<Step> = steps.map(|literal| self.step(literal)).collect();
        let nodes = frame.proofs[0].clone();
        let trace = self.trace.as_mut().expect("it is asked for");
        match (&steps[..], &nodes[..]) {
            ([], &[node]) => node,
            _ => trace.lower.branch(&steps, &nodes),
        }
    }

    /// Writes down what the minimizer does in the branch at work, the literals that follow, and the clause that is false, if one is. A node that has no
    /// branch yet has nothing below.
    fn refute(&mut self, conflict: Option<ClauseId>, is_branch: bool) -> NodeId {
        let frame = self.stack.frames.last().expect("a branch has a node");
        let here = frame.component.id;
        let path = self.deduction.assignment.trail[frame.mark.trail..].to_vec();
        let tested = self.tested(Quantifier::Forall).filter(|_| is_branch);
        let mut nodes = match is_branch {
            true => frame.proofs[1].clone(),
            false => Vec::new(),
        };
        nodes.retain(|&node| node != OPEN);
        let mut trace = self.trace.take().expect("it is asked for");
        trace.own_needs.clear();
        for (place, literal) in path.iter().enumerate() {
            trace.places[literal.var().index()] = place as u32 + 1;
        }
        let (mut steps, mut made) = (Vec::new(), Vec::from_iter(tested));
        let mut conflict = conflict;
        for &literal in &path {
            let reason = self.deduction.assignment.reasons[literal.var().index()];
            if self.deduction.component(literal) != here || Some(literal) == tested {
                continue;
            }
            if tested == Some(!literal) {
                // What was learned excludes the branch.
                conflict = Some(reason);
                break;
            }
            if self.deduction.is_universal(literal) {
                steps.push(self.step(literal));
                made.push(literal);
            } else if reason != NO_REASON {
                let otherwise = Some(self.failure(&mut trace, reason, Some(literal)));
                made.push(literal);
                let literal = self.name(literal);
                steps.push(Step { literal, otherwise });
            }
        }
        if let Some(conflict) = conflict {
            let failure = self.failure(&mut trace, conflict, None);
            let node = trace.upper.push(Node::False(failure));
            trace.note_needs(node, &[], &[]);
            nodes = vec![node];
        }
        let node = match (&steps[..], &nodes[..]) {
            ([], []) => OPEN,
            ([], &[node]) => node,
            _ => {
                let node = trace.upper.branch(&steps, &nodes);
                trace.note_needs(node, &nodes, &made);
                node
            }
        };
        for literal in &path {
            trace.places[literal.var().index()] = 0;
        }
        self.trace = Some(trace);
        node
    }

    /// A clause that is false, or from which a literal follows, in words of the trace: its literals of other components are resolved away, and its open
    /// universal literals are made false.
    fn failure(&mut self, trace: &mut Recorder, id: ClauseId, follows: Option<Lit>) -> Failure {
        let clause = self.deduction.store.get(id).to_vec();
        let is_foreign = |literal: &Lit| {
            Some(*literal) != follows
                && !self.deduction.is_open(*literal)
                && !self.is_own(trace, *literal)
        };
        let is_learned = id as usize >= self.deduction.store.given();
        let foreign: Vec<Lit> = match is_learned {
            true => clause.iter().copied().filter(is_foreign).collect(),
            false => Vec::new(),
        };
        let (number, clause) = match foreign.is_empty() {
            true => {
                let deduction = &mut self.deduction;
                let derivations = deduction.derivations.as_deref_mut().expect("see above");
                (derivations.number(id, &deduction.store), clause)
            }
            false => self.resolve(trace, id, clause, &foreign),
        };
        let place = |literal: Lit| trace.places[literal.var().index()];
        let end = follows.map_or(u32::MAX, place);
        let (mut falsified, mut needs) = (Vec::new(), Vec::new());
        for literal in clause
            .into_iter()
            .filter(|&literal| Some(literal) != follows)
        {
            if self.deduction.is_open(literal) || place(literal) > end {
                falsified.push(self.name(literal));
            } else if is_learned && place(literal) == 0 {
                needs.push(literal);
            }
        }
        trace.own_needs.append(&mut needs);
        Failure {
            clause: number,
            made_false: trace.upper.push_made_false(&falsified),
        }
    }

    /// Whether an assigned literal is a step or a test of the path to the node at work, or of its branch.
    fn is_own(&self, trace: &Recorder, literal: Lit) -> bool {
        let frame = self.stack.frames.last().expect("a branch has a node");
        match trace.places[literal.var().index()] {
            0 => self.is_on_path(literal),
            _ => self.deduction.component(literal) == frame.component.id,
        }
    }

    /// Whether an assigned literal is of the component that was at work where it was assigned.
    fn is_on_path(&self, literal: Lit) -> bool {
        let frames = &self.stack.frames;
        let level = self.deduction.assignment.levels[literal.var().index()];
        let component = self.deduction.component(literal);
        // What was learned in a first branch is assigned at the level of the node, and so belongs to this node or the one before.
        let after = frames.partition_point(|frame| frame.mark.level <= level);
        frames[..after]
            .iter()
            .rev()
            .scan(true, |goes_on, frame| {
                let is_candidate = *goes_on;
                *goes_on = frame.mark.level == level;
                is_candidate.then_some(frame)
            })
            .any(|frame| frame.component.id == component)
    }

    /// Resolves literals of other components away; gives the number of the clause that is left, and the clause.
    fn resolve(
        &mut self,
        trace: &Recorder,
        id: ClauseId,
        mut clause: Vec<Lit>,
        foreign: &[Lit],
    ) -> (u32, Vec<Lit>) {
        let mut left: Vec<Lit> = foreign.iter().map(|&literal| !literal).collect();
        let mut used = vec![id];
        for position in (0..self.deduction.assignment.trail.len()).rev() {
            if left.is_empty() {
                break;
            }
            let literal = self.deduction.assignment.trail[position];
            let Some(index) = left.iter().position(|&one| one == literal) else {
                continue;
            };
            left.swap_remove(index);
            clause.retain(|&one| one != !literal);
            let reason = self.deduction.assignment.reasons[literal.var().index()];
            debug_assert_ne!(reason, NO_REASON, "other components decide nothing here");
            used.push(reason);
            for index in 0..self.deduction.store.get(reason).len() {
                let other = self.deduction.store.get(reason)[index];
                if other == literal || clause.contains(&other) {
                    continue;
                }
                clause.push(other);
                if !self.deduction.is_open(other) && !self.is_own(trace, other) {
                    left.push(!other);
                }
            }
        }
        let deduction = &mut self.deduction;
        let derivations = deduction.derivations.as_deref_mut().expect("see above");
        let hints = used.iter().rev();
        let hints = hints.map(|&one| derivations.number(one, &deduction.store));
        let hints: Vec<u32> = hints.collect();
        (derivations.derive(&clause, hints), clause)
    }
}
