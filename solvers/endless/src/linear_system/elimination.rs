//! Sparse linear systems by elimination, over floating-point numbers or modulo a prime.
//!
//! The matrix is the identity minus the moves of a chain. Its diagonal can be eliminated in any order without
//! loss of accuracy (it is an M-matrix), so the order is free to keep the factors sparse. Components come in an order in which most states
//! stand behind those that they lead to, and where few lead back, factors are sparse in that order. Else the node with the
//! fewest neighbours comes first (minimum degree; Rose 1972). Then rows are eliminated one after the
//! other with the rows above them (Gustavson 1978), and all right-hand sides are solved with the factors.

use limits::Limits;
use limits::StopReason;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Numbers that can be divided.
pub trait Field: Copy + PartialEq {
    const ZERO: Self;

    /// `self - a * b`.
    #[must_use]
    fn minus_product(self, a: Self, b: Self) -> Self;

    #[must_use]
    fn times(self, other: Self) -> Self;

    /// 1 divided by this, if it is not 0.
    fn inverse(self) -> Option<Self>;
}

impl Field for f64 {
    const ZERO: f64 = 0.0;

    #[inline]
    fn minus_product(self, a: f64, b: f64) -> f64 {
        self - a * b
    }

    #[inline]
    fn times(self, other: f64) -> f64 {
        self * other
    }

    fn inverse(self) -> Option<f64> {
        (self != 0.0).then(|| 1.0 / self)
    }
}

/// The prime 2^61 - 1.
pub const PRIME: u64 = (1 << 61) - 1;

/// A number modulo [`PRIME`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Residue(pub u64);

impl Residue {
    pub fn new(number: i128) -> Self {
        Residue(number.rem_euclid(i128::from(PRIME)) as u64)
    }
}

impl Field for Residue {
    const ZERO: Residue = Residue(0);

    #[inline]
    fn minus_product(self, a: Residue, b: Residue) -> Residue {
        let product = a.times(b).0;
        Residue(match self.0 >= product {
            true => self.0 - product,
            false => self.0 + PRIME - product,
        })
    }

    #[inline]
    fn times(self, other: Residue) -> Residue {
        // 2^61 is 1.
        let product = u128::from(self.0) * u128::from(other.0);
        let sum = (product as u64 & PRIME) + (product >> 61) as u64;
        Residue(if sum >= PRIME { sum - PRIME } else { sum })
    }

    fn inverse(self) -> Option<Residue> {
        // Fermat: the power with exponent PRIME - 2.
        let (mut result, mut power, mut exponent) = (Residue(1), self, PRIME - 2);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result.times(power);
            }
            power = power.times(power);
            exponent >>= 1;
        }
        (self.0 != 0).then_some(result)
    }
}

/// Rows of a square matrix: columns and entries. The diagonal is there.
pub type SparseRows<F> = Vec<Vec<(u32, F)>>;

/// The reason why a matrix has no factors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoFactors {
    /// They would have more entries than allowed.
    TooLarge,
    /// An entry that has to be divided by is 0.
    Singular,
    Stopped(StopReason),
}

/// The factors of a matrix.
pub struct Factors<F> {
    /// The order of elimination: rows of the matrix, and their columns.
    rows: Vec<u32>,
    columns: Vec<u32>,
    /// By place in that order: what is subtracted from it of the places before, and the places behind.
    first_lower: Vec<usize>,
    lower: Vec<(u32, F)>,
    first_upper: Vec<usize>,
    upper: Vec<(u32, F)>,
    /// One divided by the diagonal.
    inverses: Vec<F>,
}

/// Rows eliminated between two checks of the limits.
pub const ROWS_PER_CHECK: usize = 32;

/// The order of the rows is taken as it is, if factors have at most this many times the entries of the matrix then.
const SPARSE: usize = 2;

/// The search for an order takes at most this many steps for each entry that is allowed.
const WORK_PER_ENTRY: usize = 32;

