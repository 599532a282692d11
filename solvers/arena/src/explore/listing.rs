//! The list of all states of a game: its graph, the key of each state, and the lengths of plays.

use base::graph::Graph;
use limits::StopReason;

use crate::arena::Arena;
use crate::payoffs::GameGraph;
use base::table::Interner;

/// The graph of a game, and which state has which key.
#[derive(Debug)]
pub struct Listing {
    /// The graph; play begins in state 0.
    pub game: GameGraph,
    /// The limit that came before all states were listed, if one did. The successors of the other states are not known: each has
    /// one outcome, the last end, worth 0.
    pub stopped: Option<StopReason>,
    pub(super) numbers: Interner,
    /// By state of the graph: after how many steps every play is over.
    pub(super) lengths: Vec<Option<u32>>,
}

impl Listing {
    /// The key of a state.
    pub fn key(&self, state: usize) -> &[u64] {
        self.numbers.key(state)
    }

    /// The number of the state with a key, if it can be reached.
    pub fn number(&self, key: &[u64]) -> Option<usize> {
        self.numbers.find(key)
    }

    /// The number of states. The graph has further states behind them: what players leave to chance in several of these.
    pub fn states(&self) -> usize {
        self.numbers.len()
    }

    /// By state: after how many steps every play is over; nothing where play can go on for ever, or that is not known.
    pub fn lengths(&self) -> &[Option<u32>] {
        &self.lengths[..self.states()]
    }

    /// The states of the graph such that each comes after all that follow it; nothing if play can come back to a state.
    pub fn order(&self) -> Option<Vec<Vec<u32>>> {
        let longest = self
            .lengths
            .iter()
            .try_fold(0, |most, length| Some(most.max((*length)?)))?;
        // An afterstate takes no step, so it comes after the other states of its length.
        let mut order = vec![Vec::new(); 2 * (longest as usize + 1)];
        for (state, length) in self.lengths.iter().enumerate() {
            let index = 2 * (*length)? as usize + usize::from(state >= self.states());
            order[index].push(state as u32);
        }
        Some(order)
    }
}

/// By state of a graph, after how many steps every play is over; nothing where play can go on for ever. The states from a number
/// on take no step. The last end may be one that stands for what is not known.
pub fn lengths(arena: &Arena, steps_before: usize, is_last_unknown: bool) -> Vec<Option<u32>> {
    let states = arena.states();
    let targets = |state: usize| {
        let replies = arena.alternatives(state).flat_map(|a| arena.replies(a));
        replies.flat_map(|reply| arena.targets(reply).iter().map(|&target| target as usize))
    };
    let graph = Graph::new(states, |edge| {
        for state in 0..states {
            let targets = targets(state).filter(|&target| target < states);
            targets.for_each(|target| edge(state, target));
        }
    });
    let unknown = is_last_unknown.then(|| states + arena.ends() - 1);
    let mut lengths = vec![None; states];
    // A component comes after those that it leads to.
    for component in graph.components().iter() {
        if let &[state] = component {
            let state = state as usize;
            let mut behind = targets(state).map(|target| match target < states {
                true => lengths[target],
                false => (unknown != Some(target)).then_some(0),
            });
            let longest = behind.try_fold(0, |most: u32, steps| steps.map(|it| most.max(it)));
            let own = u32::from(state < steps_before);
            lengths[state] = longest.map(|steps| steps + own);
        }
    }
    lengths
}
