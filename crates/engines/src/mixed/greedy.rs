//! Opponents that look a few steps ahead: each takes a move that is best for it if only these count, any of them with the same
//! probability.
//!
//! Within these steps an opponent takes all others to act against it, and to know its move, as the statistics of best play do. Values are found by the
//! definition, and those of successors are kept, since states come again.

use super::position::{PositionError, PositionGame};
use limits::Limits;
use matrix::{ConcurrentGame, StageError};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;
use rustc_hash::FxHashMap;

/// All opponents of a role.
pub(super) struct Greedy {
    opponents: Vec<GreedyOpponent>,
    /// How far they look ahead.
    steps: u32,
}

/// One opponent, with the game as it sees it.
struct GreedyOpponent {
    role: usize,
    game: PositionGame,
    /// The values of states, by the number of steps that count.
    known: FxHashMap<(Box<[u64]>, u32), BigRational>,
}

type Failure = StageError<PositionError>;

impl Greedy {
    /// Opponents that have these games, and look this many steps ahead.
    pub(super) fn of(games: impl Iterator<Item = PositionGame>, steps: u32) -> Self {
        let opponent = |game: PositionGame| GreedyOpponent {
            role: game.sides.role,
            game,
            known: FxHashMap::default(),
        };
        Greedy {
            opponents: games.map(opponent).collect(),
            steps,
        }
    }

    /// For each opponent its role, and the numbers of the moves that it may make in a state.
    pub(super) fn moves(
        &mut self,
        row: &[u64],
        legal: &[Vec<usize>],
        limits: &Limits,
    ) -> Result<Vec<(usize, Vec<usize>)>, Failure> {
        let steps = self.steps;
        let each = self.opponents.iter_mut().map(|opponent| {
            let own = &legal[opponent.role];
            if own.len() == 1 {
                return Ok((opponent.role, own.clone()));
            }
            let values = opponent.values(row, steps, limits)?;
            let best = values.iter().max();
            let taken = own.iter().zip(&values);
            let taken = taken.filter(|(_, value)| Some(*value) == best);
            Ok((opponent.role, taken.map(|(number, _)| *number).collect()))
        });
        each.collect()
    }
}

impl GreedyOpponent {
    /// The value of each of its legal moves within a number of steps, at least 1.
    fn values(
        &mut self,
        row: &[u64],
        steps: u32,
        limits: &Limits,
    ) -> Result<Vec<BigRational>, Failure> {
        let stage = self.game.stage(&row.into(), limits)?;
        let mut values = Vec::new();
        for cells in stage.cells.chunks(stage.columns) {
            let mut worst = None;
            for cell in cells {
                let mut sum = BigRational::zero();
                for (next, weight) in cell {
                    let weight = BigRational::from_integer(BigInt::from(*weight));
                    sum += self.value(next, steps - 1, limits)? * weight;
                }
                let total: u64 = cell.iter().map(|(_, weight)| weight).sum();
                let mean = sum / BigRational::from_integer(total.into());
                worst = Some(worst.map_or(mean.clone(), |worst: BigRational| worst.min(mean)));
            }
            values.extend(worst);
        }
        Ok(values)
    }

    fn value(&mut self, row: &[u64], steps: u32, limits: &Limits) -> Result<BigRational, Failure> {
        if let Some(payoff) = self.game.payoff(&row.into())? {
            return Ok(payoff);
        }
        if steps == 0 {
            return Ok(self.game.unfinished());
        }
        let key = (row.into(), steps);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let values = self.values(row, steps, limits)?;
        let value = values.into_iter().max().expect("each role has a move");
        self.known.insert(key, value.clone());
        Ok(value)
    }
}
