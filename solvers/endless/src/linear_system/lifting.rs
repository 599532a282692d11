//! Exact solutions of sparse linear systems with whole numbers: p-adic lifting and rational reconstruction.
//!
//! Modulo a prime p the system is solved once by elimination. Then one digit of the solution in base p after
//! the other follows from the same factors: if x is the solution modulo p, then b - A x is divisible by p, and the
//! quotient is the right-hand side for the next digit (Dixon: *Exact solution of linear equations using p-adic
//! expansions*, 1982). The numbers at hand stay small all the time.
//!
//! The solution modulo a power of p belongs to only one fraction with a small numerator and denominator. Euclid's
//! algorithm finds it (Wang: *A p-adic algorithm for univariate partial fractions*, 1981). It is tried
//! with growing powers, so short solutions cost little, and what is found is put into the system: nothing is reported that does not
//! solve it exactly.

use crate::linear_system::elimination::{Factors, NoFactors, PRIME, Residue};
use limits::{Limits, StopReason};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Zero};
use std::sync::atomic::{AtomicU64, Ordering};

/// A system A x = b.
pub struct System {
    /// The rows of A. The magnitudes in a row sum up to 2^63 at most.
    pub rows: Vec<Vec<(u32, i64)>>,
    /// The right-hand side: not negative.
    pub right: Vec<BigUint>,
    /// No entry of the solution has a larger magnitude, or a longer fraction is searched for.
    pub bound: BigUint,
    /// The pivots of elimination.
    pub pivots: Pivots,
}

/// The entries that elimination divides by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pivots {
    /// The diagonal, in any order: that of a Markov chain.
    Diagonal,
    /// Any entries.
    Any,
}

/// The reason why there is no solution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unsolved {
    /// It would take more work or memory than allowed, or the matrix is singular modulo the prime.
    TooMuch,
    Stopped(StopReason),
}

impl From<NoFactors> for Unsolved {
    fn from(why: NoFactors) -> Self {
        match why {
            NoFactors::Stopped(reason) => Unsolved::Stopped(reason),
            NoFactors::TooLarge | NoFactors::Singular => Unsolved::TooMuch,
        }
    }
}

/// The time, work and memory that may be used.
#[derive(Clone, Copy)]
pub struct Resources<'a> {
    pub limits: &'a Limits,
    /// Operations with machine words that are left for exact values, by all threads.
    pub work: &'a AtomicU64,
    /// Memory for digits and factors, in bytes.
    pub memory: u64,
}

impl Resources<'_> {
    /// Takes some of the work that is left.
    pub fn spend(&self, work: u64) -> Result<(), Unsolved> {
        self.limits.check().map_err(Unsolved::Stopped)?;
        let left = |left: u64| left.checked_sub(work);
        let taken = self
            .work
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
        taken.map(|_| ()).map_err(|_| Unsolved::TooMuch)
    }
}

/// The bytes of an entry of the factors.
const ENTRY: u64 = 16;

