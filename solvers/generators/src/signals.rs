//! The signals of a step: what they are by definition, and random ones.

use circuit::{Circuit, Literal, Step};
use fastrand::Rng;

/// Which signals of a step hold in a state in which these moves are made, of each agent at most one. This is meant to be obviously right.
pub fn signals(step: &Step, state: &[bool], moves: &[usize]) -> impl Fn(Literal) -> bool + use<> {
    let mut values = vec![false; step.circuit.node_count()];
    for (fact, &holds) in step.facts.iter().zip(state) {
        values[fact.node()] = holds;
    }
    for (inputs, &number) in step.moves.iter().zip(moves) {
        values[inputs[number].node()] = true;
    }
    for node in 1..values.len() {
        let gate = step.circuit.gate(node);
        if !gate.is_empty() {
            values[node] = gate.iter().all(|s| values[s.node()] != s.is_negated());
        }
    }
    move |signal| values[signal.node()] != signal.is_negated()
}

/// A random signal over some inputs.
///
/// # Panics
/// If there is no input.
pub fn random_signal(circuit: &mut Circuit, inputs: &[Literal], random: &mut Rng) -> Literal {
    let mut signals = inputs.to_vec();
    for _ in 0..random.usize(0..6) {
        let count = random.usize(2..4);
        let parts: Vec<Literal> = (0..count)
            .map(|_| signals[random.usize(..signals.len())].negated_if(random.bool()))
            .collect();
        signals.push(circuit.and(parts));
    }
    let last = signals.last().expect("there are inputs");
    last.negated_if(random.bool())
}
