//! A small satisfiability check, to find gates of any shape (exclusive or, if-then-else, tables).
//!
//! Take the clauses in which g is the only unknown variable, and drop g from them: P from those
//! with g, N from those with not g. Under an assignment of the rest, g can be false only if all of
//! P holds and true only if all of N holds. If P and N cannot hold together, g has at most one
//! possible value: g is the conjunction of N wherever there is a solution at all, equally well the
//! negation of the conjunction of P. One side becomes the definition, the other stays as checks.

use formula::Lit;
use rustc_hash::FxHashMap;

/// Whether no assignment makes all these clauses true. The search gives up, and says `false`,
/// after this many nodes; it counts down those that it visits.
pub fn contradictory(clauses: &[Vec<Lit>], nodes: &mut u32) -> bool {
    let mut values = FxHashMap::default();
    refute(clauses, &mut values, nodes)
}

/// Whether the clauses are contradictory under these values; recursion is at most as deep as nodes are left.
fn refute(clauses: &[Vec<Lit>], values: &mut FxHashMap<usize, bool>, nodes: &mut u32) -> bool {
    if *nodes == 0 {
        return false;
    }
    *nodes -= 1;
    let mut fixed = Vec::new();
    let refuted = match propagate(clauses, values, &mut fixed) {
        Err(Conflict) => true,
        Ok(None) => false,
        Ok(Some(branch)) => [true, false].into_iter().all(|value| {
            values.insert(branch.var().index(), branch.holds(value));
            let refuted = refute(clauses, values, nodes);
            values.remove(&branch.var().index());
            refuted
        }),
    };
    for variable in fixed {
        values.remove(&variable);
    }
    refuted
}

struct Conflict;

/// Propagates units; gives a literal of a shortest open clause, if there is one.
fn propagate(
    clauses: &[Vec<Lit>],
    values: &mut FxHashMap<usize, bool>,
    fixed: &mut Vec<usize>,
) -> Result<Option<Lit>, Conflict> {
    loop {
        let mut shortest: Option<(usize, Lit)> = None;
        let mut changed = false;
        for clause in clauses {
            let value = |literal: &Lit| {
                let value = values.get(&literal.var().index());
                value.map(|&value| literal.holds(value))
            };
            if clause.iter().any(|literal| value(literal) == Some(true)) {
                continue;
            }
            let mut open = clause.iter().filter(|literal| value(literal).is_none());
            let Some(&first) = open.next() else {
                return Err(Conflict);
            };
            let length = 1 + open.count();
            if length == 1 {
                values.insert(first.var().index(), !first.is_negative());
                fixed.push(first.var().index());
                changed = true;
            } else if shortest.is_none_or(|(best, _)| length < best) {
                shortest = Some((length, first));
            }
        }
        if !changed {
            return Ok(shortest.map(|(_, literal)| literal));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(clauses: &[&[i32]], expected: bool) {
        let clauses: Vec<Vec<Lit>> = clauses
            .iter()
            .map(|clause| {
                clause
                    .iter()
                    .map(|&l| Lit::from_dimacs(l).unwrap())
                    .collect()
            })
            .collect();
        assert_eq!(contradictory(&clauses, &mut 100), expected, "{clauses:?}");
    }

    #[test]
    fn small_cases() {
        check(&[], false);
        check(&[&[]], true);
        check(&[&[1], &[-1]], true);
        check(&[&[1, 2], &[-1, 2], &[1, -2]], false);
        check(&[&[1, 2], &[-1, 2], &[1, -2], &[-1, -2]], true);
        // The two sides of "g equals (1 xor 2)".
        check(&[&[1, -2], &[-1, 2], &[1, 2], &[-1, -2]], true);
        check(&[&[1, 2, 3], &[-1, 2, 3], &[1, -2, 3], &[-1, -2, 3]], false);
    }
}
