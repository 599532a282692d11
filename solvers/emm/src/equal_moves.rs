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
use circuit::{Circuit, Literal};
use limits::Limits;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Moves with equal effects, by number, in ascending order.
pub type MoveClass = Vec<usize>;

/// The classes of an agent's moves, ordered by their first moves.
pub fn classes(
    circuit: &Circuit,
    moves: &[Literal],
    next: &[Literal],
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
    moves: &[Literal],
    next: &[Literal],
    cone: &[usize],
    effort: &mut usize,
    limits: &Limits,
) -> Vec<u32> {
    let mut none_made: Vec<Literal> = (0..circuit.node_count())
        .map(|node| circuit.signal(node))
        .collect();
    moves
        .iter()
        .for_each(|input| none_made[input.node()] = Literal::FALSE);
    for &node in cone {
        *effort = effort.saturating_sub(circuit.gate(node).len());
        let changes = |input: &Literal| none_made[input.node()] != circuit.signal(input.node());
        if circuit.gate(node).iter().any(changes) {
            let image = |below: usize| none_made[below];
            none_made[node] = image_of_gate(circuit, node, image, effort);
        }
    }
    let users = Users::new(circuit, next, cone);
    let mut entered: FxHashMap<&[User], u32> = FxHashMap::default();
    let mut known: FxHashMap<Vec<(u32, Literal)>, u32> = FxHashMap::default();
    let mut effects = Effects {
        circuit,
        users: &users,
        none_made: &none_made,
        made: FxHashMap::default(),
        pending: BTreeMap::new(),
    };
    let moves_and_numbers = moves.iter().zip(0..);
    let first = |(chosen, number): (&Literal, u32)| {
        let places = users.of(chosen.node());
        if let Some(&first) = entered.get(places) {
            return first;
        }
        if limits.is_over() {
            return number;
        }
        let Some(effects) = effects.of(*chosen, effort) else {
            return number;
        };
        let first = *known.entry(effects).or_insert(number);
        entered.insert(places, first);
        first
    };
    moves_and_numbers.map(first).collect()
}

/// The image of a gate, by those of the nodes below.
fn image_of_gate(
    circuit: &mut Circuit,
    node: usize,
    image: impl Fn(usize) -> Literal,
    effort: &mut usize,
) -> Literal {
    let mut inputs = Vec::new();
    for input in circuit.gate(node) {
        *effort = effort.saturating_sub(1);
        match image(input.node()).negated_if(input.is_negated()) {
            Literal::FALSE => return Literal::FALSE,
            Literal::TRUE => {}
            other => inputs.push(other),
        }
    }
    circuit.and(inputs)
}

/// A place where a node is used: four times the number of a gate or of an effect, plus 1 where its negation is used, plus 2 for effects.
type User = u32;

const NEGATED: User = 1;
const EFFECT: User = 2;

/// The places where nodes are used: the gates of a cone, and effects.
struct Users {
    /// By node, where its places end.
    ends: Vec<u32>,
    places: Vec<User>,
}

impl Users {
    fn new(circuit: &Circuit, next: &[Literal], cone: &[usize]) -> Self {
        let each = |add: &mut dyn FnMut(&Literal, User)| {
            for &node in cone {
                let inputs = circuit.gate(node).iter();
                inputs.for_each(|input| add(input, 4 * node as u32));
            }
            let effects = next.iter().zip(0..);
            effects.for_each(|(signal, number)| add(signal, 4 * number + EFFECT));
        };
        let mut ends = vec![0; circuit.node_count() + 1];
        each(&mut |signal, _| ends[signal.node() + 1] += 1);
        for node in 1..ends.len() {
            ends[node] += ends[node - 1];
        }
        let mut places = vec![0; ends.last().map_or(0, |&end| end as usize)];
        // `ends[node]` begins where the places of a node begin, and moves on to where they end.
        each(&mut |signal, place| {
            let end = &mut ends[signal.node()];
            places[*end as usize] = place + u32::from(signal.is_negated()) * NEGATED;
            *end += 1;
        });
        Users { ends, places }
    }

    fn of(&self, node: usize) -> &[User] {
        let start = node.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.places[start as usize..self.ends[node] as usize]
    }
}

/// The effects of one move after the other.
struct Effects<'a> {
    circuit: &'a mut Circuit,
    users: &'a Users,
    /// The images of nodes where no move is made.
    none_made: &'a [Literal],
    /// The images that differ from these where the move is made.
    made: FxHashMap<usize, Literal>,
    /// Gates with inputs that have changed, by node; whether one of these inputs is false.
    pending: BTreeMap<usize, bool>,
}

impl Effects<'_> {
    /// The effects that differ from those where no move is made, by number; nothing if that is too much work.
    fn of(&mut self, chosen: Literal, effort: &mut usize) -> Option<Vec<(u32, Literal)>> {
        self.made.clear();
        self.pending.clear();
        let mut changed = Vec::new();
        self.set(chosen.node(), Literal::TRUE, &mut changed, effort);
        while let Some((node, is_false)) = self.pending.pop_first() {
            let image = |below: usize| {
                let image = self.made.get(&below).copied();
                image.unwrap_or(self.none_made[below])
            };
            let image = match is_false {
                true => Literal::FALSE,
                false => image_of_gate(self.circuit, node, image, effort),
            };
            if image != self.none_made[node] {
                self.set(node, image, &mut changed, effort);
            }
        }
        changed.sort_unstable();
        (*effort > 0).then_some(changed)
    }

    /// Notes an image, the effects that it changes, and the gates that it goes into.
    fn set(
        &mut self,
        node: usize,
        image: Literal,
        changed: &mut Vec<(u32, Literal)>,
        effort: &mut usize,
    ) {
        self.made.insert(node, image);
        let users = self.users.of(node);
        *effort = effort.saturating_sub(users.len());
        for user in users {
            let input = image.negated_if(user & NEGATED != 0);
            match user & EFFECT != 0 {
                true => changed.push((user / 4, input)),
                false => {
                    *self.pending.entry(*user as usize / 4).or_default() |= input == Literal::FALSE
                }
            }
        }
    }
}

/// The inputs of an agent's moves where this one is made.
pub fn made(moves: &[Literal], chosen: &Literal) -> FxHashMap<usize, Literal> {
    let image = |input: &Literal| (input.node(), Literal::FALSE.negated_if(input == chosen));
    moves.iter().map(image).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_equal_if_their_effects_are() {
        let mut circuit = Circuit::new();
        let fact = circuit.input(0);
        let moves: Vec<Literal> = (0..5).map(|_| circuit.input(1)).collect();
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
