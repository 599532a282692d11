//! Strategy iteration in a strongly connected component, with bounds that prove themselves.
//!
//! A mixture of rows in each state makes a game of the column side alone, whose value is a lower bound (Chatterjee, de Alfaro,
//! Henzinger: *Strategy improvement for concurrent reachability games*, 2006). Where the matrix game on these bounds is worth more, its
//! best mixture is taken instead. Bounds then only rise, towards the value, which need not be
//! reached: it can be irrational, and there may be no best mixture.
//!
//! A mixture of columns makes a game of the row side alone, whose value is an upper bound. Best mixtures of columns in the
//! matrix games on the lower bounds are tried, and those on the upper bounds.

use crate::bounds::Bounds;
use crate::matrix_game::solve_matrix;
use crate::mixture::{shares, shortened, weights};
use crate::options::Options;
use crate::stages::{Node, Stages};
use crate::sure::SureRows;
use endless::{Builder, GameGraph, MAX_TOTAL, Target};
use limits::{StopReason, Watch};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Zero};
use rustc_hash::FxHashMap;

/// Binary digits of the weights of a mixture: at first, when no better mixture is found with fewer, and at last.
const MIXTURE_BITS: u32 = 40;
const MORE_BITS: u32 = 8;
const MAX_BITS: u32 = 56;

/// Binary digits of values on which mixtures are based. Bounds do not depend on them.
const VALUE_BITS: u32 = 96;

/// The work that goes into the exact value of one side's game.
const EXACT_WORK: u64 = 10_000_000;

/// Mixtures in a state: of rows, with which the lower bound is guaranteed, and of columns, for the upper bound.
#[derive(Clone, Debug)]
pub struct Mixed {
    pub rows: Vec<BigRational>,
    pub columns: Vec<BigRational>,
}

/// One of the two sides.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Rows,
    Columns,
}

/// Whole weights for the choices of one side in each member, and the values that they prove.
#[derive(Clone)]
struct FixedMixtures {
    weights: Vec<Vec<u64>>,
    values: Vec<BigRational>,
}

/// Narrows the bounds of the members of a component, some of which are almost-sure, and whose other successors have theirs, in at most this many
/// rounds. Gives a mixture of both sides for each member, and whether more rounds may narrow bounds further. A limit leaves wider bounds.
pub fn component(
    stages: &Stages,
    members: &[u32],
    bounds: &mut [Bounds],
    almost: &SureRows,
    (options, rounds): (&Options, usize),
    watch: &mut Watch<'_>,
) -> (Vec<Mixed>, bool) {
    let component = Component {
        stages,
        members,
        indices: members
            .iter()
            .zip(0..)
            .map(|(&member, index)| (member, index))
            .collect(),
        bounds,
        options,
    };
    let (rows, columns, is_open) = component.iterate(almost, rounds, watch);
    for (index, &member) in members.iter().enumerate() {
        let (lower, upper) = (&rows.values[index], &columns.values[index]);
        component.bounds[member as usize] = Bounds::new(lower.clone(), upper.clone());
    }
    let mixed = rows.weights.iter().zip(&columns.weights);
    let mixed = mixed.map(|(rows, columns)| Mixed {
        rows: shares(rows),
        columns: shares(columns),
    });
    (mixed.collect(), is_open)
}

struct Component<'a> {
    stages: &'a Stages,
    members: &'a [u32],
    /// The index of each member in the list.
    indices: FxHashMap<u32, u32>,
    bounds: &'a mut [Bounds],
    options: &'a Options,
}

