//! After how many steps every play from a state is over.
//!
//! Several ways are tried, cheap ones first: listing all states that can be reached, as long as they
//! are few ([`listed`]; this gives the exact number); a step executed with unknown moves
//! ([`circuit::Step::look_ahead`]); facts that only come or only go ([`invariants::Ranking`]); listing again, with
//! a higher limit. Each gives a proof. A play with more steps than there are states meets one of them
//! twice, so it may be endless; listing finds that too.

use crate::bounds::{FEW_STATES, MANY_STATES, MAX_SIMULATED_GATES, STATES_PER_LOOK};
use crate::claims::Proofs;
use crate::compile::Compiled;
use crate::problem::Problem;
use crate::samples::ANY_LAYER;
use limits::{Halt, Limits, StopReason, Watch};
use rustc_hash::{FxHashMap, FxHashSet};
use stochastic_game::Successors;

/// Why no horizon is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoHorizon {
    /// Nothing that was tried gave a proof.
    #[error(
        "it could not be proved that every play ends: say how many steps to look ahead (--depth)"
    )]
    Unproved,
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
        StopReason::Time | StopReason::Interrupted => "time",
    }
}

/// What is kept from one question to the next.
#[derive(Debug, Default)]
pub struct Horizons {
    /// States that were listed, by key, and after how many steps every play from them is over.
    ends: FxHashMap<Box<[u64]>, u32>,
    /// No cheap proof was found for some state, so none is looked for again.
    has_no_cheap_proof: bool,
}

/// States by key, and the last step after which each was met.
type LastMet = FxHashMap<Box<[u64]>, u32>;

impl Horizons {
    /// After how many steps every play from a state that is not terminal is over, at the latest.
    pub fn find(
        &mut self,
        problem: &Problem,
        compiled: &Compiled,
        proofs: &mut Proofs,
        state: &[bool],
        limits: &Limits,
    ) -> Result<u32, NoHorizon> {
        let (mut watch, proving) = (Watch::new(limits), Watch::new(limits));
        let mut stopped = None;
        let mut go_on = || {
            let looked = watch.look("looking for the horizon", 0);
            stopped = stopped.or(looked.err());
            stopped.is_none()
        };
        if let Some(steps) = self.cheap(problem, compiled, proofs, state, &proving, &mut go_on)? {
            return Ok(steps);
        }
        let facts = compiled.pack(state);
        match listed(compiled, &facts, MANY_STATES, &proving, &mut go_on) {
            Listed::Horizon(steps, _) => Ok(steps),
            Listed::Endless => Err(NoHorizon::Endless),
            Listed::NoRoom => Err(NoHorizon::Stopped(StopReason::Memory)),
            Listed::TooMany => Err(match stopped.or(proving.clock().look().err()) {
                Some(reason) => NoHorizon::Stopped(reason),
                None => NoHorizon::Unproved,
            }),
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
        let key = key(compiled, &compiled.pack(state));
        if let Some(&end) = self.ends.get(&key) {
            return steps.min(end);
        }
        if self.has_no_cheap_proof {
            return steps;
        }
        let (mut watch, proving) = (Watch::new(limits), Watch::new(limits));
        let mut go_on = || watch.look("looking for the horizon", 0).is_ok();
        match self.cheap(problem, compiled, proofs, state, &proving, &mut go_on) {
            Ok(Some(end)) => steps.min(end),
            Ok(None) | Err(_) => {
                // With more time there may be one.
                self.has_no_cheap_proof = watch.clock().look().is_ok();
                steps
            }
        }
    }

    /// Tries everything but listing many states.
    fn cheap(
        &mut self,
        problem: &Problem,
        compiled: &Compiled,
        proofs: &mut Proofs,
        state: &[bool],
        proving: &Watch<'_>,
        go_on: &mut impl FnMut() -> bool,
    ) -> Result<Option<u32>, NoHorizon> {
        let facts = compiled.pack(state);
        match listed(compiled, &facts, FEW_STATES, proving, go_on) {
            Listed::Horizon(steps, met) => {
                // A state met after some steps can be that far from the end, and no farther.
                let ends = met.into_iter().map(|(key, after)| (key, steps - after));
                self.ends = ends.collect();
                self.ends.insert(key(compiled, &facts), steps);
                return Ok(Some(steps));
            }
            Listed::Endless => return Err(NoHorizon::Endless),
            Listed::TooMany | Listed::NoRoom => {}
        }
        let look = |_: u32, _: &[circuit::May]| go_on();
        if let Some(steps) = problem.step.look_ahead(state, MAX_SIMULATED_GATES, look) {
            return Ok(Some(steps));
        }
        if go_on()
            && let Some(claims) = proofs.claims(problem, compiled, &facts, proving)
            && claims.lasting.admits(state)
            && let Some(ranking) = &claims.ranking
            && let Some(steps) = ranking.steps(state)
        {
            return Ok(Some(steps));
        }
        Ok(None)
    }
}

/// The key of a state.
pub fn key(compiled: &Compiled, facts: &[u64]) -> Box<[u64]> {
    let mut key = vec![0; compiled.keys.words()];
    compiled.keys.write(&compiled.seen(facts), &mut key);
    key.into()
}

/// What listing states shows.
enum Listed {
    Horizon(u32, LastMet),
    Endless,
    TooMany,
    NoRoom,
}

/// Lists all states step by step until there are no new ones, up to a number in all and within the memory.
fn listed(
    compiled: &Compiled,
    facts: &[u64],
    most: usize,
    watch: &Watch<'_>,
    go_on: &mut impl FnMut() -> bool,
) -> Listed {
    let halt = Halt::new(watch.clock(), None);
    let memory = watch.memory_limit();
    let mut successors = Successors::new(compiled, compiled.max_nodes(memory), halt);
    // A state is in two lists as facts and in two tables as a key.
    let state = 16 * facts.len() + 2 * (8 * compiled.keys.words() + 48);
    let room = |memory: u64| usize::try_from(memory / 2).unwrap_or(usize::MAX) / state;
    let room = memory.map_or(usize::MAX, room);
    // All states, and those met after the present number of steps, by key.
    let mut all = LastMet::default();
    let mut layer = compiled.state(facts);
    let words = layer.len();
    let (mut listed, mut looked_at) = (1, 0);
    for steps in 0.. {
        if layer.is_empty() {
            return Listed::Horizon(steps, all);
        }
        if steps as usize > all.len() + 1 {
            return Listed::Endless;
        }
        let mut next = Vec::new();
        let mut anybody_moves = false;
        let mut known: FxHashSet<Box<[u64]>> = FxHashSet::default();
        for state in layer.chunks_exact(words) {
            if successors.list(state, ANY_LAYER).is_err() {
                return Listed::TooMany;
            }
            anybody_moves |= successors.nodes > 1;
            for number in 0..successors.len() {
                looked_at += 1;
                if looked_at % STATES_PER_LOOK == 0 && !go_on() {
                    return Listed::TooMany;
                }
                let key: Box<[u64]> = successors.key(number).into();
                if known.insert(key.clone()) {
                    all.insert(key, steps + 1);
                    next.extend_from_slice(successors.state(number));
                    listed += 1;
                }
            }
            if listed > most {
                return Listed::TooMany;
            }
            if listed > room {
                return Listed::NoRoom;
            }
        }
        if !anybody_moves {
            return Listed::Horizon(steps, all);
        }
        layer = next;
    }
    Listed::TooMany
}
