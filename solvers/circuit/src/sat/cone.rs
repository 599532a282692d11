//! The literals of the nodes of a circuit.

use crate::sat::gates::Gates;
use crate::{Circuit, Literal};
use rustc_hash::FxHashMap;

/// The literals of those nodes of a circuit that were asked about.
pub struct Cone {
    literals: Vec<Option<Literal>>,
    /// Gates that are defined in another way: as the conjunction of these literals and signals.
    other_definitions: FxHashMap<usize, (Vec<Literal>, Vec<Literal>)>,
}

impl Cone {
    /// No node has a literal yet but the constant.
    pub fn new(gates: &Gates<'_>) -> Self {
        Cone {
            literals: vec![Some(gates.constant(false))],
            other_definitions: FxHashMap::default(),
        }
    }

    /// The same circuit with these literals for some of its inputs.
    pub fn given(gates: &Gates<'_>, inputs: impl IntoIterator<Item = (Literal, Literal)>) -> Self {
        let mut cone = Cone::new(gates);
        for (input, literal) in inputs {
            cone.set(input.node(), literal.negated_if(input.is_negated()));
        }
        cone
    }

    fn set(&mut self, node: usize, literal: Literal) {
        if self.literals.len() <= node {
            self.literals.resize(node + 1, None);
        }
        self.literals[node] = Some(literal);
    }

    /// Defines a gate as the conjunction of these literals and signals, instead of its inputs.
    pub fn define_by(&mut self, node: usize, literals: Vec<Literal>, signals: Vec<Literal>) {
        self.other_definitions.insert(node, (literals, signals));
    }

    /// The literal of a signal, if there is one yet.
    pub fn known(&self, signal: Literal) -> Option<Literal> {
        let literal = self.literals.get(signal.node()).copied().flatten()?;
        Some(literal.negated_if(signal.is_negated()))
    }

    /// The literal of a signal. Its gates become clauses if they are not yet.
    pub fn literal(
        &mut self,
        gates: &mut Gates<'_>,
        circuit: &Circuit,
        signal: Literal,
    ) -> Literal {
        let literal = self.literal_unless(gates, circuit, signal, || false);
        literal.expect("nothing stops it")
    }

    /// The same; none if `stop`, which is asked now and then, says to stop.
    pub fn literal_unless(
        &mut self,
        gates: &mut Gates<'_>,
        circuit: &Circuit,
        signal: Literal,
        stop: impl Fn() -> bool,
    ) -> Option<Literal> {
        const NODES_PER_CHECK: usize = 4096;
        // Inputs of gates come first, and nothing recurses.
        let mut open = vec![signal.node()];
        while let Some(&node) = open.last() {
            if self.known(circuit.signal(node)).is_some() {
                open.pop();
                continue;
            }
            let (literals, inputs) = match self.other_definitions.get(&node) {
                Some((literals, signals)) => (literals.as_slice(), signals.as_slice()),
                None => (&[][..], circuit.gate(node)),
            };
            let is_missing = |input: &&Literal| self.known(**input).is_none();
            let missing: Vec<usize> = (inputs.iter().filter(is_missing))
                .map(|input| input.node())
                .collect();
            if !missing.is_empty() {
                open.extend(missing);
                continue;
            }
            open.pop();
            if node.is_multiple_of(NODES_PER_CHECK) && stop() {
                return None;
            }
            let known = inputs.iter().map(|&input| self.known(input));
            let known = known.map(|literal| literal.expect("none is missing"));
            let all: Vec<Literal> = known.chain(literals.iter().copied()).collect();
            let literal = match all.is_empty() {
                true => gates.new_literal(),
                false => gates.all_of(all),
            };
            self.set(node, literal);
        }
        self.known(signal)
    }

    /// Makes literals of all that these signals depend on, in the order of the circuit.
    pub fn extend(&mut self, gates: &mut Gates<'_>, circuit: &Circuit, signals: &[Literal]) {
        for node in circuit.cone(signals) {
            self.literal(gates, circuit, circuit.signal(node));
        }
    }

