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
    let mut classes: FxHashMap<u32, MoveClass> = FxHashMap::default();
    let firsts = firsts(&mut circuit.clone(), moves, next, &cone);
    for (number, first) in firsts.into_iter().enumerate() {
        classes.entry(first).or_default().push(number);
    }
    let mut classes: Vec<MoveClass> = classes.into_values().collect();
    classes.sort_unstable_by_key(|class| class[0]);
    classes
}

/// For each move of an agent the first one with the same effects. The cone is that of the effects.
pub fn firsts(
    circuit: &mut Circuit,
    moves: &[Signal],
    next: &[Signal],
    cone: &[usize],
) -> Vec<u32> {
    let mut known: FxHashMap<Vec<Signal>, u32> = FxHashMap::default();
    let moves_and_numbers = moves.iter().zip(0..);
    let first = |(chosen, number): (&Signal, u32)| {
        let effects = circuit.substitute(next, cone, &mut made(moves, chosen));
        *known.entry(effects).or_insert(number)
    };
    moves_and_numbers.map(first).collect()
}

/// The inputs of an agent's moves where this one is made.
pub fn made(moves: &[Signal], chosen: &Signal) -> FxHashMap<usize, Signal> {
    let image = |input: &Signal| (input.node(), Signal::FALSE.negated_if(input == chosen));
    moves.iter().map(image).collect()
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
