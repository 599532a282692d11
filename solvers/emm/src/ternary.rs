//! A step executed without knowing the moves.
//!
//! Every fact is true, false, or unknown. From a state on, all moves are unknown but those that
//! cannot be legal; what follows for the next facts whatever is done is known. Counters of steps, and
//! whose turn it is, mostly stay known, so that the last step is seen to be terminal.

use crate::problem::Problem;
use circuit::Signal;
use rustc_hash::FxHashSet;

/// Looks no further than so many gates in all.
const MOST_GATES: usize = 300_000_000;

/// What may be: true, false, or (both) unknown.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct May {
    hold: bool,
    fail: bool,
}

const UNKNOWN: May = May {
    hold: true,
    fail: true,
};

fn known(holds: bool) -> May {
    May {
        hold: holds,
        fail: !holds,
    }
}

/// After how many steps every play from a state is over, if that shows. `go_on` is called for each
/// step; if it says `false` the search ends.
pub fn horizon(problem: &Problem, state: &[bool], mut go_on: impl FnMut() -> bool) -> Option<u32> {
    let step = &problem.step;
    let circuit = &step.circuit;
    let mut values = vec![UNKNOWN; circuit.node_count()];
    values[0] = known(false);
    let of = |values: &[May], signal: Signal| {
        let May { hold, fail } = values[signal.node()];
        match signal.is_negated() {
            true => May {
                hold: fail,
                fail: hold,
            },
            false => May { hold, fail },
        }
    };
    let mut facts: Vec<May> = state.iter().map(|&holds| known(holds)).collect();
    let mut seen: FxHashSet<Vec<May>> = FxHashSet::default();
    let most = MOST_GATES / circuit.node_count().max(1);
    for steps in 0..most as u32 {
        if !go_on() || !seen.insert(facts.clone()) {
            return None;
        }
        for (fact, &may) in step.facts.iter().zip(&facts) {
            values[fact.node()] = may;
        }
        // First with all moves unknown: what is legal does not depend on them.
        for input in step.moves.iter().flatten() {
            values[input.node()] = UNKNOWN;
        }
        for _ in 0..2 {
            for node in 1..values.len() {
                let gate = circuit.gate(node);
                if !gate.is_empty() {
                    let inputs = gate.iter().map(|&input| of(&values, input));
                    values[node] = inputs.fold(known(true), |all, input| May {
                        hold: all.hold && input.hold,
                        fail: all.fail || input.fail,
                    });
                }
            }
            let moves = step.moves.iter().flatten();
            for (input, &legal) in moves.zip(step.legal.iter().flatten()) {
                if !of(&values, legal).hold {
                    values[input.node()] = known(false);
                }
            }
        }
        if !of(&values, step.terminal).fail {
            return Some(steps);
        }
        facts = step.next.iter().map(|&next| of(&values, next)).collect();
    }
    None
}
