//! What can be said without knowing any move.
//!
//! Every fact is true, false, or unknown. From the initial state on all moves are unknown but those that
//! cannot be legal; what follows for the next facts whatever is done is known. Counters of steps mostly
//! stay known. So it shows at once that a level which needs sixty steps on the counter is not reached
//! sooner, and after how many steps every path is at its end.

use crate::Problem;
use circuit::Signal;
use rustc_hash::FxHashSet;

/// Looks at no more than so many gates in all.
const MOST_GATES: usize = 100_000_000;

/// What a wire may be: true, false, or (both) either.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct May {
    pub hold: bool,
    pub fail: bool,
}

pub const EITHER: May = May {
    hold: true,
    fail: true,
};

pub fn known(holds: bool) -> May {
    May {
        hold: holds,
        fail: !holds,
    }
}

/// What a signal may be, given what the nodes may be.
pub fn of(values: &[May], signal: Signal) -> May {
    let May { hold, fail } = values[signal.node()];
    match signal.is_negated() {
        true => May {
            hold: fail,
            fail: hold,
        },
        false => May { hold, fail },
    }
}

/// Computes what gates may be, given what the inputs may be.
pub fn propagate(circuit: &circuit::Circuit, cone: &[usize], values: &mut [May]) {
    for &node in cone {
        let gate = circuit.gate(node);
        if !gate.is_empty() {
            let inputs = gate.iter().map(|&input| of(values, input));
            values[node] = inputs.fold(known(true), |all, input| May {
                hold: all.hold && input.hold,
                fail: all.fail || input.fail,
            });
        }
    }
}

/// Calls `visit` for 0, 1, 2, ... moves with the level that cannot be reached by so many, as far as
/// this shows: those below may be. `visit` says whether to go on. Gives the number of moves after
/// which every path is at its end, if that shows.
pub fn look_ahead(problem: &Problem<'_>, mut visit: impl FnMut(u32, usize) -> bool) -> Option<u32> {
    let step = problem.step;
    let circuit = &step.circuit;
    let all: Vec<usize> = (0..circuit.node_count()).collect();
    let mut values = vec![EITHER; circuit.node_count()];
    values[0] = known(false);
    let mut facts: Vec<May> = step.initial.iter().map(|&holds| known(holds)).collect();
    let mut seen: FxHashSet<Vec<May>> = FxHashSet::default();
    let most = MOST_GATES / circuit.node_count();
    for moves in 0..most as u32 {
        if !seen.insert(facts.clone()) {
            return None;
        }
        for (fact, &may) in step.facts.iter().zip(&facts) {
            values[fact.node()] = may;
        }
        // First with all moves unknown: what is legal does not depend on them.
        for input in &step.moves[0] {
            values[input.node()] = EITHER;
        }
        propagate(circuit, &all, &mut values);
        let terminal = of(&values, step.terminal);
        let may_reach = |level: &Signal| terminal.hold && of(&values, *level).hold;
        let levels = problem.levels.iter().rposition(may_reach);
        if !visit(moves, levels.map_or(0, |level| level + 1)) {
            return None;
        }
        if !terminal.fail {
            return Some(moves);
        }
        for (input, &legal) in step.moves[0].iter().zip(&step.legal[0]) {
            if !of(&values, legal).hold {
                values[input.node()] = known(false);
            }
        }
        propagate(circuit, &all, &mut values);
        facts = step.next.iter().map(|&next| of(&values, next)).collect();
    }
    None
}
