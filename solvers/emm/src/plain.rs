//! A step executed on one state, gate by gate: for results that are needed once per question.

use crate::problem::Problem;
use circuit::Literal;
use num_rational::BigRational;
use num_traits::{One, Zero};

/// The properties of a state that a question needs.
pub struct Situation {
    /// The worth of the state, if it is terminal.
    pub worth: Option<BigRational>,
    /// Whether the state has no value: it is terminal and its worth has no meaning, or it is not and
    /// some agent cannot move.
    pub is_flawed: bool,
    /// The legal moves of each agent.
    pub legal: Vec<Vec<usize>>,
}

/// The payoff or the legal moves of a state.
pub fn situation(problem: &Problem, state: &[bool]) -> Situation {
    let step = &problem.step;
    let values = step.circuit.evaluate(facts(problem, state));
    let worth = step.terminal.holds(&values).then(|| {
        let paid = problem.payoff.iter().filter(|(_, s)| s.holds(&values));
        let sum: BigRational = paid.map(|(value, _)| value).sum();
        sum.min(BigRational::one()).max(BigRational::zero())
    });
    let legal = step.legal.iter().map(|legal| {
        let all = 0..legal.len();
        all.filter(|&number| legal[number].holds(&values)).collect()
    });
    let legal: Vec<Vec<usize>> = legal.collect();
    let is_flawed = match worth {
        Some(_) => problem.flaw.holds(&values),
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
    let values = step.circuit.evaluate(facts(problem, state).chain(made));
    let next = step.next.iter();
    next.map(|signal| signal.holds(&values)).collect()
}

fn facts(problem: &Problem, state: &[bool]) -> impl Iterator<Item = Literal> {
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
