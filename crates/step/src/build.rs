//! From instances of rules to gates.
//!
//! Sentences are computed in an order in which each comes after those it depends on; those
//! that depend on each other are handed to `unfold`. Only sentences that legal moves, goals,
//! `terminal` or the next state need get gates.

use super::compact::compact;
use super::factor::factored;
use super::relaxed::GroundRules;
use super::table::{ALWAYS, Atom};
use super::unfold::{Instance, unfold};
use super::{GroundStep, StepError, StepLimits};
use base::graph::Graph;
use circuit::{Circuit, Literal, Step};
use gdl::Term;
use gdl::game::Game;
use rules::compiled::TermId;
use rustc_hash::FxHashMap;

/// The components that are built between two checks of the limits.
const COMPONENTS_BETWEEN_LOOKS: usize = 256;

/// A goal value, a fact or a move by its term, and the atom that says whether it is so.
type Named = (TermId, Atom);

pub(super) fn build(
    game: &Game,
    rules: &GroundRules,
    limits: &StepLimits,
) -> Result<GroundStep, StepError> {
    let mut circuit = Circuit::new();
    let mut signals = vec![Literal::FALSE; rules.possible.len()];
    let mut input = |named: &[Named], level: u32| -> (Vec<Term>, Vec<TermId>, Vec<Literal>) {
        let sorted = sorted(rules, named);
        let mut inputs = Vec::new();
        for &(_, _, atom) in &sorted {
            let signal = circuit.input(level);
            if atom != ALWAYS {
                signals[atom as usize] = signal;
            }
            inputs.push(signal);
        }
        let ids = sorted.iter().map(|(_, id, _)| *id).collect();
        let terms = sorted.into_iter().map(|(term, _, _)| term).collect();
        (terms, ids, inputs)
    };
    let (facts, fact_ids, fact_inputs) = input(&rules.facts, 0);
    let mut moves = Vec::new();
    let mut move_ids = Vec::new();
    let mut move_inputs = Vec::new();
    for list in &rules.moves {
        let (terms, ids, inputs) = input(list, 1);
        moves.push(terms);
        move_ids.push(ids);
        move_inputs.push(inputs);
    }
    Builder {
        rules,
        limits,
        circuit: &mut circuit,
        signals: &mut signals,
    }
    .sentences()?;

    let signal = |atom: Atom| match atom {
        ALWAYS => Literal::TRUE,
        atom => signals[atom as usize],
    };
    let by_term = |named: &[Named], ids: &[TermId]| -> Vec<Literal> {
        let atoms: FxHashMap<TermId, Atom> = named.iter().copied().collect();
        let found = |id| atoms.get(id).map_or(Literal::FALSE, |&atom| signal(atom));
        ids.iter().map(found).collect()
    };
    let legal: Vec<Vec<Literal>> = rules
        .legal
        .iter()
        .zip(&move_ids)
        .map(|(named, ids)| by_term(named, ids))
        .collect();
    let mut goals: Vec<Vec<(Term, Literal)>> = rules
        .goals
        .iter()
        .map(|named| {
            let sorted = sorted(rules, named).into_iter();
            sorted.map(|(term, _, atom)| (term, signal(atom))).collect()
        })
        .collect();
    let terminal = rules.terminal.map_or(Literal::FALSE, signal);
    let initial: rustc_hash::FxHashSet<TermId> = rules.initial.iter().copied().collect();
    let mut step = Step {
        facts: fact_inputs,
        initial: fact_ids.iter().map(|id| initial.contains(id)).collect(),
        moves: move_inputs,
        next: by_term(&rules.next, &fact_ids),
        goals: goals
            .iter()
            .map(|goals| {
                let whole = |(term, signal): &(Term, Literal)| Some((whole_number(term)?, *signal));
                goals.iter().filter_map(whole).collect()
            })
            .collect(),
        legal,
        terminal,
        circuit,
    };
    let mut others: Vec<&mut Literal> = goals.iter_mut().flatten().map(|(_, s)| s).collect();
    compact(&mut step, &mut others);
    let legal = step.legal.iter().flatten().map(|&signal| ("legal", signal));
    let goal = goals.iter().flatten().map(|&(_, signal)| ("goal", signal));
    for (name, signal) in legal.chain(goal).chain([("terminal", step.terminal)]) {
        if step.circuit.level(signal) > 0 {
            return Err(StepError::DependsOnMoves(name));
        }
    }
    let indexes = |terms: &Vec<Term>| terms.iter().cloned().zip(0..).collect();
    Ok(GroundStep {
        fact_places: indexes(&facts),
        move_places: moves.iter().map(indexes).collect(),
        step,
        roles: game.roles().to_vec(),
        facts,
        moves,
        goals,
        instances: rules.instances.len(),
    })
}

/// With their terms, sorted by text.
fn sorted(rules: &GroundRules, named: &[Named]) -> Vec<(Term, TermId, Atom)> {
    let term = |&(id, atom): &Named| (rules.terms.term(id), id, atom);
    let mut sorted: Vec<(Term, TermId, Atom)> = named.iter().map(term).collect();
    sorted.sort_by_cached_key(|(term, ..)| term.to_string());
    sorted
}

