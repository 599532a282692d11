//! Values of all listed states, and the mixtures of both sides that guarantee them.

use crate::backwards::Valuation;
use crate::bounds::Bounds;
use crate::component::Mixed;
use crate::explore::StateList;
use crate::game::Stage;
use crate::matrix_game::solve_matrix;
use crate::stages::{Node, Stages};
use limits::StopReason;
use num_rational::BigRational;
use num_traits::Zero;
use std::hash::Hash;

/// Values or bounds of a start and of the states that play leads to. States are numbered; the start is number 0.
#[derive(Debug)]
pub struct ConcurrentSolution<S> {
    listed: StateList<S, Stages>,
    valuation: Valuation,
    depth: Option<u32>,
}

/// Mixtures of both sides in a state, and their worth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StagePlay {
    /// Proved bounds of the value: both are the value if it is known.
    pub bounds: (BigRational, BigRational),
    /// The probability of each row in a mixture that guarantees the lower bound.
    pub rows: Vec<BigRational>,
    /// The probability of each column in a mixture that allows the upper bound.
    pub columns: Vec<BigRational>,
    /// For each row its worth against this mixture of columns, by the bounds of the states that follow.
    pub row_values: Vec<(BigRational, BigRational)>,
}

impl<S: Clone + Eq + Hash> ConcurrentSolution<S> {
    pub(crate) fn new(
        listed: StateList<S, Stages>,
        valuation: Valuation,
        depth: Option<u32>,
    ) -> Self {
        ConcurrentSolution {
            listed,
            valuation,
            depth,
        }
    }

    /// Proved bounds of the value of the start: both are the value if it is known.
    pub fn bounds(&self) -> (BigRational, BigRational) {
        match &self.valuation.supremum {
            Some(bounds) => pair(bounds),
            None => self.guaranteed(),
        }
    }

    /// The bounds that the mixtures guarantee.
    pub fn guaranteed(&self) -> (BigRational, BigRational) {
        pair(&self.valuation.start())
    }

    /// Whether the value is known and the mixtures guarantee less, since it counts limit-sure states as 1. Others come as near as wanted;
    /// if the value is 1 no mixtures guarantee it.
    pub fn is_unreached(&self) -> bool {
        let (lower, upper) = self.bounds();
        lower == upper && self.guaranteed().0 < lower
    }

    /// The limit that was reached, if any.
    pub fn stopped(&self) -> Option<StopReason> {
        self.listed.stopped.or(self.valuation.stopped)
    }

    /// Whether plays that were not over after the last step may count, as worth nothing. If a limit came first not all plays were seen.
    pub fn cuts_off(&self) -> bool {
        self.valuation.cuts_off || self.depth.is_some() && self.stopped().is_some()
    }

    /// The most steps that play can take, if it is known and all steps count.
    pub fn longest_play(&self) -> Option<u32> {
        self.valuation.longest.filter(|_| self.depth.is_none())
    }

    /// How many states are listed.
    pub fn states(&self) -> usize {
        self.listed.states.len()
    }

    pub fn state(&self, number: usize) -> &S {
        &self.listed.states[number]
    }

    /// Whether values depend on the steps left.
    pub fn depends_on_steps(&self) -> bool {
        !self.valuation.is_stationary
    }

    /// The number of steps that count.
    pub fn depth(&self) -> Option<u32> {
        self.depth
    }

    /// The states with their probable successors: for each row and, within it, each column the numbers of states and their weights.
    pub fn cells(&self, state: usize) -> impl Iterator<Item = &[(u32, u64)]> {
        let cells = match &self.listed.nodes.nodes[state] {
            Node::Stage { cells, .. } => cells.clone(),
            Node::End(_) | Node::Open | Node::Last => 0..0,
        };
        cells.map(|cell| self.listed.nodes.outcomes(cell))
    }

    /// Mixtures of both sides in a state with so many steps left, at least one; the number does not matter where values
    /// do not depend on it. None where play does not go on, and where a limit left the values unknown.
    pub fn play(&self, state: usize, steps: Option<u32>) -> Option<StagePlay> {
        let layers = &self.valuation.layers;
        let (own, after) = match self.valuation.is_stationary {
            true => (layers.first()?, layers.first()?),
            false => {
                let steps = steps? as usize;
                (layers.get(steps)?, layers.get(steps.checked_sub(1)?)?)
            }
        };
        let own = own.get(state)?;
        if self.valuation.stopped.is_some() && *own == Bounds::unknown() {
            return None;
        }
        let mixed = self.valuation.mixtures.get(&(state as u32));
        let stages = &self.listed.nodes;
        play_in(stages, state, own, mixed, |target| &after[target as usize])
    }
}

/// Mixtures of both sides in a stage, if the states that follow have these bounds; none in another node. `own` are the bounds
/// of the state, `mixed` mixtures that guarantee them, where best ones of the stage do not.
fn play_in<'a>(
    stages: &Stages,
    state: usize,
    own: &Bounds,
    mixed: Option<&Mixed>,
    after: impl Fn(u32) -> &'a Bounds,
) -> Option<StagePlay> {
    let Node::Stage { columns, cells } = &stages.nodes[state] else {
        return None;
    };
    let lower = |target: u32| after(target).lower();
    let upper = |target: u32| after(target).upper();
    let mixed = match mixed {
        Some(mixed) => mixed.clone(),
        None => {
            let solution = solve_matrix(&stages.matrix(state, lower).0);
            let mut outcomes = stages.all_outcomes(state).iter();
            let columns = match outcomes.all(|&(target, _)| after(target).is_exact()) {
                true => solution.columns,
                false => solve_matrix(&stages.matrix(state, upper).0).columns,
            };
            Mixed {
                rows: solution.rows,
                columns,
            }
        }
    };
    let worth = |row: usize, bound: &dyn Fn(usize) -> BigRational| -> BigRational {
        let shares = mixed.columns.iter().enumerate();
        let shares = shares.filter(|(_, share)| !share.is_zero());
        shares
            .map(|(column, share)| share * bound(cells.start + row * columns + column))
            .sum()
    };
    let rows = 0..cells.len() / columns;
    let row_values = rows.map(|row| {
        (
            worth(row, &|cell| stages.mean(cell, lower)),
            worth(row, &|cell| stages.mean(cell, upper)),
        )
    });
    Some(StagePlay {
        bounds: pair(own),
        row_values: row_values.collect(),
        rows: mixed.rows,
        columns: mixed.columns,
    })
}

impl Stage<u32> {
    /// The value of the stage, whose states are numbers, if those that follow have these values.
    pub fn value(self, values: &[BigRational]) -> BigRational {
        let mut stages = Stages::default();
        stages.push_stage(self);
        stages.value(0, |target| &values[target as usize])
    }

    /// Best mixtures of both sides in such a stage.
    pub fn play(self, values: &[BigRational]) -> StagePlay {
        let mut stages = Stages::default();
        stages.push_stage(self);
        let own = Bounds::exact(stages.value(0, |target| &values[target as usize]));
        let after: Vec<Bounds> = values.iter().cloned().map(Bounds::exact).collect();
        let play = play_in(&stages, 0, &own, None, |target| &after[target as usize]);
        play.expect("it is a stage")
    }
}

fn pair(bounds: &Bounds) -> (BigRational, BigRational) {
    (bounds.lower().clone(), bounds.upper().clone())
}
