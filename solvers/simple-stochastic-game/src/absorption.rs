//! Absorption probabilities of a Markov chain: the ends of play, and the number of steps before, where no player has a choice any more.
//!
//! Let y be the expected number of visits to each state from which an end can be reached. It is the one solution of
//! y = e + P^T y, where e is 1 for the start, and P has the chances. An end is reached with the sum of the visits to
//! the states before it, each times the chance of that step. The sum of all visits is the mean number of steps,
//! if play cannot get stuck elsewhere. (Kemeny, Snell: *Finite Markov Chains*, 1960, chapter 3.)

use crate::arena::Arena;
use limits::{Limits, StopReason};
use linear_system::{Means, Pivots, System, Unsolved, solve};
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::{One, Zero};
use std::sync::atomic::AtomicU64;

/// Solutions are tried whose entries are up to this power of 2 times their denominators: a play that takes more steps on
/// the average is of no use.
const MAX_STEPS_BITS: u32 = 128;

/// Where and when play from the first state of a chain ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Absorption {
    /// By end: the probability that play ends there. The rest to 1 is the probability of play that never ends.
    pub ends: Vec<BigRational>,
    /// The mean number of steps; none if play can go on for ever with positive probability.
    pub steps: Option<BigRational>,
}

/// Follows the first reply to the first alternative of each state, from state 0.
///
/// # Errors
/// The limit that was reached; [`StopReason::Precision`] if the numbers get too long.
pub fn absorption(chain: &Arena, limits: &Limits) -> Result<Absorption, StopReason> {
    let states = chain.states();
    let reply = |state: usize| chain.replies(chain.alternatives(state).start).start;
    let mut is_met = vec![false; states];
    let mut met = vec![0];
    is_met[0] = true;
    let mut next = 0;
    while let Some(&state) = met.get(next) {
        next += 1;
        for (target, _) in chain.outcomes(reply(state)) {
            if target < states && !std::mem::replace(&mut is_met[target], true) {
                met.push(target);
            }
        }
    }
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); states + chain.ends()];
    for &state in &met {
        for (target, _) in chain.outcomes(reply(state)) {
            before[target].push(state);
        }
    }
    // The number of each state from which an end can be reached.
    let mut numbers: Vec<Option<u32>> = vec![None; states];
    let mut transient: Vec<usize> = Vec::new();
    let mut pending: Vec<usize> = (states..states + chain.ends()).collect();
    while let Some(target) = pending.pop() {
        for &state in &before[target] {
            if numbers[state].is_none() {
                numbers[state] = Some(transient.len() as u32);
                transient.push(state);
                pending.push(state);
            }
        }
    }
    limits.look()?;
    let total = |state: usize| chain.total(reply(state)) as i64;
    let mut system = System {
        rows: Vec::with_capacity(transient.len()),
        right: Vec::with_capacity(transient.len()),
        bound: BigUint::one() << MAX_STEPS_BITS,
        pivots: Pivots::Diagonal,
    };
    for (number, &state) in transient.iter().enumerate() {
        system.rows.push(vec![(number as u32, total(state))]);
        system.right.push(BigUint::from(u8::from(state == 0)));
    }
    for (number, &state) in transient.iter().enumerate() {
        for (target, weight) in chain.outcomes(reply(state)) {
            let Some(row) = numbers.get(target).copied().flatten() else {
                continue;
            };
            match row as usize == number {
                true => system.rows[number][0].1 -= weight as i64,
                false => system.rows[row as usize].push((number as u32, -(weight as i64))),
            }
        }
    }
    let means = Means {
        limits,
        work: &AtomicU64::new(u64::MAX),
        memory: limits.memory.unwrap_or(u64::MAX),
    };
    // Visits, divided by the weights of all outcomes.
    let (visits, denominator) = solve(&system, means).map_err(|why| match why {
        Unsolved::TooMuch => StopReason::Precision,
        Unsolved::Stopped(reason) => reason,
    })?;
    // No state is visited less than never.
    let visits: Vec<BigUint> = visits.into_iter().map(|it| it.into_parts().1).collect();
    let fraction =
        |number: BigUint| BigRational::new(BigInt::from(number), BigInt::from(denominator.clone()));
    let mut ends = vec![BigUint::zero(); chain.ends()];
    let mut steps = BigUint::zero();
    for (visits, &state) in visits.iter().zip(&transient) {
        steps += visits * chain.total(reply(state));
        for (target, weight) in chain.outcomes(reply(state)) {
            if let Some(end) = target.checked_sub(states) {
                ends[end] += visits * weight;
            }
        }
    }
    Ok(Absorption {
        ends: ends.into_iter().map(fraction).collect(),
        steps: (transient.len() == met.len()).then(|| fraction(steps)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, Target};

    fn chain(states: &[&[(Target, u64)]], ends: usize) -> Arena {
        let mut builder = Builder::default();
        for outcomes in states {
            builder.state();
            builder.alternative();
            builder.reply();
            for &(target, weight) in *outcomes {
                builder.outcome(target, weight);
            }
        }
        builder.finish(ends).expect("a graph")
    }

    fn fractions(texts: &[&str]) -> Vec<BigRational> {
        texts
            .iter()
            .map(|text| text.parse().expect("a fraction"))
            .collect()
    }

    #[test]
    fn throwing_until_a_six_takes_six_throws() {
        let throws: &[_] = &[(Target::End(0), 1), (Target::State(0), 5)];
        let found = absorption(&chain(&[throws], 1), &Limits::default());
        let (ends, steps) = (fractions(&["1"]), fractions(&["6"]).pop());
        assert_eq!(found, Ok(Absorption { ends, steps }));
    }

    /// The gambler's ruin with 2 of 5 coins and a fair coin: 3/5 to lose, 2 (5 - 2) = 6 steps.
    #[test]
    fn a_walk_between_two_walls() {
        let step = |left: Target, right: Target| [(left, 1), (right, 1)];
        let walk = [
            step(Target::State(1), Target::State(2)),
            step(Target::End(0), Target::State(0)),
            step(Target::State(0), Target::State(3)),
            step(Target::State(2), Target::End(1)),
        ];
        let rows: Vec<&[(Target, u64)]> = walk.iter().map(|row| &row[..]).collect();
        let found = absorption(&chain(&rows, 2), &Limits::default());
        let (ends, steps) = (fractions(&["3/5", "2/5"]), fractions(&["6"]).pop());
        assert_eq!(found, Ok(Absorption { ends, steps }));
    }

    #[test]
    fn play_that_can_get_stuck_takes_no_mean_number_of_steps() {
        let first: &[_] = &[(Target::End(0), 1), (Target::State(1), 2)];
        let stuck: &[_] = &[(Target::State(1), 1)];
        let found = absorption(&chain(&[first, stuck], 1), &Limits::default());
        let ends = fractions(&["1/3"]);
        assert_eq!(found, Ok(Absorption { ends, steps: None }));
    }
}
