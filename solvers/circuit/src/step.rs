//! One time step of a transition system in which several agents move at once.
//!
//! Invariant: `legal`, `terminal` and `goals` depend on the state only, `next` on the state and on
//! the moves. What they say when an agent makes no move, several, or an illegal one has no meaning.

use crate::{Circuit, Signal};

/// A transition system as a circuit: from a state and one move of each agent to the next state.
///
/// A state is a set of facts, one input for each; a move of an agent is one input for each of its
/// moves, of which exactly one is set. Names are kept elsewhere, by number.
#[derive(Clone, Debug)]
pub struct Step {
    /// The gates. Inputs for facts have level 0, those for moves level 1, so that
    /// [`Circuit::level`] tells what depends on the state only.
    pub circuit: Circuit,
    /// The input for each fact of the current state.
    pub facts: Vec<Signal>,
    /// For each fact, whether it holds in the initial state.
    pub initial: Vec<bool>,
    /// For each agent, the input for each of its moves.
    pub moves: Vec<Vec<Signal>>,
    /// For each agent and each of its moves, whether it is legal in the current state.
    pub legal: Vec<Vec<Signal>>,
    /// Whether the current state is terminal.
    pub terminal: Signal,
    /// For each agent, its goal values and whether the current state has each of them.
    pub goals: Vec<Vec<(i64, Signal)>>,
    /// For each fact, whether it holds in the next state.
    pub next: Vec<Signal>,
}
