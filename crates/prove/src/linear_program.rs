//! Small linear programs by the simplex method with a sparse dictionary (Dantzig 1963; Chvátal, *Linear Programming*, chapter 2), in
//! floating-point numbers.
//!
//! ```text
//! minimize c w    where A w >= 1, w >= 0, and c >= 0
//! ```
//!
//! The dual, `maximize the sum of y where A^T y <= c, y >= 0`, begins with the feasible `y = 0`, so there is one phase. The weights
//! are the coefficients of its slacks in the last objective. Most `c` are 0 here, so that the dual is degenerate: each `c` is a little
//! larger, by a different amount, and no basis comes twice.

/// The entries of a row or a column that are not 0: index and number, by ascending index.
pub(super) type Entries = Vec<(u32, f64)>;

/// Smaller numbers are taken for 0.
const TOLERANCE: f64 = 1e-9;

/// The largest part of 1 that is added to a `c`.
const PERTURBATION: f64 = 1e-6;

/// The most entries that pivots may touch: some seconds.
const MAX_WORK: usize = 300_000_000;

/// The dictionary of the dual: a row for each basic variable, a column for each other one.
struct Dictionary {
    rows: Vec<Entries>,
    constants: Vec<f64>,
    objective: Vec<f64>,
    /// For each column the index of its slack; none for a variable `y`.
    slacks: Vec<Option<usize>>,
    /// For each row the same.
    basis: Vec<Option<usize>>,
    work: usize,
}

/// The best weights for these costs and constraints, each a row of `A`; none if there are no weights, or they take too much work. Rounding
/// may make them wrong.
pub(super) fn weights(costs: &[f64], constraints: &[Entries]) -> Option<Vec<f64>> {
    let mut rows = vec![Entries::new(); costs.len()];
    for (column, constraint) in (0..).zip(constraints) {
        for &(variable, factor) in constraint {
            rows[variable as usize].push((column, factor));
        }
    }
    let count = costs.len() as f64;
    let perturbed = (1..).zip(costs);
    let perturbed = perturbed.map(|(index, cost)| cost + PERTURBATION * f64::from(index) / count);
    let mut dictionary = Dictionary {
        constants: perturbed.collect(),
        objective: vec![-1.0; constraints.len()],
        slacks: vec![None; constraints.len()],
        basis: (0..rows.len()).map(Some).collect(),
        rows,
        work: 0,
    };
    while let Some(column) = dictionary.entering() {
        let row = dictionary.leaving(column)?;
        dictionary.pivot(row, column);
        if dictionary.work > MAX_WORK {
            return None;
        }
    }
    let mut weights = vec![0.0; costs.len()];
    for (slack, &weight) in dictionary.slacks.iter().zip(&dictionary.objective) {
        if let Some(variable) = slack {
            weights[*variable] = weight;
        }
    }
    Some(weights)
}

impl Dictionary {
    /// The column that raises the objective most; none if it is the largest.
    fn entering(&self) -> Option<usize> {
        let columns = 0..self.objective.len();
        let best =
            columns.min_by(|&one, &other| self.objective[one].total_cmp(&self.objective[other]));
        best.filter(|&column| self.objective[column] < -TOLERANCE)
    }

    /// The row that bounds the variable of a column first; none if it has no bound.
    fn leaving(&mut self, column: usize) -> Option<usize> {
        self.work += self.rows.len();
        let bounds = self.rows.iter().enumerate().filter_map(|(row, entries)| {
            let factor = entry(entries, column);
            (factor > TOLERANCE).then(|| (row, self.constants[row] / factor))
        });
        let first = bounds.min_by(|(_, one), (_, other)| one.total_cmp(other));
        first.map(|(row, _)| row)
    }

