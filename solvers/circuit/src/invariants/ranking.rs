//! Ranking: facts that only ever come, or only ever go, of which at least one changes in every step.
//!
//! On a board where stones are never taken away, each move fills a cell, so there are no more moves
//! than cells. In general: let some facts never vanish once they hold, and others never come back once
//! they are gone ([`PersistentFacts`]); if every step changes at least one of them, a play is over after
//! at most as many steps as there are facts left to change. That is proved for every state.
//!
//! Most games have no such facts, and facts that exclude each other are hard to find. So it is seen first in some plays whether there may
//! be a ranking ([`Ranking::may_exist`]): a step that changes none of the facts that only come or only go says that there is none.
//!
//! Of facts that exclude each other, as a white and a black stone in one cell, only one can still
//! come; and states in which facts exclude each other but both hold are left out.

use super::houdini::Oracle;
use super::persistent::{PersistentFacts, one_way, prover};
use super::proof::StepProver;
use crate::Step;
use limits::Limits;

/// A bound on the length of plays.
#[derive(Clone, Debug)]
pub struct Ranking {
    /// Facts that never vanish, in groups of which at most one ever comes.
    stay_true: Vec<Vec<usize>>,
    /// Facts that never come back.
    stay_false: Vec<usize>,
}

impl Ranking {
    /// Whether there may be a ranking by some of these facts: whether each step of some plays changes a fact that only comes or only
    /// goes. Not if it takes too much effort to find out which do.
    pub fn may_exist(
        step: &Step,
        facts: &[usize],
        plays: &[Vec<Vec<bool>>],
        limits: &Limits,
    ) -> bool {
        let steps = || plays.iter().flat_map(|play| play.windows(2));
        let always_change = |facts: &[usize]| {
            steps().all(|states| facts.iter().any(|&fact| states[0][fact] != states[1][fact]))
        };
        let has_vanished = |fact: usize| steps().any(|states| states[0][fact] && !states[1][fact]);
        let has_come = |fact: usize| steps().any(|states| !states[0][fact] && states[1][fact]);
        let seem: Vec<usize> = facts
            .iter()
            .copied()
            .filter(|&fact| has_vanished(fact) != has_come(fact))
            .collect();
        // The facts that are proved are among those that seem so.
        always_change(&seem)
            && one_way(&mut prover(step, &seem, limits), step, &seem)
                .is_some_and(|[come, go]| always_change(&[come, go].concat()))
    }

    /// Whether every step changes one of the facts that only come or only go. The prover knows the
    /// step.
    pub fn find(
        step: &Step,
        persistent: &PersistentFacts,
        prover: &mut StepProver,
    ) -> Option<Ranking> {
        let mut nothing_changes = Vec::new();
        let changes = persistent.stay_true.iter().map(|&fact| (fact, true));
        for (fact, comes) in changes.chain(persistent.stay_false.iter().map(|&fact| (fact, false)))
        {
            let change = [step.next[fact], step.facts[fact]].map(|signal| prover.literal(signal));
            let guard = prover.new_literal();
            match (comes, change) {
                (true, [next, now]) => prover.require(&[!guard, now, !next]),
                (false, [next, now]) => prover.require(&[!guard, !now, next]),
            }
            nothing_changes.push(guard);
        }
        prover.assume_exclusive(step, &persistent.exclusive);
        if prover.can_hold(&nothing_changes).ok()? {
            return None;
        }
        Some(Ranking {
            stay_true: persistent.groups(&persistent.stay_true),
            stay_false: persistent.stay_false.clone(),
        })
    }

    /// After how many steps every play from a state is over at the latest, if the state is one of
    /// those that the proof is about.
    pub fn steps(&self, state: &[bool]) -> Option<u32> {
        let open = |group: &&Vec<usize>| !group.iter().any(|&fact| state[fact]);
        let come = self.stay_true.iter().filter(open).count();
        let go = self.stay_false.iter().filter(|&&fact| state[fact]).count();
        u32::try_from(come + go).ok()
    }
}
