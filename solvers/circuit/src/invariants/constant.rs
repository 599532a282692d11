//! Facts that never change, whatever is done.
//!
//! At first all facts are taken to be constant. Those that a step may change are dropped, until the rest is
//! inductive: from a state in which the rest is as at the start, every step leaves it so, whatever the other facts
//! and the moves are. That is Houdini too, but ternary simulation answers instead of a solver: it sees
//! less, and gates of any number take one pass.

use crate::{May, Step};

/// For each fact, whether it never changes.
pub fn constant_facts(step: &Step) -> Vec<bool> {
    let circuit = &step.circuit;
    let cone = circuit.cone(&step.next);
    let mut constant = vec![true; step.facts.len()];
    let mut values = circuit.unknown();
    loop {
        for (number, fact) in step.facts.iter().enumerate() {
            values[fact.node()] = if constant[number] {
                May::known(step.initial[number])
            } else {
                May::EITHER
            };
        }
        circuit.propagate(cone.iter().copied(), &mut values);
        let before = constant.iter().filter(|c| **c).count();
        for (number, &next) in step.next.iter().enumerate() {
            constant[number] &= May::of(&values, next) == May::known(step.initial[number]);
        }
        if constant.iter().filter(|c| **c).count() == before {
            return constant;
        }
    }
}