    /// Exchanges the variables of a row and a column.
    fn pivot(&mut self, row: usize, column: usize) {
        let mut pivots = std::mem::take(&mut self.rows[row]);
        let pivot = entry(&pivots, column);
        for (index, factor) in &mut pivots {
            *factor = if *index as usize == column {
                1.0
            } else {
                *factor
            } / pivot;
        }
        self.constants[row] /= pivot;
        let constant = self.constants[row];
        for (other, entries) in self.rows.iter_mut().enumerate() {
            let Ok(index) = entries.binary_search_by_key(&(column as u32), |&(index, _)| index)
            else {
                continue;
            };
            let (_, factor) = entries.remove(index);
            *entries = difference(entries, factor, &pivots);
            self.work += entries.len() + pivots.len();
            self.constants[other] -= factor * constant;
        }
        let factor = std::mem::take(&mut self.objective[column]);
        for &(index, number) in &pivots {
            self.objective[index as usize] -= factor * number;
        }
        self.rows[row] = pivots;
        std::mem::swap(&mut self.basis[row], &mut self.slacks[column]);
    }
}

fn entry(entries: &Entries, index: usize) -> f64 {
    let found = entries.binary_search_by_key(&(index as u32), |&(index, _)| index);
    found.map_or(0.0, |found| entries[found].1)
}

/// `one - factor * other`, without entries that vanish.
fn difference(one: &Entries, factor: f64, other: &Entries) -> Entries {
    let mut result = Entries::with_capacity(one.len() + other.len());
    let (mut left, mut right) = (one.iter().peekable(), other.iter().peekable());
    loop {
        let next = [left.peek(), right.peek()].map(|entry| entry.map(|&&(index, _)| index));
        let Some(index) = next.into_iter().flatten().min() else {
            return result;
        };
        let here = left.next_if(|entry| entry.0 == index);
        let there = right.next_if(|entry| entry.0 == index);
        let number =
            here.map_or(0.0, |entry| entry.1) - factor * there.map_or(0.0, |entry| entry.1);
        if number.abs() > TOLERANCE {
            result.push((index, number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least cost of feasible weights on a grid.
    fn least_on_grid(costs: &[f64], constraints: &[Entries], most: u32) -> Option<f64> {
        let mut best: Option<f64> = None;
        for mut code in 0..(2 * most + 1).pow(costs.len() as u32) {
            let weights: Vec<f64> = costs
                .iter()
                .map(|_| {
                    let digit = code % (2 * most + 1);
                    code /= 2 * most + 1;
                    f64::from(digit) / 2.0
                })
                .collect();
            let sum = |row: &Entries| -> f64 {
                let terms = row
                    .iter()
                    .map(|&(index, factor)| factor * weights[index as usize]);
                terms.sum()
            };
            if constraints.iter().all(|row| sum(row) >= 1.0) {
                let cost = costs
                    .iter()
                    .zip(&weights)
                    .map(|(cost, weight)| cost * weight)
                    .sum();
                best = Some(best.map_or(cost, |best| best.min(cost)));
            }
        }
        best
    }

    #[test]
    fn weights_are_feasible_and_no_grid_point_is_better() {
        let mut random = fastrand::Rng::with_seed(7);
        let (mut feasible, mut infeasible) = (0, 0);
        for _ in 0..300 {
            let costs: Vec<f64> = (0..3).map(|_| f64::from(random.u8(0..2))).collect();
            let constraints: Vec<Entries> = (0..random.usize(1..5))
                .map(|_| {
                    let entries = (0..3).map(|index| (index, f64::from(random.i8(-1..=1))));
                    entries.filter(|entry| entry.1 != 0.0).collect()
                })
                .collect();
            let best = least_on_grid(&costs, &constraints, 4);
            let Some(found) = weights(&costs, &constraints) else {
                assert_eq!(best, None, "{costs:?} {constraints:?}");
                infeasible += 1;
                continue;
            };
            feasible += 1;
            for row in &constraints {
                let terms = row
                    .iter()
                    .map(|&(index, factor)| factor * found[index as usize]);
                assert!(terms.sum::<f64>() > 1.0 - 1e-6, "{found:?} {constraints:?}");
            }
            let cost: f64 = costs
                .iter()
                .zip(&found)
                .map(|(cost, weight)| cost * weight)
                .sum();
            if let Some(best) = best {
                assert!(cost < best + 1e-4, "{cost} {best} {constraints:?}");
            }
        }
        assert!(feasible > 50 && infeasible > 50, "{feasible} {infeasible}");
    }
}
