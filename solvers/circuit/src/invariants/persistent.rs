//! Persistent facts: facts that stay true once they are, facts that stay false, and pairs that exclude each other.
//!
//! A stone on a board where nothing is taken away stays; an empty cell that was filled is never empty
//! again; one cell does not hold two stones. The first two are claims about one step, proved for every
//! state ([`StepProver`]). The third is guessed from random play and proved for all pairs together by
//! [`houdini`].

use super::houdini::{Claim, Oracle, houdini};
use super::proof::StepProver;
use crate::{Literal, Step};
use limits::Limits;

/// The most facts of which anything is tried.
const MAX_FACTS: usize = 4000;
/// The most facts of which pairs are tried.
const MAX_IN_PAIRS: usize = 400;

/// The persistent facts that are proved of a step.
#[derive(Clone, Debug)]
pub struct PersistentFacts {
    /// Facts that never vanish.
    pub stay_true: Vec<usize>,
    /// Facts that may vanish, but never come back.
    pub stay_false: Vec<usize>,
    /// Pairs of facts, each in ascending order, that never hold together, if they do not at the start.
    pub exclusive: Vec<(usize, usize)>,
}

impl PersistentFacts {
    /// Finds them among these facts; nothing if that takes too much effort. `samples` are states that can be reached.
    pub fn find(
        step: &Step,
        facts: &[usize],
        samples: &[Vec<bool>],
        limits: &Limits,
    ) -> Option<(PersistentFacts, StepProver)> {
        if facts.len() > MAX_FACTS {
            return None;
        }
        let mut prover = prover(step, facts, limits);
        let [stay_true, stay_false] = one_way(&mut prover, step, facts)?;
        let exclusive = exclusive_pairs(&mut prover, step, facts, samples)?;
        let persistent = PersistentFacts {
            stay_true,
            stay_false,
            exclusive,
        };
        Some((persistent, prover))
    }

    /// Whether a state is one of those that the proofs are about: no two facts that exclude each other
    /// hold.
    pub fn admits(&self, state: &[bool]) -> bool {
        let mut pairs = self.exclusive.iter();
        !pairs.any(|&(one, other)| state[one] && state[other])
    }

    /// Some facts in groups of which at most one ever holds.
    pub fn groups(&self, facts: &[usize]) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for &fact in facts {
            let excludes = |&other: &usize| {
                let pair = (fact.min(other), fact.max(other));
                self.exclusive.binary_search(&pair).is_ok()
            };
            match groups.iter_mut().find(|group| group.iter().all(excludes)) {
                Some(group) => group.push(fact),
                None => groups.push(vec![fact]),
            }
        }
        groups
    }
}

/// A prover of claims about these facts in every step.
pub(crate) fn prover(step: &Step, facts: &[usize], limits: &Limits) -> StepProver {
    let named = facts.iter().flat_map(|&f| [step.facts[f], step.next[f]]);
    StepProver::of_step(step, named, limits)
}

/// Facts that never vanish, and others that never come back; nothing if that takes too much effort.
pub(crate) fn one_way(
    prover: &mut StepProver,
    step: &Step,
    facts: &[usize],
) -> Option<[Vec<usize>; 2]> {
    let [mut stay_true, mut stay_false] = [Vec::new(), Vec::new()];
    for &fact in facts {
        let now = prover.literal(step.facts[fact]);
        let next = prover.literal(step.next[fact]);
        // A fact that does both never changes; it counts as one that stays.
        if !prover.can_hold(&[now, !next]).ok()? {
            stay_true.push(fact);
        } else if !prover.can_hold(&[!now, next]).ok()? {
            stay_false.push(fact);
        }
    }
    Some([stay_true, stay_false])
}

/// Pairs of facts, each in ascending order, of which both never hold, if none do at the start.
fn exclusive_pairs(
    prover: &mut StepProver,
    step: &Step,
    facts: &[usize],
    samples: &[Vec<bool>],
) -> Option<Vec<(usize, usize)>> {
    if facts.len() > MAX_IN_PAIRS {
        return Some(Vec::new());
    }
    let pairs = never_together(facts, samples);
    let of_pair = |&(one, other): &(usize, usize)| {
        let not_both = |holds: &[Literal]| [!holds[one], !holds[other]];
        prover.claim(not_both(&step.facts), not_both(&step.next))
    };
    let claims: Vec<Claim> = pairs.iter().map(of_pair).collect();
    let proved = houdini(prover, &claims, 1, |_, _| ()).ok()?;
    Some(proved.into_iter().map(|number| pairs[number]).collect())
}

/// Pairs of facts, each in ascending order, of which both hold in none of some states.
fn never_together(facts: &[usize], samples: &[Vec<bool>]) -> Vec<(usize, usize)> {
    let mut together = vec![false; facts.len() * facts.len()];
    for sample in samples {
        let holding: Vec<usize> = (0..facts.len()).filter(|&f| sample[facts[f]]).collect();
        for &one in &holding {
            holding
                .iter()
                .for_each(|&other| together[one * facts.len() + other] = true);
        }
    }
    let mut pairs = Vec::new();
    for one in 0..facts.len() {
        for other in one + 1..facts.len() {
            if !together[one * facts.len() + other] {
                pairs.push((facts[one], facts[other]));
            }
        }
    }
    pairs
}
