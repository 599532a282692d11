//! Weight bodies `bound { l1 = w1; ...; ln = wn }` as networks of gates.
//!
//! Bodies that are conjunctions or disjunctions in disguise become those. Others become a decision
//! diagram read from its last literal: node `(i, r)` says that the literals from the i-th on reach
//! the sum `r`, which is `li & (i+1, r - wi)` or `(i+1, r)`. With unit weights this is the
//! sequential counter, and `bound * n` nodes are enough. With large and unlike weights there can
//! be too many different sums; then the weights are added up in binary and the result is
//! compared with the bound (as minisat+ does, Eén and Sörensson 2006).
//!
//! Either way every helper is a function of the literals.

use crate::gates::{Gates, Signal};

/// Literals that must reach a bound by their weights.
#[derive(Clone, Debug)]
pub(crate) struct WeightBody {
    /// Zero if the body holds always.
    bound: u64,
    /// From the heaviest to the lightest; no weight is zero or above the bound.
    weighted: Vec<(Signal, u64)>,
}

impl WeightBody {
    /// Drops weights without effect and settles known signals.
    pub(crate) fn new(bound: u64, weighted: impl IntoIterator<Item = (Signal, u64)>) -> Self {
        let mut left = bound;
        let mut rest = Vec::new();
        for (signal, weight) in weighted {
            match signal {
                Signal::True => left = left.saturating_sub(weight),
                Signal::Lit(_) if weight > 0 => rest.push((signal, weight)),
                _ => {}
            }
        }
        rest.iter_mut()
            .for_each(|(_, weight)| *weight = (*weight).min(left));
        rest.sort_by_key(|&(_, weight)| std::cmp::Reverse(weight));
        WeightBody {
            bound: left,
            weighted: rest,
        }
    }

    fn total(&self) -> u128 {
        self.weighted
            .iter()
            .map(|&(_, weight)| u128::from(weight))
            .sum()
    }

    fn signals(&self) -> impl Iterator<Item = Signal> {
        self.weighted.iter().map(|&(signal, _)| signal)
    }

    /// The literals, if each of them reaches the bound alone.
    pub(crate) fn disjuncts(&self) -> Option<impl Iterator<Item = Signal>> {
        let lightest = self.weighted.last().map(|&(_, weight)| weight);
        (self.bound > 0 && lightest == Some(self.bound)).then(|| self.signals())
    }

    /// The literal that says whether the bound is reached.
    pub(crate) fn signal(&self, gates: &mut Gates, diagram_limit: usize) -> Signal {
        let (bound, total) = (u128::from(self.bound), self.total());
        let Some(&(_, lightest)) = self.weighted.last() else {
            return if bound == 0 {
                Signal::True
            } else {
                Signal::False
            };
        };
        if bound == 0 {
            Signal::True
        } else if total < bound {
            Signal::False
        } else if total - u128::from(lightest) < bound {
            gates.and(self.signals())
        } else if lightest == self.bound {
            gates.or(self.signals())
        } else {
            match self.diagram_levels(diagram_limit) {
                Some(levels) => self.diagram(gates, &levels),
                None => self.adders(gates),
            }
        }
    }

    /// Forbids the sum to reach the bound. If no two literals may hold together and there are at
    /// most `pairwise_limit`, binary clauses say so: unit propagation then sees the group at once,
    /// and so does a solver that searches for groups of which exactly one holds.
    pub(crate) fn refute(&self, gates: &mut Gates, pairwise_limit: usize, diagram_limit: usize) {
        let light = self
            .weighted
            .iter()
            .rev()
            .take(2)
            .map(|&(_, weight)| u128::from(weight));
        let no_two = self.bound > 0 && light.sum::<u128>() >= u128::from(self.bound);
        if !no_two || self.weighted.len() > pairwise_limit {
            let reached = self.signal(gates, diagram_limit);
            gates.clause([!reached]);
            return;
        }
        let alone = self
            .weighted
            .partition_point(|&(_, weight)| weight == self.bound);
        for &(signal, _) in &self.weighted[..alone] {
            gates.clause([!signal]);
        }
        for (position, &(one, _)) in self.weighted.iter().enumerate().skip(alone) {
            for &(other, _) in &self.weighted[position + 1..] {
                gates.clause([!one, !other]);
            }
        }
    }

    /// For each position the sums that are still asked of the literals from there on, ascending;
    /// sums that are surely reached or out of reach are left out. `None` if they are too many.
    fn diagram_levels(&self, limit: usize) -> Option<Vec<Vec<u64>>> {
        let mut rest = self.total();
        let mut levels = vec![vec![self.bound]];
        let mut nodes = 1;
        for &(_, weight) in &self.weighted {
            rest -= u128::from(weight);
            let level = levels.last().expect("there is a first level");
            let mut next: Vec<u64> = level
                .iter()
                .flat_map(|&sum| [sum, sum.saturating_sub(weight)])
                .filter(|&sum| sum > 0 && u128::from(sum) <= rest)
                .collect();
            next.sort_unstable();
            next.dedup();
            nodes += next.len();
            if nodes > limit {
                return None;
            }
            levels.push(next);
        }
        Some(levels)
    }

    fn diagram(&self, gates: &mut Gates, levels: &[Vec<u64>]) -> Signal {
        let mut below: Vec<Signal> = Vec::new();
        for (position, &(signal, weight)) in self.weighted.iter().enumerate().rev() {
            let node = |sum: u64| {
                if sum == 0 {
                    return Signal::True;
                }
                levels[position + 1]
                    .binary_search(&sum)
                    .map_or(Signal::False, |index| below[index])
            };
            let level = levels[position].iter();
            let current = level
                .map(|&sum| {
                    let with = node(sum.saturating_sub(weight));
                    let with = gates.and([signal, with]);
                    gates.or([with, node(sum)])
                })
                .collect();
            below = current;
        }
        below[0]
    }

