//! Certificates of bounds of values, and their check in whole numbers.
//!
//! Let B be the operator that makes of values v the values B(v)(s) = max over alternatives of min over replies of the
//! mean of v at the outcomes. The value of the game is the least v with v = B(v).
//!
//! - **From above**: any u with u >= B(u) is at least the value (Knaster and Tarski). A strategy of the minimizer shows it:
//!   in no state, whatever the alternative, its reply has a mean larger than u.
//! - **From below**: a number l and an alternative for each state, such that no reply to it has a mean smaller than l,
//!   and that the minimizer cannot keep play for ever in states where l is positive. Play then leaves those states
//!   for sure; until it does, l can only rise on the average; so the maximizer gets at least l.
//!
//! The last condition holds if no set of states with l > 0 is *closed*: each state of it has a reply, to the
//! alternative chosen, all of whose outcomes are in the set. The largest such set is found by throwing out the
//! states that have none, until all have one; it must be empty. The order in which states fall out is their *rank*: after each
//! reply there is an outcome of lower rank, so it also says which moves get somewhere.
//!
//! Bounds are whole numbers of units, so a mean is compared with them by products and sums. Exact values are known in units up
//! to rounding. That settles all comparisons but those of numbers that are equal or nearly so: equal ones are recognised modulo a
//! prime, where fractions that differ agree once in 2^61 times; what is left is compared in fractions.

use crate::exact::ExactValue;
use crate::linear_system::{Field, PRIME, Residue};
use crate::solution::Solution;
use crate::solve::WORTH_THREADS;
use arena::Arena;
use arena::GameGraph;
use base::graph::Graph;
use limits::share_out;
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::ToPrimitive;
use std::cmp::Ordering;
use std::collections::VecDeque;
use std::sync::Arc;

/// The reason why bounds are not proved: there is a mistake in this program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refuted {
    /// A bound of this state, or of its choice, is out of range.
    #[error("state {0} has a bound outside of 0 and 1, or a choice that does not exist")]
    Range(usize),
    /// In this state a reply has a mean below the lower bound.
    #[error("the lower bound of state {0} is not guaranteed: a reply has a smaller mean")]
    Lower(usize),
    /// In this state the reply to an alternative has a mean above the upper bound.
    #[error("the upper bound of state {0} is not guaranteed: an alternative has a larger mean")]
    Upper(usize),
    /// From this state on, the minimizer can keep play for ever where lower bounds are positive.
    #[error(
        "the lower bound of state {0} is not guaranteed: the minimizer can keep play going for ever"
    )]
    Loops(usize),
}

impl Solution {
    /// Proves all bounds by the strategies, independently of the way in which they were found. Gives the rank of each state: 0 where
    /// the lower bound is 0. If there was no memory for strategies, nothing is known, so nothing is to prove. In `order` most states come after
    /// those that they lead to, which saves time.
    pub(crate) fn check(
        &self,
        game: &GameGraph,
        threads: usize,
        order: &[Vec<u32>],
    ) -> Result<Vec<u32>, Refuted> {
        if self.alternatives.is_empty() {
            return Ok(Vec::new());
        }
        let check = Check {
            arena: game.arena(),
            solution: self,
            residues: residues(&self.exact),
        };
        let states = game.arena().states();
        let threads = if states < WORTH_THREADS { 1 } else { threads };
        let part = states.div_ceil(threads).max(1);
        let checked = share_out(0..threads, (0..states).step_by(part), |_, first: usize| {
            (first..states.min(first + part)).try_for_each(|state| check.state(state))
        });
        checked.into_iter().collect::<Result<(), Refuted>>()?;
        check.ranks(order)
    }
}

/// The rank of a state that has not fallen out.
const INSIDE: u32 = u32::MAX;

/// A solution while it is checked.
struct Check<'a> {
    arena: &'a Arena,
    solution: &'a Solution,
    /// By target: the exact value modulo a prime, where it is known and has one.
    residues: Residues,
}

