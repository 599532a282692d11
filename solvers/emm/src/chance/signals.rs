//! The signals through which chance comes into a step, as inputs in the place of its moves.
//!
//! A throw of five dice is one of 7776 moves, but the next state depends on 30 signals only: whether a die shows a side. Gates that
//! depend on the move of chance and on nothing else are known for each move before the game begins. So those of them that other
//! gates, or results, depend on become inputs, and a move is a *row*: the signals that it makes true.
//!
//! ```text
//! move (throw 3 1 4 1 5)     first die 3, second die 1, third die 4, fourth die 1, fifth die 5
//! ```
//!
//! Moves with the same row always lead to the same next state, so they are one outcome: 36 throws of two dice that are added up are 11.

use crate::policy::MAX_COMPARED_GATES;
use circuit::{Circuit, Literal};
use rustc_hash::FxHashMap;

/// The moves of one agent of chance, as rows of signals.
#[derive(Clone, Debug)]
pub struct Signals {
    /// The inputs in the place of moves.
    pub inputs: Vec<Literal>,
    /// The different rows: the signals that are true, by index in ascending order.
    pub rows: Vec<Vec<u32>>,
    /// For each row the moves that have it, by number in ascending order.
    pub classes: Vec<Vec<usize>>,
}

impl Signals {
    /// Puts inputs in the place of an agent's moves in results that depend on them.
    pub fn put_into(circuit: &mut Circuit, moves: &[Literal], results: &mut [Literal]) -> Signals {
        let cone = circuit.cone(results);
        let nodes = boundary(circuit, moves, &cone, results);
        let sets = true_moves(circuit, moves, &cone, &nodes);
        let mut of_move = vec![Vec::new(); moves.len()];
        let mut images = FxHashMap::default();
        let mut inputs = Vec::new();
        let level = moves.first().map_or(0, |&input| circuit.level(input));
        for (&node, index) in nodes.iter().zip(0u32..) {
            // A signal or its negation, whichever is true for fewer moves.
            let MoveSet {
                mut others,
                mut moves,
            } = sets[&node].clone();
            if 2 * moves.len() > of_move.len() {
                let rest = 0..of_move.len() as u32;
                moves = rest.filter(|it| moves.binary_search(it).is_err()).collect();
                others = !others;
            }
            for number in moves {
                of_move[number as usize].push(index);
            }
            let input = circuit.input(level);
            inputs.push(input);
            images.insert(node, input.negated_if(others));
        }
        let found = circuit.substitute(results, &cone, &mut images);
        results.copy_from_slice(&found);
        let mut known: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
        let mut rows: Vec<Vec<u32>> = Vec::new();
        let mut classes: Vec<Vec<usize>> = Vec::new();
        for (number, row) in of_move.into_iter().enumerate() {
            let class = *known.entry(row).or_insert_with_key(|row| {
                rows.push(row.clone());
                classes.push(Vec::new());
                rows.len() - 1
            });
            classes[class].push(number);
        }
        let mut signals = Signals {
            inputs,
            rows,
            classes,
        };
        if signals.inputs.len() > u64::BITS as usize {
            signals.merge_equal_rows(circuit, results);
        }
        signals
    }

    /// Where there are too many signals for a word: rows are one that turn all results into the same signals, and only their signals stay.
    fn merge_equal_rows(&mut self, circuit: &mut Circuit, results: &mut [Literal]) {
        let cone = circuit.cone(results);
        if cone.len() * self.rows.len() > MAX_COMPARED_GATES {
            return;
        }
        let mut copy = circuit.clone();
        let mut known: FxHashMap<Vec<Literal>, usize> = FxHashMap::default();
        let (mut rows, mut classes): (Vec<Vec<u32>>, Vec<Vec<usize>>) = Default::default();
        let mut is_used = vec![false; self.inputs.len()];
        for (row, class) in self.rows.drain(..).zip(self.classes.drain(..)) {
            let unmade = self.inputs.iter().map(|it| (it.node(), Literal::FALSE));
            let mut images: FxHashMap<usize, Literal> = unmade.collect();
            for &signal in &row {
                images.insert(self.inputs[signal as usize].node(), Literal::TRUE);
            }
            let effects = copy.substitute(results, &cone, &mut images);
            let number = *known.entry(effects).or_insert(rows.len());
            if number == rows.len() {
                row.iter()
                    .for_each(|&signal| is_used[signal as usize] = true);
                rows.push(row);
                classes.push(Vec::new());
            }
            classes[number].extend(class);
        }
        classes.iter_mut().for_each(|class| class.sort_unstable());
        let mut places = vec![0; self.inputs.len()];
        let mut images = FxHashMap::default();
        let inputs = std::mem::take(&mut self.inputs);
        for (number, input) in inputs.into_iter().enumerate() {
            match is_used[number] {
                true => {
                    places[number] = self.inputs.len() as u32;
                    self.inputs.push(input);
                }
                false => drop(images.insert(input.node(), Literal::FALSE)),
            }
        }
        let signals = rows.iter_mut().flatten();
        signals.for_each(|signal| *signal = places[*signal as usize]);
        let found = circuit.substitute(results, &cone, &mut images);
        results.copy_from_slice(&found);
        (self.rows, self.classes) = (rows, classes);
    }

