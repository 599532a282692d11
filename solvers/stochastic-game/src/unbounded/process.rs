//! Certified bounds where only one player is left to choose: a Markov decision process.
//!
//! The other player's strategy is fixed, such that play cannot stay in the process for ever. Wanted are numbers x,
//! close to the values, that prove themselves. If the minimiser chooses, x is a lower bound if no row has a smaller mean than
//! the x of its node; if the maximiser chooses, an upper bound if no row has a larger one.
//!
//! So that rounding cannot break these inequalities, each step costs the player who is to be bounded a few units of
//! the last place: x is the solution of that process, and wrong by that cost times the number of steps at most.
//! Where the system of a strategy can be eliminated, the strategy is improved until no row breaks an inequality (Howard 1960),
//! with floating-point factors and residuals in whole numbers (iterative refinement; Wilkinson 1963). Else values
//! are iterated (Gauss-Seidel), first in floating-point numbers. What is found is always checked in whole numbers.

use super::elimination::{Factors, NoFactors, Rows};
use limits::{Clock, StopReason};
use std::ops::Range;

/// Who chooses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sense {
    /// The minimiser: the bounds are lower ones.
    Min,
    /// The maximiser: the bounds are upper ones.
    Max,
}

/// What a process is solved with.
#[derive(Clone, Copy, Debug)]
pub struct Means {
    /// Factors may have this many entries at most.
    pub max_entries: usize,
    /// Bounds may be this far from the value, in units.
    pub wanted: i128,
    /// Whether iteration is known to converge soon.
    pub converges: bool,
}

/// A process: each node has rows to choose from, each row outcomes, which lead to nodes or end.
///
/// Values are whole numbers of units: 1 is `1 << bits`.
pub struct Process {
    /// Who chooses.
    pub sense: Sense,
    /// The units of 1, as a power of 2.
    pub bits: u32,
    means: Means,
    first_row: Vec<u32>,
    first_outcome: Vec<u32>,
    targets: Vec<u32>,
    weights: Vec<u64>,
    totals: Vec<u64>,
    /// By row: the sum of weights times values of the outcomes that end.
    constants: Vec<i128>,
    /// By row: what the maker calls it.
    origins: Vec<u32>,
}

/// What a step costs, in units, at first.
const COST: i128 = 16;

/// What a step costs, as a part of 1, where floating-point numbers are good enough; and what is noise in them.
const COARSE: f64 = 16.0 * f64::EPSILON;
const NOISE: f64 = 4.0 * f64::EPSILON;

/// What it may cost at most where elimination is not accurate enough, as a power of 2 below 1.
const MAX_COST: u32 = 20;

/// How far values may be from a fixed point to be tried as bounds, in units: less than [`COST`].
const CLOSE: f64 = 4.0;

/// The factors of a system may have this many times the entries of the system and [`FEW_ENTRIES`], if iteration
/// converges as well.
const SPARSE: usize = 10;
const FEW_ENTRIES: usize = 20_000;

/// Systems of this size are eliminated, even if iteration converges.
pub const FEW_NODES: usize = 300;

/// The most entries of factors: some seconds of work.
const MOST_ENTRIES: usize = 4_000_000;

/// How many times values are iterated before larger factors are tried.
const MANY_SWEEPS: usize = 2_000;

/// No value on the way to the solution may be larger.
const MOST: i128 = 4;

/// Iterations between two looks at the clock, in outcomes.
const OUTCOMES_PER_LOOK: usize = 1 << 18;

