//! Certified bounds where only one player is left to choose: a Markov decision process.
//!
//! The other player's strategy is fixed, such that play cannot stay in the process for ever. Wanted are numbers x,
//! close to the values, that prove themselves. If the minimizer chooses, x is a lower bound if no row has a smaller mean than
//! the x of its node; if the maximizer chooses, an upper bound if no row has a larger one.
//!
//! So that rounding cannot break these inequalities, each step costs the player who is to be bounded a few units of
//! the last place: x is the solution of that process, and wrong by that cost times the number of steps at most.
//! A strategy is improved until no row breaks an inequality (Howard 1960). Its system is solved in floating-point numbers,
//! by elimination or, where factors would be large, by projection; residuals are computed in whole numbers, and the
//! system is solved again for them (iterative refinement; Wilkinson 1963). The inequalities are always checked in
//! whole numbers.

use crate::linear_system::{Factors, NoFactors, SparseRows};
use crate::projection::project;
use limits::{Limits, StopReason};
use std::ops::Range;

/// The player who chooses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sense {
    /// The minimizer: the bounds are lower ones.
    Min,
    /// The maximizer: the bounds are upper ones.
    Max,
}

/// How a linear system is solved.
#[derive(Clone, Copy, Debug)]
enum SystemMethod {
    /// By factors with this many entries at most.
    Eliminate(usize),
    /// By projection to small spaces.
    Project,
}

/// The settings with which a process is solved.
#[derive(Clone, Copy, Debug)]
pub struct ProcessSettings {
    /// Factors may have this many entries at most.
    pub max_entries: usize,
    /// Whether iteration is known to converge soon.
    pub converges: bool,
}

/// A process: each node has rows to choose from, each row outcomes, which lead to nodes or end.
///
/// Values are whole numbers of units: 1 is `1 << bits`.
pub struct Process {
    /// The player who chooses.
    sense: Sense,
    /// The units of 1, as a power of 2.
    bits: u32,
    settings: ProcessSettings,
    first_row: Vec<u32>,
    first_outcome: Vec<u32>,
    targets: Vec<u32>,
    weights: Vec<u64>,
    totals: Vec<u64>,
    /// By row: the sum of weights times values of the outcomes that end.
    constants: Vec<i128>,
    /// By row: the number that the maker gave it.
    origins: Vec<u32>,
}

/// The cost of a step, in units, at first.
const COST: i128 = 16;

/// The highest costs of a step where floating-point numbers are not accurate enough: 1 divided by these powers of 2. All ways
/// to solve systems are tried with the first one before the second.
const MAX_COSTS: [u32; 2] = [44, 20];

/// How far values may be from a solution to be tried as bounds, as a part of the cost of a step.
const CLOSE: f64 = 0.25;

/// Before projection is tried, factors of a system may have this many times the entries of the process, and
/// [`FEW_ENTRIES`] more.
const SPARSE: usize = 10;
const FEW_ENTRIES: usize = 20_000;

/// Systems of this size are eliminated, even if iteration converges.
pub const FEW_NODES: usize = 300;

/// The most entries of factors: some seconds of work.
const MAX_ENTRIES: usize = 4_000_000;

/// No value on the way to the solution may be larger.
const MOST: i128 = 4;

impl Process {
    /// A process without nodes.
    pub fn new(sense: Sense, bits: u32, settings: ProcessSettings) -> Self {
        Process {
            sense,
            bits,
            settings,
            first_row: vec![0],
            first_outcome: vec![0],
            targets: Vec::new(),
            weights: Vec::new(),
            totals: Vec::new(),
            constants: Vec::new(),
            origins: Vec::new(),
        }
    }

    /// Adds a row to the next node: outcomes are nodes and weights.
    pub fn row(
        &mut self,
        origin: u32,
        total: u64,
        constant: i128,
        outcomes: impl Iterator<Item = (u32, u64)>,
    ) {
        for (target, weight) in outcomes {
            self.targets.push(target);
            self.weights.push(weight);
        }
        self.first_outcome.push(self.targets.len() as u32);
        self.totals.push(total);
        self.constants.push(constant);
        self.origins.push(origin);
    }

    /// Ends the next node. Gives its rows.
    pub fn node(&mut self) -> Range<usize> {
        let first = self.first_row[self.first_row.len() - 1] as usize;
        self.first_row.push(self.totals.len() as u32);
        first..self.totals.len()
    }

    pub fn nodes(&self) -> usize {
        self.first_row.len() - 1
    }

    /// The number that the maker gave a row.
    pub fn origin(&self, row: u32) -> u32 {
        self.origins[row as usize]
    }

    fn rows(&self, node: usize) -> Range<usize> {
        self.first_row[node] as usize..self.first_row[node + 1] as usize
    }

