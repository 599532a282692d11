//! Ternary simulation: the consequences in a circuit, and in a step, when not all inputs are known.
//!
//! Every signal may hold, may fail, or may do either. From a state on, all moves are unknown but those that
//! cannot be legal. The consequences for the next facts hold whatever moves are made. Counters of
//! steps, and whose turn it is, mostly stay known; so a last step shows as one after which play is over.

use crate::{Circuit, Literal, Step};
use rustc_hash::FxHashSet;

/// The values that a signal may have: true, false, or (both) either.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct May {
    pub hold: bool,
    pub fail: bool,
}

impl May {
    /// Nothing is known.
    pub const EITHER: May = May {
        hold: true,
        fail: true,
    };

    pub fn known(holds: bool) -> May {
        May {
            hold: holds,
            fail: !holds,
        }
    }

    /// The values that a signal may have, given those that the nodes may have.
    pub fn of(values: &[May], signal: Literal) -> May {
        let May { hold, fail } = values[signal.node()];
        match signal.is_negated() {
            true => May {
                hold: fail,
                fail: hold,
            },
            false => May { hold, fail },
        }
    }
}

impl Circuit {
    /// Computes what the gates among some nodes, in ascending order, may be, given what all others
    /// may be.
    pub fn propagate(&self, nodes: impl IntoIterator<Item = usize>, values: &mut [May]) {
        for node in nodes {
            let gate = self.gate(node);
            if !gate.is_empty() {
                let inputs = gate.iter().map(|&input| May::of(values, input));
                values[node] = inputs.fold(May::known(true), |all, input| May {
                    hold: all.hold && input.hold,
                    fail: all.fail || input.fail,
                });
            }
        }
    }

    /// Values for all nodes: of inputs nothing is known.
    pub fn unknown(&self) -> Vec<May> {
        let mut values = vec![May::EITHER; self.node_count()];
        values[0] = May::known(false);
        values
    }
}

impl Step {
    /// Calls `visit` for 0, 1, 2, ... steps from a state on, with what every node may be then whatever
    /// moves were made; it says whether to go on. Gives the number of steps after which every play is over, if
    /// this is found by evaluating at most `max_gates` gates.
    pub fn look_ahead(
        &self,
        state: &[bool],
        max_gates: usize,
        mut visit: impl FnMut(u32, &[May]) -> bool,
    ) -> Option<u32> {
        let circuit = &self.circuit;
        let mut values = circuit.unknown();
        let mut facts: Vec<May> = state.iter().map(|&holds| May::known(holds)).collect();
        let mut seen: FxHashSet<Vec<May>> = FxHashSet::default();
        let max_steps = max_gates / circuit.node_count();
        for steps in 0..max_steps as u32 {
            if !seen.insert(facts.clone()) {
                return None;
            }
            for (fact, &may) in self.facts.iter().zip(&facts) {
                values[fact.node()] = may;
            }
            // First with all moves unknown: what is legal does not depend on them.
            for input in self.moves.iter().flatten() {
                values[input.node()] = May::EITHER;
            }
            circuit.propagate(0..values.len(), &mut values);
            if !visit(steps, &values) {
                return None;
            }
            if !May::of(&values, self.terminal).fail {
                return Some(steps);
            }
            let moves = self.moves.iter().flatten();
            for (input, &legal) in moves.zip(self.legal.iter().flatten()) {
                if !May::of(&values, legal).hold {
                    values[input.node()] = May::known(false);
                }
            }
            circuit.propagate(0..values.len(), &mut values);
            facts = self
                .next
                .iter()
                .map(|&next| May::of(&values, next))
                .collect();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_stay_known() {
        // Two steps are counted; a lamp may be switched until then.
        let mut circuit = Circuit::new();
        let facts: Vec<Literal> = (0..3).map(|_| circuit.input(0)).collect();
        let switch = circuit.input(1);
        let (lamp, one, two) = (facts[0], facts[1], facts[2]);
        let off = circuit.and([lamp, !switch]);
        let on = circuit.and([!lamp, switch]);
        let step = Step {
            initial: vec![false, true, false],
            moves: vec![vec![switch]],
            legal: vec![vec![!lamp]],
            terminal: two,
            goals: vec![vec![]],
            next: vec![circuit.or([off, on]), Literal::FALSE, one],
            circuit,
            facts,
        };
        let mut lamps = Vec::new();
        let end = step.look_ahead(&step.initial, 1_000, |_, values| {
            lamps.push(May::of(values, lamp));
            true
        });
        assert_eq!(end, Some(1));
        assert_eq!(lamps, [May::known(false), May::EITHER]);
        assert_eq!(
            step.look_ahead(&step.initial, 1_000, |steps, _| steps < 1),
            None
        );
    }
}
