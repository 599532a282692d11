//! Proof that no role gains by another move where each plays for itself, by plain evaluation of the rules.
//!
//! All positions are followed that any moves lead to (`walk`). In each the values claimed are the means of those behind the move listed, and no other move of the
//! role that chooses has a larger mean for it. Where play has a last step that is enough (one-deviation principle): the moves are an
//! equilibrium, and so are those from each position on. Where play may go on for ever, the claims have to be 0 wherever the moves listed lead to
//! no end: then they are the values of these moves. Goals may not be below 0: else a role could gain by going on for ever.

use super::equilibrium::{Equilibrium, Standing};
use super::listing::Advice;
use super::outcome::{EarlyEnd, Flaw, Verdict, Verification, VerifyError, ends};
use super::verify::{check_heading, check_payoffs, mean, staying};
use super::walk::{Group, Kind, Walk};
use gdl::Term;
use gdl::game::Game;
use limits::Limits;
use num_rational::BigRational;
use num_traits::{Signed, Zero};
use rules::Reasoner;

/// Proves that the moves are an equilibrium with the values claimed, or finds a position where a role gains.
pub fn verify_equilibrium(
    game: &Game,
    strategy: &Equilibrium,
    limits: &Limits,
) -> Result<Verification, VerifyError> {
    let heading = &strategy.heading;
    check_heading(game, heading)?;
    check_payoffs(heading)?;
    let mut reasoner = Reasoner::new(game)?;
    reasoner.set_overall_limits(limits.clone());
    let mut statistics = Vec::new();
    let verdict = match prove(&mut reasoner, strategy, limits, &mut statistics) {
        Ok(()) => Verdict::Proved(heading.value.clone()),
        Err(EarlyEnd::Failed(error)) => return Err(error),
        Err(EarlyEnd::Refused(refusal)) => Verdict::Refused(refusal),
        Err(EarlyEnd::Stopped(reason)) => Verdict::between(reason, ends(&heading.range(game))),
    };
    Ok(Verification {
        verdict,
        statistics,
    })
}

/// Fails where a position is wrong, or the role that was asked about does not get what is promised.
fn prove(
    reasoner: &mut Reasoner,
    strategy: &Equilibrium,
    limits: &Limits,
    statistics: &mut Vec<(&'static str, u64)>,
) -> Result<(), EarlyEnd> {
    let heading = &strategy.heading;
    let mut walk = Walk::new(reasoner, strategy.listing(), limits)?;
    let explored = walk.explore();
    statistics.push(("positions", walk.nodes.len() as u64));
    explored?;
    for number in 0..walk.nodes.len() {
        if let Kind::Inner { .. } = walk.nodes[number].kind {
            check_node(&mut walk, number)?;
        }
    }
    if let (None, Some((number, flaw))) = (heading.depth, endless(&walk)) {
        return Err(walk.flaw(number as u32, flaw));
    }
    let mut players = walk.paid.iter();
    let asked = players.position(|&index| heading.roles[index] == heading.role);
    let asked = asked.expect("the heading was compared");
    let (found, promised) = (values(&walk, 0)[asked].clone(), heading.value.clone());
    if found != promised {
        return Err(walk.flaw(0, Flaw::BrokenPromise { promised, found }));
    }
    statistics.push(("unreached", walk.unreached()));
    Ok(())
}

fn standing<'a>(walk: &Walk<'a>, number: usize) -> Option<&'a Standing> {
    match walk.nodes[number].kind {
        Kind::Inner {
            entry: Some(entry), ..
        } => match walk.entry(entry).advice {
            Advice::Standing(standing) => Some(standing),
            _ => None,
        },
        _ => None,
    }
}

/// The payoffs where play is over, and the values claimed where it goes on.
fn values<'w>(walk: &'w Walk<'_>, number: usize) -> &'w [BigRational] {
    match &walk.nodes[number].kind {
        Kind::Leaf(values) => values,
        _ => standing(walk, number).map_or(&[], |standing| &standing.values),
    }
}

/// The value of a player after a move.
fn value_after(walk: &Walk<'_>, group: &Group, player: usize) -> BigRational {
    let successors = &walk.successors[group.successors.clone()];
    mean(successors, |next| &values(walk, next as usize)[player])
}

/// Fails if a value of the position is wrong, or a move is better than the one listed, supposed that the values behind are right.
fn check_node(walk: &mut Walk<'_>, number: usize) -> Result<(), EarlyEnd> {
    let standing = standing(walk, number).expect("missing ones were found on the walk");
    let heading = walk.listing.heading;
    let name = |index: usize| heading.roles[index].clone();
    let mut groups = walk.groups_of(number).iter();
    let listed = groups.find(|group| group.answer == Some(0));
    let listed = listed.expect("the move is legal");
    for (player, claimed) in standing.values.iter().enumerate() {
        let found = value_after(walk, listed, player);
        if found != *claimed {
            let (role, claimed) = (name(walk.paid[player]), claimed.clone());
            let wrong = Flaw::WrongShare {
                role,
                claimed,
                found,
            };
            return Err(walk.flaw(number as u32, wrong));
        }
    }
    let mover = standing.choice.map(|choice| choice.role);
    let player = mover.and_then(|mover| walk.paid.iter().position(|&index| index == mover));
    let (Some(mover), Some(player)) = (mover, player) else {
        return Ok(());
    };
    let claimed = &standing.values[player];
    let wrong = walk
        .groups_of(number)
        .iter()
        .enumerate()
        .find_map(|(place, group)| {
            let found = value_after(walk, group, player);
            let is_wrong = found > *claimed || found < *claimed && group.answer.is_some();
            is_wrong.then_some((place, found))
        });
    let Some((place, found)) = wrong else {
        return Ok(());
    };
    let action: Term = walk.moves(number as u32, mover)?.swap_remove(place);
    let claimed = claimed.clone();
    let flaw = match found > claimed {
        true => Flaw::Gain {
            role: name(mover),
            action,
            claimed,
            found,
        },
        false => Flaw::WrongValue {
            action: Some(action),
            claimed,
            found,
        },
    };
    Err(walk.flaw(number as u32, flaw))
}

/// Where the proof fails because play may go on for ever, if it may.
fn endless(walk: &Walk<'_>) -> Option<(usize, Flaw)> {
    let successors = |group: &Group| walk.successors[group.successors.clone()].iter();
    let is_listed = |group: &Group| group.answer == Some(0);
    let lost = staying(
        walk,
        |_| true,
        |group, stays| is_listed(group) && successors(group).all(|&next| stays[next as usize]),
    );
    let claims = |number: usize| values(walk, number).iter().any(|value| !value.is_zero());
    let mut nodes = 0..walk.nodes.len();
    if let Some(number) = nodes.find(|&number| lost[number] && claims(number)) {
        return Some((number, Flaw::NeverEnds));
    }
    let goes_on = staying(
        walk,
        |_| true,
        |group, stays| successors(group).any(|&next| stays[next as usize]),
    );
    let cycle = goes_on.iter().position(|&goes_on| goes_on)?;
    let is_below = walk.nodes.iter().any(|node| match &node.kind {
        Kind::Leaf(values) => values.iter().any(Signed::is_negative),
        _ => false,
    });
    is_below.then_some((cycle, Flaw::BelowZero))
}
