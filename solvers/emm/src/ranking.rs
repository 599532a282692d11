//! Facts that only ever come, or only ever go, of which some does in every step.
//!
//! On a board where stones are never taken away, each move fills a cell, so there are no more moves
//! than cells. In general: let some facts never vanish once they hold, and others never come back once
//! they are gone; if every step changes at least one of them, a play is over after at most as many
//! steps as there are facts left to change. All three claims are about one step, and are proved for
//! every state ([`crate::proof`]), so also for those that can be reached.
//!
//! Of facts that exclude each other, as a white and a black stone in one cell, only one can still
//! come. Such pairs are guessed from random play and proved together, by induction: if none of them
//! holds twice now, none does next. What cannot be proved is dropped, until all can.

use crate::problem::Problem;
use crate::proof::Prover;
use formula::Limits;
use std::time::Duration;

/// With more facts nothing is tried.
const MOST_FACTS: usize = 4000;
/// Among more facts that only come no pairs are tried.
const MOST_IN_PAIRS: usize = 400;
/// Time for all proofs.
const MOST_TIME: Duration = Duration::from_secs(10);

/// A bound on the length of plays.
#[derive(Clone, Debug)]
pub struct Ranking {
    /// Facts that never vanish, in groups of which at most one ever comes.
    come: Vec<Vec<usize>>,
    /// Facts that never come back.
    go: Vec<usize>,
    /// Pairs of facts that the proof takes to exclude each other from the start.
    exclusive: Vec<(usize, usize)>,
}

impl Ranking {
    /// Looks for one among the facts that matter. `samples` are states that can be reached.
    pub fn find(
        problem: &Problem,
        facts: &[usize],
        samples: &[Vec<bool>],
        limits: &Limits,
    ) -> Option<Ranking> {
        if facts.len() > MOST_FACTS {
            return None;
        }
        let step = &problem.step;
        let roots: Vec<_> = facts
            .iter()
            .flat_map(|&fact| [step.facts[fact], step.next[fact]])
            .collect();
        let mut prover = Prover::new(problem, &roots, limits, MOST_TIME);
        let (mut come, mut go) = (Vec::new(), Vec::new());
        for &fact in facts {
            let now = prover.literal(step.facts[fact]);
            let next = prover.literal(step.next[fact]);
            // A fact that does both never changes, which is of no use.
            if prover.can_hold(&[now, !next])? {
                if !prover.can_hold(&[!now, next])? {
                    go.push(fact);
                }
            } else {
                come.push(fact);
            }
        }
        let exclusive = exclusive_pairs(&mut prover, problem, &come, samples)?;
        let mut nothing_changes = Vec::new();
        for &fact in &come {
            let now = prover.literal(step.facts[fact]);
            let next = prover.literal(step.next[fact]);
            let guard = prover.new_literal();
            prover.add(&[!guard, now, !next]);
            nothing_changes.push(guard);
        }
        for &fact in &go {
            let now = prover.literal(step.facts[fact]);
            let next = prover.literal(step.next[fact]);
            let guard = prover.new_literal();
            prover.add(&[!guard, !now, next]);
            nothing_changes.push(guard);
        }
        for &(one, other) in &exclusive {
            let clause = [one, other].map(|fact| !prover.literal(step.facts[fact]));
            prover.add(&clause);
        }
        if prover.can_hold(&nothing_changes)? {
            return None;
        }
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for &fact in &come {
            let excludes = |&other: &usize| exclusive.contains(&(other, fact));
            match groups.iter_mut().find(|group| group.iter().all(excludes)) {
                Some(group) => group.push(fact),
                None => groups.push(vec![fact]),
            }
        }
        Some(Ranking {
            come: groups,
            go,
            exclusive,
        })
    }

    /// After how many steps every play from a state is over at the latest; nothing if the state is
    /// none of those that the proof is about.
    pub fn steps(&self, state: &[bool]) -> Option<u32> {
        if self
            .exclusive
            .iter()
            .any(|&(one, other)| state[one] && state[other])
        {
            return None;
        }
        let open = |group: &&Vec<usize>| !group.iter().any(|&fact| state[fact]);
        let come = self.come.iter().filter(open).count();
        let go = self.go.iter().filter(|&&fact| state[fact]).count();
        u32::try_from(come + go).ok()
    }
}

/// Pairs of facts, each in ascending order, of which both never hold, if none do at the start.
fn exclusive_pairs(
    prover: &mut Prover,
    problem: &Problem,
    facts: &[usize],
    samples: &[Vec<bool>],
) -> Option<Vec<(usize, usize)>> {
    if facts.len() > MOST_IN_PAIRS {
        return Some(Vec::new());
    }
    let step = &problem.step;
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
    // Each pair gets a guard for "not both now", and a literal that implies "both next".
    let mut listed: Vec<_> = pairs
        .into_iter()
        .map(|pair| {
            let guard = prover.new_literal();
            let broken = prover.new_literal();
            let now = [pair.0, pair.1].map(|fact| prover.literal(step.facts[fact]));
            prover.add(&[!guard, !now[0], !now[1]]);
            for fact in [pair.0, pair.1] {
                let next = prover.literal(step.next[fact]);
                prover.add(&[!broken, next]);
            }
            (pair, guard, broken)
        })
        .collect();
    loop {
        if listed.is_empty() {
            return Some(Vec::new());
        }
        let round = prover.new_literal();
        let mut clause: Vec<_> = listed.iter().map(|&(_, _, broken)| broken).collect();
        clause.push(!round);
        prover.add(&clause);
        let mut assumed: Vec<_> = listed.iter().map(|&(_, guard, _)| guard).collect();
        assumed.push(round);
        if !prover.can_hold(&assumed)? {
            return Some(listed.into_iter().map(|(pair, ..)| pair).collect());
        }
        listed.retain(|&((one, other), ..)| {
            let next = [one, other].map(|fact| prover.literal(step.next[fact]));
            !(prover.is_true(next[0]) && prover.is_true(next[1]))
        });
    }
}
