//! Exact plans of a basis of the linear program, by p-adic lifting.
//!
//! A basis says which sequences of both sides may have weight. Those of one side are to gain the rival equally much wherever the rival
//! has weight. That is a square system: its unknowns are the weights, and what each set of the rival is worth; its equations are
//! that the moves of a set share the weight of its sequence, and that a sequence with weight of the rival gains what
//! its set is worth. The system of the other side is the same with the roles exchanged.

use crate::sequence_form::game::SequenceGame;
use crate::sequence_form::support::Support;
use endless::linear_system::{Pivots, Resources, System, Unsolved, solve};
use num_bigint::{BigInt, BigUint};
use num_traits::{Signed, Zero};

/// By player and sequence: whether a basis uses it. The empty ones are used, and others only if they are allowed.
pub type Used = [Vec<bool>; 2];

/// The exact solution of one side's system.
pub struct Vertex {
    /// By sequence of the side: its weight; some may be negative.
    pub weights: Vec<BigInt>,
    /// By sequence of the rival: what it gains less than its set is worth; some may be negative.
    pub slacks: Vec<BigInt>,
    /// The denominator of all of them.
    pub whole: BigInt,
}

impl Vertex {
    /// Of a player in a basis of a restricted game.
    pub fn new(
        game: &SequenceGame,
        support: &Support,
        used: &Used,
        player: usize,
        resources: Resources<'_>,
    ) -> Result<Self, Unsolved> {
        let rival = 1 - player;
        let [tree, rivals] = [game.tree(player), game.tree(rival)];
        let (own, unknowns) = numbers(used[player].iter().copied());
        let (other, tight) = numbers(used[rival].iter().copied());
        // The unknowns: weights, the worth of the root of the rival's tree, that of each set in play.
        let in_play = |set| support.allows(rival, rivals.parent(set));
        let (sets, worths) = numbers((0..rivals.sets()).map(in_play));
        let root = unknowns as u32;
        let mut rows = vec![vec![(0, 1)]];
        for set in support.sets(game, player) {
            let parent = Some(tree.parent(set)).filter(|&parent| used[player][parent]);
            let moves = tree.moves(set).filter(|&sequence| used[player][sequence]);
            let parent = parent.map(|parent| (own[parent], -1));
            rows.push(
                moves
                    .map(|sequence| (own[sequence], 1))
                    .chain(parent)
                    .collect(),
            );
        }
        let first = rows.len();
        rows.push(vec![(root, -1)]);
        for set in support.sets(game, rival) {
            let worth = root + 1 + sets[set];
            let moves = rivals.moves(set).filter(|&sequence| used[rival][sequence]);
            rows.extend(moves.map(|_| vec![(worth, -1)]));
        }
        for set in support.sets(game, rival) {
            let parent = rivals.parent(set);
            if used[rival][parent] {
                rows[first + other[parent] as usize].push((root + 1 + sets[set], 1));
            }
        }
        // A basis of the simplex method is square; rounding may have led to something else.
        if rows.len() != unknowns + 1 + worths || rows.len() != first + tight {
            return Err(Unsolved::TooMuch);
        }
        for sequence in (0..game.tree(0).sequences()).filter(|&one| used[0][one]) {
            for (column, payoff) in game.row(sequence).filter(|&(one, _)| used[1][one]) {
                let (own_one, other_one, gain) = match player {
                    0 => (own[sequence], other[column], -payoff),
                    _ => (own[column], other[sequence], payoff),
                };
                rows[first + other_one as usize].push((own_one, gain));
            }
        }
        let is_small = |row: &Vec<(u32, i64)>| {
            let mut entries = row.iter();
            let sum = entries.try_fold(0i64, |sum, (_, entry)| {
                sum.checked_add(entry.checked_abs()?)
            });
            sum.is_some()
        };
        if !rows.iter().all(is_small) {
            return Err(Unsolved::TooMuch);
        }
        let mut right = vec![BigUint::ZERO; rows.len()];
        right[0] = 1u32.into();
        let system = System {
            rows,
            right,
            bound: (game.magnitude() + 1).into(),
            pivots: Pivots::Any,
        };
        let limits = resources.limits;
        let (mut solution, whole) = solve(&system, resources)?;
        let worths = solution.split_off(unknowns);
        let mut solution = solution.into_iter();
        let mut weights = vec![BigInt::zero(); tree.sequences()];
        for (weight, _) in weights
            .iter_mut()
            .zip(&used[player])
            .filter(|(_, used)| **used)
        {
            *weight = solution.next().expect("a weight for each sequence in use");
        }
        let mut gains = vec![BigInt::zero(); rivals.sequences()];
        game.add_gains(rival, &weights, &mut gains, limits)
            .map_err(Unsolved::Stopped)?;
        for set in support.sets(game, rival) {
            gains[rivals.parent(set)] += &worths[sets[set] as usize + 1];
        }
        for set in support.sets(game, rival) {
            for sequence in rivals.moves(set) {
                gains[sequence] = &worths[sets[set] as usize + 1] - &gains[sequence];
            }
        }
        gains[0] = BigInt::zero();
        Ok(Vertex {
            weights,
            slacks: gains,
            whole: whole.into(),
        })
    }

    /// Whether the weights are a plan.
    pub fn is_plan(&self) -> bool {
        !self.weights.iter().any(Signed::is_negative)
    }
}

/// Numbers those that count, and returns how many do.
fn numbers(counts: impl Iterator<Item = bool>) -> (Vec<u32>, usize) {
    let mut next = 0;
    let numbers = counts.map(|counts| {
        let number = next;
        next += u32::from(counts);
        number
    });
    (numbers.collect(), next as usize)
}
