//! The way to a flaw: from the state asked about to one that has no value.
//!
//! A search that goes from state to state has the way at hand, as its open questions. Where all states are
//! listed it is found here, breadth first, so no way is shorter.

use crate::bounds::MAX_TRAIL_NODES;
use crate::game::StochasticGame;
use crate::successors::Successors;
use limits::{StopReason, Watch};
use rustc_hash::FxHashSet;

/// The words of some states, each of which follows the one before; the last one has no value, or one of its
/// successors has none.
pub type Trail = Vec<Box<[u64]>>;

/// A state that was met, and which one it follows.
struct Visited {
    state: Box<[u64]>,
    before: Option<usize>,
}

/// Finds a shortest way from a state of a layer to a flaw; none if there is none.
pub fn find<G: StochasticGame>(
    game: &G,
    state: &[u64],
    layer: usize,
    watch: &mut Watch<'_>,
) -> Result<Option<Trail>, StopReason> {
    let memory = watch.limits().memory;
    let mut successors = Successors::new(game, MAX_TRAIL_NODES, watch.limits().clone());
    let mut met = vec![Visited {
        state: state.into(),
        before: None,
    }];
    let (mut done, mut taken) = (0, 0);
    let mut known: FxHashSet<Box<[u64]>> = FxHashSet::default();
    for layer in (1..=layer).rev() {
        let states = done..met.len();
        done = states.end;
        if !game.is_stationary() {
            known.clear();
        }
        for number in states {
            let looking = "looking for the way to a flaw";
            watch.check_and_report(looking, number as u64, taken, || None)?;
            if memory.is_some_and(|most| taken > most) {
                return Err(StopReason::Memory);
            }
            if successors.list(&met[number].state, layer).is_err() {
                return Err(watch.limits().reached().unwrap_or(StopReason::Memory));
            }
            if successors.has_flaw() {
                let before = std::iter::successors(Some(number), |&number| met[number].before);
                let mut trail: Trail = before.map(|number| met[number].state.clone()).collect();
                trail.reverse();
                return Ok(Some(trail));
            }
            for index in 0..successors.len() {
                if known.insert(successors.key(index).into()) {
                    let state: Box<[u64]> = successors.state(index).into();
                    taken += 16 * state.len() as u64 + 96;
                    met.push(Visited {
                        state,
                        before: Some(number),
                    });
                }
            }
        }
    }
    Ok(None)
}