    /// The literal of a signal where some nodes have other literals than here, and the number of nodes that it
    /// depends on. All that the signal depends on must have a literal here.
    pub fn literal_but_for(
        &self,
        gates: &mut Gates<'_>,
        circuit: &Circuit,
        signal: Literal,
        others: impl Iterator<Item = (usize, Literal)>,
    ) -> (Literal, usize) {
        let mut images: FxHashMap<usize, Literal> = others.collect();
        let image = |images: &FxHashMap<usize, Literal>, input: &Literal| {
            let literal = images.get(&input.node());
            literal.map(|literal| literal.negated_if(input.is_negated()))
        };
        let mut open = vec![signal.node()];
        while let Some(&node) = open.last() {
            let gate = circuit.gate(node);
            let is_missing = |input: &&Literal| !images.contains_key(&input.node());
            let missing: Vec<usize> = (gate.iter().filter(is_missing))
                .map(|input| input.node())
                .collect();
            if images.contains_key(&node) {
                open.pop();
            } else if !missing.is_empty() {
                open.extend(missing);
            } else {
                let known = self.known(circuit.signal(node));
                let is_same = |input: &Literal| self.known(*input) == image(&images, input);
                let literal = match gate.iter().all(is_same) {
                    true => known.expect("all that the signal depends on is there"),
                    false => {
                        let inputs = gate.iter().filter_map(|input| image(&images, input));
                        gates.all_of(inputs.collect())
                    }
                };
                images.insert(node, literal);
            }
        }
        let literal = image(&images, &signal).expect("it was computed last");
        (literal, images.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sat::BatSat;

    /// A random circuit on some inputs, and all its signals.
    fn random_circuit(random: &mut fastrand::Rng, inputs: usize) -> (Circuit, Vec<Literal>) {
        let mut circuit = Circuit::new();
        let mut signals: Vec<Literal> = (0..inputs).map(|_| circuit.input(0)).collect();
        for _ in 0..random.usize(1..12) {
            let mut some = || signals[random.usize(..signals.len())].negated_if(random.bool());
            let gate = [some(), some(), some()];
            signals.push(circuit.and(gate));
        }
        (circuit, signals)
    }

    #[test]
    fn a_literal_says_what_its_signal_says() {
        let mut random = fastrand::Rng::with_seed(13);
        for _ in 0..300 {
            let (circuit, signals) = random_circuit(&mut random, 4);
            let inputs = &signals[..4];
            let mut gates = Gates::new(BatSat::new());
            let free: Vec<Literal> = inputs.iter().map(|_| gates.new_literal()).collect();
            let pairs = || inputs.iter().copied().zip(free.iter().copied());
            let mut cone = Cone::given(&gates, pairs());
            if random.bool() {
                cone.extend(&mut gates, &circuit, &signals);
            }
            let asked = signals[random.usize(..signals.len())].negated_if(random.bool());
            let literal = cone.literal(&mut gates, &circuit, asked);
            // The same with the first input turned around.
            cone.extend(&mut gates, &circuit, &[asked]);
            let turned = [(inputs[0].node(), !free[0])].into_iter();
            let (other, _) = cone.literal_but_for(&mut gates, &circuit, asked, turned);
            for held in 0..16 {
                let numbered = free.iter().enumerate();
                let state = numbered.map(|(bit, lit)| lit.negated_if(held >> bit & 1 == 0));
                let state: Vec<Literal> = state.collect();
                assert_eq!(gates.solve(&state), Some(true));
                for (literal, held) in [(literal, held), (other, held ^ 1)] {
                    let numbered = inputs.iter().enumerate();
                    let true_inputs = numbered.filter(|(bit, _)| held >> bit & 1 == 1);
                    let values = circuit.evaluate(true_inputs.map(|(_, &input)| input));
                    assert_eq!(gates.is_true(literal), asked.holds(&values));
                }
            }
        }
    }

    #[test]
    fn a_gate_has_another_definition() {
        let mut circuit = Circuit::new();
        let [a, b, c] = [(); 3].map(|()| circuit.input(0));
        let all = circuit.and([a, b, c]);
        let mut gates = Gates::new(BatSat::new());
        let mut cone = Cone::new(&gates);
        let both = gates.new_literal();
        cone.define_by(all.node(), vec![both], vec![c]);
        let all = cone.literal(&mut gates, &circuit, all);
        let c = cone.known(c).expect("the gate depends on it");
        assert!(cone.known(a).is_none());
        assert_eq!(gates.solve(&[both, c, !all]), Some(false));
        assert_eq!(gates.solve(&[!both, all]), Some(false));
    }
}
