//! Horizons: the number of steps after which every play from a state is over.
//!
//! Several ways are tried, cheap ones first: listing all states that can be reached, if they
//! are few ([`ReachableStates`]; this gives the exact number); a step executed with unknown moves
//! ([`circuit::Step::look_ahead`]); facts that only come or only go ([`circuit::invariants::Ranking`]); listing all states, from where
//! the list of few was left. Each gives a proof. Listing also finds out that plays may be endless.

use crate::claims::Proofs;
use crate::compile::Compiled;
use crate::policy::{Action, MAX_SIMULATED_GATES, Purpose, State, next_action};
use crate::problem::Problem;
use crate::reached::ReachableStates;
use arena::Unexplored;
use limits::{Limits, StopReason, Watch};
use rustc_hash::FxHashMap;

/// The reason why no horizon is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoHorizon {
    /// Nothing that was tried gave a proof.
    #[error("it could not be proved that every play ends: say how many steps to look ahead")]
    Unproved,
    /// Some plays meet a state again.
    #[error("plays may go on for ever: say how many steps to look ahead")]
    Endless,
    /// A limit was reached before.
    #[error(
        "there was no {} to find out after how many steps every play is over: say how many steps to look ahead",
        lack(*.0)
    )]
    Stopped(StopReason),
}

/// The name of the resource that there was too little of.
fn lack(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Memory => "memory",
        StopReason::Time | StopReason::Interrupted | StopReason::Precision | StopReason::Ties => {
            "time"
        }
    }
}

/// How long plays from a state take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Length {
    /// They take at most this number of steps.
    Steps(u32),
    /// They may go on for ever.
    Endless,
    /// That is not known.
    Unknown,
}

/// The lengths of play known from earlier questions.
#[derive(Debug, Default)]
pub struct Horizons {
    /// All states that can be reached from one that was asked about.
    pub reached: Option<ReachableStates>,
    /// States that were asked about, by their facts, with other proofs.
    ends: FxHashMap<Box<[u64]>, u32>,
    /// No cheap proof was found for some state, so none is searched for again.
    has_no_cheap_proof: bool,
}

impl Horizons {
    /// The known length of play from a state that is not terminal.
    pub fn known(&self, compiled: &Compiled, facts: &[u64]) -> Length {
        if let Some(&end) = self.ends.get(facts) {
            return Length::Steps(end);
        }
        let found = self.reached.as_ref();
        let found = found.and_then(|it| Some((it, it.index(&key(compiled, facts))?)));
        let Some((reached, index)) = found else {
            return Length::Unknown;
        };
        match (reached.length(index), reached.stopped()) {
            (Some(steps), _) => Length::Steps(steps),
            (None, None) => Length::Endless,
            (None, Some(_)) => Length::Unknown,
        }
    }

    /// This number of steps, or fewer if every play from a state is known to be over before. It takes little
    /// work, and none where no proof was found before.
    pub fn at_most(
        &mut self,
        problem: &Problem,
        compiled: &Compiled,
        proofs: &mut Proofs,
        state: &[bool],
        steps: u32,
        limits: &Limits,
    ) -> u32 {
        let use_of_it = (Purpose::FewerSteps, false);
        match self.find(problem, compiled, proofs, state, use_of_it, limits) {
            Ok(Length::Steps(end)) => steps.min(end),
            Ok(Length::Endless | Length::Unknown) | Err(_) => steps,
        }
    }

    /// Finds out how long plays take in the order of [`next_action`], as far as facts that no longer matter are to be found, if there may be any. Does
    /// nothing where cheap proofs did not help before.
    ///
    /// # Errors
    /// The reason why more than few states could not be listed.
    pub fn find(
        &mut self,
        problem: &Problem,
        compiled: &Compiled,
        proofs: &mut Proofs,
        state: &[bool],
        (purpose, may_have_dead_facts): (Purpose, bool),
        limits: &Limits,
    ) -> Result<Length, Unexplored> {
        let facts = compiled.pack(state);
        let known = self.known(compiled, &facts);
        if known != Length::Unknown || self.has_no_cheap_proof {
            return Ok(known);
        }
        let mut watch = Watch::new(limits);
        let mut prove = || cheap_proof(problem, compiled, proofs, state, &facts, &mut watch);
        let mut proof = None;
        let goes_on = |listed| {
            loop {
                let action = next_action(State {
                    purpose,
                    listed,
                    has_tried_proofs: proof.is_some(),
                    may_have_dead_facts,
                });
                if action != Action::Prove || proof.get_or_insert_with(&mut prove).is_some() {
                    return action == Action::List;
                }
            }
        };
        let listed = self.list(compiled, &facts, goes_on, limits);
        if proof.is_none() {
            // There are few states, or what stops a list does not stop a proof.
            let known = self.known(compiled, &facts);
            if known != Length::Unknown {
                return Ok(known);
            }
        }
        if let Some(steps) = proof.get_or_insert_with(prove) {
            self.ends.insert(facts.into(), *steps);
            return Ok(Length::Steps(*steps));
        }
        // With more time there may be one.
        self.has_no_cheap_proof = !limits.is_over();
        if purpose != Purpose::FewerSteps && !may_have_dead_facts {
            listed?;
        }
        Ok(self.known(compiled, &facts))
    }

    /// Lists the states that can be reached from one, and keeps them; again only where there is more time or memory.
    pub fn list(
        &mut self,
        compiled: &Compiled,
        facts: &[u64],
        goes_on: impl FnMut(usize) -> bool,
        limits: &Limits,
    ) -> Result<(), Unexplored> {
        let is_listed = |it: &ReachableStates| {
            it.index(&key(compiled, facts)).is_some() && !it.could_list_more(limits)
        };
        if self.reached.as_ref().is_some_and(is_listed) {
            return Ok(());
        }
        self.reached = None;
        self.reached = Some(ReachableStates::list(compiled, facts, goes_on, limits)?);
        Ok(())
    }
}

/// A number of steps after which every play from a state is over, by other ways than listing states.
fn cheap_proof(
    problem: &Problem,
    compiled: &Compiled,
    proofs: &mut Proofs,
    state: &[bool],
    facts: &[u64],
    watch: &mut Watch<'_>,
) -> Option<u32> {
    let mut go_on = || watch.check("looking for the horizon", 0).is_ok();
    let check = |_: u32, _: &[circuit::May]| go_on();
    let steps = (problem.step).look_ahead(state, MAX_SIMULATED_GATES, check);
    if steps.is_some() || !go_on() || !proofs.may_rank(problem, compiled, facts, watch.limits()) {
        return steps;
    }
    let claims = proofs.claims(problem, compiled, facts, watch.limits())?;
    let ranking = claims.ranking.as_ref();
    ranking
        .filter(|_| claims.persistent.admits(state))?
        .steps(state)
}

/// The key of a state.
pub fn key(compiled: &Compiled, facts: &[u64]) -> Box<[u64]> {
    let mut key = vec![0; compiled.keys.words()];
    compiled.keys.write(&compiled.seen(facts), &mut key);
    key.into()
}
