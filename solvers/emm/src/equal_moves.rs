//! Moves of one agent that always lead to the same next state.
//!
//! A random role that keeps a stone's colour with four of its five moves has two things it can do,
//! not five. Moves are compared by their effects: the next facts, with this move made and the others
//! of the agent not. Gates with equal inputs are one gate ([`circuit::Circuit`]), so effects that
//! are built alike are the same signals. That is a proof; other equal effects are not looked for.
//!
//! Such moves become one choice, which is legal where one of them is, and for chance as probable as
//! all of them together.

use crate::bounds::MAX_COMPARED_INPUTS;
use crate::options::Options;
use circuit::{Circuit, Signal};
use limits::Limits;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Moves with equal effects, by number, in ascending order.
pub type MoveClass = Vec<usize>;

/// The classes of an agent's moves, ordered by their first moves.
pub fn classes(
    circuit: &Circuit,
    moves: &[Signal],
    next: &[Signal],
    options: &Options,
) -> Vec<MoveClass> {
    if !options.merge_moves {
        return (0..moves.len()).map(|number| vec![number]).collect();
    }
    let cone = circuit.cone(next);
    let mut effort = MAX_COMPARED_INPUTS;
    let mut classes: FxHashMap<u32, MoveClass> = FxHashMap::default();
    let circuit = &mut circuit.clone();
    let firsts = firsts(circuit, moves, next, &cone, &mut effort, &options.limits);
    for (number, first) in firsts.into_iter().enumerate() {
        classes.entry(first).or_default().push(number);
    }
    let mut classes: Vec<MoveClass> = classes.into_values().collect();
    classes.sort_unstable_by_key(|class| class[0]);
    classes
}

/// For each move of an agent the first one with the same effects. The cone is that of the effects.
///
/// First no move is made. Then, for each move, only the gates that change are made again. Moves that go into the same gates have
/// the same effects, so one of them stands for all. `effort` is how many inputs of gates may still be looked at: moves that are
/// not compared when it is used up, or a limit is reached, are taken to differ.
pub fn firsts(
    circuit: &mut Circuit,
    moves: &[Signal],
    next: &[Signal],
    cone: &[usize],
    effort: &mut usize,
    limits: &Limits,
) -> Vec<u32> {
    let none_made = moves.iter().map(|input| (input.node(), Signal::FALSE));
    let mut none_made = none_made.collect();
    let users = Users::new(circuit, next, cone, effort);
    circuit.substitute(next, cone, &mut none_made);
    let mut entered: FxHashMap<&[User], u32> = FxHashMap::default();
    let mut known: FxHashMap<Vec<(u32, Signal)>, u32> = FxHashMap::default();
    let mut effects = Effects {
        circuit,
        users: &users,
        none_made: &none_made,
        made: FxHashMap::default(),
        pending: BTreeMap::new(),
    };
    let moves_and_numbers = moves.iter().zip(0..);
    let first = |(chosen, number): (&Signal, u32)| {
        let gates = users.of(chosen.node());
        if let Some(&first) = entered.get(gates) {
            return first;
        }
        if limits.is_over() {
            return number;
        }
        let Some(effects) = effects.of(*chosen, effort) else {
            return number;
        };
        let first = *known.entry(effects).or_insert(number);
        entered.insert(gates, first);
        first
    };
    moves_and_numbers.map(first).collect()
}

/// A place where a node is used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct User {
    place: Place,
    is_negated: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Place {
    Gate(u32),
    /// The number of an effect.
    Effect(u32),
}

/// The places where nodes are used: the gates of a cone, and effects.
#[derive(Default)]
struct Users {
    /// By node.
    places: FxHashMap<usize, Vec<User>>,
}

impl Users {
    fn new(circuit: &Circuit, next: &[Signal], cone: &[usize], effort: &mut usize) -> Self {
        let mut users = Users::default();
        let mut add = |signal: &Signal, place| {
            *effort = effort.saturating_sub(1);
            let is_negated = signal.is_negated();
            let user = User { place, is_negated };
            users.places.entry(signal.node()).or_default().push(user);
        };
        for &node in cone {
            let inputs = circuit.gate(node).iter();
            inputs.for_each(|input| add(input, Place::Gate(node as u32)));
        }
        for (signal, number) in next.iter().zip(0..) {
            add(signal, Place::Effect(number));
        }
        users
    }

    fn of(&self, node: usize) -> &[User] {
        self.places.get(&node).map_or(&[], Vec::as_slice)
    }
}

/// The effects of one move after the other.
struct Effects<'a> {
    circuit: &'a mut Circuit,
    users: &'a Users,
    /// The images of nodes where no move is made.
    none_made: &'a FxHashMap<usize, Signal>,
    /// The images that differ from these where the move is made.
    made: FxHashMap<usize, Signal>,
    /// Gates with inputs that have changed, by node; whether one of these inputs is false.
    pending: BTreeMap<usize, bool>,
}

impl Effects<'_> {
    /// The effects that differ from those where no move is made, by number; nothing if that is too much work.
    fn of(&mut self, chosen: Signal, effort: &mut usize) -> Option<Vec<(u32, Signal)>> {
        self.made.clear();
        self.pending.clear();
        let mut changed = Vec::new();
        self.set(chosen.node(), Signal::TRUE, &mut changed, effort);
        while let Some((node, is_false)) = self.pending.pop_first() {
            let image = match is_false {
                true => Signal::FALSE,
                false => self.gate(node, effort),
            };
            if image != self.base(node) {
                self.set(node, image, &mut changed, effort);
            }
        }
        changed.sort_unstable();
        (*effort > 0).then_some(changed)
    }

    /// The image of a node where no move is made.
    fn base(&self, node: usize) -> Signal {
        let image = self.none_made.get(&node).copied();
        image.unwrap_or_else(|| self.circuit.signal(node))
    }

    /// Notes an image, the effects that it changes, and the gates that it goes into.
    fn set(
        &mut self,
        node: usize,
        image: Signal,
        changed: &mut Vec<(u32, Signal)>,
        effort: &mut usize,
    ) {
        self.made.insert(node, image);
        let users = self.users.of(node);
        *effort = effort.saturating_sub(users.len());
        for user in users {
            let input = image.negated_if(user.is_negated);
            match user.place {
                Place::Effect(number) => changed.push((number, input)),
                Place::Gate(gate) => {
                    *self.pending.entry(gate as usize).or_default() |= input == Signal::FALSE;
                }
            }
        }
    }

    /// The image of a gate.
    fn gate(&mut self, node: usize, effort: &mut usize) -> Signal {
        let mut inputs = Vec::new();
        for input in self.circuit.gate(node) {
            *effort = effort.saturating_sub(1);
            let below = input.node();
            let image = self.made.get(&below).copied();
            let image = image.unwrap_or_else(|| self.base(below));
            match image.negated_if(input.is_negated()) {
                Signal::FALSE => return Signal::FALSE,
                Signal::TRUE => {}
                other => inputs.push(other),
            }
        }
        self.circuit.and(inputs)
    }
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
