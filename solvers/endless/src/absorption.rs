//! Absorption probabilities of a Markov chain: the ends of play, and the number of steps before, where no player has a choice any more.
//!
//! Let y be the expected number of visits to each state from which an end can be reached. It is the one solution of
//! y = e + P^T y, where e is 1 for the start, and P has the chances. An end is reached with the sum of the visits to
//! the states before it, each times the chance of that step. The sum of all visits is the mean number of steps,
//! if play cannot get stuck elsewhere. (Kemeny, Snell: *Finite Markov Chains*, 1960, chapter 3.)

use crate::linear_system::{Pivots, Resources, System, Unsolved, solve};
use arena::Arena;
use limits::{Limits, StopReason};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
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
    /// By state: how often play comes there on the average; 0 where it comes to no end any more.
    pub visits: Vec<BigRational>,
}

/// The tenths of all plays that are asked for.
const TENTHS: [u8; 2] = [5, 9];

/// The most outcomes that are followed to find quantiles.
const MAX_OUTCOMES: u64 = 200_000_000;

/// The bits of the probability 1 where quantiles are searched for, and the most of a weight: so products fit into 128 bits.
const ONE_BITS: u32 = 96;
const WEIGHT_BITS: u32 = 128 - ONE_BITS;

/// Follows the first reply to the first alternative of each state, from state 0.
///
/// # Errors
/// The limit that was reached; [`StopReason::Precision`] if the numbers get too long.
pub fn absorption(chain: &Arena, limits: &Limits) -> Result<Absorption, StopReason> {
    let states = chain.states();
    let reply = |state: usize| chain.replies(chain.alternatives(state).start).start;
    let met = reachable_states(chain);
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
    limits.check()?;
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
    let resources = Resources {
        limits,
        work: &AtomicU64::new(u64::MAX),
        memory: limits.memory.unwrap_or(u64::MAX),
    };
    // Visits, divided by the weights of all outcomes.
    let (visits, denominator) = solve(&system, resources).map_err(|why| match why {
        Unsolved::TooMuch => StopReason::Precision,
        Unsolved::Stopped(reason) => reason,
    })?;
    // No state is visited less than never.
    let visits: Vec<BigUint> = visits.into_iter().map(|it| it.into_parts().1).collect();
    let fraction =
        |number: BigUint| BigRational::new(BigInt::from(number), BigInt::from(denominator.clone()));
    let mut ends = vec![BigUint::zero(); chain.ends()];
    let mut steps = BigUint::zero();
    let mut means = vec![BigRational::zero(); states];
    for (visits, &state) in visits.iter().zip(&transient) {
        let times = visits * chain.total(reply(state));
        steps += &times;
        means[state] = fraction(times);
        for (target, weight) in chain.outcomes(reply(state)) {
            if let Some(end) = target.checked_sub(states) {
                ends[end] += visits * weight;
            }
        }
    }
    Ok(Absorption {
        ends: ends.into_iter().map(fraction).collect(),
        steps: (transient.len() == met.len()).then(|| fraction(steps)),
        visits: means,
    })
}

/// The states that play can come to, the first one first.
fn reachable_states(chain: &Arena) -> Vec<usize> {
    let mut is_met = vec![false; chain.states()];
    let mut met = vec![0];
    is_met[0] = true;
    let mut next = 0;
    while let Some(&state) = met.get(next) {
        next += 1;
        let reply = chain.replies(chain.alternatives(state).start).start;
        for (target, _) in chain.outcomes(reply) {
            if target < is_met.len() && !std::mem::replace(&mut is_met[target], true) {
                met.push(target);
            }
        }
    }
    met
}

