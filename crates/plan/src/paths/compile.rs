//! Compilation of a step to code that takes many states one move further at once ([`Transition`]).
//!
//! Facts that never change become constants of the circuit, and those that nothing depends on are
//! left out; the others are the *key* of a state.

use super::Problem;
use circuit::invariants::constant_facts;
use circuit::{Circuit, Literal, Transition};
use rustc_hash::FxHashMap;

/// A step as code.
#[derive(Debug)]
pub struct Compiled {
    /// The step as code. It is asked whether each move is legal.
    pub transition: Transition,
    /// The key of the initial state.
    pub initial: Vec<u64>,
    /// The level of the initial state plus 1, if it is terminal; 0 is terminal without a level.
    pub initial_end: Option<usize>,
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

pub fn compile(problem: &Problem<'_>) -> Compiled {
    let step = problem.step;
    let mut circuit = step.circuit.clone();
    let constant = constant_facts(step);
    let mut images: FxHashMap<usize, Literal> = FxHashMap::default();
    for (number, fact) in step.facts.iter().enumerate() {
        if constant[number] {
            images.insert(fact.node(), Literal::FALSE.negated_if(step.initial[number]));
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
    let next: Vec<Literal> = facts.iter().map(|&fact| all_next[fact]).collect();

    let initial_end = end_of(&circuit, step, ends);
    let cone = circuit.cone(ends);
    let mut images = facts
        .iter()
        .zip(&next)
        .map(|(&fact, &next)| (step.facts[fact].node(), next))
        .collect();
    let ends = circuit.substitute(ends, &cone, &mut images);

    let results: Vec<Literal> = next.iter().chain(&ends).copied().collect();
    let inputs = facts.iter().map(|&fact| step.facts[fact]);
    let moves = step.moves[0].iter().copied();
    let transition = Transition::new(&circuit, inputs, legal, moves, &results);
    let mut initial = vec![0; facts.len().div_ceil(64).max(1)];
    for (bit, &fact) in facts.iter().enumerate() {
        initial[bit / 64] |= u64::from(step.initial[fact]) << (bit % 64);
    }
    let (next, ends) = transition.results.split_at(facts.len());
    Compiled {
        next: next.to_vec(),
        terminal: ends[0],
        levels: ends[1..].to_vec(),
        transition,
        initial,
        initial_end,
    }
}

/// How the initial state ends, if it is terminal; see [`Compiled::initial_end`].
fn end_of(circuit: &Circuit, step: &circuit::Step, ends: &[Literal]) -> Option<usize> {
    let facts = step.facts.iter().zip(&step.initial);
    let values = circuit.evaluate(facts.filter(|fact| *fact.1).map(|fact| *fact.0));
    let holds = |signal: &Literal| signal.holds(&values);
    holds(&ends[0]).then(|| {
        ends[1..]
            .iter()
            .rposition(holds)
            .map_or(0, |level| level + 1)
    })
}