impl Process {
    /// A process without nodes.
    pub fn new(sense: Sense, bits: u32, means: Means) -> Self {
        Process {
            sense,
            bits,
            means,
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

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.first_row.len() - 1
    }

    /// What the maker called a row.
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
    /// Gives what a step costs in them, in units.
    ///
    /// # Errors
    /// The limit that was reached; then `values` are not bounds.
    pub fn solve(
        &self,
        policy: &mut [u32],
        values: &mut [i128],
        clock: &Clock,
    ) -> Result<i128, StopReason> {
        if self.means.converges && self.nodes() > FEW_NODES {
            if let Some(cost) = self.iterate(policy, values, MANY_SWEEPS, clock)? {
                return Ok(cost);
            }
        }
        let most = self.means.max_entries.min(MOST_ENTRIES);
        let few = most.min(SPARSE * self.targets.len() + FEW_ENTRIES);
        for (max_entries, max_sweeps) in [(few, MANY_SWEEPS), (most, usize::MAX)] {
            let mut cost = COST;
            while cost < 1 << (self.bits - MAX_COST) {
                match self.improve(policy, values, cost, max_entries, clock) {
                    Ok(true) => return Ok(cost),
                    Ok(false) => cost *= 16,
                    Err(NoFactors::Stopped(reason)) => return Err(reason),
                    Err(_) => break,
                }
            }
            if let Some(cost) = self.iterate(policy, values, max_sweeps, clock)? {
                return Ok(cost);
            }
        }
        unreachable!("the last iteration ends only when it converges, or at a limit")
    }

    /// Improves a policy until its values are bounds. `false` if the factors are not accurate enough.
    fn improve(
        &self,
        policy: &mut [u32],
        values: &mut [i128],
        cost: i128,
        max_entries: usize,
        clock: &Clock,
    ) -> Result<bool, NoFactors> {
        let (mut vector, mut space) = (vec![0.0; self.nodes()], Vec::new());
        loop {
            let factors = Factors::new(&self.system(policy), max_entries, clock)?;
            let mut last = f64::INFINITY;
            loop {
                clock.look().map_err(NoFactors::Stopped)?;
                let mut largest = 0f64;
                for (node, &row) in policy.iter().enumerate() {
                    let row = row as usize;
                    let total = i128::from(self.totals[row]);
                    let rest = self.sum(row, values) + (self.signed(cost) - values[node]) * total;
                    vector[node] = rest as f64 / total as f64;
                    largest = largest.max(vector[node].abs());
                }
                if largest <= CLOSE {
                    break;
                }
                if largest.is_nan() || largest > last / 2.0 {
                    return Ok(false);
                }
                last = largest;
                factors.solve(&mut vector, &mut space);
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
    fn system(&self, policy: &[u32]) -> Rows<f64> {
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

    /// Bounds below 0 and above 1 prove no less as 0 and 1.
    fn clamp(&self, values: &mut [i128]) {
        let one = 1i128 << self.bits;
        values
            .iter_mut()
            .for_each(|value| *value = (*value).clamp(0, one));
    }

    /// Iterates values until they are bounds, and gives what a step costs in them; nothing if that takes more sweeps.
    fn iterate(
        &self,
        policy: &mut [u32],
        values: &mut [i128],
        max_sweeps: usize,
        clock: &Clock,
    ) -> Result<Option<i128>, StopReason> {
        let unit = (1i128 << self.bits) as f64;
        self.clamp(values);
        let mut near: Vec<f64> = values.iter().map(|&value| value as f64 / unit).collect();
        if !self.iterate_near(&mut near, 0.0, max_sweeps, clock)? {
            return Ok(None);
        }
        // A cost above the noise of floating-point numbers, if it does not matter.
        let before = near.clone();
        if self.iterate_near(&mut near, COARSE, max_sweeps, clock)? {
            let changes = near
                .iter()
                .zip(&before)
                .map(|(near, before)| (near - before).abs());
            if changes.fold(0.0, f64::max) * unit <= self.means.wanted as f64 {
                values
                    .iter_mut()
                    .zip(&near)
                    .for_each(|(value, near)| *value = (near * unit) as i128);
                if self.is_proved(values) {
                    for node in 0..self.nodes() {
                        self.best(node, policy, values);
                    }
                    self.clamp(values);
                    return Ok(Some((COARSE * unit) as i128));
                }
            }
        }
        values
            .iter_mut()
            .zip(&before)
            .for_each(|(value, near)| *value = (near * unit) as i128);
        let cost = self.signed(COST);
        for sweep in 1..=max_sweeps {
            if sweep.is_multiple_of(self.sweeps_per_look()) {
                clock.look()?;
            }
            let mut largest = 0;
            for node in 0..self.nodes() {
                let value = self.best(node, policy, values) + cost;
                largest = largest.max((value - values[node]).abs());
                values[node] = value;
            }
            if largest < COST && self.is_proved(values) {
                self.clamp(values);
                return Ok(Some(COST));
            }
        }
        Ok(None)
    }

    /// The cost of a step, with its sign.
    fn signed<T: std::ops::Neg<Output = T>>(&self, cost: T) -> T {
        match self.sense {
            Sense::Min => -cost,
            Sense::Max => cost,
        }
    }

    fn sweeps_per_look(&self) -> usize {
        OUTCOMES_PER_LOOK / self.targets.len().max(1) + 1
    }

    /// The mean of the best row of a node, which is noted.
    fn best(&self, node: usize, policy: &mut [u32], values: &[i128]) -> i128 {
        let mut best = None;
        for row in self.rows(node) {
            let mean = self.mean(row, values);
            if best.is_none_or(|best| self.prefers(mean, best)) {
                best = Some(mean);
                policy[node] = row as u32;
            }
        }
        best.expect("a node has a row")
    }

    /// Iterates approximate values until they hardly change; whether that is soon so.
    fn iterate_near(
        &self,
        near: &mut [f64],
        cost: f64,
        max_sweeps: usize,
        clock: &Clock,
    ) -> Result<bool, StopReason> {
        let unit = (1i128 << self.bits) as f64;
        let constants: Vec<f64> = self
            .constants
            .iter()
            .map(|&value| value as f64 / unit)
            .collect();
        let cost = self.signed(cost);
        let mut last = f64::INFINITY;
        for sweep in 1..=max_sweeps {
            if sweep.is_multiple_of(self.sweeps_per_look()) {
                clock.look()?;
            }
            let mut change = 0f64;
            for node in 0..near.len() {
                let value = self.best_near(node, near, &constants) + cost;
                change = change.max((value - near[node]).abs());
                near[node] = value;
            }
            // Floating-point numbers have 53 bits; sweeps that change no more are noise.
            if change < f64::EPSILON || (change < NOISE && change >= last) {
                return Ok(true);
            }
            last = change;
        }
        Ok(false)
    }

    /// The mean of the best row of a node, by approximate values.
    fn best_near(&self, node: usize, near: &[f64], constants: &[f64]) -> f64 {
        let mut best = None;
        for row in self.rows(node) {
            let sum = self
                .outcomes(row)
                .fold(constants[row], |sum, (target, weight)| {
                    sum + weight as f64 * near[target]
                });
            let mean = sum / self.totals[row] as f64;
            if best.is_none_or(|best| self.prefers(mean, best)) {
                best = Some(mean);
            }
        }
        best.expect("a node has a row")
    }

    /// Whether no row breaks an inequality.
    fn is_proved(&self, values: &[i128]) -> bool {
        (0..self.nodes()).all(|node| {
            self.rows(node).all(|row| {
                let total = i128::from(self.totals[row]);
                !self.prefers(self.sum(row, values), values[node] * total)
            })
        })
    }
}