impl Check<'_> {
    /// Whether choices exist and guarantee the bounds of a state, if those of all others are right.
    fn state(&self, state: usize) -> Result<(), Refuted> {
        let (arena, solution) = (self.arena, self.solution);
        let chosen = solution.alternatives[state] as usize;
        let (lower, upper) = (solution.lower[state], solution.upper[state]);
        let all = arena.alternatives(state);
        if lower < 0 || upper > 1 << solution.bits || !all.contains(&chosen) {
            return Err(Refuted::Range(state));
        }
        let is_exact = solution.exact[state].is_some();
        let compare = |reply| {
            if is_exact {
                self.compare(reply, state)
            } else {
                None
            }
        };
        // An exact value is no more than its upper bound, and no less than its lower one.
        let (enough, most) = if is_exact {
            (upper, lower)
        } else {
            (lower, upper)
        };
        for alternative in all {
            let reply_to_it = solution.replies[alternative] as usize;
            if !arena.replies(alternative).contains(&reply_to_it) {
                return Err(Refuted::Range(state));
            }
            let replies = match alternative == chosen {
                true => arena.replies(alternative),
                false => reply_to_it..reply_to_it + 1,
            };
            for reply in replies {
                let total = i128::from(arena.total(reply));
                let [sum_of_lower, sum_of_upper] = self.sums(reply);
                if alternative == chosen
                    && sum_of_lower < enough * total
                    && !compare(reply).is_some_and(Ordering::is_ge)
                {
                    return Err(Refuted::Lower(state));
                }
                if reply == reply_to_it
                    && sum_of_upper > most * total
                    && !compare(reply).is_some_and(Ordering::is_le)
                {
                    return Err(Refuted::Upper(state));
                }
            }
        }
        Ok(())
    }

    /// The means of the lower and of the upper bounds after a reply, times the sum of weights.
    #[inline]
    fn sums(&self, reply: usize) -> [i128; 2] {
        let (lower, upper) = (&self.solution.lower, &self.solution.upper);
        let outcomes = self.arena.outcomes(reply);
        outcomes.fold([0; 2], |sums, (target, weight)| {
            let weight = i128::from(weight);
            [
                sums[0] + weight * lower[target],
                sums[1] + weight * upper[target],
            ]
        })
    }

    /// How the mean of exact values after a reply compares with that of a state; nothing if not all are exact.
    fn compare(&self, reply: usize, state: usize) -> Option<Ordering> {
        let (arena, total) = (self.arena, self.arena.total(reply));
        let residue = |target: usize, weight: u64| {
            Some(self.residues.of(target)?.times(Residue::new(weight.into())))
        };
        let rest = (arena.outcomes(reply)).try_fold(residue(state, total)?, |rest, outcome| {
            Some(rest.minus_product(residue(outcome.0, outcome.1)?, Residue(1)))
        });
        if rest == Some(Residue::ZERO) {
            return Some(Ordering::Equal);
        }
        let worth = |target: usize, weight: u64| {
            Some(self.solution.exact[target].as_ref()?.fraction() * BigInt::from(weight))
        };
        let worths = arena
            .outcomes(reply)
            .map(|(target, weight)| worth(target, weight));
        let sum = worths.sum::<Option<BigRational>>()?;
        Some(sum.cmp(&worth(state, total)?))
    }

    /// The order in which states fall out of the largest closed set, which must be empty. To visit all states a few times is enough for
    /// most, in a good order.
    fn ranks(&self, order: &[Vec<u32>]) -> Result<Vec<u32>, Refuted> {
        let (arena, solution) = (self.arena, self.solution);
        let states = arena.states();
        let replies = |state: usize| arena.replies(solution.alternatives[state] as usize);
        let targets = |reply: usize| arena.targets(reply).iter().map(|&target| target as usize);
        let is_positive = |state: usize| match &solution.exact[state] {
            Some(exact) => !exact.is_zero(),
            None => solution.lower[state] > 0,
        };
        let rank = |state| if is_positive(state) { INSIDE } else { 0 };
        let mut ranks: Vec<u32> = (0..states).map(rank).collect();
        let mut last = 0;
        // Whether a state falls out now.
        let mut falls = |state: usize, ranks: &mut [u32]| {
            let is_inside = |target: usize| target < states && ranks[target] == INSIDE;
            let falls = !replies(state).any(|reply| targets(reply).all(is_inside));
            if falls {
                last += 1;
                ranks[state] = last;
            }
            falls
        };
        let mut stays = |state: usize| ranks[state] == INSIDE && !falls(state, &mut ranks);
        let first = order
            .iter()
            .flatten()
            .filter(|&&state| stays(state as usize))
            .count();
        let mut inside: Vec<usize> = (0..states).rev().filter(|&state| stays(state)).collect();
        let mut fewer = first.saturating_sub(inside.len());
        while fewer > inside.len() / 2 {
            let before = inside.len();
            inside.retain(|&state| !falls(state, &mut ranks));
            fewer = before - inside.len();
        }
        if inside.is_empty() {
            return Ok(ranks);
        }
        let before = Graph::new(states, |edge| {
            for &state in &inside {
                for target in replies(state).flat_map(targets).filter(|&it| it < states) {
                    edge(target, state);
                }
            }
        });
        // Of the others those are visited again that lead to one that fell out.
        let mut pending: VecDeque<usize> = inside.iter().copied().collect();
        while let Some(state) = pending.pop_front() {
            if ranks[state] == INSIDE && falls(state, &mut ranks) {
                pending.extend(before.targets(state).iter().map(|&state| state as usize));
            }
        }
        match inside.into_iter().find(|&state| ranks[state] == INSIDE) {
            None => Ok(ranks),
            Some(state) => Err(Refuted::Loops(state)),
        }
    }
}

