//! One time step of a transition system in which several agents move at once.
//!
//! Invariant: `legal`, `terminal` and `goals` depend on the state only, `next` on the state and on
//! the moves. Their values when an agent makes no move, several, or an illegal one have no meaning.

use crate::{Circuit, Literal};
use rustc_hash::FxHashMap;

/// A transition system as a circuit: from a state and one move of each agent to the next state.
///
/// A state is a set of facts, one input for each; a move of an agent is one input for each of its
/// moves, of which exactly one is set. Names are kept elsewhere, by number.
#[derive(Clone, Debug)]
pub struct Step {
    /// The gates. Inputs for facts have level 0, those for moves level 1, so that
    /// [`Circuit::level`] says what depends on the state only.
    pub circuit: Circuit,
    /// The input for each fact of the current state.
    pub facts: Vec<Literal>,
    /// For each fact, whether it holds in the initial state.
    pub initial: Vec<bool>,
    /// For each agent, the input for each of its moves.
    pub moves: Vec<Vec<Literal>>,
    /// For each agent and each of its moves, whether it is legal in the current state.
    pub legal: Vec<Vec<Literal>>,
    /// Whether the current state is terminal.
    pub terminal: Literal,
    /// For each agent, its goal values and whether the current state has each of them.
    pub goals: Vec<Vec<(i64, Literal)>>,
    /// For each fact, whether it holds in the next state.
    pub next: Vec<Literal>,
}

impl Circuit {
    /// The facts that some signals depend on, now or after any number of steps, by number in ascending order.
    /// `facts` are inputs, and `next` says whether they hold after a step.
    pub fn relevant_facts(
        &self,
        facts: &[Literal],
        next: &[Literal],
        roots: impl IntoIterator<Item = Literal>,
    ) -> Vec<usize> {
        let numbers: FxHashMap<usize, usize> = facts.iter().map(|f| f.node()).zip(0..).collect();
        let mut roots: Vec<Literal> = roots.into_iter().collect();
        let mut relevant = vec![false; facts.len()];
        loop {
            let before = roots.len();
            for node in self.cone(&roots) {
                if let Some(&fact) = numbers.get(&node)
                    && !std::mem::replace(&mut relevant[fact], true)
                {
                    roots.push(next[fact]);
                }
            }
            if roots.len() == before {
                return (0..facts.len()).filter(|&fact| relevant[fact]).collect();
            }
        }
    }

    /// The boundary between what depends on facts only and what depends on moves too: the nodes of the first kind
    /// that are roots, or inputs of gates of the second kind. The constant is left out.
    pub fn boundary(&self, roots: &[Literal]) -> Vec<usize> {
        let is_of_facts = |node: usize| node != 0 && self.level(self.signal(node)) == 0;
        let mut found: Vec<usize> = roots.iter().map(|root| root.node()).collect();
        for node in self.cone(roots) {
            if !is_of_facts(node) {
                found.extend(self.gate(node).iter().map(|input| input.node()));
            }
        }
        found.retain(|&node| is_of_facts(node));
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_relevant_through_later_steps_too() {
        let mut circuit = Circuit::new();
        let facts: Vec<Literal> = (0..4).map(|_| circuit.input(0)).collect();
        let both = circuit.and([facts[1], facts[2]]);
        // 3 follows from 0, and 0 from 1 and 2; nothing asks for 3.
        let next = [both, facts[1], facts[2], facts[0]];
        let relevant =
            |roots: &[Literal]| circuit.relevant_facts(&facts, &next, roots.iter().copied());
        assert_eq!(relevant(&[!facts[0]]), [0, 1, 2]);
        assert_eq!(relevant(&[facts[2]]), [2]);
    }

    #[test]
    fn the_boundary_is_what_gates_with_moves_take_from_facts() {
        let mut circuit = Circuit::new();
        let [a, b, c] = [(); 3].map(|()| circuit.input(0));
        let action = circuit.input(1);
        let both = circuit.and([a, b]);
        let made = circuit.and([both, action]);
        let expected = [c.node(), both.node()];
        assert_eq!(circuit.boundary(&[!made, c, Literal::TRUE]), expected);
    }
}
