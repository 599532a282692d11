//! Outcomes of chance that make no difference once a move is made.
//!
//! A player who throws dice again keeps some of them: the new throw of these dice does not matter. In most games of dice
//! chance moves together with the player, so an outcome tells the throw of all dice, whatever the move. For each
//! move of a player, outcomes are compared by their effects: the next facts, with this move and this outcome made and
//! no other of both agents. As with [`equal_moves`](crate::equal_moves) effects are equal if they are the
//! same signals.
//!
//! ```text
//! keep, throw, throw       216 throws of three dice are 21 outcomes: two dice without order
//! throw, throw, throw      they are 56
//! ```
//!
//! Moves of the other players stay open in this. For a joint move the outcomes may be compared under any one
//! of its moves: the move that leaves the fewest outcomes is taken.

use crate::bounds::MAX_COMPARED_INPUTS;
use crate::equal_moves::{firsts, made};
use circuit::{Circuit, Literal};
use limits::Limits;

/// For each outcome of chance, the first one with the same effects.
pub type Partition = Box<[u32]>;

/// The number of no partition: all outcomes differ, or were not compared.
pub const NONE: u32 = u32::MAX;

/// The outcomes that are equal under each move.
#[derive(Clone, Debug, Default)]
pub struct EqualOutcomes {
    /// The different partitions, those with the fewest classes first.
    pub partitions: Vec<Partition>,
    /// For each agent that is asked for and each of its moves, the number of its partition, or [`NONE`].
    pub by_move: Vec<Vec<u32>>,
}

/// Compares outcomes under each move of each agent. The effects `next` depend on the moves through their inputs.
pub fn equal_outcomes(
    circuit: &Circuit,
    agents: &[Vec<Literal>],
    outcomes: &[Literal],
    next: &[Literal],
    limits: &Limits,
) -> EqualOutcomes {
    let mut circuit = circuit.clone();
    let cone = circuit.cone(next);
    let mut effort = MAX_COMPARED_INPUTS;
    let mut found: Vec<(usize, Partition)> = Vec::new();
    let mut by_move: Vec<Vec<Option<Partition>>> = Vec::new();
    for moves in agents {
        let mut partitions = Vec::new();
        for chosen in moves {
            effort = effort.saturating_sub(cone.len());
            if effort == 0 || limits.is_over() {
                partitions.push(None);
                continue;
            }
            let given = circuit.substitute(next, &cone, &mut made(moves, chosen));
            let cone = circuit.cone(&given);
            let partition = firsts(&mut circuit, outcomes, &given, &cone, &mut effort, limits);
            let partition: Partition = partition.into();
            let classes = partition
                .iter()
                .zip(0..)
                .filter(|&(&first, own)| first == own)
                .count();
            partitions.push((classes < outcomes.len()).then(|| {
                if !found.iter().any(|(_, other)| *other == partition) {
                    found.push((classes, partition.clone()));
                }
                partition
            }));
        }
        by_move.push(partitions);
    }
    found.sort_by_key(|(classes, _)| *classes);
    let partitions: Vec<Partition> = found.into_iter().map(|(_, partition)| partition).collect();
    let number = |partition: &Option<Partition>| match partition {
        None => NONE,
        Some(partition) => {
            let index = partitions.iter().position(|other| other == partition);
            index.map_or(NONE, |index| index as u32)
        }
    };
    EqualOutcomes {
        by_move: by_move
            .iter()
            .map(|moves| moves.iter().map(number).collect())
            .collect(),
        partitions,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_die_that_is_kept_is_not_thrown() {
        let mut circuit = Circuit::new();
        let [keep, throw, again] = [0, 1, 2].map(|_| circuit.input(1));
        let sides: Vec<Literal> = (0..3).map(|_| circuit.input(2)).collect();
        let old: Vec<Literal> = (0..3).map(|_| circuit.input(0)).collect();
        let throws = circuit.or([throw, again]);
        let mut next = Vec::new();
        for (&side, &old) in sides.iter().zip(&old) {
            let kept = circuit.and([keep, old]);
            let new = circuit.and([throws, side]);
            next.push(circuit.or([kept, new]));
        }
        let limits = Limits::default();
        let players = [vec![keep, throw, again]];
        let equal = equal_outcomes(&circuit, &players, &sides, &next, &limits);
        let all: Partition = [0, 0, 0].into();
        assert_eq!(equal.partitions, [all]);
        assert_eq!(equal.by_move, [[0, NONE, NONE]]);
    }
}
