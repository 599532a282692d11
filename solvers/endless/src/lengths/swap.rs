//! The same game with the sides swapped: the quick side owns the alternatives.
//!
//! A state where the slow side chose an alternative becomes a state with one alternative, whose replies lead to one new state for each old
//! alternative. There the quick side chooses among the old replies. New states do not count.

use super::Lengths;
use arena::{Arena, Builder, Target};

/// The game with the sides swapped, and the states that count: the old states first, then one for each alternative.
pub fn swapped(arena: &Arena, counts: &[bool]) -> (Arena, Vec<bool>) {
    let states = arena.states();
    let mut builder = Builder::default();
    for state in 0..states {
        builder.state();
        builder.alternative();
        for alternative in arena.alternatives(state) {
            builder.reply();
            builder.outcome(Target::State((states + alternative) as u32), 1);
        }
    }
    for alternative in 0..arena.alternative_count() {
        builder.state();
        for reply in arena.replies(alternative) {
            builder.alternative();
            builder.reply();
            for (target, weight) in arena.outcomes(reply) {
                let target = match target.checked_sub(states) {
                    None => Target::State(target as u32),
                    Some(end) => Target::End(end as u32),
                };
                builder.outcome(target, weight);
            }
        }
    }
    let swapped = builder.finish(arena.ends());
    let mut counts = counts.to_vec();
    counts.resize(states + arena.alternative_count(), false);
    (swapped.expect("it has the parts of an arena"), counts)
}

/// The lengths and choices of the swapped game, in the numbers of the game.
pub fn back(arena: &Arena, swapped: &Arena, mut found: Lengths) -> Lengths {
    let states = arena.states();
    let alternatives = (0..states).map(|state| {
        let replies = swapped.replies(swapped.alternatives(state).start);
        let chosen = found.replies[swapped.alternatives(state).start] as usize - replies.start;
        (arena.alternatives(state).start + chosen) as u32
    });
    let replies = (0..arena.alternative_count()).map(|alternative| {
        let all = swapped.alternatives(states + alternative);
        let chosen = found.alternatives[states + alternative] as usize - all.start;
        (arena.replies(alternative).start + chosen) as u32
    });
    let (alternatives, replies) = (alternatives.collect(), replies.collect());
    found.lengths.truncate(states);
    found.endless.truncate(states);
    Lengths {
        alternatives,
        replies,
        ..found
    }
}