impl<F: Field> Factors<F> {
    /// Of a matrix; not more than this many entries.
    pub fn new(
        matrix: &SparseRows<F>,
        max_entries: usize,
        limits: &Limits,
    ) -> Result<Self, NoFactors> {
        let as_it_is = (0..matrix.len() as u32).collect();
        let few = SPARSE * matrix.iter().map(Vec::len).sum::<usize>();
        match Factors::in_order(matrix, as_it_is, few.min(max_entries), limits) {
            Err(NoFactors::TooLarge) => {}
            found => return found,
        }
        let order = minimum_degree(matrix, max_entries, limits)?;
        Factors::in_order(matrix, order, max_entries, limits)
    }

    /// Of a matrix whose rows are eliminated in this order.
    fn in_order(
        matrix: &SparseRows<F>,
        order: Vec<u32>,
        max_entries: usize,
        limits: &Limits,
    ) -> Result<Self, NoFactors> {
        let size = matrix.len();
        let mut place_of = vec![0u32; size];
        for (index, &row) in order.iter().enumerate() {
            place_of[row as usize] = index as u32;
        }
        let mut factors = Factors {
            columns: order.clone(),
            rows: order,
            first_lower: vec![0],
            lower: Vec::new(),
            first_upper: vec![0],
            upper: Vec::new(),
            inverses: Vec::with_capacity(size),
        };
        // The row at hand, spread out, and its places: those before, in order, and those behind.
        let mut row: Vec<F> = vec![F::ZERO; size];
        let mut is_there = vec![false; size];
        let (mut before, mut behind) = (BinaryHeap::new(), Vec::new());
        for index in 0..size {
            if index.is_multiple_of(ROWS_PER_CHECK) {
                limits.check().map_err(NoFactors::Stopped)?;
            }
            let mut note =
                |column: u32, before: &mut BinaryHeap<Reverse<u32>>, behind: &mut Vec<u32>| {
                    if !std::mem::replace(&mut is_there[column as usize], true) {
                        match (column as usize) < index {
                            true => before.push(Reverse(column)),
                            false => behind.push(column),
                        }
                    }
                };
            note(index as u32, &mut before, &mut behind);
            for &(column, entry) in &matrix[factors.rows[index] as usize] {
                let column = place_of[column as usize];
                note(column, &mut before, &mut behind);
                row[column as usize] = entry;
            }
            while let Some(Reverse(column)) = before.pop() {
                let above = column as usize;
                let factor = row[above].times(factors.inverses[above]);
                row[above] = F::ZERO;
                factors.lower.push((column, factor));
                let range = factors.first_upper[above]..factors.first_upper[above + 1];
                for &(column, entry) in &factors.upper[range] {
                    note(column, &mut before, &mut behind);
                    let there = &mut row[column as usize];
                    *there = there.minus_product(factor, entry);
                }
            }
            let start = factors.first_lower[index];
            for &(column, _) in &factors.lower[start..] {
                is_there[column as usize] = false;
            }
            let diagonal = row[index].inverse().ok_or(NoFactors::Singular)?;
            factors.inverses.push(diagonal);
            for column in behind.drain(..) {
                is_there[column as usize] = false;
                let entry = std::mem::replace(&mut row[column as usize], F::ZERO);
                if column as usize != index {
                    factors.upper.push((column, entry));
                }
            }
            factors.first_lower.push(factors.lower.len());
            factors.first_upper.push(factors.upper.len());
            if factors.entries() > max_entries {
                return Err(NoFactors::TooLarge);
            }
        }
        Ok(factors)
    }

