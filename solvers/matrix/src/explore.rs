//! All states that play leads to within the steps that count, breadth first.

use crate::game::{ConcurrentGame, Stage, StageError};
use indexmap::IndexSet;
use limits::{StopReason, Watch};
use rustc_hash::FxBuildHasher;
use std::hash::Hash;

/// A state that was listed.
pub enum Listed<P> {
    /// Play is over, with this payoff.
    End(P),
    /// Play goes on, but no steps are left.
    Last,
    /// Play goes on. The stage names states by number.
    Stage(Stage<u32>),
}

/// A list of states that grows in the order of their numbers.
pub trait Nodes<P> {
    /// Adds the next state.
    fn push(&mut self, state: Listed<P>);

    /// The memory of the list, in bytes.
    fn bytes(&self) -> u64;
}

/// States with numbers.
pub type StateSet<S> = IndexSet<S, FxBuildHasher>;

/// The states that were listed; the first one is the start.
#[derive(Debug)]
pub struct StateList<S, N> {
    pub states: StateSet<S>,
    /// By state: the least number of steps from the start.
    pub distances: Vec<u32>,
    /// Ends and stages of the states; where a limit ended the listing, the last ones are missing.
    pub nodes: N,
    /// The limit that ended the listing.
    pub stopped: Option<StopReason>,
}

impl<S: Clone + Eq + Hash, N> StateList<S, N> {
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
///
/// # Errors
/// If a state has no value.
pub fn explore<G: ConcurrentGame, N: Nodes<G::Payoff>>(
    game: &mut G,
    start: G::State,
    depth: Option<u32>,
    nodes: N,
    watch: &mut Watch<'_>,
) -> Result<StateList<G::State, N>, G::Error> {
    let mut listed = StateList {
        states: IndexSet::default(),
        distances: Vec::new(),
        nodes,
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
    Ok(listed)
}

fn expand<G: ConcurrentGame, N: Nodes<G::Payoff>>(
    game: &mut G,
    listed: &mut StateList<G::State, N>,
    number: usize,
    depth: Option<u32>,
    watch: &mut Watch<'_>,
    bytes: &mut u64,
) -> Result<(), StageError<G::Error>> {
    watch.check("listing states", number as u64)?;
    let (state, distance) = (listed.states[number].clone(), listed.distances[number]);
    let node = match game.payoff(&state)? {
        Some(payoff) => Listed::End(payoff),
        None if depth == Some(distance) => Listed::Last,
        None => {
            let before = listed.states.len();
            let Stage { columns, cells } = game.stage(&state, watch.limits())?;
            let named = |cell: Vec<(G::State, u64)>| {
                let cell = cell.into_iter();
                cell.map(|(next, weight)| (listed.number(next, distance + 1), weight))
                    .collect()
            };
            let cells = cells.into_iter().map(named).collect();
            let new = listed.states.iter().skip(before);
            let new: usize = new
                .map(|state| size_of::<G::State>() + 32 + G::heap_bytes(state))
                .sum();
            *bytes += new as u64;
            Listed::Stage(Stage { columns, cells })
        }
    };
    listed.nodes.push(node);
    let (all, taken) = (*bytes + listed.nodes.bytes(), watch.taken());
    watch.take_memory(all.saturating_sub(taken))?;
    Ok(())
}