/// The whole number that a goal value is, written as usual.
fn whole_number(term: &Term) -> Option<i64> {
    let Term::Constant(name) = term else {
        return None;
    };
    let number: i64 = name.as_str().parse().ok()?;
    (number.to_string() == name.as_str()).then_some(number)
}

struct Builder<'a> {
    rules: &'a GroundRules,
    limits: &'a StepLimits,
    circuit: &'a mut Circuit,
    signals: &'a mut [Literal],
}

impl Builder<'_> {
    /// Computes the signal of every sentence that is needed.
    fn sentences(mut self) -> Result<(), StepError> {
        let by_head = instances_by_head(self.rules);
        let needed = self.needed(&by_head);
        let body = |instance: u32| self.rules.instances.body(instance as usize).iter();
        let dependencies = Graph::new(needed.len(), |edge| {
            for (atom, needed) in needed.iter().enumerate() {
                if *needed {
                    let instances = by_head.targets(atom).iter();
                    let literals = instances.flat_map(|&instance| body(instance));
                    literals.for_each(|&literal| edge(atom, literal as usize / 2));
                }
            }
        });
        let components = dependencies.components();
        for (number, members) in components.iter().enumerate() {
            if number % COMPONENTS_BETWEEN_LOOKS == 0 {
                self.limits.check()?;
            }
            if !needed[members[0] as usize] {
                continue;
            }
            if let &[atom] = members {
                if by_head.targets(atom as usize).is_empty() {
                    // A fact, a move, or a sentence that nothing derives.
                    continue;
                }
                let instances = by_head.targets(atom as usize);
                self.signals[atom as usize] = self.single(instances);
            } else {
                let inside = |atom: u32| components.component_of(atom as usize) == number as u32;
                let mut instances = Vec::new();
                for &head in members {
                    for &instance in by_head.targets(head as usize) {
                        instances.push(self.instance(head, instance, &inside)?);
                    }
                }
                let values = unfold(self.circuit, members, &instances, self.limits)?;
                for (&atom, value) in members.iter().zip(values) {
                    self.signals[atom as usize] = value;
                }
            }
            if self.circuit.node_count() > self.limits.gates {
                return Err(StepError::TooManyGates(self.limits.gates));
            }
        }
        Ok(())
    }

    /// The atoms on which the outputs depend.
    fn needed(&self, by_head: &Graph) -> Vec<bool> {
        let rules = self.rules;
        let mut needed = vec![false; rules.possible.len()];
        let mut open: Vec<Atom> = Vec::new();
        let lists = rules.legal.iter().chain(&rules.goals).chain([&rules.next]);
        let outputs = lists.flatten().map(|(_, atom)| *atom).chain(rules.terminal);
        open.extend(outputs.filter(|atom| *atom != ALWAYS));
        while let Some(atom) = open.pop() {
            if std::mem::replace(&mut needed[atom as usize], true) {
                continue;
            }
            for &instance in by_head.targets(atom as usize) {
                let body = rules.instances.body(instance as usize);
                open.extend(body.iter().map(|literal| literal / 2));
            }
        }
        needed
    }

    /// The disjunction of some instances, none of which depends on the head.
    fn single(&mut self, instances: &[u32]) -> Literal {
        let mut bodies = Vec::with_capacity(instances.len());
        for &instance in instances {
            let literals = self.rules.instances.body(instance as usize).iter();
            let signals = literals
                .map(|&literal| self.signals[literal as usize / 2].negated_if(literal % 2 == 1));
            let mut body: Vec<Literal> = signals.filter(|s| *s != Literal::TRUE).collect();
            body.sort_unstable();
            body.dedup();
            let contradictory = body.windows(2).any(|pair| pair[0] == !pair[1]);
            if body.first() != Some(&Literal::FALSE) && !contradictory {
                bodies.push(body);
            }
        }
        factored(self.circuit, bodies)
    }

    /// An instance with the members of its head's component kept apart.
    fn instance(
        &mut self,
        head: Atom,
        instance: u32,
        inside: &dyn Fn(Atom) -> bool,
    ) -> Result<Instance, StepError> {
        let mut inner = Vec::new();
        let mut outer = Vec::new();
        for &literal in self.rules.instances.body(instance as usize) {
            let (atom, negated) = (literal / 2, literal % 2 == 1);
            if !inside(atom) {
                outer.push(self.signals[atom as usize].negated_if(negated));
            } else if negated {
                return Err(StepError::NotStratified);
            } else {
                inner.push(atom);
            }
        }
        Ok(Instance {
            head,
            outer: self.circuit.and(outer),
            inner,
        })
    }
}

/// For each atom the instances that derive it.
fn instances_by_head(rules: &GroundRules) -> Graph {
    Graph::new(rules.possible.len(), |edge| {
        let heads = rules.instances.heads().iter().enumerate();
        heads.for_each(|(instance, &head)| edge(head as usize, instance));
    })
}
