//! Beliefs: multisets of states with whole weights.

use crate::pomdp::model::{Ambiguous, Pomdp, PomdpState};
use num_bigint::BigUint;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Zero};

/// States in ascending order, none of which is over, each with its weight. The weights have no common divisor.
pub type Belief = Box<[(u32, BigUint)]>;

/// The part of an action's outcomes that is no longer in play, and the beliefs for the rest.
pub struct Expansion {
    /// The payoffs of plays that are over, each times its probability.
    pub payoff: BigRational,
    /// For each observation after which play may go on: its number, the belief, its probability.
    pub rest: Vec<(u32, Belief, BigRational)>,
}

/// The bytes of a belief, roughly.
pub fn bytes(belief: &Belief) -> u64 {
    let heap: u64 = belief
        .iter()
        .map(|(_, weight)| 16 + weight.bits() / 8)
        .sum();
    64 + 32 * belief.len() as u64 + heap
}

/// The list of actions of the states of a belief: its name and length.
pub fn menu(model: &Pomdp, belief: &Belief) -> Result<usize, Ambiguous> {
    let of_state = |state: u32| match &model.states[state as usize] {
        PomdpState::Inner { menu, actions } => (*menu, actions.len()),
        PomdpState::End(_) => unreachable!("play goes on in states of a belief"),
    };
    let first = of_state(belief[0].0);
    match belief.iter().find(|(state, _)| of_state(*state) != first) {
        Some(&(other, _)) => Err(Ambiguous(belief[0].0, other)),
        None => Ok(first.1),
    }
}

pub fn expand(model: &Pomdp, belief: &Belief, action: usize) -> Expansion {
    let outcomes = |state: u32| match &model.states[state as usize] {
        PomdpState::Inner { actions, .. } => &actions[action],
        PomdpState::End(_) => unreachable!("play goes on in states of a belief"),
    };
    let counts = belief
        .iter()
        .map(|(state, _)| outcomes(*state).len() as u64);
    let common = counts.fold(1, |common: u64, count| common.lcm(&count));
    let mut payoff = BigRational::zero();
    let mut listed: Vec<(u32, u32, BigUint)> = Vec::new();
    for (state, weight) in belief {
        let outcomes = outcomes(*state);
        let weight = weight * (common / outcomes.len() as u64);
        for outcome in outcomes {
            match &model.states[outcome.next as usize] {
                PomdpState::End(worth) if worth.is_zero() => {}
                PomdpState::End(worth) => {
                    payoff += worth * BigRational::from_integer(weight.clone().into())
                }
                PomdpState::Inner { .. } => {
                    listed.push((outcome.observation, outcome.next, weight.clone()));
                }
            }
        }
    }
    let sum: BigUint = belief.iter().map(|(_, weight)| weight).sum();
    let whole = BigRational::from_integer((sum * common).into());
    listed.sort_unstable();
    let rest = listed.chunk_by(|one, other| one.0 == other.0).map(|group| {
        let merged = group.chunk_by(|one, other| one.1 == other.1).map(|same| {
            let weights = same.iter().map(|(_, _, weight)| weight);
            (same[0].1, weights.sum::<BigUint>())
        });
        let (belief, sum) = reduced(merged.collect());
        (
            group[0].0,
            belief,
            BigRational::from_integer(sum.into()) / &whole,
        )
    });
    let rest = rest.collect();
    Expansion {
        payoff: payoff / whole,
        rest,
    }
}

/// Weights without their common divisor, and their sum before.
fn reduced(mut weights: Vec<(u32, BigUint)>) -> (Belief, BigUint) {
    let sum = weights.iter().map(|(_, weight)| weight).sum();
    let divisor = weights
        .iter()
        .fold(BigUint::zero(), |divisor, (_, weight)| divisor.gcd(weight));
    if !divisor.is_one() {
        weights
            .iter_mut()
            .for_each(|(_, weight)| *weight /= &divisor);
    }
    (weights.into(), sum)
}

/// The belief that this is the state.
pub fn certain(state: u32) -> Belief {
    [(state, BigUint::one())].into()
}
