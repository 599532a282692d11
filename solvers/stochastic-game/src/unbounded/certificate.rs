//! What proves bounds of values, and a check of it that needs nothing else.
//!
//! Let B be the operator that makes of values v the values B(v)(s) = max over alternatives of min over replies of the
//! mean of v at the outcomes. The value of the game is the least v with v = B(v).
//!
//! - **From above**: any u with u >= B(u) is at least the value (Knaster and Tarski). A strategy of the minimiser shows it:
//!   in no state, whatever the alternative, its reply has a mean larger than u.
//! - **From below**: a number l and an alternative for each state, such that no reply to it has a mean smaller than l,
//!   and that the minimiser cannot keep play for ever in states where l is positive. Play then leaves those states
//!   for sure; until it does, l can only rise on the average; so the maximiser gets at least l.
//!
//! The last condition holds if no set of states with l > 0 is *closed*: each state of it has a reply, to the
//! alternative chosen, all of whose outcomes are in the set. The largest such set is found by throwing out the
//! states that have none, until all have one; it must be empty.

use super::arena::Arena;
use num_rational::BigRational;
use num_traits::{One, Zero};
use std::fmt;

/// Bounds and the strategies that guarantee them.
pub struct Certificate<'a> {
    /// The payoffs of the ends, between 0 and 1.
    pub payoffs: &'a [BigRational],
    /// By state: a lower bound.
    pub lower: &'a dyn Fn(usize) -> BigRational,
    /// By state: an upper bound.
    pub upper: &'a dyn Fn(usize) -> BigRational,
    /// By state: the alternative that guarantees the lower bound.
    pub alternatives: &'a [u32],
    /// By alternative: the reply that guarantees the upper bound.
    pub replies: &'a [u32],
}

/// Why a certificate proves nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refuted {
    /// A bound of this state, or of its choice, is out of range.
    Range(usize),
    /// In this state a reply has a mean below the lower bound.
    Lower(usize),
    /// In this state the reply to an alternative has a mean above the upper bound.
    Upper(usize),
    /// From this state on, the minimiser can keep play for ever where lower bounds are positive.
    Loops(usize),
}

impl fmt::Display for Refuted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refuted::Range(state) => write!(
                f,
                "state {state} has a bound outside of 0 and 1, or a choice that does not exist"
            ),
            Refuted::Lower(state) => write!(
                f,
                "the lower bound of state {state} is not guaranteed: a reply has a smaller mean"
            ),
            Refuted::Upper(state) => write!(
                f,
                "the upper bound of state {state} is not guaranteed: an alternative has a larger mean"
            ),
            Refuted::Loops(state) => write!(
                f,
                "the lower bound of state {state} is not guaranteed: the minimiser can keep play going \
                 for ever"
            ),
        }
    }
}

impl std::error::Error for Refuted {}

/// Checks a certificate.
///
/// # Errors
/// Why it proves nothing.
pub fn check(arena: &Arena, certificate: &Certificate<'_>) -> Result<(), Refuted> {
    let states = arena.states();
    let list = |bound: &dyn Fn(usize) -> BigRational| -> Vec<BigRational> {
        let payoffs = certificate.payoffs.iter().cloned();
        (0..states).map(bound).chain(payoffs).collect()
    };
    let (lower, upper) = (list(certificate.lower), list(certificate.upper));
    let mean = |reply: usize, values: &[BigRational]| {
        let outcomes = arena.outcomes(reply);
        let sum: BigRational = outcomes
            .map(|(target, weight)| &values[target] * BigRational::from_integer(weight.into()))
            .sum();
        sum / BigRational::from_integer(arena.total(reply).into())
    };
    for state in 0..states {
        let alternative = certificate.alternatives[state] as usize;
        let is_allowed = |alternative: usize| {
            let reply = certificate.replies[alternative] as usize;
            arena.replies(alternative).contains(&reply)
        };
        if lower[state] < BigRational::zero()
            || upper[state] > BigRational::one()
            || !arena.alternatives(state).contains(&alternative)
            || !arena.alternatives(state).all(is_allowed)
        {
            return Err(Refuted::Range(state));
        }
        if arena
            .replies(alternative)
            .any(|reply| mean(reply, &lower) < lower[state])
        {
            return Err(Refuted::Lower(state));
        }
        let mut replies = arena
            .alternatives(state)
            .map(|one| certificate.replies[one] as usize);
        if replies.any(|reply| mean(reply, &upper) > upper[state]) {
            return Err(Refuted::Upper(state));
        }
    }
    let mut is_inside: Vec<bool> = lower[..states]
        .iter()
        .map(|lower| !lower.is_zero())
        .collect();
    match largest_closed_set(arena, certificate.alternatives, &mut is_inside) {
        None => Ok(()),
        Some(state) => Err(Refuted::Loops(state)),
    }
}

/// A state of the largest closed set among some states, if it is not empty.
fn largest_closed_set(
    arena: &Arena,
    alternatives: &[u32],
    is_inside: &mut [bool],
) -> Option<usize> {
    let states = arena.states();
    let replies = |state: usize| arena.replies(alternatives[state] as usize);
    // Where a state falls out, the states that lead there are looked at again.
    let before = graph::Graph::new(states, |edge| {
        for state in 0..states {
            for reply in replies(state) {
                let targets = arena.targets(reply).iter().map(|&target| target as usize);
                targets
                    .filter(|&target| target < states)
                    .for_each(|target| edge(target, state));
            }
        }
    });
    let mut pending: Vec<usize> = (0..states).collect();
    while let Some(state) = pending.pop() {
        let stays = |reply: usize| {
            let mut targets = arena.targets(reply).iter().map(|&target| target as usize);
            targets.all(|target| target < states && is_inside[target])
        };
        if is_inside[state] && !replies(state).any(stays) {
            is_inside[state] = false;
            pending.extend(before.targets(state).iter().map(|&state| state as usize));
        }
    }
    is_inside.iter().position(|&inside| inside)
}