/// The solution: numerators, and their common denominator, without a common divisor.
pub fn solve(
    system: &System,
    resources: Resources<'_>,
) -> Result<(Vec<BigInt>, BigUint), Unsolved> {
    let size = system.rows.len();
    let entry = |&(column, entry): &(u32, i64)| (column, Residue::new(entry.into()));
    let rows = system.rows.iter();
    let matrix = rows.map(|row| row.iter().map(entry).collect()).collect();
    // Elimination takes at most about the power 3/2 of the number of entries.
    let affordable = (resources.work.load(Ordering::Relaxed) as f64).powf(2.0 / 3.0) as u64;
    let max_entries = affordable.min(resources.memory / 2 / ENTRY) as usize;
    let factors = match system.pivots {
        Pivots::Diagonal => Factors::new(&matrix, max_entries, resources.limits),
        Pivots::Any => Factors::with_pivots(matrix, max_entries, resources.limits),
    }?;
    let step =
        (factors.entries() + system.rows.iter().map(Vec::len).sum::<usize>() + 8 * size) as u64;
    let right: Vec<Vec<u64>> = system.right.iter().map(digits).collect();
    let mut rest = vec![0i128; size];
    let mut solution: Vec<Vec<u64>> = vec![Vec::new(); size];
    let (mut vector, mut space) = (Vec::with_capacity(size), Vec::new());
    // Numerators are longer than denominators by the length of the bound.
    let (mut count, mut wanted) = (0, 2 + system.bound.bits() / 61);
    loop {
        while count < wanted {
            if (8 * size as u64) * (count + 1) > resources.memory / 2 {
                return Err(Unsolved::TooMuch);
            }
            resources.spend(step)?;
            for (rest, right) in rest.iter_mut().zip(&right) {
                *rest += i128::from(right.get(count as usize).copied().unwrap_or(0));
            }
            vector.clear();
            vector.extend(rest.iter().map(|&rest| Residue::new(rest)));
            factors.solve(&mut vector, &mut space);
            for (row, rest) in system.rows.iter().zip(&mut rest) {
                for &(column, entry) in row {
                    *rest -= i128::from(entry) * i128::from(vector[column as usize].0);
                }
                *rest /= i128::from(PRIME);
            }
            solution
                .iter_mut()
                .zip(&vector)
                .for_each(|(digits, digit)| digits.push(digit.0));
            count += 1;
        }
        resources.spend(size as u64 * count * count / 4)?;
        if let Some(found) = reconstruct(system, &solution, resources)? {
            return Ok(found);
        }
        wanted = (count + 1).max(count * 3 / 2);
    }
}

/// The digits of a number in base [`PRIME`], the last one first.
fn digits(number: &BigUint) -> Vec<u64> {
    let (mut rest, mut digits) = (number.clone(), Vec::new());
    while !rest.is_zero() {
        let (quotient, digit) = rest.div_rem(&BigUint::from(PRIME));
        digits.push(digit.iter_u64_digits().next().unwrap_or(0));
        rest = quotient;
    }
    digits
}

/// The number with these digits: halves of like length are put together.
fn number(digits: &[u64]) -> BigUint {
    let mut parts: Vec<BigUint> = digits.iter().map(|&digit| BigUint::from(digit)).collect();
    let mut base = BigUint::from(PRIME);
    while parts.len() > 1 {
        let join = |pair: &[BigUint]| match pair {
            [low, high] => low + high * &base,
            rest => rest[0].clone(),
        };
        parts = parts.chunks(2).map(join).collect();
        base = &base * &base;
    }
    parts.pop().unwrap_or_default()
}

/// The solution that these digits begin, if there are enough of them.
fn reconstruct(
    system: &System,
    solution: &[Vec<u64>],
    resources: Resources<'_>,
) -> Result<Option<(Vec<BigInt>, BigUint)>, Unsolved> {
    let Some(count) = solution.first().map(|digits| digits.len() as u32) else {
        return Ok(Some((Vec::new(), BigUint::one())));
    };
    let modulus = BigUint::from(PRIME).pow(count);
    let mut denominator = BigUint::one();
    let mut numerators: Vec<BigInt> = Vec::with_capacity(solution.len());
    for digits in solution {
        resources.limits.check().map_err(Unsolved::Stopped)?;
        let residue = number(digits) * &denominator % &modulus;
        let largest = &system.bound * &denominator;
        if residue <= largest {
            numerators.push(residue.into());
        } else if &residue + &largest >= modulus {
            numerators.push(BigInt::from(residue) - BigInt::from(modulus.clone()));
        } else {
            let Some((over, under)) = fraction(&residue, &modulus, largest.bits()) else {
                return Ok(None);
            };
            let factor = BigInt::from(under);
            numerators
                .iter_mut()
                .for_each(|numerator| *numerator *= &factor);
            denominator *= factor.magnitude();
            numerators.push(over);
        }
    }
    let mut common = denominator.clone();
    for numerator in &numerators {
        if common.is_one() {
            break;
        }
        common = common.gcd(numerator.magnitude());
    }
    if !common.is_one() {
        denominator /= &common;
        let common = BigInt::from(common);
        numerators
            .iter_mut()
            .for_each(|numerator| *numerator /= &common);
    }
    for (row, right) in system.rows.iter().zip(&system.right) {
        let entries = row.iter();
        let left: BigInt = entries
            .map(|&(column, entry)| &numerators[column as usize] * entry)
            .sum();
        if left != BigInt::from(right * &denominator) {
            return Ok(None);
        }
    }
    Ok(Some((numerators, denominator)))
}

