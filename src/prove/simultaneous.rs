//! Simultaneous induction: all candidates at once, weakened until what is left is inductive.
//!
//! Properties may hold only together: each is used in the proof of the other. To try all subsets
//! would be hopeless, but there is no need to. Start with all instances of all candidates that hold
//! in the initial state, and ask for a step from a state in which all of them hold to one in
//! which some do not; drop these, and ask again. When there is no such step, the rest holds in the
//! initial state and passes from each state to the next: it is proved. It is also the largest
//! set with that property (two inductive sets together are inductive), so nothing is lost by
//! dropping in any order. (This is how C. Flanagan and K. R. M. Leino's Houdini finds annotations of
//! programs, FME 2001; papers/003 leaves it open, in section 6.)
//!
//! Instances are dropped one by one: a board that has one odd cell still gives what is known of the
//! others. With k steps instead of one the same search finds what follows from k states in a row, if
//! nothing violates it within k-1 steps from the start.

use super::condition::Condition;
use super::prover::MAX_QUESTIONS;
use super::steps::{Found, Literal, Play, Steps, Stop};
use rustc_hash::FxHashMap;

/// Instances of candidates, each once, and which are still in.
#[derive(Default)]
pub(super) struct Pool {
    pub(super) conditions: Vec<Condition>,
    pub(super) alive: Vec<bool>,
    numbers: FxHashMap<Condition, usize>,
}

impl Pool {
    /// The number of an instance.
    pub(super) fn add(&mut self, condition: &Condition) -> usize {
        if let Some(&number) = self.numbers.get(condition) {
            return number;
        }
        let number = self.conditions.len();
        self.conditions.push(condition.clone());
        self.alive.push(true);
        self.numbers.insert(condition.clone(), number);
        number
    }
}

/// Drops instances until those left pass from `last` states in a row to the next one. The play has
/// `last` steps from any state.
pub(super) fn weaken(steps: &mut dyn Steps, last: usize, pool: &mut Pool) -> Result<(), Stop> {
    let mut before: Vec<Vec<Literal>> = Vec::new();
    let mut after: Vec<Option<Literal>> = Vec::new();
    for (condition, &alive) in pool.conditions.iter().zip(&pool.alive) {
        let mut literals = Vec::new();
        let mut next = None;
        if alive {
            for time in 0..last {
                literals.push(steps.literal(condition, time)?);
            }
            next = Some(steps.literal(condition, last)?);
        }
        before.push(literals);
        after.push(next);
    }
    // A few instances at a time: that a certain cell is wrong leaves little to choose, that some cell is
    // wrong leaves everything. Once something is dropped, what was shown before must be shown again.
    let parts: Vec<usize> = (0..pool.alive.len()).collect();
    let parts: Vec<&[usize]> = parts
        .chunks(parts.len().div_ceil(MAX_QUESTIONS).max(1))
        .collect();
    let mut shown = 0;
    for part in parts.iter().cycle() {
        if shown == parts.len() {
            break;
        }
        let mut dropped = false;
        while drop_some(steps, part, &before, &after, pool)? {
            dropped = true;
        }
        shown = if dropped { 1 } else { shown + 1 };
    }
    Ok(())
}

/// Searches for a step that violates one of these instances, and drops what it violates. False if there is
/// none.
fn drop_some(
    steps: &mut dyn Steps,
    part: &[usize],
    before: &[Vec<Literal>],
    after: &[Option<Literal>],
    pool: &mut Pool,
) -> Result<bool, Stop> {
    let goal = steps.free_literal();
    let left = part.iter().filter(|&&number| pool.alive[number]);
    let mut clause: Vec<Literal> = left
        .filter_map(|&number| after[number].map(|literal| !literal))
        .collect();
    if clause.is_empty() {
        return Ok(false);
    }
    clause.push(!goal);
    steps.require(&clause);
    let alive = (0..pool.alive.len()).filter(|&number| pool.alive[number]);
    let mut assumptions: Vec<Literal> = alive.flat_map(|n| before[n].iter().copied()).collect();
    assumptions.push(goal);
    let found = steps.find(&assumptions);
    if found == Found::Play {
        for (alive, after) in pool.alive.iter_mut().zip(after) {
            *alive &= after.is_none_or(|literal| steps.holds(literal));
        }
    }
    steps.require(&[!goal]);
    match found {
        Found::Play => Ok(true),
        Found::None => Ok(false),
        Found::Stopped(stop) => Err(stop),
    }
}

/// Drops the instances that are violated in the last state of plays of so many steps from the start, and
/// tells the plays: each with the instances that it violates.
pub(super) fn drop_violated(
    steps: &mut dyn Steps,
    last: usize,
    pool: &mut Pool,
) -> Result<Vec<(Play, Vec<usize>)>, Stop> {
    let mut found = Vec::new();
    let mut literals = Vec::new();
    for (number, condition) in pool.conditions.iter().enumerate() {
        if pool.alive[number] {
            literals.push((number, steps.literal(condition, last)?));
        }
    }
    loop {
        let goal = steps.free_literal();
        let alive = literals.iter().filter(|(number, _)| pool.alive[*number]);
        let clause: Vec<Literal> = std::iter::once(!goal)
            .chain(alive.map(|(_, literal)| !*literal))
            .collect();
        if clause.len() == 1 {
            return Ok(found);
        }
        steps.require(&clause);
        match steps.find(&[goal]) {
            Found::None => return Ok(found),
            Found::Stopped(stop) => return Err(stop),
            Found::Play => {
                let mut violated = Vec::new();
                for &(number, literal) in &literals {
                    if pool.alive[number] && !steps.holds(literal) {
                        pool.alive[number] = false;
                        violated.push(number);
                    }
                }
                found.push((steps.play(), violated));
            }
        }
        steps.require(&[!goal]);
    }
}
