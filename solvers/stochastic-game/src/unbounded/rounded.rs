//! Means and steps in whole units, rounded to the side where bounds stay bounds.

use super::arena::{Arena, NONE};

/// How means are rounded.
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

/// The value of a state by those of its targets; the best alternative, and the best reply to each alternative.
pub fn step(
    arena: &Arena,
    state: usize,
    values: &[i128],
    rounding: Rounding,
) -> (i128, u32, Vec<u32>) {
    let mut best = (i128::MIN, NONE);
    let mut replies = Vec::new();
    for alternative in arena.alternatives(state) {
        let mut least = (i128::MAX, NONE);
        for reply in arena.replies(alternative) {
            let mean = mean(arena, reply, values, rounding);
            if mean < least.0 {
                least = (mean, reply as u32);
            }
        }
        replies.push(least.1);
        if least.0 > best.0 {
            best = (least.0, alternative as u32);
        }
    }
    (best.0, best.1, replies)
}
