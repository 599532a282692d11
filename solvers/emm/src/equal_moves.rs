//! Moves of one agent that always lead to the same next state.
//!
//! A random role that keeps a stone's colour with four of its five moves has two things it can do,
//! not five. Moves are compared by their effects: the next facts, with this move made and the others
//! of the agent not. Gates with equal inputs are one gate ([`circuit::Circuit`]), so effects that
//! are built alike are the same signals. That is a proof; other equal effects are not looked for.
//!
//! Such moves become one choice, which is legal where one of them is, and for chance as probable as
//! all of them together.

use crate::bounds::MAX_COPIED_GATES;
use crate::options::Options;
use circuit::{Circuit, Signal};
use rustc_hash::FxHashMap;

/// Moves with equal effects, by number, in ascending order.
pub type MoveClass = Vec<usize>;

/// The classes of an agent's moves, ordered by their first moves.
pub fn classes(
    circuit: &Circuit,
    moves: &[Signal],
    next: &[Signal],
    options: &Options,
) -> Vec<MoveClass> {
    let cone = circuit.cone(next);
    if !options.merge_moves || cone.len().saturating_mul(moves.len()) > MAX_COPIED_GATES {
        return (0..moves.len()).map(|number| vec![number]).collect();
    }
    let mut circuit = circuit.clone();
    let mut classes: Vec<MoveClass> = Vec::new();
    let mut known: FxHashMap<Vec<Signal>, usize> = FxHashMap::default();
    for (number, chosen) in moves.iter().enumerate() {
        let made = |input: &Signal| (input.node(), Signal::FALSE.negated_if(input == chosen));
        let mut images = moves.iter().map(made).collect();
        let effects = circuit.substitute(next, &cone, &mut images);
        let class = *known.entry(effects).or_insert(classes.len());
        if class == classes.len() {
            classes.push(Vec::new());
        }
        classes[class].push(number);
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_equal_if_their_effects_are() {
        let mut circuit = Circuit::new();
        let fact = circuit.input(0);
        let moves: Vec<Signal> = (0..5).map(|_| circuit.input(1)).collect();
        let keeps = circuit.or([moves[0], moves[2], moves[3]]);
        let next = circuit.and([fact, keeps]);
        let classes = |merge_moves| {
            let options = Options {
                merge_moves,
                ..Options::default()
            };
            classes(&circuit, &moves, &[next], &options)
        };
        assert_eq!(classes(true), [vec![0, 2, 3], vec![1, 4]]);
        assert_eq!(classes(false).len(), 5);
    }
}