    /// Of pivots in the order of elimination: their rows and columns, one divided by each, by row the multiples that were subtracted
    /// from it, by index, and for each pivot the rest of its row, by column.
    pub(crate) fn from_pivots(
        rows: Vec<u32>,
        columns: Vec<u32>,
        inverses: Vec<F>,
        mut lower: Vec<Vec<(u32, F)>>,
        upper: Vec<Vec<(u32, F)>>,
    ) -> Self {
        let mut index_of = vec![0u32; columns.len()];
        for (index, &column) in columns.iter().enumerate() {
            index_of[column as usize] = index as u32;
        }
        let mut factors = Factors {
            rows,
            columns,
            first_lower: vec![0],
            lower: Vec::new(),
            first_upper: vec![0],
            upper: Vec::new(),
            inverses,
        };
        for (&row, across) in factors.rows.iter().zip(upper) {
            factors.lower.append(&mut lower[row as usize]);
            factors.first_lower.push(factors.lower.len());
            let across = across.into_iter();
            let across = across.map(|(column, entry)| (index_of[column as usize], entry));
            factors.upper.extend(across);
            factors.first_upper.push(factors.upper.len());
        }
        factors
    }

    pub fn entries(&self) -> usize {
        self.lower.len() + self.upper.len()
    }

    /// Solves the system for a right-hand side, in its place. `space` is working memory.
    pub fn solve(&self, vector: &mut [F], space: &mut Vec<F>) {
        space.clear();
        space.extend(self.rows.iter().map(|&row| vector[row as usize]));
        for index in 0..space.len() {
            let mut sum = space[index];
            for &(column, factor) in
                &self.lower[self.first_lower[index]..self.first_lower[index + 1]]
            {
                sum = sum.minus_product(factor, space[column as usize]);
            }
            space[index] = sum;
        }
        for index in (0..space.len()).rev() {
            let mut sum = space[index];
            for &(column, entry) in
                &self.upper[self.first_upper[index]..self.first_upper[index + 1]]
            {
                sum = sum.minus_product(entry, space[column as usize]);
            }
            space[index] = sum.times(self.inverses[index]);
        }
        for (&column, &value) in self.columns.iter().zip(space.iter()) {
            vector[column as usize] = value;
        }
    }
}

/// An order of elimination: always a node with the fewest neighbours, which then become neighbours of each other.
fn minimum_degree<F>(
    matrix: &SparseRows<F>,
    max_entries: usize,
    limits: &Limits,
) -> Result<Vec<u32>, NoFactors> {
    let size = matrix.len();
    let mut neighbours: Vec<Vec<u32>> = vec![Vec::new(); size];
    for (row, entries) in matrix.iter().enumerate() {
        for &(column, _) in entries {
            if column as usize != row {
                neighbours[row].push(column);
                neighbours[column as usize].push(row as u32);
            }
        }
    }
    let mut queue = BinaryHeap::with_capacity(2 * size);
    for (node, list) in neighbours.iter_mut().enumerate() {
        list.sort_unstable();
        list.dedup();
        queue.push(Reverse((list.len() as u32, node as u32)));
    }
    let mut is_gone = vec![false; size];
    let (mut order, mut entries, mut work) = (Vec::with_capacity(size), 0, 0);
    let mut merged = Vec::new();
    while let Some(Reverse((degree, node))) = queue.pop() {
        // Nodes are queued again when their degree changes; older entries no longer count.
        if is_gone[node as usize] || neighbours[node as usize].len() != degree as usize {
            continue;
        }
        if order.len() + degree as usize + 1 == size {
            // All that are left are neighbours of each other.
            order.extend((0..size as u32).filter(|&node| !is_gone[node as usize]));
            return Ok(order);
        }
        is_gone[node as usize] = true;
        order.push(node);
        if order.len().is_multiple_of(ROWS_PER_CHECK) {
            limits.check().map_err(NoFactors::Stopped)?;
        }
        let clique = std::mem::take(&mut neighbours[node as usize]);
        entries += 2 * clique.len();
        work += clique.len() * clique.len();
        // The last nodes of a clique have as many entries as it has pairs.
        let is_too_large = entries.max(clique.len() * clique.len()) > max_entries;
        if is_too_large || work / WORK_PER_ENTRY > max_entries {
            return Err(NoFactors::TooLarge);
        }
        for &other in &clique {
            let list = &mut neighbours[other as usize];
            merged.clear();
            union(
                list,
                &clique,
                |found| found != node && found != other,
                &mut merged,
            );
            std::mem::swap(list, &mut merged);
            queue.push(Reverse((list.len() as u32, other)));
        }
    }
    Ok(order)
}

