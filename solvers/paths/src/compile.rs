//! From a step to code that takes many states one move further at once.
//!
//! ```text
//! lanes of states    facts --state block--> what is legal, and what the step needs of the state
//!                      | a lane is copied once for each legal move
//! lanes of moves     facts, moves --body--> next facts; whether they are terminal; their levels
//! ```
//!
//! Facts that never change become constants of the circuit, and those that nothing depends on are
//! left out; the others are the *key* of a state.

use crate::Problem;
use circuit::{Block, Circuit, Code, Literal, Signal, Slots};
use invariants::constant_facts;
use rustc_hash::FxHashMap;

/// A step as code.
#[derive(Debug)]
pub struct Compiled {
    /// All code.
    pub code: Code,
    /// The number of slots.
    pub slots: usize,
    /// The key of the initial state.
    pub initial: Vec<u64>,
    /// The level of the initial state plus 1, if it is terminal; 0 is terminal without a level.
    pub initial_end: Option<usize>,
    /// The slot of each fact of the key, in lanes of states.
    pub fact_slots: Vec<u32>,
    /// Code for lanes of states.
    pub state_block: Block,
    /// For each move whether it is legal.
    pub legal: Vec<Literal>,
    /// What is copied from lanes of states to lanes of moves.
    pub carried: Vec<(u32, u32)>,
    /// The slot of each move, if the next state depends on it.
    pub move_slots: Vec<Option<u32>>,
    /// Code for lanes of moves.
    pub body: Block,
    /// For each fact of the key, whether it holds next.
    pub next: Vec<Literal>,
    /// Whether the next state is terminal.
    pub terminal: Literal,
    /// For each level, whether the next state reaches it if it is terminal.
    pub levels: Vec<Literal>,
}

impl Compiled {
    /// The number of words of a key, at least one.
    pub fn words(&self) -> usize {
        self.initial.len()
    }
}

/// Compiles a problem.
pub fn compile(problem: &Problem<'_>) -> Compiled {
    let step = problem.step;
    let mut circuit = step.circuit.clone();
    let constant = constant_facts(step);
    let mut images: FxHashMap<usize, Signal> = FxHashMap::default();
    for (number, fact) in step.facts.iter().enumerate() {
        if constant[number] {
            images.insert(fact.node(), Signal::FALSE.negated_if(step.initial[number]));
        }
    }
    let mut roots = vec![step.terminal];
    roots.extend(problem.levels);
    roots.extend(&step.legal[0]);
    roots.extend(&step.next);
    let cone = circuit.cone(&roots);
    let roots = circuit.substitute(&roots, &cone, &mut images);
    let (ends, roots) = roots.split_at(1 + problem.levels.len());
    let (legal, all_next) = roots.split_at(step.legal[0].len());
    let asked = ends.iter().chain(legal).copied();
    let facts = circuit.relevant_facts(&step.facts, all_next, asked);
    let next: Vec<Signal> = facts.iter().map(|&fact| all_next[fact]).collect();

    let initial_end = end_of(&circuit, step, ends);
    let cone = circuit.cone(ends);
    let mut images = facts
        .iter()
        .zip(&next)
        .map(|(&fact, &next)| (step.facts[fact].node(), next))
        .collect();
    let ends = circuit.substitute(ends, &cone, &mut images);

    let (mut slots, mut code) = (Slots::new(), Code::default());
    let slot_of = |&fact: &usize| slots.add(step.facts[fact]);
    let fact_slots = facts.iter().map(slot_of).collect();
    let results: Vec<Signal> = next.iter().chain(&ends).copied().collect();
    let boundary = circuit.boundary(&results);
    let wanted = boundary.iter().map(|&node| circuit.signal(node));
    let wanted = wanted.chain(legal.iter().copied());
    let state_block = code.push(&circuit, wanted, &mut slots);
    let legal = legal.iter().map(|&signal| slots.literal(signal)).collect();
    let copied = boundary.iter().map(|&node| {
        let from = slots.of_node(node).expect("it was computed");
        (from, slots.add(circuit.signal(node)))
    });
    let carried = copied.collect();
    let used = circuit.cone(&results);
    let slot_of = |input: &Signal| {
        let is_used = used.binary_search(&input.node()).is_ok();
        is_used.then(|| slots.add(*input))
    };
    let move_slots = step.moves[0].iter().map(slot_of).collect();
    let body = code.push(&circuit, results.iter().copied(), &mut slots);
    let mut literals = results.iter().map(|&signal| slots.literal(signal));
    let mut initial = vec![0; facts.len().div_ceil(64).max(1)];
    for (bit, &fact) in facts.iter().enumerate() {
        initial[bit / 64] |= u64::from(step.initial[fact]) << (bit % 64);
    }
    Compiled {
        next: literals.by_ref().take(facts.len()).collect(),
        terminal: literals.next().expect("there is an end"),
        levels: literals.collect(),
        code,
        slots: slots.len(),
        initial,
        initial_end,
        fact_slots,
        state_block,
        legal,
        carried,
        move_slots,
        body,
    }
}

/// How the initial state ends, if it is terminal; see [`Compiled::initial_end`].
fn end_of(circuit: &Circuit, step: &circuit::Step, ends: &[Signal]) -> Option<usize> {
    let mut values = vec![false; circuit.node_count()];
    for (fact, &holds) in step.facts.iter().zip(&step.initial) {
        values[fact.node()] = holds;
    }
    for node in circuit.cone(ends) {
        let gate = circuit.gate(node);
        if !gate.is_empty() {
            values[node] = (gate.iter()).all(|input| values[input.node()] != input.is_negated());
        }
    }
    let holds = |signal: &Signal| values[signal.node()] != signal.is_negated();
    holds(&ends[0]).then(|| {
        ends[1..]
            .iter()
            .rposition(holds)
            .map_or(0, |level| level + 1)
    })
}