/// Quantiles of the number of steps, where play ends for certain: tenths of all plays, and the first number of steps after which that part
/// is over. Those that are not found are missing.
///
/// Probabilities go forward step by step, as parts of a whole, rounded down. So the parts that are over and that go on are lower bounds,
/// and a quantile is reported only if they decide. The whole is a power of the common denominator of all chances, so the first steps are exact.
pub fn quantiles(chain: &Arena, limits: &Limits) -> Result<Vec<(u8, u64)>, StopReason> {
    let states = chain.states();
    let reply = |state: usize| chain.replies(chain.alternatives(state).start).start;
    let met = reachable_states(chain);
    let totals = met
        .iter()
        .map(|&state| u128::from(chain.total(reply(state))));
    let fits = |total: &u128| *total < 1 << WEIGHT_BITS;
    let common = totals
        .clone()
        .try_fold(1u128, |common, total| Some(common.lcm(&total)).filter(fits));
    if !totals.clone().all(|total| fits(&total)) {
        return Ok(Vec::new());
    }
    let mut one = 10u128;
    let factor = common.filter(|common| *common > 1).unwrap_or(2);
    while one * factor < 1 << ONE_BITS {
        one *= factor;
    }
    let (mut going, mut next) = (vec![0u128; states], vec![0u128; states]);
    going[0] = one;
    let (mut found, mut over, mut work) = (Vec::new(), 0, 0);
    for step in 1.. {
        limits.check()?;
        for &state in &met {
            let mass = std::mem::take(&mut going[state]);
            if mass == 0 {
                continue;
            }
            let total = u128::from(chain.total(reply(state)));
            for (target, weight) in chain.outcomes(reply(state)) {
                work += 1;
                let part = mass * u128::from(weight) / total;
                match next.get_mut(target) {
                    Some(next) => *next += part,
                    None => over += part,
                }
            }
        }
        std::mem::swap(&mut going, &mut next);
        let rest: u128 = going.iter().sum();
        while let Some(&tenths) = TENTHS.get(found.len()) {
            let wanted = one / 10 * u128::from(tenths);
            if over < wanted {
                // Perhaps more is over than is known.
                if one - rest >= wanted {
                    return Ok(found);
                }
                break;
            }
            found.push((tenths, step));
        }
        if found.len() == TENTHS.len() || work > MAX_OUTCOMES {
            break;
        }
    }
    Ok(found)
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

    fn check(
        chain: &Arena,
        ends: &[&str],
        steps: Option<&str>,
        visits: &[&str],
        expected: &[(u8, u64)],
    ) {
        let (ends, visits) = (fractions(ends), fractions(visits));
        let steps = steps.and_then(|steps| fractions(&[steps]).pop());
        let limits = Limits::default();
        if steps.is_some() {
            assert_eq!(quantiles(chain, &limits).as_deref(), Ok(expected));
        }
        let found = Absorption {
            ends,
            steps,
            visits,
        };
        assert_eq!(absorption(chain, &limits), Ok(found));
    }

    /// (5/6)^3 > 1/2 > (5/6)^4, and (5/6)^12 > 1/10 > (5/6)^13.
    #[test]
    fn throwing_until_a_six_takes_six_throws() {
        let throws: &[_] = &[(Target::End(0), 1), (Target::State(0), 5)];
        let chain = chain(&[throws], 1);
        check(&chain, &["1"], Some("6"), &["6"], &[(5, 4), (9, 13)]);
    }

    /// The gambler's ruin with 2 of 5 coins and a fair coin: 3/5 to lose, 2 (5 - 2) = 6 steps. 1/4, 1/8 and 1/8 end after 2, 3 and 4 steps: half
    /// exactly. After 11 and 12 steps 0.886 and 0.908 are over.
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
        let chain = chain(&rows, 2);
        let visits = ["12/5", "6/5", "8/5", "4/5"];
        check(
            &chain,
            &["3/5", "2/5"],
            Some("6"),
            &visits,
            &[(5, 4), (9, 12)],
        );
    }

    /// One play in three ends, in its first step.
    #[test]
    fn play_that_can_get_stuck_takes_no_mean_number_of_steps() {
        let first: &[_] = &[(Target::End(0), 1), (Target::State(1), 2)];
        let stuck: &[_] = &[(Target::State(1), 1)];
        check(&chain(&[first, stuck], 1), &["1/3"], None, &["1", "0"], &[]);
    }

    /// Against the definition, in fractions.
    #[test]
    fn quantiles_are_those_of_the_distribution() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut told = 0;
        for round in 0..generators::rounds(300) {
            let count = random.u32(1..6);
            let mut one = |_: u32| match random.u32(..count + 1) {
                target if target == count => (Target::End(0), random.u64(1..9)),
                target => (Target::State(target), random.u64(1..9)),
            };
            let rows: Vec<Vec<(Target, u64)>> =
                (0..count).map(|_| (0..3).map(&mut one).collect()).collect();
            let slices: Vec<&[(Target, u64)]> = rows.iter().map(|row| &row[..]).collect();
            let chain = chain(&slices, 1);
            let all = absorption(&chain, &Limits::default()).expect("small");
            if all.steps.is_none() {
                continue;
            }
            let found = quantiles(&chain, &Limits::default()).expect("no limit");
            let mut going = vec![BigRational::zero(); rows.len()];
            going[0] = BigRational::one();
            let mut expected = Vec::new();
            for step in 1..60 {
                let mut next = vec![BigRational::zero(); rows.len()];
                for (row, mass) in rows.iter().zip(&going) {
                    let total: u64 = row.iter().map(|(_, weight)| weight).sum();
                    for (target, weight) in row {
                        if let Target::State(target) = target {
                            next[*target as usize] +=
                                mass * BigRational::new((*weight).into(), total.into());
                        }
                    }
                }
                going = next;
                let over = BigRational::one() - going.iter().sum::<BigRational>();
                let is_reached =
                    |tenths: &&u8| over >= BigRational::new((**tenths).into(), 10.into());
                let reached = TENTHS.iter().filter(is_reached).count();
                expected.extend(
                    TENTHS[expected.len()..reached.max(expected.len())]
                        .iter()
                        .map(|&tenths| (tenths, step)),
                );
            }
            told += found.len();
            let within = found.into_iter().filter(|(_, step)| *step < 60);
            assert_eq!(within.collect::<Vec<_>>(), expected, "round {round}");
        }
        assert!(told > generators::rounds(200), "{told}");
    }
}
