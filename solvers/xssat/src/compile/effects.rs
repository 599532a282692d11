//! Assignments of a decision with equal effects.
//!
//! Often several listed assignments differ only in a way that changes nothing later: four of the five moves
//! of chance keep the colour of a stone, and all that is read is "it was kept". Such assignments
//! are one branch, with their weights added.
//!
//! To find them, the values of the decided variables are put into the circuit, one assignment after
//! the other. If all that is read later (checks, questions of later decisions, the next key) turns
//! into the same wires, the assignments have equal effects. Wires are shared wherever gates are
//! equal, so comparing wires is enough to be right, and on real formulas enough to find them all.

use super::plan::{ChoicePlan, DecisionPlan, SegmentPlan};
use crate::policy::MAX_EFFECT_GATES;
use circuit::{Circuit, Literal};
use rustc_hash::FxHashMap;

/// Finds the assignments with equal effects of all decisions of a segment.
pub fn merge(circuit: &mut Circuit, plan: &mut SegmentPlan) {
    for number in 0..plan.decisions.len() {
        let later = plan.decisions[number + 1..].iter();
        let mut effects = plan.checks.clone();
        effects.extend(later.flat_map(DecisionPlan::questions));
        effects.extend(plan.next_key.iter().copied().chain([plan.won]));
        let DecisionPlan { inputs, choice, .. } = &mut plan.decisions[number];
        if let ChoicePlan::Listed {
            assignments,
            classes,
            ..
        } = choice
        {
            *classes = merge_equal_effects(circuit, inputs, assignments, &effects);
        }
    }
}

/// A partition of the assignments into sets (of bits) with equal effects. `inputs` are the wires of
/// the variables, `patterns` lists the inputs that are true, `effects` is what is read later.
fn merge_equal_effects(
    circuit: &mut Circuit,
    inputs: &[Literal],
    patterns: &[Vec<u16>],
    effects: &[Literal],
) -> Vec<u64> {
    let single = || (0..patterns.len()).map(|number| 1 << number).collect();
    if patterns.len() < 2 {
        return single();
    }
    let cone = circuit.cone(effects);
    let mut dependent = vec![false; circuit.node_count()];
    for input in inputs {
        dependent[input.node()] = true;
    }
    let mut gates = Vec::new();
    for node in cone {
        if circuit
            .gate(node)
            .iter()
            .any(|input| dependent[input.node()])
        {
            dependent[node] = true;
            gates.push(node);
        }
    }
    if gates.len() * patterns.len() > MAX_EFFECT_GATES {
        return single();
    }
    let mut effects: Vec<Literal> = effects.to_vec();
    effects.retain(|effect| dependent[effect.node()]);
    effects.sort_unstable();
    effects.dedup();
    let mut classes: Vec<(Vec<Literal>, u64)> = Vec::new();
    for (number, pattern) in patterns.iter().enumerate() {
        let mut images: FxHashMap<usize, Literal> = FxHashMap::default();
        for (index, input) in inputs.iter().enumerate() {
            let value = Literal::FALSE.negated_if(pattern.contains(&(index as u16)));
            images.insert(input.node(), value);
        }
        let image = circuit.substitute(&effects, &gates, &mut images);
        match classes.iter_mut().find(|(other, _)| *other == image) {
            Some((_, class)) => *class |= 1 << number,
            None => classes.push((image, 1 << number)),
        }
    }
    classes.into_iter().map(|(_, class)| class).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_with_equal_effects_are_merged() {
        let mut circuit = Circuit::new();
        let key = circuit.input(0);
        let inputs: Vec<Literal> = (0..4).map(|_| circuit.input(1)).collect();
        let kept = circuit.or([inputs[0], inputs[1]]);
        let seen = circuit.and([kept, key]);
        let other = circuit.and([inputs[2], key]);
        let patterns: Vec<Vec<u16>> = (0..4).map(|index| vec![index]).collect();
        let classes = merge_equal_effects(&mut circuit, &inputs, &patterns, &[seen, other]);
        assert_eq!(classes, [0b0011, 0b0100, 0b1000]);
        // Without the third effect, the last two make no difference.
        let classes = merge_equal_effects(&mut circuit, &inputs, &patterns, &[seen]);
        assert_eq!(classes, [0b0011, 0b1100]);
    }
}
