//! The simplex method on whole numbers, for the linear program of a matrix game.
//!
//! With entries that are all positive the column side looks for `y >= 0` with the largest sum such that no row gets more than 1.
//! Then 1 divided by the sum is the value, `y` divided by the sum the column side's mixture, and the dual solution the
//! row side's. `y = 0` is where the method begins, so there is no first phase.
//!
//! The tableau is condensed: a column for each variable outside of the basis, a row for each one inside. Its numbers are
//! those of the usual tableau times the determinant of the basis, `scale`, so they are whole, and stay minors of the
//! matrix: each division in a pivot step is exact (Edmonds 1967).
//!
//! The entering variable is that of the largest coefficient, and after many steps the first one (Bland 1977), with
//! which the method cannot cycle.

use num_bigint::{BigInt, ToBigInt};
use num_traits::{One, Signed, ToPrimitive, Zero};

/// A mixture of both sides: parts of a whole, and the value.
pub struct Mixtures {
    /// The parts of each row.
    pub rows: Vec<BigInt>,
    /// The parts of each column.
    pub columns: Vec<BigInt>,
    /// The sum of the parts, on both sides.
    pub whole: BigInt,
    /// The value times the whole.
    pub value: BigInt,
}

/// A number of the tableau.
trait Number: Clone + Ord + Signed + ToBigInt {
    /// The number, if it fits.
    fn of(number: &BigInt) -> Option<Self>;
    /// `(a * b - c * d) / divisor` of the factors `a`, `b`, `c`, `d`, which is whole; none if it does not fit.
    fn cross(factors: [&Self; 4], divisor: &Self) -> Option<Self>;
    /// Compares `a * b` with `c * d`, of these factors; none if they do not fit.
    fn compare(factors: [&Self; 4]) -> Option<std::cmp::Ordering>;
}

impl Number for i64 {
    fn of(number: &BigInt) -> Option<Self> {
        // The least number of all has no negative.
        number.to_i64().filter(|number| *number != i64::MIN)
    }
    fn cross([a, b, c, d]: [&Self; 4], divisor: &Self) -> Option<Self> {
        let product = |x: i64, y: i64| i128::from(x) * i128::from(y);
        let difference = product(*a, *b) - product(*c, *d);
        let quotient = match i64::try_from(difference) {
            Ok(small) => small / divisor,
            Err(_) => i64::try_from(difference / i128::from(*divisor)).ok()?,
        };
        Some(quotient).filter(|number| *number != i64::MIN)
    }
    fn compare([a, b, c, d]: [&Self; 4]) -> Option<std::cmp::Ordering> {
        let product = |x: i64, y: i64| i128::from(x) * i128::from(y);
        Some(product(*a, *b).cmp(&product(*c, *d)))
    }
}

impl Number for i128 {
    fn of(number: &BigInt) -> Option<Self> {
        number.to_i128().filter(|number| *number != i128::MIN)
    }
    fn cross([a, b, c, d]: [&Self; 4], divisor: &Self) -> Option<Self> {
        let difference = a.checked_mul(*b)?.checked_sub(c.checked_mul(*d)?)?;
        Some(difference / divisor).filter(|number| *number != i128::MIN)
    }
    fn compare([a, b, c, d]: [&Self; 4]) -> Option<std::cmp::Ordering> {
        Some(a.checked_mul(*b)?.cmp(&c.checked_mul(*d)?))
    }
}

impl Number for BigInt {
    fn of(number: &BigInt) -> Option<Self> {
        Some(number.clone())
    }
    fn cross([a, b, c, d]: [&Self; 4], divisor: &Self) -> Option<Self> {
        Some((a * b - c * d) / divisor)
    }
    fn compare([a, b, c, d]: [&Self; 4]) -> Option<std::cmp::Ordering> {
        Some((a * b).cmp(&(c * d)))
    }
}

fn big<N: Number>(number: &N) -> BigInt {
    number.to_bigint().expect("it is whole")
}

/// Solves a matrix of positive entries, in the narrowest numbers that suffice.
pub fn mixtures(columns: usize, entries: &[BigInt]) -> Mixtures {
    solve_in::<i64>(columns, entries)
        .or_else(|| solve_in::<i128>(columns, entries))
        .or_else(|| solve_in::<BigInt>(columns, entries))
        .expect("numbers without a bound suffice")
}