/// Exact values modulo a prime.
fn residues(values: &[Option<ExactValue>]) -> Residues {
    let residue = |number: &BigUint| Residue((number % PRIME).to_u64().expect("less than a prime"));
    // Values of one component share their denominator.
    let mut last: Option<(*const BigUint, Option<Residue>)> = None;
    let mut of_value = |exact: &ExactValue| {
        let index = Arc::as_ptr(&exact.denominator);
        let inverse = match last {
            Some((known, inverse)) if known == index => inverse,
            _ => residue(&exact.denominator).inverse(),
        };
        last = Some((index, inverse));
        Some(Residue(exact.numerator_modulo(PRIME)).times(inverse?))
    };
    let all = values.iter().map(|value| of_value(value.as_ref()?));
    Residues(
        all.map(|residue| residue.map_or(UNKNOWN, |it| it.0))
            .collect(),
    )
}

/// Exact values modulo a prime, in little memory.
struct Residues(Vec<u64>);

/// In the place of a residue that is not known. It is larger than the prime.
const UNKNOWN: u64 = u64::MAX;

impl Residues {
    /// That of a target, if it is known.
    fn of(&self, target: usize) -> Option<Residue> {
        Some(Residue(self.0[target])).filter(|residue| residue.0 != UNKNOWN)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::lists::{game, random_family};
    use crate::proof::prove;
    use crate::{Options, solve};
    use generators::{Cycles, Next, random_cycles, seeds};
    use limits::Limits;

    pub fn solved(game: &GameGraph, exact_work: u64) -> Solution {
        let options = Options {
            exact_work,
            ..Options::default()
        };
        solve(game, &options, &Limits::default())
    }

    /// State 0 waits, or takes 1/2; in state 1 both may wait; 2 is won with patience.
    #[test]
    fn what_is_wrong_is_named() {
        let to = |next| vec![(1, next)];
        let half = vec![(1, Next::End(0)), (1, Next::End(1))];
        let game = game(&Cycles {
            states: vec![
                vec![vec![to(Next::State(0))], vec![half]],
                vec![vec![to(Next::State(1)), to(Next::End(0))]],
                vec![vec![vec![(1, Next::State(2)), (1, Next::End(0))]]],
            ],
            payoffs: vec![(1, 1), (0, 1)],
        });
        let value =
            |over: u32, under: u32| ExactValue::new(&BigRational::new(over.into(), under.into()));
        for exact_work in [0, u64::MAX] {
            let right = solved(&game, exact_work);
            assert_eq!(right.check(&game, 2, &[]).map(|ranks| ranks[1]), Ok(0));
            let tries = |change: &dyn Fn(&mut Solution)| {
                let mut solution = right.clone();
                change(&mut solution);
                solution.check(&game, 2, &[])
            };
            let unit = 1i128 << right.bits;
            let set = |solution: &mut Solution, state: usize, exact: ExactValue| {
                (solution.lower[state], solution.upper[state]) = exact.rounded(solution.bits);
                solution.exact[state] = Some(exact);
            };
            assert_eq!(tries(&|it| set(it, 0, value(2, 3))), Err(Refuted::Lower(0)));
            assert_eq!(tries(&|it| set(it, 2, value(1, 3))), Err(Refuted::Upper(2)));
            assert_eq!(tries(&|it| set(it, 1, value(1, 2))), Err(Refuted::Loops(1)));
            assert_eq!(tries(&|it| it.upper[2] = unit + 1), Err(Refuted::Range(2)));
            assert_eq!(tries(&|it| it.alternatives[0] = 99), Err(Refuted::Range(0)));
            // Waiting guarantees no half.
            assert_eq!(tries(&|it| it.alternatives[0] = 0), Err(Refuted::Loops(0)));
            // A difference that no unit shows.
            let near = ExactValue::new(&BigRational::new(
                (BigInt::from(unit) << 9) + 1,
                BigInt::from(unit) << 10,
            ));
            assert_eq!(
                tries(&|it| set(it, 0, near.clone())),
                Err(Refuted::Lower(0))
            );
        }
    }

    /// Random damages: a certificate that is still accepted is one by the definition in fractions, and such a one is true.
    #[test]
    fn what_is_accepted_is_true() {
        let (mut counts, mut by_definition) = ([0; 2], [0; 2]);
        for (seed, mut random) in seeds(53_000_000, 400) {
            let states = random.usize(1..12);
            let family = random_family(&mut random, states);
            let game = game(&random_cycles(&mut random, &family));
            let exact = solved(&game, u64::MAX);
            let mut solution = solved(&game, [0, 300, u64::MAX][random.usize(..3)]);
            let state = random.usize(..states);
            let quarters = BigRational::new(random.u32(..5).into(), 4.into());
            let other = match random.bool() {
                true => exact.exact[random.usize(..states)].clone(),
                false => Some(ExactValue::new(&quarters)),
            };
            match random.u32(..5) {
                0 => solution.lower[state] = other.expect("exact").rounded(solution.bits).0,
                1 => solution.upper[state] = other.expect("exact").rounded(solution.bits).1,
                2 => {
                    let other = other.expect("exact");
                    (solution.lower[state], solution.upper[state]) = other.rounded(solution.bits);
                    solution.exact[state] = Some(other);
                }
                3 => {
                    let all = game.arena().alternatives(state);
                    solution.alternatives[state] = random.usize(all) as u32;
                }
                _ => {
                    let alternative = random.usize(game.arena().alternatives(state));
                    let all = game.arena().replies(alternative);
                    solution.replies[alternative] = random.usize(all) as u32;
                }
            }
            let is_accepted = solution.check(&game, 2, &[]).is_ok();
            let proof = prove(&solution, &game);
            counts[usize::from(is_accepted)] += 1;
            by_definition[usize::from(proof.is_ok())] += 1;
            let at = format!("seed {seed}: {proof:?}");
            assert!(!is_accepted || proof.is_ok(), "{at}");
            for state in (0..states).filter(|_| proof.is_ok()) {
                let value = exact.value(state).expect("exact");
                let (lower, upper) = solution.bounds(state);
                assert!(lower <= value && value <= upper, "{at}, state {state}");
            }
        }
        let enough = counts.iter().chain(&by_definition).all(|&count| count > 30);
        assert!(enough, "{counts:?} {by_definition:?}");
    }
}
