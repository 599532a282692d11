//! Facts that never change, whatever is done.
//!
//! All facts are taken to be constant, and those that a step may change from there are given up, until
//! the rest holds together: from a state in which the rest is as at the start, every step leaves it
//! so, whatever the other facts and the moves are.

use circuit::{Signal, Step};

/// What a wire may be: true, false, or (both) either.
#[derive(Clone, Copy)]
struct May {
    hold: bool,
    fail: bool,
}

/// For each fact, whether it never changes.
pub fn constant_facts(step: &Step) -> Vec<bool> {
    let circuit = &step.circuit;
    let either = May {
        hold: true,
        fail: true,
    };
    let known = |holds: bool| May {
        hold: holds,
        fail: !holds,
    };
    let cone = circuit.cone(&step.next);
    let mut constant = vec![true; step.facts.len()];
    let mut values = vec![either; circuit.node_count()];
    values[0] = known(false);
    let of = |values: &[May], signal: Signal| {
        let May { hold, fail } = values[signal.node()];
        match signal.is_negated() {
            true => (fail, hold),
            false => (hold, fail),
        }
    };
    loop {
        for (fact, &holds) in step.facts.iter().zip(&step.initial) {
            values[fact.node()] = known(holds);
        }
        for (fact, _) in step.facts.iter().zip(&constant).filter(|(_, c)| !**c) {
            values[fact.node()] = either;
        }
        for &node in &cone {
            let gate = circuit.gate(node);
            if !gate.is_empty() {
                let inputs = gate.iter().map(|&input| of(&values, input));
                values[node] = inputs.fold(known(true), |all, (hold, fail)| May {
                    hold: all.hold && hold,
                    fail: all.fail || fail,
                });
            }
        }
        let mut changed = false;
        for (number, &next) in step.next.iter().enumerate() {
            let stays = match (of(&values, next), step.initial[number]) {
                ((_, may_fail), true) => !may_fail,
                ((may_hold, _), false) => !may_hold,
            };
            if constant[number] && !stays {
                constant[number] = false;
                changed = true;
            }
        }
        if !changed {
            return constant;
        }
    }
}
