//! Beliefs step by step, then their values.

use crate::pomdp::belief::{Belief, bytes, certain};
use crate::pomdp::model::{Ambiguous, Pomdp, PomdpState};
use crate::pomdp::solution::{Node, PomdpSolution};
use limits::{Limits, StopReason, Watch};
use rustc_hash::FxHashMap;

/// Solves a process within a number of steps; plays that are not over by then are worth nothing. Without a number all steps count, and no play may
/// come back to a state, or the work ends at a limit only: see [`solve_endless`](crate::pomdp::solve_endless).
///
/// # Errors
/// If states that cannot be told apart have different actions.
pub fn solve(
    model: &Pomdp,
    depth: Option<u32>,
    limits: &Limits,
) -> Result<PomdpSolution, Ambiguous> {
    // The rest of the time is for values.
    let time = limits.time_left().map(|time| time * 2 / 3);
    let mut watch = Watch::new(&limits.within(time));
    let mut solution = match &model.states[0] {
        PomdpState::End(payoff) => return Ok(PomdpSolution::over(payoff.clone())),
        PomdpState::Inner { .. } => PomdpSolution::default(),
    };
    let mut listing = Listing {
        model,
        solution: &mut solution,
        layer: vec![certain(0)],
    };
    listing.solution.nodes.push(Node::default());
    let mut steps = 0;
    let stopped = loop {
        if depth == Some(steps) {
            solution.cuts_off = true;
            break None;
        }
        steps += 1;
        match listing.step(depth == Some(steps), &mut watch)? {
            Err(reason) => break Some(reason),
            Ok(()) if listing.layer.is_empty() => break None,
            Ok(()) => {}
        }
    };
    solution.stopped = stopped;
    solution.value_all();
    Ok(solution)
}

/// The beliefs of one step after the other.
struct Listing<'a> {
    model: &'a Pomdp,
    solution: &'a mut PomdpSolution,
    /// The beliefs of the present step: those of the last nodes.
    layer: Vec<Belief>,
}

impl Listing<'_> {
    /// Makes all actions in all beliefs of the present step. After the last one nothing that goes on counts.
    fn step(
        &mut self,
        is_last: bool,
        watch: &mut Watch<'_>,
    ) -> Result<Result<(), StopReason>, Ambiguous> {
        let first = self.solution.nodes.len() - self.layer.len();
        let mut next = Vec::new();
        let mut known: FxHashMap<Belief, u32> = FxHashMap::default();
        for (index, belief) in std::mem::take(&mut self.layer).iter().enumerate() {
            if let Err(reason) = watch.check("beliefs", (first + index) as u64) {
                return Ok(Err(reason));
            }
            let mut taken = 0;
            let Listing {
                model, solution, ..
            } = self;
            let mut cuts_off = false;
            solution.add_actions(first + index, model, belief, |nodes, belief| {
                cuts_off |= is_last;
                if is_last {
                    return None;
                }
                let new = nodes.len() as u32;
                let node = *known.entry(belief.clone()).or_insert(new);
                if node == new {
                    taken += 2 * bytes(&belief) + 150;
                    nodes.push(Node::new(&belief));
                    next.push(belief);
                }
                taken += 120;
                Some(node)
            })?;
            solution.cuts_off |= cuts_off;
            taken += 120 * solution.nodes[first + index].actions.len() as u64;
            if let Err(reason) = watch.take_memory(taken) {
                return Ok(Err(reason));
            }
        }
        self.layer = next;
        Ok(Ok(()))
    }
}
