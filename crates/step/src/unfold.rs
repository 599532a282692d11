//! Recursion inside a step, without a cycle in the circuit.
//!
//! Sentences that depend on each other positively have the least values that agree with their
//! rules: begin with all false and apply the rules until nothing changes. Each round is a layer of
//! gates. It is enough to count rounds at a few sentences, the *cut*, without which no cycle is
//! left: between two rounds the others follow from these in order. Every round but the last makes
//! at least one sentence of the cut true, so there are no more rounds than sentences in the cut;
//! and when a round gives the same gates as the one before, no further one can differ.

use super::table::Atom;
use super::{StepError, StepLimits};
use base::graph::Graph;
use circuit::{Circuit, Literal};
use rustc_hash::FxHashMap;

/// An instance of a rule whose head is in the component.
pub(super) struct Instance {
    pub(super) head: Atom,
    /// The part of the body that does not depend on the component.
    pub(super) outer: Literal,
    /// The atoms of the component in the body.
    pub(super) inner: Vec<Atom>,
}

/// At most how many times fewer gates there are than rounds times instances: the first rounds are
/// mostly constant, and equal gates are shared.
const GATES_SAVED: usize = 4;

/// The values of the members of a component, given all its rules.
pub(super) fn unfold(
    circuit: &mut Circuit,
    members: &[Atom],
    instances: &[Instance],
    limits: &StepLimits,
) -> Result<Vec<Literal>, StepError> {
    let index: FxHashMap<Atom, u32> = members.iter().copied().zip(0..).collect();
    let mut rules: Vec<Vec<(Literal, Vec<u32>)>> = vec![Vec::new(); members.len()];
    for instance in instances {
        if instance.outer != Literal::FALSE {
            let inner = instance.inner.iter().map(|atom| index[atom]).collect();
            rules[index[&instance.head] as usize].push((instance.outer, inner));
        }
    }
    let cut = cut(&rules, circuit.node_count(), limits)?;
    let order = order(&rules, &cut);
    let cut_size = cut.iter().filter(|cut| **cut).count();
    let mut values = vec![Literal::FALSE; members.len()];
    for _ in 0..=cut_size {
        for &member in &order {
            values[member] = derive(circuit, &rules[member], &values);
        }
        let mut changed = false;
        let new: Vec<(usize, Literal)> = (0..members.len())
            .filter(|&member| cut[member])
            .map(|member| (member, derive(circuit, &rules[member], &values)))
            .collect();
        for (member, value) in new {
            changed |= values[member] != value;
            values[member] = value;
        }
        limits.check()?;
        if circuit.node_count() > limits.gates {
            return Err(StepError::TooManyGates(limits.gates));
        }
        if !changed {
            break;
        }
    }
    Ok(values)
}

fn derive(circuit: &mut Circuit, rules: &[(Literal, Vec<u32>)], values: &[Literal]) -> Literal {
    let mut bodies = Vec::with_capacity(rules.len());
    for (outer, inner) in rules {
        let inner = inner.iter().map(|&member| values[member as usize]);
        bodies.push(circuit.and(inner.chain([*outer])));
    }
    circuit.or(bodies)
}

/// The dependencies among members that are not in the cut.
fn rest(rules: &[Vec<(Literal, Vec<u32>)>], cut: &[bool]) -> Graph {
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

/// Members without which no cycle is left; few, but not the fewest. From every component that is
/// left, the member with most dependencies within it is taken, until there are none.
///
/// Gives up when the rounds will hardly have room for the gates: their number is known long
/// before they are made.
fn cut(
    rules: &[Vec<(Literal, Vec<u32>)>],
    nodes: usize,
    limits: &StepLimits,
) -> Result<Vec<bool>, StepError> {
    let instances: usize = rules.iter().map(Vec::len).sum();
    let mut cut = vec![false; rules.len()];
    let mut size = 0usize;
    loop {
        limits.check()?;
        let room = limits.gates.saturating_sub(nodes);
        if size.saturating_mul(instances) > room.saturating_mul(GATES_SAVED) {
            return Err(StepError::TooManyGates(limits.gates));
        }
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
                size += 1;
                done = false;
            }
        }
        if done {
            return Ok(cut);
        }
    }
}

/// The members outside the cut, each after those it depends on.
fn order(rules: &[Vec<(Literal, Vec<u32>)>], cut: &[bool]) -> Vec<usize> {
    let components = rest(rules, cut).components();
    let members = components.iter().flatten().map(|&member| member as usize);
    members.filter(|&member| !cut[member]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StepLimits;

    #[test]
    fn random_recursion_gives_least_models() {
        let seed = fastrand::u64(..);
        let mut random = fastrand::Rng::with_seed(seed);
        for round in 0..300 {
            let count = random.u32(2..8);
            let mut circuit = Circuit::new();
            let inputs: Vec<Literal> = (0..5).map(|_| circuit.input(0)).collect();
            let members: Vec<Atom> = (0..count).map(|member| 10 + member).collect();
            let instances: Vec<Instance> = (0..random.u32(1..3 * count))
                .map(|_| {
                    let mut outer = Vec::new();
                    let mut inner = Vec::new();
                    for _ in 0..random.usize(0..3) {
                        outer.push(inputs[random.usize(..5)].negated_if(random.bool()));
                    }
                    for _ in 0..random.usize(0..3) {
                        inner.push(10 + random.u32(..count));
                    }
                    Instance {
                        head: 10 + random.u32(..count),
                        inner,
                        outer: circuit.and(outer),
                    }
                })
                .collect();
            let found = unfold(&mut circuit, &members, &instances, &StepLimits::default()).unwrap();
            for assignment in 0..1 << inputs.len() {
                let chosen = inputs.iter().enumerate();
                let chosen = chosen.filter(|(i, _)| assignment >> i & 1 == 1);
                let values = circuit.evaluate(chosen.map(|(_, &input)| input));
                // The definition: nothing holds but the sentences that some instance derives, again and again.
                let mut model = vec![false; members.len()];
                for _ in 0..=members.len() {
                    for instance in &instances {
                        let inner = instance.inner.iter().all(|&atom| model[atom as usize - 10]);
                        if inner && instance.outer.holds(&values) {
                            model[instance.head as usize - 10] = true;
                        }
                    }
                }
                for (&signal, &expected) in found.iter().zip(&model) {
                    assert_eq!(
                        expected,
                        signal.holds(&values),
                        "seed {seed}, round {round}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_cycle_of_many_needs_two_rounds() {
        let mut circuit = Circuit::new();
        let start = circuit.input(0);
        let count = 1000;
        let members: Vec<Atom> = (0..count).collect();
        let mut instances: Vec<Instance> = (0..count)
            .map(|head| Instance {
                head,
                outer: circuit.input(0),
                inner: vec![(head + count - 1) % count],
            })
            .collect();
        instances.push(Instance {
            head: 500,
            outer: start,
            inner: vec![],
        });
        let before = circuit.node_count();
        unfold(&mut circuit, &members, &instances, &StepLimits::default()).unwrap();
        assert!(circuit.node_count() - before < 3 * count as usize);
    }
}
