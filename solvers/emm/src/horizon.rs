//! After how many steps every play from a state is over.
//!
//! Several ways are tried, cheap ones first: listing all states that can be reached, if they
//! are few ([`Reached`]; this gives the exact number); a step executed with unknown moves
//! ([`circuit::Step::look_ahead`]); facts that only come or only go ([`invariants::Ranking`]); listing all states. Each
//! gives a proof. Listing also finds out that plays may be endless.

use crate::bounds::{FEW_STATES, MAX_SIMULATED_GATES};
use crate::claims::Proofs;
use crate::compile::Compiled;
use crate::problem::Problem;
use crate::reached::Reached;
use limits::{Limits, StopReason, Watch};
use rustc_hash::FxHashMap;
use stochastic_game::unbounded::Unexplored;

/// Why no horizon is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoHorizon {
    /// Nothing that was tried gave a proof.
    #[error(
        "it could not be proved that every play ends: say how many steps to look ahead (--depth)"
    )]
    Unproved,
    /// No measure that falls in every step was found.
    #[error(
        "no weights of facts were found whose sum falls in every step: let layers be numbers of steps (--layers steps)"
    )]
    NoMeasure,
    /// Some plays meet a state again.
    #[error("plays may go on for ever: say how many steps to look ahead (--depth)")]
    Endless,
    /// A limit was reached before.
    #[error(
        "there was no {} to find out after how many steps every play is over: say how many steps to look ahead (--depth)",
        lack(*.0)
    )]
    Stopped(StopReason),
}

/// What there was too little of.
fn lack(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Memory => "memory",
        StopReason::Time | StopReason::Interrupted | StopReason::Precision => "time",
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

/// What is kept from one question to the next.
#[derive(Debug, Default)]
pub struct Horizons {
    /// All states that can be reached from one that was asked about.
    pub reached: Option<Reached>,
    /// States that were asked about, by their facts, with other proofs.
    ends: FxHashMap<Box<[u64]>, u32>,
    /// No cheap proof was found for some state, so none is looked for again.
    has_no_cheap_proof: bool,
}

impl Horizons {
    /// What is known of a state that is not terminal.
    pub fn known(&self, compiled: &Compiled, facts: &[u64]) -> Length {
        if let Some(&end) = self.ends.get(facts) {
            return Length::Steps(end);
        }
        let found = self.reached.as_ref();
        let found = found.and_then(|it| Some((it, it.place(&key(compiled, facts))?)));
        let Some((reached, place)) = found else {
            return Length::Unknown;
        };
        match (reached.length(place), reached.stopped()) {
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
        match self.cheap(problem, compiled, proofs, state, limits) {
            Length::Steps(end) => steps.min(end),
            Length::Endless | Length::Unknown => steps,
        }
    }

    /// Tries everything but listing many states; nothing where that did not help before.
    pub fn cheap(
        &mut self,
        problem: &Problem,
        compiled: &Compiled,
        proofs: &mut Proofs,
        state: &[bool],
        limits: &Limits,
    ) -> Length {
        let facts = compiled.pack(state);
        let known = self.known(compiled, &facts);
        if known != Length::Unknown || self.has_no_cheap_proof {
            return known;
        }
        let mut watch = Watch::new(limits);
        if self
            .list(compiled, &facts, FEW_STATES, &watch.left())
            .is_ok()
        {
            let known = self.known(compiled, &facts);
            if known != Length::Unknown {
                return known;
            }
        }
        let mut go_on = || watch.look("looking for the horizon", 0).is_ok();
        let look = |_: u32, _: &[circuit::May]| go_on();
        let mut steps = (problem.step).look_ahead(state, MAX_SIMULATED_GATES, look);
        if steps.is_none()
            && go_on()
            && proofs.may_rank(problem, compiled, &facts, &watch)
            && let Some(claims) = proofs.claims(problem, compiled, &facts, &watch)
            && claims.lasting.admits(state)
            && let Some(ranking) = &claims.ranking
        {
            steps = ranking.steps(state);
        }
        match steps {
            Some(steps) => {
                self.ends.insert(facts.into(), steps);
                Length::Steps(steps)
            }
            None => {
                // With more time there may be one.
                self.has_no_cheap_proof = watch.clock().look().is_ok();
                Length::Unknown
            }
        }
    }

    /// Lists the states that can be reached from one, and keeps them; again only where there is more time or memory.
    pub fn list(
        &mut self,
        compiled: &Compiled,
        facts: &[u64],
        most: usize,
        limits: &Limits,
    ) -> Result<(), Unexplored> {
        let is_listed =
            |it: &Reached| it.place(&key(compiled, facts)).is_some() && !it.could_list_more(limits);
        if self.reached.as_ref().is_some_and(is_listed) {
            return Ok(());
        }
        self.reached = None;
        self.reached = Some(Reached::list(compiled, facts, most, limits)?);
        Ok(())
    }
}

/// The key of a state.
pub fn key(compiled: &Compiled, facts: &[u64]) -> Box<[u64]> {
    let mut key = vec![0; compiled.keys.words()];
    compiled.keys.write(&compiled.seen(facts), &mut key);
    key.into()
}
