//! A step executed on one state, gate by gate: for what is needed once per question.

use crate::problem::Problem;
use circuit::{Circuit, Signal};
use num_rational::BigRational;
use num_traits::{One, Zero};

/// The value of every node of a circuit. `is_set` tells the inputs that are true.
pub fn evaluate(circuit: &Circuit, is_set: impl IntoIterator<Item = Signal>) -> Vec<bool> {
    let mut values = vec![false; circuit.node_count()];
    for input in is_set {
        values[input.node()] = true;
    }
    for node in 1..values.len() {
        let gate = circuit.gate(node);
        if !gate.is_empty() {
            values[node] = gate.iter().all(|&input| holds(&values, input));
        }
    }
    values
}

/// Whether a signal holds, by the values of all nodes.
pub fn holds(values: &[bool], signal: Signal) -> bool {
    values[signal.node()] != signal.is_negated()
}

/// What a question needs to know of a state.
pub struct Situation {
    /// If the state is terminal, what it is worth.
    pub worth: Option<BigRational>,
    /// Whether the state has no value: it is terminal and its worth has no meaning, or it is not and
    /// some agent cannot move.
    pub is_flawed: bool,
    /// The legal moves of each agent.
    pub legal: Vec<Vec<usize>>,
}

/// Looks at a state.
pub fn situation(problem: &Problem, state: &[bool]) -> Situation {
    let step = &problem.step;
    let values = evaluate(&step.circuit, facts(problem, state));
    let worth = holds(&values, step.terminal).then(|| {
        let paid = problem.payoff.iter().filter(|(_, s)| holds(&values, *s));
        let sum: BigRational = paid.map(|(value, _)| value).sum();
        sum.min(BigRational::one()).max(BigRational::zero())
    });
    let legal = step.legal.iter().map(|legal| {
        let all = 0..legal.len();
        all.filter(|&number| holds(&values, legal[number]))
            .collect()
    });
    let legal: Vec<Vec<usize>> = legal.collect();
    let is_flawed = match worth {
        Some(_) => holds(&values, problem.flaw),
        None => legal.iter().any(Vec::is_empty),
    };
    Situation {
        worth,
        is_flawed,
        legal,
    }
}

/// The state after a joint move.
pub fn next(problem: &Problem, state: &[bool], moves: &[usize]) -> Vec<bool> {
    let step = &problem.step;
    let made = moves
        .iter()
        .enumerate()
        .map(|(agent, &m)| step.moves[agent][m]);
    let values = evaluate(&step.circuit, facts(problem, state).chain(made));
    step.next
        .iter()
        .map(|&signal| holds(&values, signal))
        .collect()
}

fn facts(problem: &Problem, state: &[bool]) -> impl Iterator<Item = Signal> {
    let facts = problem.step.facts.iter().zip(state);
    facts.filter(|(_, holds)| **holds).map(|(fact, _)| *fact)
}

/// Some facts of a state, one per bit.
pub fn pack(facts: &[usize], state: &[bool]) -> Vec<u64> {
    let mut words = vec![0; facts.len().div_ceil(64).max(1)];
    for (bit, &fact) in facts.iter().enumerate() {
        words[bit / 64] |= u64::from(state[fact]) << (bit % 64);
    }
    words
}
