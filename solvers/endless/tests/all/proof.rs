//! The proof of bounds in fractions, as certificates define it: an oracle for the check in whole numbers.

use num_rational::BigRational;
use num_traits::{One, Zero};
use sqasp_endless::{Arena, GameGraph, Solution};

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

/// Checks a certificate.
///
/// # Errors
/// The reason why it proves nothing.
pub fn check(arena: &Arena, certificate: &Certificate<'_>) -> Result<(), String> {
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
            return Err(format!("state {state}: out of range"));
        }
        if arena
            .replies(alternative)
            .any(|reply| mean(reply, &lower) < lower[state])
        {
            return Err(format!(
                "state {state}: a reply has a mean below the lower bound"
            ));
        }
        let mut replies = arena
            .alternatives(state)
            .map(|one| certificate.replies[one] as usize);
        if replies.any(|reply| mean(reply, &upper) > upper[state]) {
            return Err(format!(
                "state {state}: an alternative has a mean above the upper bound"
            ));
        }
    }
    let mut is_inside: Vec<bool> = lower[..states]
        .iter()
        .map(|lower| !lower.is_zero())
        .collect();
    match largest_closed_set(arena, certificate.alternatives, &mut is_inside) {
        None => Ok(()),
        Some(state) => Err(format!("state {state}: play can stay for ever")),
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
    let before = base::graph::Graph::new(states, |edge| {
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

/// Checks the bounds of a solution.
pub fn prove(solution: &Solution, game: &GameGraph) -> Result<(), String> {
    if solution.alternatives.is_empty() {
        return Ok(());
    }
    let certificate = Certificate {
        payoffs: game.payoffs(),
        lower: &|state| solution.bounds(state).0,
        upper: &|state| solution.bounds(state).1,
        alternatives: &solution.alternatives,
        replies: &solution.replies,
    };
    check(game.arena(), &certificate)
}
