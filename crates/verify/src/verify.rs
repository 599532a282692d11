//! Proof of a strategy's value from both sides, by plain evaluation of the rules.
//!
//! The lower bound: the role makes the moves of its side, the opponents try everything, chance is
//! averaged. The upper bound: the role tries everything, the opponents give the answers of their side.
//! A side that mixes moves is averaged over its mixture; the other side's best response to it is the bound.
//! Both are computed over the positions that can be reached (`walk`), from the last to the first:
//! where play is over a position is worth its payoff by the rules, where no steps are left nothing, and
//! elsewhere the least (for the lower bound) or the largest (for the upper) of the means over chance.
//! Each position that claims a value must have it. Bounds that are equal to the promise prove it.
//!
//! Without a step limit positions can follow themselves, so there is no last one. Then every position has to claim a
//! value, and each must be the one that follows from the others. On the opponents' side that proves an upper
//! bound: the value of the game is the least solution of these equations. On the role's side it proves a lower bound if in
//! addition the opponents cannot keep play for ever where values are positive: then play ends, or comes where
//! nothing is claimed, and until then the value claimed for the next position is on the average no less. Claims of mixed
//! strategies may also be worse than what follows, which proves a bound as well.
//!
//! Where steps count, each position is worth the step made in it, if that counts, and what follows. The side that wants play to be over soon
//! proves an upper bound if the other one cannot keep play for ever: the values claimed are no less than the steps to come. The other side
//! proves a lower bound: either play ends, and was as long on the average, or it does not, and is infinitely long.
//!
//! A flaw is shown by the position where it is: the entry listed for it makes no sense there, or
//! all successors are worth the values claimed and this position is not. So a wrong move is found
//! where it is made, not where its harm is felt.
//!
//! Invariant: nothing is taken from solvers, and the circuit of a step is not used: only
//! [`Reasoner`], which interprets the rules as they are written.

use super::fingerprint::fingerprint;
use super::listing::{Advice, Entry, Listing};
use super::mixed::MixedStrategy;
use super::outcome::{EarlyEnd, Flaw, Side, Verdict, Verification, VerifyError, ends};
use super::policy::{Heading, Strategy};
use super::walk::{Group, Kind, Walk};
use gdl::game::{Aim, Game, Objective, StepAim, ValueRange};
use gdl::{Name, Term};
use limits::{Limits, StopReason};
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;
use rules::Reasoner;

/// Computes the values of both sides of a strategy, and compares them with the values claimed.
pub fn verify(
    game: &Game,
    strategy: &Strategy,
    limits: &Limits,
) -> Result<Verification, VerifyError> {
    let promised = [&strategy.heading.value; 2];
    verify_listings(game, promised, limits, |side| strategy.listing(side))
}

/// Computes what both sides of a mixed strategy guarantee against best responses, and compares it with the bounds promised. They
/// are the verdict of a [`Verdict::Stopped`] for want of precision where both hold and are not equal.
pub fn verify_mixed(
    game: &Game,
    strategy: &MixedStrategy,
    limits: &Limits,
) -> Result<Verification, VerifyError> {
    check_payoffs(&strategy.heading)?;
    let promised = [&strategy.heading.value, &strategy.upper];
    verify_listings(game, promised, limits, |side| strategy.listing(side))
}

fn verify_listings<'a>(
    game: &Game,
    promised: [&BigRational; 2],
    limits: &Limits,
    listing: impl Fn(Side) -> Listing<'a>,
) -> Result<Verification, VerifyError> {
    let heading = listing(Side::Role).heading;
    check_heading(game, heading)?;
    let mut reasoner = Reasoner::new(game)?;
    reasoner.set_overall_limits(limits.clone());
    let range = heading.range(game);
    prove_sides(promised, heading.objective, &range, |side, statistics| {
        prove_side(&mut reasoner, listing(side), limits, statistics)
    })
}

