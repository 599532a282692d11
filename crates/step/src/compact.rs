//! A circuit without superfluous gates, and with chains of gates as one gate.
//!
//! While it is built a circuit collects gates that turn out to be superfluous: rounds of recursion
//! that changed nothing, sentences that became constant. And a conjunction that is used once, in
//! another conjunction, need not be a gate of its own. (Disjunctions are negated conjunctions, so
//! this is about both.)

use circuit::{Circuit, Literal, Step};

/// How wide gates made of several get: wider ones would be read in full where a part is shared.
const WIDEST: usize = 32;

/// The same step with fewer gates. `others` are more outputs to keep; they are changed to the signals that
/// they are now.
pub(super) fn compact(step: &mut Step, others: &mut [&mut Literal]) {
    let old = std::mem::take(&mut step.circuit);
    let outputs: Vec<Literal> = step
        .legal
        .iter()
        .flatten()
        .chain(step.goals.iter().flatten().map(|(_, signal)| signal))
        .chain(&step.next)
        .chain([&step.terminal])
        .chain(others.iter().map(|signal| &**signal))
        .copied()
        .collect();
    let cone = old.cone(&outputs);
    // How often each node is used; an output or a negated use counts as many.
    let mut uses = vec![0u32; old.node_count()];
    for output in &outputs {
        uses[output.node()] = 2;
    }
    for &node in &cone {
        for input in old.gate(node) {
            let times = if input.is_negated() { 2 } else { 1 };
            uses[input.node()] = uses[input.node()].saturating_add(times);
        }
    }
    let mut new = Circuit::new();
    let mut images = vec![Literal::FALSE; old.node_count()];
    // Inputs stay, and keep their order.
    for input in step.facts.iter_mut().chain(step.moves.iter_mut().flatten()) {
        images[input.node()] = new.input(old.level(*input));
        *input = images[input.node()];
    }
    // Inputs of gates that become part of the gate that uses them.
    let mut parts: Vec<Vec<Literal>> = vec![Vec::new(); old.node_count()];
    for &node in &cone {
        if old.gate(node).is_empty() {
            continue;
        }
        let mut inputs = Vec::with_capacity(old.gate(node).len());
        for input in old.gate(node) {
            let part = std::mem::take(&mut parts[input.node()]);
            if part.is_empty() {
                inputs.push(images[input.node()].negated_if(input.is_negated()));
            } else {
                inputs.extend(part);
            }
        }
        if uses[node] == 1 && inputs.len() < WIDEST {
            parts[node] = inputs;
        } else {
            images[node] = new.and(inputs);
        }
    }
    let image = |signal: &mut Literal| {
        *signal = images[signal.node()].negated_if(signal.is_negated());
    };
    step.legal.iter_mut().flatten().for_each(image);
    step.goals
        .iter_mut()
        .flatten()
        .for_each(|(_, signal)| image(signal));
    step.next.iter_mut().for_each(image);
    image(&mut step.terminal);
    others.iter_mut().for_each(|signal| image(signal));
    step.circuit = new;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_become_one_gate_and_what_is_shared_stays() {
        let mut circuit = Circuit::new();
        let [a, b, c, d] = [0, 0, 0, 1].map(|level| circuit.input(level));
        let shared = circuit.and([a, b]);
        let once = circuit.or([c, d]);
        let next = circuit.or([shared, once]);
        let superfluous = circuit.and([a, c]);
        assert_eq!(circuit.node_count(), 9);
        let mut step = Step {
            facts: vec![a, b, c],
            initial: vec![false; 3],
            moves: vec![vec![d]],
            legal: vec![vec![shared]],
            terminal: !a,
            goals: vec![vec![(100, !shared)]],
            next: vec![next, superfluous, Literal::TRUE],
            circuit,
        };
        step.next[1] = d;
        let mut other = !next;
        compact(&mut step, &mut [&mut other]);
        // The constant, four inputs, and two gates.
        assert_eq!(step.circuit.node_count(), 7);
        let [a, b, c] = step.facts[..] else {
            panic!("three facts");
        };
        let d = step.moves[0][0];
        assert_eq!(
            (step.terminal, step.next[1], step.next[2]),
            (!a, d, Literal::TRUE)
        );
        let mut circuit = step.circuit.clone();
        let shared = circuit.and([a, b]);
        assert_eq!(step.legal[0][0], shared);
        assert_eq!(step.goals[0], [(100, !shared)]);
        assert_eq!(step.next[0], circuit.or([shared, c, d]));
        assert_eq!(other, !step.next[0]);
        assert_eq!(circuit.node_count(), 7);
    }
}