    fn adders(&self, gates: &mut Gates) -> Signal {
        // columns[b] holds signals that count 2^b each.
        let mut columns: Vec<Vec<Signal>> = Vec::new();
        for &(signal, weight) in &self.weighted {
            for bit in (0..64).filter(|bit| weight >> bit & 1 == 1) {
                columns.resize(columns.len().max(bit + 1), Vec::new());
                columns[bit].push(signal);
            }
        }
        let mut sum = Vec::new();
        let mut bit = 0;
        while bit < columns.len() {
            let mut column = std::mem::take(&mut columns[bit]);
            // First in, first out keeps the network shallow.
            let mut first = 0;
            while column.len() - first > 1 {
                let (a, b) = (column[first], column[first + 1]);
                let c = column.get(first + 2).copied().unwrap_or(Signal::False);
                first = (first + 3).min(column.len());
                let (digit, carry) = add(gates, a, b, c);
                column.push(digit);
                if columns.len() == bit + 1 {
                    columns.push(Vec::new());
                }
                columns[bit + 1].push(carry);
            }
            sum.push(column.get(first).copied().unwrap_or(Signal::False));
            bit += 1;
        }
        at_least(gates, &sum, self.bound)
    }
}

fn xor(gates: &mut Gates, a: Signal, b: Signal) -> Signal {
    let only_a = gates.and([a, !b]);
    let only_b = gates.and([!a, b]);
    gates.or([only_a, only_b])
}

/// The lower and the upper binary digit of `a + b + c`.
fn add(gates: &mut Gates, a: Signal, b: Signal, c: Signal) -> (Signal, Signal) {
    let differ = xor(gates, a, b);
    let digit = xor(gates, differ, c);
    let both = gates.and([a, b]);
    let one_and_carry = gates.and([differ, c]);
    (digit, gates.or([both, one_and_carry]))
}

/// Whether the number with these binary digits, lowest first, is at least the bound.
fn at_least(gates: &mut Gates, digits: &[Signal], bound: u64) -> Signal {
    let mut reached = Signal::True;
    for bit in 0..digits.len().max(64) {
        let digit = digits.get(bit).copied().unwrap_or(Signal::False);
        let needed = bit < 64 && bound >> bit & 1 == 1;
        reached = if needed {
            gates.and([digit, reached])
        } else {
            gates.or([digit, reached])
        };
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;
    use formula::{Lit, Var};

    /// Whether the body, given as weights of distinct variables, holds for these values.
    fn evaluate(gates: &Gates, signal: Signal, values: &[bool]) -> bool {
        let mut values = values.to_vec();
        for helper in &gates.helpers {
            let inputs = &gates.inputs[helper.inputs_start..helper.inputs_end];
            let value = inputs
                .iter()
                .all(|lit: &Lit| lit.holds(values[lit.var().index()]));
            values.push(value);
        }
        match signal {
            Signal::False => false,
            Signal::True => true,
            Signal::Lit(lit) => lit.holds(values[lit.var().index()]),
        }
    }

    #[test]
    fn diagrams_and_adders_are_sums() {
        for (seed, mut random) in generators::seeds(0, 200) {
            let heaviest = [1, 2, 9, 1 << 40][random.usize(..4)];
            let weights: Vec<u64> = (0..random.usize(..9))
                .map(|_| random.u64(0..=heaviest))
                .collect();
            let bound = random.u64(0..=weights.iter().sum::<u64>() + 1);
            for diagram_limit in [0, usize::MAX] {
                let mut gates = Gates::new(weights.len());
                let weighted = weights.iter().enumerate();
                let weighted = weighted.map(|(index, &w)| (Var::new(index).positive().into(), w));
                let signal = WeightBody::new(bound, weighted).signal(&mut gates, diagram_limit);
                for set in 0..1usize << weights.len() {
                    let values: Vec<bool> = (0..weights.len())
                        .map(|index| set >> index & 1 == 1)
                        .collect();
                    let held = weights.iter().zip(&values).filter(|(_, value)| **value);
                    let expected = held.map(|(weight, _)| weight).sum::<u64>() >= bound;
                    let found = evaluate(&gates, signal, &values);
                    assert_eq!(
                        found, expected,
                        "seed {seed}, {weights:?} reach {bound}? {set:b}"
                    );
                }
            }
        }
    }

    #[test]
    fn wide_and_heavy_bodies_stay_small() {
        let body = |bound, weight: fn(usize) -> u64, count| {
            let mut gates = Gates::new(count);
            let signals =
                (0..count).map(|index| (Var::new(index).positive().into(), weight(index)));
            WeightBody::new(bound, signals).signal(&mut gates, 20_000);
            gates.helpers.len()
        };
        assert_eq!(body(1, |_| 1, 1000), 1);
        assert_eq!(body(1000, |_| 1, 1000), 1);
        assert!(body(2, |_| 1, 1000) < 4000);
        assert!(body(500, |_| 1, 1000) < 20_000);
        assert!(body(1 << 50, |index| 0x9e37_79b9_7f4a * (index as u64 + 1), 1000) < 800_000);
        assert_eq!(body(u64::MAX, |_| u64::MAX, 3), 1);
    }
}