fn solve_in<N: Number>(columns: usize, entries: &[BigInt]) -> Option<Mixtures> {
    let mut tableau: Tableau<N> = Tableau::new(columns, entries)?;
    let patience = 4 * (tableau.inside.len() + tableau.outside.len());
    for step in 0.. {
        let Some(column) = tableau.entering(step > patience) else {
            break;
        };
        let row = tableau.leaving(column)?;
        tableau.pivot(row, column)?;
    }
    Some(tableau.solution())
}

struct Tableau<N> {
    /// Row by row, the right side last; the objective is the last row.
    numbers: Vec<N>,
    /// The positive factor of all numbers.
    scale: N,
    /// The variables of the rows and of the columns: the columns of the matrix, then a slack variable for each of its rows.
    inside: Vec<usize>,
    outside: Vec<usize>,
}

impl<N: Number> Tableau<N> {
    fn new(columns: usize, entries: &[BigInt]) -> Option<Self> {
        let rows = entries.len() / columns;
        let one = N::of(&BigInt::one())?;
        let mut numbers = Vec::with_capacity((rows + 1) * (columns + 1));
        for row in entries.chunks(columns) {
            for entry in row {
                numbers.push(N::of(entry)?);
            }
            numbers.push(one.clone());
        }
        numbers.extend(std::iter::repeat_n(-one.clone(), columns));
        numbers.push(N::of(&BigInt::zero())?);
        Some(Tableau {
            numbers,
            scale: one,
            inside: (columns..columns + rows).collect(),
            outside: (0..columns).collect(),
        })
    }

    fn number(&self, row: usize, column: usize) -> &N {
        &self.numbers[row * (self.outside.len() + 1) + column]
    }

    /// The column of a variable that makes the sum larger; by its number alone if cycles are to be avoided.
    fn entering(&self, by_number: bool) -> Option<usize> {
        let objective = self.inside.len();
        let better =
            (0..self.outside.len()).filter(|&column| self.number(objective, column).is_negative());
        match by_number {
            true => better.min_by_key(|&column| self.outside[column]),
            false => better.min_by_key(|&column| self.number(objective, column)),
        }
    }

    /// The row whose variable is 0 first when that of a column grows; of several that of the smallest number. None if that takes larger
    /// numbers.
    fn leaving(&self, column: usize) -> Option<usize> {
        let right = self.outside.len();
        let mut first: Option<usize> = None;
        for row in (0..self.inside.len()).filter(|&row| self.number(row, column).is_positive()) {
            let Some(best) = first else {
                first = Some(row);
                continue;
            };
            let ratios = [
                self.number(row, right),
                self.number(best, column),
                self.number(best, right),
                self.number(row, column),
            ];
            let order = N::compare(ratios)?.then(self.inside[row].cmp(&self.inside[best]));
            if order.is_lt() {
                first = Some(row);
            }
        }
        Some(first.expect("entries are positive, so no column can grow without end"))
    }

    /// Exchanges the variable of a row with that of a column. None if that takes larger numbers.
    fn pivot(&mut self, row: usize, column: usize) -> Option<()> {
        let width = self.outside.len() + 1;
        let pivot = self.number(row, column).clone();
        let pivot_row = self.numbers[row * width..(row + 1) * width].to_vec();
        for (index, numbers) in self.numbers.chunks_mut(width).enumerate() {
            if index == row {
                continue;
            }
            let factor = numbers[column].clone();
            for (index, number) in numbers.iter_mut().enumerate() {
                if index != column {
                    *number = N::cross([number, &pivot, &factor, &pivot_row[index]], &self.scale)?;
                }
            }
            numbers[column] = -factor;
        }
        self.numbers[row * width + column] = std::mem::replace(&mut self.scale, pivot);
        std::mem::swap(&mut self.inside[row], &mut self.outside[column]);
        Some(())
    }

    fn solution(&self) -> Mixtures {
        let (rows, columns) = (self.inside.len(), self.outside.len());
        let mut parts = vec![BigInt::zero(); rows + columns];
        for (row, &variable) in self.inside.iter().enumerate() {
            if variable < columns {
                parts[variable] = big(self.number(row, columns));
            }
        }
        for (column, &variable) in self.outside.iter().enumerate() {
            if variable >= columns {
                parts[variable] = big(self.number(rows, column));
            }
        }
        Mixtures {
            rows: parts.split_off(columns),
            columns: parts,
            whole: big(self.number(rows, columns)),
            value: big(&self.scale),
        }
    }
}
