//! Means in whole units, rounded to the side where bounds stay bounds.

use arena::Arena;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    Down,
    Up,
}

/// The mean of the values of the targets of a reply.
pub fn mean(arena: &Arena, reply: usize, values: &[i128], rounding: Rounding) -> i128 {
    if let &[target] = arena.targets(reply) {
        return values[target as usize];
    }
    let outcomes = arena.outcomes(reply);
    let sum: i128 = outcomes
        .map(|(target, weight)| i128::from(weight) * values[target])
        .sum();
    let total = i128::from(arena.total(reply));
    match rounding {
        Rounding::Down => sum.div_euclid(total),
        Rounding::Up => -(-sum).div_euclid(total),
    }
}
