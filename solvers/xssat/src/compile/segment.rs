//! Code generation: a segment, which lies between two cuts, as bit-parallel code for many branches at once.
//!
//! Nothing is compiled that neither a check nor the next key depends on; what the key already
//! settles is computed once for all branches of a state. A wire that is needed behind a decision must be
//! copied to the lanes of the branches: it gets a new slot there, so that the old one is still there
//! for those branches that do not fit into the same word.

use super::plan::{ChoicePlan, DecisionPlan, SegmentPlan};
use crate::symmetry::KeySymmetry;
use circuit::{Block, Circuit, Code, Literal, Slots};
use formula::{Probability, Quantifier, Var};

/// The code between two cuts.
#[derive(Clone, Debug)]
pub struct Segment {
    /// The variables of the key.
    pub key: Vec<Var>,
    /// The symmetry of the keys: the keys that are images of each other.
    pub symmetry: KeySymmetry,
    /// The slots that the bits of the key fill.
    pub key_slots: Vec<u32>,
    /// The code for the signals that follow from the key alone.
    pub start: Block,
    /// Whether the key alone leaves all checks true.
    pub start_check: Literal,
    /// The decisions.
    pub stages: Vec<Stage>,
    /// The bits of the next key.
    pub next_key: Vec<Literal>,
    /// If true at the end, all that follows is true.
    pub won: Literal,
    pub slots: usize,
}

/// A decision and its consequences.
#[derive(Clone, Debug)]
pub struct Stage {
    pub quantifier: Quantifier,
    /// The options to choose from.
    pub choice: Choice,
    /// The words to copy to the lanes of the branches: those that follow from the key alone, and the others.
    pub settled: Vec<(u32, u32)>,
    pub moves: Vec<(u32, u32)>,
    /// The code for the signals that follow from the decision.
    pub body: Block,
    /// Whether the checks that can be tested now are true.
    pub check: Literal,
}

/// The options of a stage. Literals are for the lanes before the decision.
#[derive(Clone, Debug)]
pub enum Choice {
    /// One of some listed assignments.
    Listed {
        /// The slots of the variables.
        slots: Vec<u32>,
        /// For each assignment, the slots to set.
        patterns: Vec<Vec<u32>>,
        /// For each assignment, whether it is allowed.
        allowed: Vec<Literal>,
        /// Assignments with equal effects: a partition, as sets of bits.
        classes: Vec<u64>,
        /// Where this is true, the maximizer decides whatever the quantifier.
        maximize: Literal,
    },
    /// The value of one variable.
    Single {
        /// The slot of the variable, if anything reads it.
        slot: Option<u32>,
        /// For chance: how likely it is true.
        probability: Option<Probability>,
        /// Whether its positive and its negative literal are of interest.
        interest: [Literal; 2],
    },
}

