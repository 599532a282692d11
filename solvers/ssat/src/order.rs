//! Run-length encoding of components: the order of variables and clauses in their lists, and the keys of the cache, which are made by it.
//!
//! A key says which variables are open and which clauses are shortened, as runs of neighbours in the order. Blocks of the prefix stay
//! one after the other. Within a block that a tree decomposition cuts well, the variables of a branch of the tree stand together, so that a
//! component is a run or a few. Other blocks are as the formula has them.

use super::leb128::write_length;
use super::residual::Residual;
use formula::Lit;

/// An order of all variables and of all clauses.
#[derive(Clone, Debug)]
pub struct Order {
    /// The first byte of keys: those of different orders mean different things.
    number: u8,
    pub variables: Vec<u32>,
    pub clauses: Vec<u32>,
    /// Where a variable and a clause stand.
    variable_ranks: Vec<u32>,
    clause_ranks: Vec<u32>,
}

impl Order {
    /// That of the formula.
    pub fn given(variables: usize, clauses: usize) -> Self {
        let [variables, clauses] = [variables, clauses].map(|count| (0..count as u32).collect());
        Order {
            number: 0,
            variable_ranks: Vec::clone(&variables),
            clause_ranks: Vec::clone(&clauses),
            variables,
            clauses,
        }
    }

    /// One in which variables stand like this, and clauses by their last variable.
    pub fn new<'a>(
        number: u8,
        variables: Vec<u32>,
        clauses: impl Iterator<Item = &'a [Lit]>,
    ) -> Self {
        let variable_ranks = ranks(&variables);
        let rank = |literal: &Lit| variable_ranks[literal.var().index()];
        let last: Vec<u32> = clauses
            .map(|clause| clause.iter().map(rank).max().unwrap_or(0))
            .collect();
        let mut clauses: Vec<u32> = (0..last.len() as u32).collect();
        clauses.sort_by_key(|&clause| last[clause as usize]);
        Order {
            number,
            clause_ranks: ranks(&clauses),
            variables,
            variable_ranks,
            clauses,
        }
    }

    /// Writes the exact key of a component: its variables and its shortened clauses. They stand in this order.
    pub fn write_key(
        &self,
        key: &mut Vec<u8>,
        residual: &Residual,
        variables: &[u32],
        clauses: &[u32],
    ) {
        key.clear();
        key.push(self.number);
        let variables = variables.iter();
        push_runs(key, variables.map(|&one| self.variable_ranks[one as usize]));
        key.push(0);
        let clauses = clauses.iter().filter(|&&one| residual.is_shortened(one));
        push_runs(key, clauses.map(|&one| self.clause_ranks[one as usize]));
    }
}

/// The place of each number in a list of all.
fn ranks(list: &[u32]) -> Vec<u32> {
    let mut ranks = vec![0; list.len()];
    for (rank, &one) in list.iter().enumerate() {
        ranks[one as usize] = rank as u32;
    }
    ranks
}

/// Adds runs of growing numbers to a key: how many are left out before each, and how many it has.
fn push_runs(key: &mut Vec<u8>, numbers: impl Iterator<Item = u32>) {
    let (mut end, mut skipped, mut length) = (0, 0, 0);
    for number in numbers {
        if number != end {
            if length > 0 {
                push(key, skipped, length);
            }
            (skipped, length) = (number - end, 0);
        }
        length += 1;
        end = number + 1;
    }
    if length > 0 {
        push(key, skipped, length);
    }
}

/// Adds a run to a key: four bits for each number, and more bytes for large ones. The byte is not 0, since a run is not empty.
#[inline]
fn push(key: &mut Vec<u8>, skipped: u32, length: u32) {
    key.push((skipped.min(15) << 4 | length.min(15)) as u8);
    for number in [skipped, length] {
        if number >= 15 {
            write_length(key, number as usize - 15);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Different sets have different keys, also those that a part of the bytes does not tell apart.
    #[test]
    fn keys_are_exact() {
        let mut seen: BTreeMap<Vec<u8>, (Vec<u32>, Vec<u32>)> = BTreeMap::new();
        for (seed, mut random) in generators::seeds(21_000_000, 20_000) {
            let mut set = || {
                let (mut number, mut set) = (0, Vec::new());
                for _ in 0..random.usize(0..4) {
                    number += random.choice([0, 1, 14, 15, 16, 200]).expect("not empty");
                    let length = random.choice([1, 2, 14, 15, 16, 300]).expect("not empty");
                    set.extend(number..number + length);
                    number += length;
                }
                set
            };
            let sets = (set(), set());
            let mut key = Vec::new();
            push_runs(&mut key, sets.0.iter().copied());
            key.push(0);
            push_runs(&mut key, sets.1.iter().copied());
            let other = seen.entry(key).or_insert_with(|| sets.clone());
            assert_eq!(*other, sets, "seed {seed}");
        }
        assert!(seen.len() > 5000, "only {}", seen.len());
    }

    #[test]
    fn neighbours_make_short_keys() {
        let mut key = Vec::new();
        push_runs(&mut key, (3..10).chain(12..14));
        assert_eq!(key, [0x37, 0x22]);
    }
}
