//! All states that play leads to within the steps that count, breadth first.

use crate::game::{ConcurrentGame, Stage, StageError};
use crate::stages::{Node, Stages};
use indexmap::IndexSet;
use limits::{StopReason, Watch};
use rustc_hash::FxBuildHasher;

/// The states that were listed; the first one is the start.
#[derive(Debug)]
pub struct StateList<S> {
    pub states: IndexSet<S, FxBuildHasher>,
    /// By state: the least number of steps from the start.
    pub distances: Vec<u32>,
    pub stages: Stages,
    /// The limit that ended the listing.
    pub stopped: Option<StopReason>,
}

impl<S: Clone + Eq + std::hash::Hash> StateList<S> {
    /// The number of a state, which is listed if it is new.
    fn number(&mut self, state: S, distance: u32) -> u32 {
        let (number, is_new) = self.states.insert_full(state);
        if is_new {
            self.distances.push(distance);
        }
        u32::try_from(number).expect("memory ends before four billion states")
    }
}

/// Lists the states from a start. A limit leaves states open, and so do the steps that count.
pub fn explore<G: ConcurrentGame>(
    game: &mut G,
    start: G::State,
    depth: Option<u32>,
    watch: &mut Watch<'_>,
) -> Result<StateList<G::State>, G::Error> {
    let mut listed = StateList {
        states: IndexSet::default(),
        distances: Vec::new(),
        stages: Stages::new(game.unfinished()),
        stopped: None,
    };
    listed.number(start, 0);
    let (mut state, mut bytes) = (0, 0);
    while state < listed.states.len() {
        match expand(game, &mut listed, state, depth, watch, &mut bytes) {
            Ok(()) => state += 1,
            Err(StageError::Failed(error)) => return Err(error),
            Err(StageError::Stopped(reason)) => {
                listed.stopped = Some(reason);
                break;
            }
        }
    }
    listed
        .stages
        .nodes
        .resize_with(listed.states.len(), || Node::Open);
    Ok(listed)
}

fn expand<G: ConcurrentGame>(
    game: &mut G,
    listed: &mut StateList<G::State>,
    number: usize,
    depth: Option<u32>,
    watch: &mut Watch<'_>,
    bytes: &mut u64,
) -> Result<(), StageError<G::Error>> {
    watch.check("listing states", number as u64)?;
    let (state, distance) = (listed.states[number].clone(), listed.distances[number]);
    let node = match game.payoff(&state)? {
        Some(payoff) => Node::End(payoff),
        None if depth == Some(distance) => Node::Last,
        None => {
            let before = listed.states.len();
            let Stage { columns, cells } = game.stage(&state, watch.limits())?;
            let named = |cell: Vec<(G::State, u64)>| {
                let cell = cell.into_iter();
                cell.map(|(next, weight)| (listed.number(next, distance + 1), weight))
                    .collect()
            };
            let cells = cells.into_iter().map(named).collect();
            listed.stages.push(Stage { columns, cells });
            let new = listed.states.iter().skip(before);
            let new: usize = new
                .map(|state| size_of::<G::State>() + 32 + G::heap_bytes(state))
                .sum();
            let all = *bytes + new as u64 + listed.stages.bytes();
            *bytes += new as u64;
            let taken = watch.taken();
            watch.take_memory(all.saturating_sub(taken))?;
            return Ok(());
        }
    };
    listed.stages.nodes.push(node);
    Ok(())
}