/// The fraction with this residue whose numerator is at most about half as long as the modulus and `bits` together:
/// nothing if there is none with room to spare.
fn fraction(residue: &BigUint, modulus: &BigUint, bits: u64) -> Option<(BigInt, BigUint)> {
    /// Numerator and denominator together are shorter than the modulus by this number of bits; else they came up by
    /// chance.
    const SPARE: u64 = 24;
    let longest = (modulus.bits() + bits) / 2;
    let mut last = (BigInt::from(modulus.clone()), BigInt::zero());
    let mut next = (BigInt::from(residue.clone()), BigInt::one());
    while next.0.bits() > longest {
        let (quotient, rest) = last.0.div_rem(&next.0);
        let factor = &last.1 - quotient * &next.1;
        last = std::mem::replace(&mut next, (rest, factor));
    }
    let (numerator, denominator) = next;
    let is_short = numerator.bits() + denominator.bits() + SPARE < modulus.bits();
    let (sign, denominator) = denominator.into_parts();
    is_short.then(|| {
        (
            BigInt::from_biguint(sign, BigUint::one()) * numerator,
            denominator,
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use generators::seeds;

    #[test]
    fn solutions_of_random_systems_are_found() {
        let (limits, work) = (Limits::default(), AtomicU64::new(u64::MAX));
        let resources = Resources {
            limits: &limits,
            work: &work,
            memory: 1 << 30,
        };
        for (seed, mut random) in seeds(0, 200) {
            let size = random.usize(1..20);
            let most = [3, 100, 1 << 40][random.usize(..3)];
            // Diagonally dominant, so regular. With negative entries beside the diagonal the solution is not negative.
            let signs = random.bool();
            let mut rows = Vec::new();
            for row in 0..size {
                let some = (0..size).filter(|&column| column != row && random.u32(..4) == 0);
                let columns: Vec<usize> = some.collect();
                let entry = |column| {
                    let entry = random.i64(1..most);
                    (
                        column as u32,
                        if signs && random.bool() {
                            entry
                        } else {
                            -entry
                        },
                    )
                };
                let mut entries: Vec<(u32, i64)> = columns.into_iter().map(entry).collect();
                let sum: i64 = entries.iter().map(|(_, entry)| entry.abs()).sum();
                entries.push((row as u32, sum + random.i64(1..most)));
                rows.push(entries);
            }
            let bits = [1, 20, 500][random.usize(..3)];
            let right: Vec<BigUint> = (0..size)
                .map(|_| {
                    BigUint::from(random.u64(..)) >> (64 - bits.min(64)) << (bits - bits.min(64))
                })
                .collect();
            let bound = right.iter().sum::<BigUint>() * BigUint::from(size);
            let mut pivots = Pivots::Diagonal;
            if random.bool() {
                // Rows in any order.
                for index in 1..size {
                    rows.swap(index, random.usize(..=index));
                }
                pivots = Pivots::Any;
            }
            let system = System {
                rows,
                right,
                bound,
                pivots,
            };
            let (numerators, denominator) = solve(&system, resources).expect("no limits");
            for (row, right) in system.rows.iter().zip(&system.right) {
                let left: BigInt = row
                    .iter()
                    .map(|&(column, entry)| &numerators[column as usize] * entry)
                    .sum();
                assert_eq!(left, BigInt::from(right * &denominator), "seed {seed}");
            }
        }
    }

    #[test]
    fn limits_are_obeyed() {
        let system = System {
            rows: vec![vec![(0, 3)]],
            right: vec![BigUint::one()],
            bound: BigUint::one(),
            pivots: Pivots::Diagonal,
        };
        let (limits, work) = (Limits::default(), AtomicU64::new(3));
        let resources = Resources {
            limits: &limits,
            work: &work,
            memory: 1 << 20,
        };
        assert_eq!(solve(&system, resources), Err(Unsolved::TooMuch));
        limits.interrupt.raise();
        let stopped = Err(Unsolved::Stopped(StopReason::Interrupted));
        assert_eq!(solve(&system, resources), stopped);
    }
}