/// Proves one side after the other. `prove` fails where a side does not have the bound that it promises, and adds to the
/// statistics. The verdict is a proof of the value if both bounds are equal; else, when both hold, they are the bounds of a
/// [`Verdict::Stopped`] for want of precision.
pub(super) fn prove_sides(
    promised: [&BigRational; 2],
    aim: Aim,
    range: &ValueRange,
    mut prove: impl FnMut(Side, &mut Vec<(&'static str, u64)>) -> Result<(), EarlyEnd>,
) -> Result<Verification, VerifyError> {
    let mut statistics = Vec::new();
    let mut proved = ends(range);
    // The side that wants a small value proves an upper bound.
    let lower_side = if aim.prefers_small() {
        Side::Opponents
    } else {
        Side::Role
    };
    for side in [Side::Role, Side::Opponents] {
        let verdict = match prove(side, &mut statistics) {
            Ok(()) => {
                match side == lower_side {
                    true => proved.0 = promised[0].clone(),
                    false => proved.1 = Some(promised[1].clone()),
                }
                continue;
            }
            Err(EarlyEnd::Failed(error)) => return Err(error),
            Err(EarlyEnd::Refused(refusal)) => Verdict::Refused(refusal),
            Err(EarlyEnd::Stopped(reason)) => Verdict::between(reason, proved),
        };
        return Ok(Verification {
            verdict,
            statistics,
        });
    }
    let verdict = match proved.1.as_ref() == Some(&proved.0) {
        true => Verdict::Proved(proved.0),
        false => Verdict::between(StopReason::Precision, proved),
    };
    Ok(Verification {
        verdict,
        statistics,
    })
}

/// Whether the strategy with this heading is for this game of full information.
pub fn check_heading(game: &Game, heading: &Heading) -> Result<(), VerifyError> {
    game.check_open("a strategy of this kind")?;
    check_rules(game, heading)
}

/// The payoffs that a heading is about; refuses numbers of steps.
pub(super) fn check_payoffs(heading: &Heading) -> Result<Objective, VerifyError> {
    let aim = heading.objective;
    aim.payoff().ok_or(VerifyError::Steps(aim))
}

/// Whether a heading is about this game.
pub(super) fn check_rules(game: &Game, heading: &Heading) -> Result<(), VerifyError> {
    let known = game.players().any(|player| *player == heading.role);
    if !known && heading.role.as_str().contains('+') {
        return Err(VerifyError::Team {
            team: heading.role.clone(),
        });
    }
    let found = fingerprint(game);
    if heading.rules != found {
        return Err(VerifyError::OtherRules {
            game: heading.game.clone(),
            expected: heading.rules.clone(),
            found,
        });
    }
    if heading.roles != game.roles() || !known {
        let list = |roles: &[Name]| {
            let names: Vec<&str> = roles.iter().map(Name::as_str).collect();
            names.join(", ")
        };
        return Err(VerifyError::OtherRoles {
            expected: list(&heading.roles),
            found: list(game.roles()),
        });
    }
    Ok(())
}

/// The name of the number of positions on a side.
pub fn positions_name(side: Side) -> &'static str {
    match side {
        Side::Role => "player_positions",
        Side::Opponents => "opponents_positions",
    }
}

/// Checks one side: that it has the value promised, and each of its positions the value claimed.
fn prove_side(
    reasoner: &mut Reasoner,
    listing: Listing<'_>,
    limits: &Limits,
    statistics: &mut Vec<(&'static str, u64)>,
) -> Result<(), EarlyEnd> {
    let side = listing.side.expect("a side of a strategy");
    let promised = listing.promise.clone();
    let is_endless = listing.heading.depth.is_none();
    let mut walk = Walk::new(reasoner, listing, limits)?;
    let explored = walk.explore();
    statistics.push((positions_name(side), walk.nodes.len() as u64));
    explored?;
    if !walk.listing.mixes {
        let unreached = walk.unreached();
        match statistics.iter_mut().find(|(name, _)| *name == "unreached") {
            Some((_, total)) => *total += unreached,
            None => statistics.push(("unreached", unreached)),
        }
    }
    let mut values: Vec<BigRational> = vec![BigRational::zero(); walk.nodes.len()];
    if is_endless {
        for (number, value) in values.iter_mut().enumerate() {
            match claimed_value(&walk, number) {
                Some(claimed) => *value = claimed,
                None => return Err(walk.flaw(number as u32, Flaw::NoValue)),
            }
        }
    }
    for number in (0..walk.nodes.len()).rev() {
        match node_value(&walk, number, &values) {
            // Without a step limit the claims are the proof.
            Ok(_) if is_endless => {}
            Ok(value) => values[number] = value,
            Err(flaw) => return Err(walk.flaw(number as u32, *flaw)),
        }
    }
    let (ends, flaw) = match walk.listing.heading.objective {
        Aim::Payoff(_) => (Side::Role, Flaw::Endless),
        Aim::Steps(StepAim::Fewest) => (Side::Role, Flaw::NeverOver),
        Aim::Steps(StepAim::Most) => (Side::Opponents, Flaw::NeverOver),
    };
    if is_endless
        && side == ends
        && let Some(number) = endless(&walk, &values)
    {
        return Err(walk.flaw(number, flaw));
    }
    let found = values[0].clone();
    if found != promised {
        return Err(walk.flaw(0, Flaw::BrokenPromise { promised, found }));
    }
    Ok(())
}

/// The value of a node by those of its successors, compared with the value claimed.
fn node_value(
    walk: &Walk<'_>,
    number: usize,
    values: &[BigRational],
) -> Result<BigRational, Box<Flaw>> {
    let (entry, step) = match &walk.nodes[number].kind {
        Kind::Leaf(values) => return Ok(values[0].clone()),
        Kind::Inner { entry, counts, .. } => (
            entry.map(|entry| walk.entry(entry)),
            BigInt::from(u8::from(*counts)),
        ),
        Kind::New => unreachable!("every node was looked at"),
    };
    let Listing { heading, side, .. } = walk.listing;
    let mut best: Option<BigRational> = None;
    for group in walk.groups_of(number) {
        let mean = group_value(walk, entry, group, values) + &step;
        if let (Some(Advice::Answers(answers)), Some(answer)) =
            (entry.map(|entry| &entry.advice), group.answer)
        {
            let answer = &answers[answer as usize];
            if let Some(claimed) = answer.value.as_ref().filter(|claimed| **claimed != mean) {
                let action = Some(walk.listing.terms.term(answer.action).clone());
                return Err(wrong_value(action, claimed, mean));
            }
        }
        let takes_least = (side == Some(Side::Role)) != heading.objective.prefers_small();
        best = Some(match (best, takes_least) {
            (None, _) => mean,
            (Some(best), true) => best.min(mean),
            (Some(best), false) => best.max(mean),
        });
    }
    let value = best.expect("every role has a legal move");
    let Some(claimed) = entry.and_then(|entry| entry.value) else {
        return Ok(value);
    };
    let may_be_worse = walk.listing.mixes && heading.depth.is_none();
    let is_worse = match side {
        Some(Side::Role) => *claimed < value,
        _ => *claimed > value,
    };
    match *claimed == value || may_be_worse && is_worse {
        true => Ok(value),
        false => Err(wrong_value(None, claimed, value)),
    }
}

/// The mean of a group over the side's mixture and over chance.
fn group_value(
    walk: &Walk<'_>,
    entry: Option<&Entry<'_>>,
    group: &Group,
    values: &[BigRational],
) -> BigRational {
    let successors = &walk.successors[group.successors.clone()];
    let mean = |successors: &[u32]| mean(successors, |next| &values[next as usize]);
    match entry.map(|entry| &entry.advice) {
        Some(Advice::Mixture(choices)) => {
            let outcomes = successors.chunks(successors.len() / choices.len());
            let parts = outcomes.zip(*choices);
            parts.map(|(next, (_, share))| share * mean(next)).sum()
        }
        _ => mean(successors),
    }
}

/// The mean of the values of successors, which are equally likely.
pub(super) fn mean<'v>(successors: &[u32], value: impl Fn(u32) -> &'v BigRational) -> BigRational {
    let sum: BigRational = successors.iter().map(|&next| value(next)).sum();
    sum / BigRational::from_integer(successors.len().into())
}

/// The payoff of a node where play is over, and the value that it claims where play goes on.
fn claimed_value(walk: &Walk<'_>, number: usize) -> Option<BigRational> {
    match &walk.nodes[number].kind {
        Kind::Leaf(values) => Some(values[0].clone()),
        Kind::Inner { entry, .. } => walk.entry((*entry)?).value.cloned(),
        Kind::New => unreachable!("every node was looked at"),
    }
}

/// The first node of those in which the other side can keep play for ever, though that is worth less than its value: if payoffs count,
/// though its value is positive, if steps count, anywhere.
///
/// It can if there is a set of such nodes each of which has a group that stays in the set.
fn endless(walk: &Walk<'_>, values: &[BigRational]) -> Option<u32> {
    let counts_steps = walk.listing.heading.objective.payoff().is_none();
    let may_stay = |number: usize| counts_steps || !values[number].is_zero();
    let stays = staying(walk, may_stay, |group, stays| {
        let mut next = walk.successors[group.successors.clone()].iter();
        next.all(|&next| stays[next as usize])
    });
    let first = stays.iter().position(|&stays| stays)?;
    Some(first as u32)
}

/// By node: whether it is in the largest set of nodes each of which has a group that keeps it in the set. The set is what remains
/// when nodes without such a group are taken out, one after the other.
pub(super) fn staying(
    walk: &Walk<'_>,
    may_stay: impl Fn(usize) -> bool,
    keeps: impl Fn(&Group, &[bool]) -> bool,
) -> Vec<bool> {
    let nodes = 0..walk.nodes.len();
    let mut stays: Vec<bool> = nodes
        .clone()
        .map(|number| may_stay(number) && !walk.groups_of(number).is_empty())
        .collect();
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
    for number in nodes.clone() {
        for group in walk.groups_of(number) {
            for &next in &walk.successors[group.successors.clone()] {
                before[next as usize].push(number as u32);
            }
        }
    }
    let mut pending: Vec<u32> = nodes.map(|number| number as u32).collect();
    while let Some(number) = pending.pop() {
        let mut groups = walk.groups_of(number as usize).iter();
        if stays[number as usize] && !groups.any(|group| keeps(group, &stays)) {
            stays[number as usize] = false;
            pending.append(&mut before[number as usize]);
        }
    }
    stays
}

fn wrong_value(action: Option<Term>, claimed: &BigRational, found: BigRational) -> Box<Flaw> {
    Box::new(Flaw::WrongValue {
        action,
        claimed: claimed.clone(),
        found,
    })
}