/// Writes the code of a segment.
pub fn emit(circuit: &mut Circuit, plan: &SegmentPlan, code: &mut Code) -> Segment {
    let SegmentPlan {
        decisions,
        next_key,
        won,
        ..
    } = plan;
    let stages = decisions.len();
    let mut by_level = vec![Vec::new(); stages + 1];
    for &check in &plan.checks {
        by_level[circuit.level(check) as usize].push(check);
    }
    // The conjunction of checks may be known earlier than each of them.
    let checks: Vec<Literal> = by_level
        .into_iter()
        .map(|level| circuit.and(level))
        .collect();
    let circuit = &*circuit;
    let ends: Vec<Literal> = next_key.iter().copied().chain([*won]).collect();
    let mut roots = ends.clone();
    roots.extend(&checks);
    roots.extend(decisions.iter().flat_map(DecisionPlan::questions));
    let cone = circuit.cone(&roots);
    let mut last_use = vec![0; circuit.node_count()];
    let mut needed = vec![false; circuit.node_count()];
    let mut levels: Vec<Vec<Literal>> = vec![Vec::new(); stages + 1];
    for &node in &cone {
        needed[node] = true;
        let signal = circuit.signal(node);
        let level = circuit.level(signal);
        for input in circuit.gate(node) {
            let last = &mut last_use[input.node()];
            *last = (*last).max(level);
        }
        if !circuit.gate(node).is_empty() {
            levels[level as usize].push(signal);
        }
    }
    let mut used = |signal: Literal, stage: usize| {
        let last = &mut last_use[signal.node()];
        *last = (*last).max(stage as u32);
    };
    ends.iter().for_each(|&end| used(end, stages));
    for (stage, &check) in checks.iter().enumerate() {
        used(check, stage);
    }
    for (stage, decision) in decisions.iter().enumerate() {
        decision
            .questions()
            .into_iter()
            .for_each(|question| used(question, stage));
    }

    let mut slots = Slots::new();
    let key_slots = plan
        .key_inputs
        .iter()
        .map(|&input| slots.add(input))
        .collect();
    let start = code.push(circuit, levels[0].iter().copied(), &mut slots);
    let mut segment = Segment {
        key: plan.key.clone(),
        symmetry: KeySymmetry::default(),
        key_slots,
        start,
        start_check: slots.literal(checks[0]),
        stages: Vec::new(),
        next_key: Vec::new(),
        won: Literal::FALSE,
        slots: 0,
    };
    let known = plan.key_inputs.iter().chain(&levels[0]);
    let mut settled: Vec<usize> = known.map(|signal| signal.node()).collect();
    let mut varying: Vec<usize> = Vec::new();
    for (index, decision) in decisions.iter().enumerate() {
        let stage = index as u32 + 1;
        let questions: Vec<Literal> = decision
            .questions()
            .into_iter()
            .map(|question| slots.literal(question))
            .collect();
        let mut copy = |nodes: &mut Vec<usize>| -> Vec<(u32, u32)> {
            nodes.retain(|&node| last_use[node] >= stage);
            let move_on = |&node: &usize| {
                let from = slots.of_node(node).expect("it was computed before");
                (from, slots.add(circuit.signal(node)))
            };
            nodes.iter().map(move_on).collect()
        };
        let [settled, moves] = [&mut settled, &mut varying].map(&mut copy);
        let mut slot = |input: &Literal| needed[input.node()].then(|| slots.add(*input));
        let input_slots: Vec<Option<u32>> = decision.inputs.iter().map(&mut slot).collect();
        let body = code.push(circuit, levels[index + 1].iter().copied(), &mut slots);
        let inputs = decision.inputs.iter().filter(|input| needed[input.node()]);
        varying.extend(inputs.map(|input| input.node()));
        varying.extend(levels[index + 1].iter().map(|signal| signal.node()));
        let choice = match &decision.choice {
            ChoicePlan::Listed {
                assignments,
                classes,
                ..
            } => Choice::Listed {
                slots: input_slots.iter().copied().flatten().collect(),
                patterns: assignments
                    .iter()
                    .map(|pattern| {
                        let positions = pattern.iter();
                        positions
                            .filter_map(|&position| input_slots[usize::from(position)])
                            .collect()
                    })
                    .collect(),
                allowed: questions[..assignments.len()].to_vec(),
                classes: classes.clone(),
                maximize: questions[assignments.len()],
            },
            ChoicePlan::Single { probability, .. } => Choice::Single {
                slot: input_slots[0],
                probability: probability.clone(),
                interest: [questions[0], questions[1]],
            },
        };
        segment.stages.push(Stage {
            quantifier: decision.quantifier,
            choice,
            settled,
            moves,
            body,
            check: slots.literal(checks[index + 1]),
        });
    }
    segment.next_key = next_key.iter().map(|&bit| slots.literal(bit)).collect();
    segment.won = slots.literal(*won);
    segment.slots = slots.len();
    segment
}