    #[inline]
    fn outcomes(&self, row: usize) -> impl Iterator<Item = (usize, u64)> + '_ {
        let range = self.first_outcome[row] as usize..self.first_outcome[row + 1] as usize;
        let targets = self.targets[range.clone()]
            .iter()
            .map(|&target| target as usize);
        targets.zip(self.weights[range].iter().copied())
    }

    /// The mean of a row, times its total.
    #[inline]
    fn sum(&self, row: usize, values: &[i128]) -> i128 {
        self.outcomes(row)
            .fold(self.constants[row], |sum, (target, weight)| {
                sum + i128::from(weight) * values[target]
            })
    }

    /// The mean of a row, rounded outwards.
    #[inline]
    fn mean(&self, row: usize, values: &[i128]) -> i128 {
        let (sum, total) = (self.sum(row, values), i128::from(self.totals[row]));
        match self.sense {
            Sense::Min => sum.div_euclid(total),
            Sense::Max => -(-sum).div_euclid(total),
        }
    }

    /// Whether the player who chooses prefers the first value.
    fn prefers<T: PartialOrd>(&self, first: T, second: T) -> bool {
        match self.sense {
            Sense::Min => first < second,
            Sense::Max => first > second,
        }
    }

    /// Finds bounds; `values` is a guess before, and the bounds after; `policy` a row for each node, and the
    /// best found.
    ///
    /// Gives what a step costs in them, in units; nothing if no system could be solved: then they are 0 or 1.
    ///
    /// # Errors
    /// The limit that was reached; then `values` are not bounds.
    pub fn solve(
        &self,
        policy: &mut [u32],
        values: &mut [i128],
        limits: &Limits,
    ) -> Result<Option<i128>, StopReason> {
        let most = self.settings.max_entries.min(MAX_ENTRIES);
        let few = most.min(SPARSE * self.targets.len() + FEW_ENTRIES);
        let by_projection = self.settings.converges && self.nodes() > FEW_NODES;
        let ways = match by_projection {
            true => [
                SystemMethod::Project,
                SystemMethod::Eliminate(few),
                SystemMethod::Eliminate(most),
            ],
            false => [
                SystemMethod::Eliminate(few),
                SystemMethod::Project,
                SystemMethod::Eliminate(most),
            ],
        };
        for max_cost in MAX_COSTS {
            for way in ways {
                let mut cost = COST;
                while cost < 1 << (self.bits - max_cost) {
                    match self.improve(policy, values, cost, way, limits) {
                        Ok(true) => return Ok(Some(cost)),
                        Ok(false) => cost *= 16,
                        Err(NoFactors::Stopped(reason)) => return Err(reason),
                        Err(NoFactors::TooLarge | NoFactors::Singular) => break,
                    }
                }
            }
        }
        values.fill(match self.sense {
            Sense::Min => 0,
            Sense::Max => 1 << self.bits,
        });
        Ok(None)
    }

    /// Improves a policy until its values are bounds. `false` if its systems cannot be solved that accurately.
    fn improve(
        &self,
        policy: &mut [u32],
        values: &mut [i128],
        cost: i128,
        way: SystemMethod,
        limits: &Limits,
    ) -> Result<bool, NoFactors> {
        let (mut vector, mut space) = (vec![0.0; self.nodes()], Vec::new());
        loop {
            let system = self.system(policy);
            let factors = match way {
                SystemMethod::Eliminate(max_entries) => {
                    Some(Factors::new(&system, max_entries, limits)?)
                }
                SystemMethod::Project => None,
            };
            let mut last = f64::INFINITY;
            loop {
                let mut largest = 0f64;
                for (node, &row) in policy.iter().enumerate() {
                    let row = row as usize;
                    let total = i128::from(self.totals[row]);
                    let rest = self.sum(row, values) + (self.signed(cost) - values[node]) * total;
                    vector[node] = rest as f64 / total as f64;
                    largest = largest.max(vector[node].abs());
                }
                if largest <= CLOSE * cost as f64 {
                    break;
                }
                if largest.is_nan() || largest > last / 2.0 {
                    return Ok(false);
                }
                last = largest;
                match &factors {
                    Some(factors) => factors.solve(&mut vector, &mut space),
                    None => project(&system, &mut vector, limits).map_err(NoFactors::Stopped)?,
                }
                limits.check().map_err(NoFactors::Stopped)?;
                for (value, change) in values.iter_mut().zip(&vector) {
                    *value = value
                        .saturating_add(change.round() as i128)
                        .clamp(-MOST << self.bits, MOST << self.bits);
                }
            }
            if !self.switch(policy, values) {
                self.clamp(values);
                return Ok(true);
            }
        }
    }

    /// The system of a policy.
    fn system(&self, policy: &[u32]) -> SparseRows<f64> {
        let row = |(node, &row): (usize, &u32)| {
            let total = self.totals[row as usize] as f64;
            let mut entries = vec![(node as u32, 1.0)];
            for (target, weight) in self.outcomes(row as usize) {
                match target == node {
                    true => entries[0].1 = (total - weight as f64) / total,
                    false => entries.push((target as u32, -(weight as f64) / total)),
                }
            }
            entries
        };
        policy.iter().enumerate().map(row).collect()
    }

    /// Chooses the best row at each node that has one which breaks its inequality; whether there was any.
    fn switch(&self, policy: &mut [u32], values: &[i128]) -> bool {
        let mut switches = false;
        for (node, chosen) in policy.iter_mut().enumerate() {
            let mut best = values[node];
            for row in self.rows(node) {
                let (sum, total) = (self.sum(row, values), i128::from(self.totals[row]));
                if self.prefers(sum, best * total) {
                    best = self.mean(row, values);
                    *chosen = row as u32;
                    switches = true;
                }
            }
        }
        switches
    }

    /// Bounds below 0 say no more than 0, and bounds above 1 no more than 1.
    fn clamp(&self, values: &mut [i128]) {
        let one = 1i128 << self.bits;
        values
            .iter_mut()
            .for_each(|value| *value = (*value).clamp(0, one));
    }

    /// The cost of a step, with its sign.
    fn signed<T: std::ops::Neg<Output = T>>(&self, cost: T) -> T {
        match self.sense {
            Sense::Min => -cost,
            Sense::Max => cost,
        }
    }
}
