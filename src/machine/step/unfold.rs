//! Recursion inside a step, without a circle in the circuit.
//!
//! Sentences that depend on each other positively have the least values that agree with their rules:
//! begin with all false and apply the rules until nothing changes. Each round is a layer of gates. It
//! is enough to count rounds at a few sentences, the *cut*, without which no circle is left: between
//! two rounds the others follow from these in order. Every round but the last makes at least one sentence of
//! the cut true, so there are no more rounds than sentences in the cut; and when a round gives the
//! same gates as the one before, no further one can differ.

use super::table::Atom;
use super::{StepError, StepLimits};
use circuit::{Circuit, Signal};
use graph::Graph;
use rustc_hash::FxHashMap;

/// An instance of a rule whose head is in the component.
pub(super) struct Instance {
    pub(super) head: Atom,
    /// The part of the body that does not depend on the component.
    pub(super) outer: Signal,
    /// The atoms of the component in the body.
    pub(super) inner: Vec<Atom>,
}

/// The values of the members of a component, given all its rules.
pub(super) fn unfold(
    circuit: &mut Circuit,
    members: &[Atom],
    instances: &[Instance],
    limits: &StepLimits,
) -> Result<Vec<Signal>, StepError> {
    let place: FxHashMap<Atom, u32> = members.iter().copied().zip(0..).collect();
    let mut rules: Vec<Vec<(Signal, Vec<u32>)>> = vec![Vec::new(); members.len()];
    for instance in instances {
        if instance.outer != Signal::FALSE {
            let inner = instance.inner.iter().map(|atom| place[atom]).collect();
            rules[place[&instance.head] as usize].push((instance.outer, inner));
        }
    }
    let cut = cut(&rules);
    let order = order(&rules, &cut);
    let cut_size = cut.iter().filter(|cut| **cut).count();
    let mut values = vec![Signal::FALSE; members.len()];
    for _ in 0..=cut_size {
        for &member in &order {
            values[member] = derive(circuit, &rules[member], &values);
        }
        let mut changed = false;
        let new: Vec<(usize, Signal)> = (0..members.len())
            .filter(|&member| cut[member])
            .map(|member| (member, derive(circuit, &rules[member], &values)))
            .collect();
        for (member, value) in new {
            changed |= values[member] != value;
            values[member] = value;
        }
        limits.look()?;
        if circuit.node_count() > limits.gates {
            return Err(StepError::TooManyGates(limits.gates));
        }
        if !changed {
            break;
        }
    }
    Ok(values)
}

fn derive(circuit: &mut Circuit, rules: &[(Signal, Vec<u32>)], values: &[Signal]) -> Signal {
    let mut bodies = Vec::with_capacity(rules.len());
    for (outer, inner) in rules {
        let inner = inner.iter().map(|&member| values[member as usize]);
        bodies.push(circuit.and(inner.chain([*outer])));
    }
    circuit.or(bodies)
}

/// The dependencies among members that are not in the cut.
fn rest(rules: &[Vec<(Signal, Vec<u32>)>], cut: &[bool]) -> Graph {
    Graph::new(rules.len(), |edge| {
        for (head, rules) in rules.iter().enumerate().filter(|(head, _)| !cut[*head]) {
            for &inner in rules.iter().flat_map(|(_, inner)| inner) {
                if !cut[inner as usize] {
                    edge(head, inner as usize);
                }
            }
        }
    })
}

/// Members without which no circle is left; few, but not the fewest. From every component that is left, the
/// member with most dependencies within it is taken, until there are none.
fn cut(rules: &[Vec<(Signal, Vec<u32>)>]) -> Vec<bool> {
    let mut cut = vec![false; rules.len()];
    loop {
        let graph = rest(rules, &cut);
        let components = graph.components();
        let mut degrees = vec![(0u64, 0u64); rules.len()];
        for head in 0..rules.len() {
            for &inner in graph.targets(head) {
                if components.component_of(head) == components.component_of(inner as usize) {
                    degrees[head].0 += 1;
                    degrees[inner as usize].1 += 1;
                }
            }
        }
        let mut done = true;
        for members in components.iter() {
            let degree = |&&member: &&u32| {
                let (out, into) = degrees[member as usize];
                (out * into, std::cmp::Reverse(member))
            };
            let Some(&most) = members.iter().max_by_key(degree) else {
                continue;
            };
            let (out, into) = degrees[most as usize];
            if out * into > 0 {
                cut[most as usize] = true;
                done = false;
            }
        }
        if done {
            return cut;
        }
    }
}

/// The members outside the cut, each after what it depends on.
fn order(rules: &[Vec<(Signal, Vec<u32>)>], cut: &[bool]) -> Vec<usize> {
    let components = rest(rules, cut).components();
    let members = components.iter().flatten().map(|&member| member as usize);
    members.filter(|&member| !cut[member]).collect()
}