impl Component<'_> {
    /// The best mixtures found, of rows and of columns, and whether more rounds may find better ones. Almost-sure members begin with the rows
    /// that make them so.
    fn iterate(
        &self,
        almost: &SureRows,
        rounds: usize,
        watch: &mut Watch<'_>,
    ) -> (FixedMixtures, FixedMixtures, bool) {
        let number = |value: BigRational| vec![value; self.members.len()];
        let even = |side: Side| -> Vec<Vec<u64>> {
            let choices = |&member: &u32| vec![1; self.choices(member, side)];
            self.members.iter().map(choices).collect()
        };
        let mut lower = FixedMixtures {
            weights: even(Side::Rows),
            values: number(BigRational::zero()),
        };
        let mut upper = FixedMixtures {
            weights: even(Side::Columns),
            values: number(BigRational::one()),
        };
        let width = BigRational::new(BigInt::one(), BigInt::from(10).pow(self.options.digits));
        let mut candidate = lower.weights.clone();
        for (weights, rows) in candidate.iter_mut().zip(almost) {
            if let Some(rows) = rows {
                *weights = rows.iter().map(|&is_made| is_made.into()).collect();
            }
        }
        let mut bits = MIXTURE_BITS;
        for _ in 0..rounds {
            let Ok(values) = self.respond(&candidate, Side::Rows, watch) else {
                return (lower, upper, false);
            };
            let mut narrows = sum(&values) > sum(&lower.values);
            if narrows {
                lower = FixedMixtures {
                    weights: candidate,
                    values,
                };
            }
            let bases = [lower.values.clone(), upper.values.clone()];
            for basis in &bases {
                let columns = self.best(basis, Side::Columns, bits);
                let weights: Vec<Vec<u64>> =
                    columns.into_iter().map(|(weights, _)| weights).collect();
                let Ok(values) = self.respond(&weights, Side::Columns, watch) else {
                    return (lower, upper, false);
                };
                if sum(&values) < sum(&upper.values) {
                    narrows = true;
                    upper = FixedMixtures { weights, values };
                }
            }
            let mut pairs = lower.values.iter().zip(&upper.values);
            if pairs.all(|(lower, upper)| upper - lower <= width) {
                return (lower, upper, false);
            }
            candidate = lower.weights.clone();
            let mut improves = false;
            let best = self.best(&lower.values, Side::Rows, bits);
            for (index, (weights, value)) in best.into_iter().enumerate() {
                if value > lower.values[index] && weights != candidate[index] {
                    candidate[index] = weights;
                    improves = true;
                }
            }
            match improves && narrows {
                true => {}
                false if bits < MAX_BITS => bits += MORE_BITS,
                false => return (lower, upper, false),
            }
        }
        (lower, upper, true)
    }

    fn choices(&self, member: u32, side: Side) -> usize {
        let Node::Stage { columns, cells } = &self.stages.nodes[member as usize] else {
            unreachable!("states of a component lead to states");
        };
        match side {
            Side::Rows => cells.len() / columns,
            Side::Columns => *columns,
        }
    }

    /// For each member: the weights, of at most `bits` bits, of the best mixture of a side in the matrix game on these values, and the value of that game.
    fn best(&self, values: &[BigRational], side: Side, bits: u32) -> Vec<(Vec<u64>, BigRational)> {
        let values: Vec<BigRational> = values
            .iter()
            .map(|value| shortened(value, VALUE_BITS))
            .collect();
        let value = |target: u32| match (self.indices.get(&target), side) {
            (Some(&index), _) => &values[index as usize],
            (None, Side::Rows) => self.bounds[target as usize].lower(),
            (None, Side::Columns) => self.bounds[target as usize].upper(),
        };
        let best = |&member: &u32| {
            let (matrix, factor) = self.stages.matrix(member as usize, value);
            let solution = solve_matrix(&matrix);
            let shares = match side {
                Side::Rows => solution.rows,
                Side::Columns => solution.columns,
            };
            let most = (MAX_TOTAL / self.stages.total(member as usize)).min(1 << bits);
            (weights(&shares, most), solution.value / factor)
        };
        self.members.iter().map(best).collect()
    }

    /// Proved bounds by the best response to a side's mixture.
    fn respond(
        &self,
        mixture: &[Vec<u64>],
        side: Side,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<BigRational>, StopReason> {
        watch.check_limits()?;
        let mut payoffs: Vec<BigRational> = Vec::new();
        let mut ends: FxHashMap<u32, u32> = FxHashMap::default();
        let mut builder = Builder::default();
        for (&member, weights) in self.members.iter().zip(mixture) {
            let Node::Stage { columns, cells } = &self.stages.nodes[member as usize] else {
                unreachable!("states of a component lead to states");
            };
            let rows = cells.len() / columns;
            builder.state();
            if side == Side::Rows {
                builder.alternative();
            }
            let responses = if side == Side::Rows { *columns } else { rows };
            for response in 0..responses {
                if side == Side::Columns {
                    builder.alternative();
                }
                builder.reply();
                let cell = |choice: usize| match side {
                    Side::Rows => cells.start + choice * columns + response,
                    Side::Columns => cells.start + response * columns + choice,
                };
                for (choice, &share) in weights.iter().enumerate().filter(|(_, share)| **share > 0)
                {
                    let cell = cell(choice);
                    for &(target, weight) in self.stages.outcomes(cell) {
                        let to = match self.indices.get(&target) {
                            Some(&index) => Target::State(index),
                            None => Target::End(*ends.entry(target).or_insert_with(|| {
                                let bounds = &self.bounds[target as usize];
                                payoffs.push(match side {
                                    Side::Rows => bounds.lower().clone(),
                                    Side::Columns => bounds.upper().clone(),
                                });
                                payoffs.len() as u32 - 1
                            })),
                        };
                        builder.outcome(to, share * weight);
                    }
                }
            }
        }
        // Weights that are too large for the solver leave the bounds as they are.
        let arena = builder
            .finish(payoffs.len())
            .map_err(|_| StopReason::Precision)?;
        let game = GameGraph::new(arena, payoffs).expect("bounds are between 0 and 1");
        let options = endless::Options {
            threads: 1,
            exact_work: EXACT_WORK,
            ..Default::default()
        };
        let solution = endless::solve(&game, &options, watch.limits());
        let bound = |index: usize| {
            let (lower, upper) = solution.bounds(index);
            if side == Side::Rows { lower } else { upper }
        };
        Ok((0..self.members.len()).map(bound).collect())
    }
}

fn sum(values: &[BigRational]) -> BigRational {
    let short = values.iter().map(|value| shortened(value, VALUE_BITS));
    short.sum()
}