    /// Where a permutation of signals, by index, maps the rows; nothing if it does not map rows to rows of as many moves.
    pub fn images(&self, map: &[u32]) -> Option<Vec<u32>> {
        let rows = self.rows.iter().map(Vec::as_slice).zip(0u32..);
        let numbers: FxHashMap<&[u32], u32> = rows.collect();
        let mut image = Vec::new();
        let rows = self.rows.iter().zip(&self.classes);
        let images = rows.map(|(row, class)| {
            image.clear();
            image.extend(row.iter().map(|&signal| map[signal as usize]));
            image.sort_unstable();
            let number = *numbers.get(image.as_slice())?;
            (self.classes[number as usize].len() == class.len()).then_some(number)
        });
        images.collect()
    }
}

/// The nodes that depend on these moves and on nothing else, and that other nodes or results depend on.
fn boundary(
    circuit: &Circuit,
    moves: &[Literal],
    cone: &[usize],
    results: &[Literal],
) -> Vec<usize> {
    let mut depends_only = vec![false; circuit.node_count()];
    let mut is_used = vec![false; circuit.node_count()];
    moves
        .iter()
        .for_each(|input| depends_only[input.node()] = true);
    for &node in cone {
        let gate = circuit.gate(node);
        if gate.is_empty() {
            continue;
        }
        depends_only[node] = gate.iter().all(|input| depends_only[input.node()]);
        if !depends_only[node] {
            gate.iter().for_each(|input| is_used[input.node()] = true);
        }
    }
    results
        .iter()
        .for_each(|result| is_used[result.node()] = true);
    let nodes = cone.iter().copied();
    let nodes = nodes.filter(|&node| depends_only[node] && is_used[node]);
    nodes.collect()
}

/// Some moves, of which one is made: these, in ascending order, or all others.
#[derive(Clone)]
struct MoveSet {
    others: bool,
    moves: Vec<u32>,
}

impl MoveSet {
    fn negated_if(&self, negate: bool) -> (bool, &[u32]) {
        (self.others != negate, &self.moves)
    }
}

/// The moves for which some nodes, and those below, are true. These depend on the moves only.
fn true_moves(
    circuit: &Circuit,
    moves: &[Literal],
    cone: &[usize],
    nodes: &[usize],
) -> FxHashMap<usize, MoveSet> {
    let signals: Vec<Literal> = nodes.iter().map(|&node| circuit.signal(node)).collect();
    let mut sets: FxHashMap<usize, MoveSet> = FxHashMap::default();
    for (input, number) in moves.iter().zip(0..) {
        let moves = vec![number];
        let others = false;
        sets.insert(input.node(), MoveSet { others, moves });
    }
    let needed = circuit.cone(&signals);
    for &node in cone {
        if circuit.gate(node).is_empty() || needed.binary_search(&node).is_err() {
            continue;
        }
        let gate = circuit.gate(node).iter();
        let inputs = gate.map(|input| sets[&input.node()].negated_if(input.is_negated()));
        let (but, only): (Vec<_>, Vec<_>) = inputs.partition(|(others, _)| *others);
        // Not one of these.
        let mut excluded: Vec<u32> = but.into_iter().flat_map(|(_, it)| it).copied().collect();
        excluded.sort_unstable();
        excluded.dedup();
        let shortest = only.iter().map(|(_, it)| *it).min_by_key(|it| it.len());
        let set = match shortest {
            None => MoveSet {
                others: true,
                moves: excluded,
            },
            Some(shortest) => {
                let is_in = |number: &&u32| {
                    only.iter().all(|(_, it)| it.binary_search(number).is_ok())
                        && excluded.binary_search(number).is_err()
                };
                let moves = shortest.iter().filter(is_in).copied().collect();
                MoveSet {
                    others: false,
                    moves,
                }
            }
        };
        sets.insert(node, set);
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn throws_are_signals_of_dice() {
        let mut circuit = Circuit::new();
        let keeps = circuit.input(0);
        let throws: Vec<Literal> = (0..36).map(|_| circuit.input(1)).collect();
        let low = |die: usize| (0..36).filter(move |number| number / [1, 6][die] % 6 < 3);
        let [first, second] = [0, 1].map(|die| circuit.or(low(die).map(|number| throws[number])));
        let new = circuit.and([!keeps, first]);
        let old = [new, second];
        let mut results = old;
        let found = Signals::put_into(&mut circuit, &throws, &mut results);
        assert_eq!((found.inputs.len(), found.rows.len()), (2, 4));
        assert_eq!(found.images(&[1, 0]).expect("dice are alike").len(), 4);
        for (row, class) in found.rows.iter().zip(&found.classes) {
            for &number in class {
                let before = circuit.evaluate([throws[number]]);
                let made = row.iter().map(|&index| found.inputs[index as usize]);
                let after = circuit.evaluate(made);
                for (old, new) in old.iter().zip(&results) {
                    assert_eq!(old.holds(&before), new.holds(&after), "throw {number}");
                }
            }
        }
    }
}