/// The union of two sorted lists without unwanted entries, in order.
fn union(first: &[u32], second: &[u32], is_wanted: impl Fn(u32) -> bool, to: &mut Vec<u32>) {
    let (mut a, mut b) = (0, 0);
    while a < first.len() || b < second.len() {
        let (left, right) = (first.get(a), second.get(b));
        let next = *match (left, right) {
            (Some(left), Some(right)) => left.min(right),
            (left, right) => left.or(right).expect("one is left"),
        };
        a += usize::from(left == Some(&next));
        b += usize::from(right == Some(&next));
        if is_wanted(next) {
            to.push(next);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use generators::seeds;

    #[test]
    fn residues_are_a_field() {
        for (seed, mut random) in seeds(0, 200) {
            let (a, b) = (random.u64(..PRIME), random.u64(1..PRIME));
            let expected = u128::from(a) * u128::from(b) % u128::from(PRIME);
            assert_eq!(
                u128::from(Residue(a).times(Residue(b)).0),
                expected,
                "seed {seed}"
            );
            let inverse = Residue(b).inverse().expect("not 0");
            assert_eq!(Residue(b).times(inverse), Residue(1), "seed {seed}");
            let difference = Residue(a).minus_product(Residue(b), inverse);
            assert_eq!(difference, Residue::new(i128::from(a) - 1), "seed {seed}");
        }
        assert_eq!(Residue(0).inverse(), None);
    }

    /// Whether there are factors; then a random solution is found by its right-hand side.
    pub fn is_solved(
        matrix: &SparseRows<Residue>,
        factors: Result<Factors<Residue>, NoFactors>,
        random: &mut fastrand::Rng,
    ) -> Result<(), NoFactors> {
        let factors = factors?;
        let wanted: Vec<Residue> = matrix
            .iter()
            .map(|_| Residue(random.u64(..PRIME)))
            .collect();
        let product = |row: &Vec<(u32, Residue)>| {
            let negative = row.iter().fold(Residue(0), |sum, &(column, entry)| {
                sum.minus_product(entry, wanted[column as usize])
            });
            Residue(0).minus_product(negative, Residue(1))
        };
        let mut vector: Vec<Residue> = matrix.iter().map(product).collect();
        factors.solve(&mut vector, &mut Vec::new());
        assert_eq!(vector, wanted, "{matrix:?}");
        Ok(())
    }

    #[test]
    fn factors_solve_random_systems() {
        for (seed, mut random) in seeds(0, 300) {
            let size = random.usize(1..30);
            let matrix: SparseRows<Residue> = (0..size)
                .map(|row| {
                    let some = (0..size).filter(|&column| column == row || random.u32(..5) == 0);
                    let columns: Vec<usize> = some.collect();
                    let entry = |column| (column as u32, Residue(random.u64(1..PRIME)));
                    columns.into_iter().map(entry).collect()
                })
                .collect();
            let factors = Factors::new(&matrix, usize::MAX, &Limits::default());
            assert_eq!(
                is_solved(&matrix, factors, &mut random),
                Ok(()),
                "seed {seed}"
            );
        }
    }

    #[test]
    fn limits_are_obeyed() {
        let matrix: SparseRows<f64> = (0..50)
            .map(|row| {
                (0..50)
                    .map(|column| (column, f64::from(u8::from(row == column))))
                    .collect()
            })
            .collect();
        let none = Factors::new(&matrix, 100, &Limits::default());
        assert_eq!(none.err(), Some(NoFactors::TooLarge));
        let limits = Limits::default();
        limits.interrupt.raise();
        let none = Factors::new(&matrix, usize::MAX, &limits);
        assert_eq!(
            none.err(),
            Some(NoFactors::Stopped(StopReason::Interrupted))
        );
    }
}
