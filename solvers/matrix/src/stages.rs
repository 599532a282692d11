//! The stages of all listed states, in flat tables.

use crate::bounds::Bounds;
use crate::explore::{Listed, Nodes};
use crate::game::Stage;
use crate::matrix_game::{Matrix, solve_matrix};
use base::graph::Graph;
use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Zero};
use std::ops::Range;

#[derive(Debug)]
pub enum Node {
    End(BigRational),
    /// Nothing is known about the state.
    Open,
    /// Play goes on, but no steps are left.
    Last,
    /// Play goes on.
    Stage {
        columns: usize,
        /// Its cells, row by row.
        cells: Range<usize>,
    },
}

/// The stages of states, which are numbers.
#[derive(Debug, Default)]
pub struct Stages {
    /// By state.
    pub nodes: Vec<Node>,
    /// By cell: the end of its outcomes.
    ends: Vec<usize>,
    /// Targets and weights.
    outcomes: Vec<(u32, u64)>,
    /// The payoff of play that is not over when no step is left.
    pub unfinished: BigRational,
}

impl Nodes<BigRational> for Stages {
    fn push(&mut self, state: Listed<BigRational>) {
        match state {
            Listed::End(payoff) => self.nodes.push(Node::End(payoff)),
            Listed::Last => self.nodes.push(Node::Last),
            Listed::Stage(stage) => self.push_stage(stage),
        }
    }

    fn bytes(&self) -> u64 {
        let nodes = self.nodes.len() * size_of::<Node>();
        let cells = self.ends.len() * size_of::<usize>();
        (nodes + cells + self.outcomes.len() * size_of::<(u32, u64)>()) as u64
    }
}

impl Stages {
    /// No stages, and the payoff of play that is not over when no step is left.
    pub fn new(unfinished: BigRational) -> Self {
        Stages {
            unfinished,
            ..Stages::default()
        }
    }

    /// Nothing is known of the other ones of this many states.
    pub fn leave_open(&mut self, states: usize) {
        self.nodes.resize_with(states, || Node::Open);
    }

    /// Adds the node of the next state, whose stage names states by number.
    pub fn push_stage(&mut self, stage: Stage<u32>) {
        let start = self.ends.len();
        for mut cell in stage.cells {
            cell.sort_unstable();
            cell.dedup_by(|next, kept| {
                let is_same = next.0 == kept.0;
                kept.1 += if is_same { next.1 } else { 0 };
                is_same
            });
            self.outcomes.extend(cell);
            self.ends.push(self.outcomes.len());
            debug_assert_eq!(self.sum(start), self.sum(self.ends.len() - 1));
        }
        self.nodes.push(Node::Stage {
            columns: stage.columns,
            cells: start..self.ends.len(),
        });
    }

    /// The targets and weights of a cell.
    pub fn outcomes(&self, cell: usize) -> &[(u32, u64)] {
        let start = cell.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.outcomes[start..self.ends[cell]]
    }

    /// The sum of the weights of each cell of a state.
    pub fn total(&self, state: usize) -> u64 {
        match &self.nodes[state] {
            Node::Stage { cells, .. } => self.sum(cells.start),
            Node::End(_) | Node::Open | Node::Last => 1,
        }
    }

    fn sum(&self, cell: usize) -> u64 {
        self.outcomes(cell).iter().map(|(_, weight)| weight).sum()
    }

    /// The outcomes of all cells of a state.
    pub fn all_outcomes(&self, state: usize) -> &[(u32, u64)] {
        match &self.nodes[state] {
            Node::Stage { cells, .. } => {
                let start = cells
                    .start
                    .checked_sub(1)
                    .map_or(0, |before| self.ends[before]);
                &self.outcomes[start..self.ends[cells.end - 1]]
            }
            Node::End(_) | Node::Open | Node::Last => &[],
        }
    }

    /// The states as nodes of a graph, with an edge to each state that may follow.
    pub fn graph(&self) -> Graph {
        Graph::new(self.nodes.len(), |edge| {
            for state in 0..self.nodes.len() {
                let outcomes = self.all_outcomes(state).iter();
                outcomes.for_each(|&(target, _)| edge(state, target as usize));
            }
        })
    }

    /// The matrix game of a stage if the states that follow have these values, and the factor of its entries.
    pub fn matrix<'a>(
        &self,
        state: usize,
        value: impl Fn(u32) -> &'a BigRational,
    ) -> (Matrix, BigInt) {
        let Node::Stage { columns, cells } = &self.nodes[state] else {
            unreachable!("play goes on in this state");
        };
        let targets = self.all_outcomes(state).iter().map(|&(target, _)| target);
        let common = targets.fold(BigInt::one(), |common, target| {
            let denominator = value(target).denom();
            match denominator == &common || denominator.is_one() {
                true => common,
                false => common.lcm(denominator),
            }
        });
        let entry = |cell: usize| {
            let outcomes = self.outcomes(cell).iter();
            let parts = outcomes.map(|&(target, weight)| {
                let value = value(target);
                match value.denom() == &common {
                    true => value.numer() * weight,
                    false => value.numer() * (&common / value.denom()) * weight,
                }
            });
            parts.sum::<BigInt>()
        };
        let matrix = Matrix::new(*columns, cells.clone().map(entry).collect());
        (matrix, common * self.total(state))
    }

    /// The value of a stage if the states that follow have these values.
    pub fn value<'a>(&self, state: usize, value: impl Fn(u32) -> &'a BigRational) -> BigRational {
        let (matrix, factor) = self.matrix(state, value);
        let value = solve_matrix(&matrix).value;
        if value.is_zero() {
            value
        } else {
            value / factor
        }
    }

    /// The mean value of a cell.
    pub fn mean<'a>(&self, cell: usize, value: impl Fn(u32) -> &'a BigRational) -> BigRational {
        let outcomes = self.outcomes(cell).iter();
        let sum: BigRational = outcomes
            .map(|&(target, weight)| value(target) * BigInt::from(weight))
            .sum();
        sum / BigInt::from(self.sum(cell))
    }

    /// The bounds of a state by those of the states that follow.
    pub fn one_step<'a>(&self, state: usize, bounds: impl Fn(u32) -> &'a Bounds) -> Bounds {
        match &self.nodes[state] {
            Node::End(payoff) => return Bounds::exact(payoff.clone()),
            Node::Open => return Bounds::unknown(),
            Node::Last => return Bounds::exact(self.unfinished.clone()),
            Node::Stage { .. } => {}
        }
        let lower = self.value(state, |target| bounds(target).lower());
        let mut outcomes = self.all_outcomes(state).iter();
        match outcomes.all(|&(target, _)| bounds(target).is_exact()) {
            true => Bounds::exact(lower),
            false => Bounds::new(lower, self.value(state, |target| bounds(target).upper())),
        }
    }
}
