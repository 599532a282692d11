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
use limits::Limits;
use rustc_hash::{FxHashMap, FxHashSet};

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
    let firsts = firsts(&mut circuit.clone(), moves, next, &cone, &options.limits);
    for (number, first) in firsts.into_iter().enumerate() {
        classes.entry(first).or_default().push(number);
    }
    let mut classes: Vec<MoveClass> = classes.into_values().collect();
    classes.sort_unstable_by_key(|class| class[0]);
    classes
}

/// For each move of an agent the first one with the same effects. The cone is that of the effects.
///
/// First no move is made. Then, for each move, only the gates that it goes into are made again. Moves that are not compared
/// when a limit is reached are taken to differ.
pub fn firsts(
    circuit: &mut Circuit,
    moves: &[Signal],
    next: &[Signal],
    cone: &[usize],
    limits: &Limits,
) -> Vec<u32> {
    let mut users: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    for &node in cone {
        for input in circuit.gate(node) {
            users.entry(input.node()).or_default().push(node);
        }
    }
    let none_made = moves.iter().map(|input| (input.node(), Signal::FALSE));
    let mut none_made = none_made.collect();
    circuit.substitute(next, cone, &mut none_made);
    let mut known: FxHashMap<Vec<Signal>, u32> = FxHashMap::default();
    let mut made: FxHashMap<usize, Signal> = FxHashMap::default();
    let mut reached = Vec::new();
    let moves_and_numbers = moves.iter().zip(0..);
    let first = |(chosen, number): (&Signal, u32)| {
        if limits.is_over() {
            return number;
        }
        made.clear();
        made.insert(chosen.node(), Signal::TRUE);
        reach(chosen.node(), &users, &mut reached);
        let image = |signal: &Signal, made: &FxHashMap<usize, Signal>| {
            let node = signal.node();
            match made.get(&node).or_else(|| none_made.get(&node)) {
                Some(image) => image.negated_if(signal.is_negated()),
                None => *signal,
            }
        };
        for &node in &reached {
            let inputs = circuit.gate(node).iter();
            let inputs: Vec<Signal> = inputs.map(|input| image(input, &made)).collect();
            made.insert(node, circuit.and(inputs));
        }
        let effects = next.iter().map(|signal| image(signal, &made)).collect();
        *known.entry(effects).or_insert(number)
    };
    moves_and_numbers.map(first).collect()
}

/// Lists the gates that a node goes into, also by way of others, in ascending order.
fn reach(node: usize, users: &FxHashMap<usize, Vec<usize>>, reached: &mut Vec<usize>) {
    let mut is_reached = FxHashSet::default();
    let mut open = vec![node];
    reached.clear();
    while let Some(node) = open.pop() {
        for &user in users.get(&node).into_iter().flatten() {
            if is_reached.insert(user) {
                reached.push(user);
                open.push(user);
            }
        }
    }
    reached.sort_unstable();
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
